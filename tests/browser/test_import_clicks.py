"""How many clicks lie between own files and a score, and between a new version and its verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.test_imports import ANSWERS, QUESTIONS, RUN
from tests.furniture.live import DESK

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.furniture.live import LiveSite

MOST_FIRST = 12
MOST_WEEKLY = 5
IMPORTED = re.compile(r"Imported")
FIRST_RATINGS = "".join(f"q{q} 0 d{q + 2} 3\n" for q in range(1, 13))
# Another order of the same answers, so that the versions differ.
NEXT_WEEK = "".join(
    f"q{q} Q0 d{(q + r) % 30 + 1} {9 - r} {r}.5 blend\n" for q in range(1, 13) for r in range(8, 0, -1)
)


class Hand:
    """A person who counts clicks: each press of a button, link or field, two for a choice from a list, one for all files."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, name: str | re.Pattern[str], role: str = "button") -> None:
        self._press(self.page.get_by_role(role, name=name).first)  # type: ignore[arg-type]

    def _press(self, element: Locator) -> None:
        element.click()
        self.clicks += 1

    def fill(self, label: str, text: str) -> None:
        self._press(self.page.get_by_label(label, exact=True))
        self.page.keyboard.type(text)

    def choose(self, label: str, option: str) -> None:
        """Choose from a list: one click opens it, one takes the option."""
        self.page.get_by_label(label, exact=True).select_option(label=option)
        self.clicks += 2

    def choose_files(self, **files: str) -> None:
        """Choose files in one go; `runs_csv` is the file runs.csv."""
        self.page.get_by_label("Files", exact=True).set_input_files(
            [
                {"name": name.replace("_", "."), "mimeType": "text/plain", "buffer": text.encode()}
                for name, text in files.items()
            ]
        )
        self.clicks += 1

    def is_imported(self) -> None:
        expect(self.page.get_by_role("heading", level=1)).to_have_text(IMPORTED, timeout=20_000)


@pytest.fixture
def hand(live_site: LiveSite) -> Hand:
    with live_site.making() as make:
        owner = make.person(name="Amara Osei", is_admin=True)
    return Hand(live_site.open("/", owner, viewport=DESK))


def make_project(hand: Hand) -> None:
    hand.click("Blank project", "link")
    hand.fill("Name", "Ours")
    hand.click("Create the project")
    hand.click("Import", "link")


def test_own_files_lead_to_a_score_and_a_new_version_to_its_verdict_in_few_clicks(hand: Hand) -> None:
    make_project(hand)
    hand.choose_files(questions_csv=QUESTIONS, answers_csv=ANSWERS, blend_run=RUN, old_qrels=FIRST_RATINGS)
    hand.click("See what the files are")
    hand.click("Import the files")
    hand.is_imported()
    hand.click("See the scores", "link")
    expect(hand.page.get_by_text("12 of 12 questions scored", exact=True)).to_be_visible()
    assert hand.clicks <= MOST_FIRST

    hand.clicks = 0
    hand.click("Import", "link")
    hand.choose_files(blend_run=NEXT_WEEK)
    hand.click("See what the files are")
    hand.click("Import as “blend v2”")
    hand.is_imported()
    expect(hand.page.get_by_text("blend v2 is 68 points worse than v1")).to_be_visible(timeout=3000)
    assert hand.clicks <= MOST_WEEKLY


ASKED = QUESTIONS.replace("text", "query")
LABELS = ("Irrelevant", "Partial", "Exact")
OWN_RUN = "query_id,product_id,rank,score,system\n" + "".join(
    f"q{q},d{q + r + 14},{r},{40 - r}.5,blend\n" for q in range(1, 13) for r in range(1, 9)
)
OWN_RATINGS = "query_id,product_id,label,judge\n" + "".join(
    f"q{q},d{q + 19},{LABELS[q % 3]},Kim\n" for q in range(1, 13)
)


def test_three_files_that_each_need_a_decision_lead_to_a_score_in_few_clicks(hand: Hand) -> None:
    make_project(hand)
    hand.choose_files(
        questions_csv=ASKED,
        results_csv=OWN_RUN + "q99,d1,1,2.5,blend\n",
        ratings_csv=OWN_RATINGS + "q1,d21,Unsure,Kim\n",
    )
    hand.click("See what the files are")
    hand.choose("Questions that this project does not have", "skip these lines")
    expect(hand.page.get_by_label("Partial", exact=True)).to_have_value("1")
    hand.choose("Unsure", "leave these lines out")
    hand.click("Import the files")
    hand.is_imported()
    hand.click("See the scores", "link")
    expect(hand.page.get_by_text("8 of 12 questions scored", exact=True)).to_be_visible()
    assert hand.clicks <= MOST_FIRST


# Names of columns that nobody knows, and ids that are numbers everywhere.
GERMAN = {
    "fragen_csv": "frage_nr;wortlaut\n" + "".join(f"{n};wie repariere ich Teil {n}\n" for n in range(1, 13)),
    "artikel_csv": "art_nr;bezeichnung;inhalt\n"
    + "".join(f"{n};Anleitung {n} kurz;Drehen Sie die Schraube {n} fest an.\n" for n in range(1, 31)),
    "suche_csv": "frage_nr;art_nr;stelle;wert\n"
    + "".join(f"{q};{q + r + 10};{r};{40 - r},5\n" for q in range(1, 13) for r in range(1, 9)),
    "urteile_csv": "frage_nr;art_nr;note\n"
    + "".join(f"{q};{q + r + 10};{(q + r) % 4}\n" for q in range(1, 13) for r in (1, 3, 4)),
}
GERMAN_NEXT_WEEK = "frage_nr;art_nr;stelle;wert\n" + "".join(
    f"{q};{q + 9 - r + 10};{r};{40 - r},5\n" for q in range(1, 13) for r in range(1, 9)
)


def test_files_under_entirely_own_names_lead_to_a_score_and_a_verdict_in_few_clicks_without_scripts(
    live_site: LiveSite,
) -> None:
    with live_site.making() as make:
        owner = make.person(name="Amara Osei", is_admin=True)
    hand = Hand(live_site.open("/", owner, viewport=DESK, java_script_enabled=False))
    make_project(hand)
    hand.choose_files(**GERMAN)
    hand.click("See what the files are")
    expect(hand.page.get_by_text("“stelle” counts the places of each question.")).to_be_visible()
    expect(hand.page.get_by_label("stelle", exact=True)).to_have_value("rank")
    expect(hand.page.get_by_text("wie repariere ich Teil 1 ", exact=False).first).to_be_visible()
    hand.click("Import the files")
    hand.is_imported()
    hand.click("See the scores", "link")
    expect(hand.page.get_by_text("12 of 12 questions scored", exact=True)).to_be_visible()
    assert hand.clicks <= MOST_FIRST - 4

    hand.clicks = 0
    hand.click("Import", "link")
    hand.choose_files(suche_csv=GERMAN_NEXT_WEEK)
    hand.click("See what the files are")
    expect(hand.page.get_by_label("stelle", exact=True)).to_have_value("rank")
    hand.click("Import the files")
    hand.is_imported()
    expect(hand.page.get_by_text("suche v2 is 36 points worse than v1")).to_be_visible(timeout=3000)
    assert hand.clicks < MOST_WEEKLY


def test_three_own_files_without_the_answers_lead_to_a_score_and_a_wrong_guess_is_changed(hand: Hand) -> None:
    make_project(hand)
    hand.choose_files(**{name: text for name, text in GERMAN.items() if name != "artikel_csv"})
    hand.click("See what the files are")
    hand.choose("wert", "left out")
    hand.click("Import the files")
    hand.is_imported()
    hand.click("See the scores", "link")
    expect(hand.page.get_by_text("12 of 12 questions scored", exact=True)).to_be_visible()
    assert hand.clicks <= MOST_FIRST - 2
