"""Importing and exporting in a real browser: the whole way, with and without scripts, in both themes."""

from __future__ import annotations

import re
from itertools import cycle

import pytest
from playwright.sync_api import expect

from app.models import Upload
from tests.furniture.live import DESK, NARROWEST, PHONE, THEMES, overflow_of

QUESTIONS = "query_id,text\n" + "".join(f"q{n},how do I mend part {n}\n" for n in range(1, 13))
ANSWERS = "doc_id,title,text\n" + "".join(f"d{n},Answer {n},Turn screw {n}.\n" for n in range(1, 31))
RUN = "".join(
    f"q{q} Q0 d{(q + r) % 30 + 1} {r} {40 - r}.5 blend\n" for q in range(1, 13) for r in range(1, 9)
)
QRELS = "".join(f"q{q} 0 d{(q + 1) % 30 + 1} {q % 4}\n" for q in range(1, 13))


@pytest.fixture
def owner(live_site):
    with live_site.making() as make:
        project = make.project(name="Workshop help centre")
        owner = make.member(project, "owner", name="Amara Osei")
        owner.slug = project.slug
    return owner


# Of ratings it asks for a name alone.
CHOOSE = re.compile("Choose (ranker and version|a name)")


class Desk:
    """The owner at the import pages."""

    def __init__(self, live_site, owner, **options):
        self.base = f"/p/{owner.slug}/import"
        self.page = live_site.open(self.base, owner, **options)

    def choose(self, what, name, text):
        self.page.goto(self.base)
        self.page.get_by_role("link", name=f"Import {what}", exact=True).click()
        self.page.get_by_label("File", exact=True).set_input_files(
            {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
        )
        self.page.get_by_role("button", name="Check the file").click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Check the file before you import it")

    def finish(self, what):
        self.page.get_by_role("button", name=f"Import {what}").click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Imported")

    def bring_all(self):
        self.choose("questions", "questions.csv", QUESTIONS)
        self.finish("questions")
        self.choose("answers", "answers.csv", ANSWERS)
        self.finish("answers")
        self.choose("results", "blend.run", RUN)
        self.page.get_by_role("link", name=CHOOSE).click()
        self.finish("results")
        self.choose("ratings", "old.qrels", QRELS)
        self.page.get_by_role("link", name=CHOOSE).click()
        self.finish("ratings")


@pytest.mark.thorough
@pytest.mark.everyday
def test_a_project_is_filled_step_by_step(live_site, owner):
    desk = Desk(live_site, owner, viewport=DESK)

    desk.bring_all()

    page = desk.page
    page.goto(desk.base)
    expect(page.get_by_text("12 questions", exact=True)).to_be_visible()
    page.goto(desk.base.replace("/import", "/rankers"))
    expect(page.get_by_role("region", name="blend")).to_contain_text("v1")
    page.goto(desk.base.replace("/import", "/"))
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "blend is the only ranker: nothing to compare it with yet."
    )


def test_what_stands_against_a_file_is_said_mended_or_decided(live_site, owner):
    desk = Desk(live_site, owner)
    desk.choose("questions", "questions.csv", QUESTIONS)
    desk.finish("questions")
    desk.choose("answers", "answers.csv", ANSWERS)
    desk.finish("answers")
    page = desk.page

    page.goto(f"{desk.base}/run")
    page.evaluate("document.querySelector('form[data-largest]').dataset.largest = '10'")
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "big.run", "mimeType": "text/plain", "buffer": RUN.encode()}
    )
    page.get_by_role("button", name="Check the file").click()
    # Before it is sent.
    expect(page.get_by_text("This file is larger than 500 MB.")).to_be_visible()
    assert page.url.endswith("/run")

    desk.choose("results", "blend.run", RUN + "q1 Q0 d30 9 NaN blend\n")
    expect(page.get_by_text("1 line to fix")).to_be_visible()
    expect(page.get_by_role("link", name=CHOOSE)).to_have_count(0)
    page.get_by_role("link", name="Choose the corrected file").click()

    desk.choose("results", "blend.run", RUN + "q1 Q0 ebike-19 9 0.1 blend\n")
    page.get_by_label("Answers that this project does not have").select_option("add them without text")
    # It is offered with the format too.
    page.get_by_role("region", name="needs your decision").get_by_role("button", name="Check again").click()
    page.get_by_role("link", name=CHOOSE).click()
    page.get_by_label("Version").fill("first")
    desk.finish("results")

    expect(page.get_by_role("heading", name="blend first")).to_be_visible()


def test_every_page_is_for_everybody_in_a_theme_on_every_screen(live_site, owner, axe):
    themes = cycle(THEMES)
    desk = Desk(live_site, owner, reduced_motion="reduce")
    page = desk.page
    slug = desk.base.removesuffix("/import")

    def looks_right():
        page.emulate_media(color_scheme=next(themes), reduced_motion="reduce")
        axe(page)
        for screen in (PHONE, NARROWEST, DESK):
            page.set_viewport_size(screen)
            assert overflow_of(page) == 0, (page.url, screen)

    looks_right()
    page.goto(f"{desk.base}/queries")
    looks_right()
    page.goto(f"{desk.base}/run")
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("alert").first).to_contain_text("Choose a file")
    looks_right()
    page.goto(desk.base)
    page.get_by_label("Files", exact=True).set_input_files(
        [
            {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
            for name, text in {"questions.csv": QUESTIONS, "notes.md": "nothing to read"}.items()
        ]
    )
    page.get_by_role("button", name="See what the files are").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Check what each file is")
    looks_right()
    desk.bring_all()
    looks_right()
    desk.choose("results", "bad.run", RUN + "q41 Q0 ebike-19 9 0.1 blend\n")
    looks_right()
    desk.choose("results", "bad.run", RUN + "q1 Q0 d30 9 NaN blend\n")
    looks_right()
    desk.choose("answers", "wrong.csv", "Kennung,Inhalt\na,b\n")
    looks_right()
    page.get_by_role("button", name="Cancel").click()
    desk.choose("results", "more.run", RUN.replace(".5 ", ".0 "))
    looks_right()
    page.get_by_role("link", name=CHOOSE).click()
    looks_right()
    page.goto(desk.base)
    looks_right()
    page.goto(f"{slug}/rankers")
    looks_right()
    page.get_by_role("link", name="Change blend v1").click()
    looks_right()
    page.goto(f"{slug}/export")
    looks_right()


def test_a_page_that_waits_follows_the_work_and_keeps_focus(live_site, owner, axe):
    desk = Desk(live_site, owner)
    desk.choose("questions", "questions.csv", QUESTIONS)
    number = desk.page.url.rsplit("/", 1)[-1]

    def turn(**values):
        with live_site.database.write() as session:
            upload = session.get(Upload, number)
            for name, value in values.items():
                setattr(upload, name, value)

    turn(state="checking", progress_done=25, progress_total=100)
    page = desk.page
    page.reload()
    expect(page.get_by_text("25 %")).to_be_visible()
    axe(page)
    turn(progress_done=75)
    expect(page.get_by_text("75 %")).to_be_visible()
    turn(state="checked")

    expect(page.get_by_role("heading", level=1)).to_have_text("Check the file before you import it")
    desk.finish("questions")


def test_names_with_markup_are_text(live_site, owner):
    desk = Desk(live_site, owner)
    evil = "<img src=x onerror=alert(1)>"
    desk.choose("questions", f"{evil}.tsv", f"q1\t{evil}\n")
    desk.finish("questions")
    desk.choose("answers", "a.tsv", f"doc_id\ttext\nd1\t{evil}\n")
    desk.finish("answers")
    desk.choose("results", "r.run", "q1 Q0 d1 1 1 <b>tag</b>\n")
    desk.page.get_by_role("link", name=CHOOSE).click()
    desk.page.get_by_label("What is new in it").fill(evil)
    desk.finish("results")

    desk.page.goto(desk.base.replace("/import", "/rankers"))

    expect(desk.page.locator("main")).to_contain_text("<b>tag</b>")
    expect(desk.page.locator("main")).to_contain_text(evil)
    assert desk.page.locator("main img, main b >> text=tag").count() == 0


def test_an_export_is_downloaded(live_site):
    with live_site.making() as make:
        project = make.project()
        owner = make.member(project, "owner")
        candidate = make.candidate(make.query(project, "q1"), make.document(project, "d3"))
        make.judgment(candidate, make.member(project, "annotator"), 1)
        slug = project.slug
    page = live_site.open(f"/p/{slug}/export", owner)

    with page.expect_download() as download:
        page.get_by_role("region", name="One rating per answer").get_by_role(
            "button", name="Download"
        ).click()

    assert download.value.suggested_filename == f"{slug}-qrels.txt"
    assert download.value.path().read_text() == "q1 0 d3 1\n"
