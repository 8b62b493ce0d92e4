"""Compare: the page's numbers are the engine's, its title is the verdict, and no address breaks it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from app.models import Query
from app.scoring.intervals import mean_interval
from app.scoring.significance import compare_rankers
from app.services.comparison import basis_of, differences_of, pair_verdicts, state_of
from app.services.evidence import evidence_of
from tests.furniture.race import race_in
from tests.furniture.words import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient

    from app.database import Database
    from app.models import Person
    from tests.furniture.race import Race

URL = "/p/race/compare"


@pytest.fixture
def race(stored: Database) -> Race:
    """Return a race in the database of the site, in which `Behind` wins 4 of 24 questions."""
    return race_in(stored, 24, behind_wins=4, slug="race", name="The race")


@pytest.fixture
def owner(race: Race, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with race.making() as make:
        return client_of(make.member(race.project, "owner"))


def signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def test_the_numbers_on_the_page_are_the_engines(race: Race, owner: FlaskClient, stored: Database) -> None:
    race.rate(race.ordered()[:20])
    page = text_of(owner.get(URL).text)

    basis = basis_of(evidence_of(stored, race.project.id))
    (pair,) = pair_verdicts(basis, [(0, 1)], state=state_of(basis))
    differences = differences_of(basis, 0, 1)
    interval = mean_interval(differences, clip=None)
    test = compare_rankers(basis.values[:, pair.queries], seed=1)
    assert f"paired over 20 questions {signed(interval.mean)}" in page
    assert f"{signed(interval.low)} to {signed(interval.high)}" in page
    assert f"{signed(pair.bounds[0])} to {signed(pair.bounds[1])}" in page
    assert f"{signed(pair.verdict.certificate[0])} to {signed(pair.verdict.certificate[1])}" in page
    assert f"{int((differences > 0).sum())} better with Ahead" in page
    assert f"{int((differences < 0).sum())} better with Behind" in page
    assert basis.board.ruler.fingerprint[:12] in page
    said = re.search(r"a reading, no verdict P = (0\.\d{4})", page)
    # Another seed draws other flips: equal within their error.
    assert said is not None
    assert float(said[1]) == pytest.approx(float(test.raw[0]), abs=0.01)


def test_the_title_is_the_verdict(race: Race, owner: FlaskClient) -> None:
    early = owner.get(URL).text
    race.rate(race.ordered()[:20])
    tested = owner.get(URL).text

    assert '<h1 dir="auto">Too early to compare Ahead and Behind</h1>' in early
    assert "A verdict needs 10 scored questions that both cover; there are none so far." in text_of(early)
    assert '<h1 dir="auto">Ahead is surely better than Behind</h1>' in tested
    assert "The planned test on 20 questions made it sure" in text_of(tested)


def test_reading_the_page_takes_the_look_and_says_what_comes_next(race: Race, owner: FlaskClient) -> None:
    race.rate(race.ordered()[:12])

    page = text_of(owner.get(URL).text)
    assert race.plan.taken[0].look.n == 12
    assert "The next test of who is ahead comes at 20 scored questions" in page
    assert (
        "of the first 20 questions in that order 12 are ready, and 16 unrated answers of 8 questions stand in "
        "the way." in page
    )


def test_ratings_are_not_said_to_shrink_the_lead(race: Race, owner: FlaskClient) -> None:
    race.rate(race.ordered()[:12])
    page = text_of(owner.get(URL).text)

    assert "How large the gap is stays most open, for want of ratings, on:" in page
    assert "narrow the gap" not in page


def test_bounds_are_said_to_hold_on_the_questions_scored_today(race: Race, owner: FlaskClient) -> None:
    race.rate(race.ordered()[:12])
    before = race.verdict()
    compare, report, meaning = (
        text_of(owner.get(address).text) for address in (URL, "/p/race/report", "/help/scores")
    )

    assert "12 more questions are not scored yet: once rated, they can join and move it further." in compare
    assert "Exact bounds of the mean difference, on the questions scored today" in compare
    assert (
        "is rated, on the questions scored today; a question that is not scored yet can still join" in report
    )
    assert "the least and the most it can become on the questions scored today" in meaning

    # Ratings alone lead out of the bounds: undecided questions join.
    race.rate(race.ordered()[12:], grades=(0, 3))
    assert before.bounds is not None
    assert race.verdict().mean < before.bounds[0]


def test_every_bar_opens_its_question(race: Race, owner: FlaskClient) -> None:
    race.rate(race.queries)
    page = owner.get(URL).text

    bars = re.findall(r'<a href="(/p/race/questions/\d+)" aria-label="([^"]+)"><title>', page)
    assert len(bars) == 24
    assert {address for address, _ in bars} == {f"/p/race/questions/{query.id}" for query in race.queries}
    assert sum("Ahead better by 37" in label for _, label in bars) == 20


def test_the_other_order_tells_the_same_story(race: Race, owner: FlaskClient) -> None:
    race.rate(race.queries)
    first, second = (run.id for run in race.runs)

    there = text_of(owner.get(f"{URL}?first={first}&second={second}").text)
    back = text_of(owner.get(f"{URL}?first={second}&second={first}").text)
    assert "Ahead is surely better than Behind" in there
    assert "Ahead is surely better than Behind" in back
    assert "Average gap" not in there
    assert signed(mean_interval(differences_of(race.basis, 1, 0), clip=None).mean) in back


def test_an_older_version_can_be_compared_and_no_test_of_it_is_promised(
    race: Race, owner: FlaskClient
) -> None:
    newer = race.add_run("Behind")
    race.rate(race.queries)

    page = text_of(owner.get(f"{URL}?first={newer.id}&second={race.runs[1].id}").text)
    assert "Behind v2 is probably better than Behind v1, but not surely" in page
    assert "No test of these two is coming" in page


@pytest.mark.parametrize(
    ("address", "note"),
    [
        ("?first=999999", "A version of this address is not there any more"),
        ("?first=x&second=%27", "A version of this address is not there any more"),
        ("?first={0}&second={0}", "A version cannot be compared with itself"),
    ],
)
def test_an_address_that_cannot_be_met_says_so(
    race: Race, owner: FlaskClient, address: str, note: str
) -> None:
    answer = owner.get(URL + address.format(race.runs[0].id))

    assert answer.status_code == 200
    assert note in text_of(answer.text)


def test_a_version_of_another_project_is_none_of_this_one(
    race: Race, owner: FlaskClient, stored: Database
) -> None:
    other = race_in(stored, 1, slug="other", name="Other")
    with other.making() as make:
        foreign = make.run(make.ranker(other.project, "Secret ranker"), {})

    page = owner.get(f"{URL}?first={foreign.id}&second={race.runs[0].id}").text
    assert "Secret ranker" not in page
    assert "is not there any more" in page


def test_one_version_alone_asks_for_another(
    client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    race = race_in(stored, 1, slug="race")
    with race.making() as make:
        alone = make.project(slug="alone")
        make.run(make.ranker(alone, "Only"), {})
        owner, viewer = make.member(alone, "owner"), make.member(alone, "viewer")

    assert "Import results" in client_of(owner).get("/p/alone/compare").text
    assert "Import results" not in client_of(viewer).get("/p/alone/compare").text


def test_tags_are_slices_with_their_own_n(race: Race, owner: FlaskClient, stored: Database) -> None:
    race.rate(race.queries)
    with stored.write() as session:
        for query in race.queries[:4]:
            session.get_one(Query, query.id).tags = ["<rare>"]

    page = owner.get(URL).text
    assert "&lt;rare&gt;" in page
    assert "<rare>" not in page
    assert re.search(r"<rare> 4 −37 – Too early", text_of(page))


def test_the_matrix_appears_with_three_rankers(race: Race, owner: FlaskClient) -> None:
    two = owner.get(URL).text
    race.add_run("Third")
    race.rate(race.queries)
    three = owner.get(URL).text

    assert 'id="pairs"' not in two
    assert "Ahead against Behind: +25, sure" in three
    assert "Behind against Ahead: −25, sure" in three


def test_a_viewer_reads_it_and_an_annotator_does_not(
    race: Race, client_of: Callable[[Person], FlaskClient]
) -> None:
    with race.making() as make:
        viewer = make.member(race.project, "viewer")

    assert client_of(viewer).get(URL).status_code == 200
    assert client_of(race.annotator).get(URL).status_code == 404


def test_many_questions_are_one_shape_and_a_line_each(
    stored: Database, client_of: Callable[[Person], FlaskClient]
) -> None:
    race = race_in(stored, 230, behind_wins=90, slug="long", name="The long race")
    race.rate(race.queries)
    with race.making() as make:
        owner = client_of(make.member(race.project, "owner"))
    pages = [owner.get(f"/p/long/compare?list={number}").text for number in (1, 2, 3)]

    wide = pages[0][pages[0].index('aria-label="Questions sorted by difference') :]
    wide = wide[: wide.index("</svg>")]
    # All 140 wins have one size, and so have all 90 losses: two steps, in proportion.
    (win,), (loss,) = (re.findall(rf'<path class="{kind} c\d" d="([^"]+)"', wide) for kind in ("win", "loss"))
    left, middle, right = 38.0, float(re.search(r"H([\d.]+)V", win)[1]), 1100.0
    assert (middle - left) / (right - left) == pytest.approx(140 / 230, abs=1e-3)
    assert f"H{right:g}V" in loss
    assert "<rect" not in wide
    listed = [re.findall(r"better by \d+", page[page.index('id="list"') :]) for page in pages]
    assert [len(lines) for lines in listed] == [100, 100, 30]
