"""Compare: the page's numbers are the engine's, its title is the verdict, and no address breaks it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.models import Query
from app.scoring.intervals import mean_interval
from app.services.evidence.store import evidence_of
from app.services.scores.overview_parts import verdict_between
from app.web.compare.questions import _heaviest
from tests.furniture.evidence import differences_of
from tests.furniture.rankers import GAP, rankers_in
from tests.furniture.words import heading_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient

    from app.database import Database
    from app.models import Person
    from tests.furniture.rankers import TwoRankers

URL = "/p/two/compare"
PICKED = "If you look at many pairs, some differ by luck."


@pytest.fixture
def rankers(stored: Database) -> TwoRankers:
    """Return two rankers in the database of the site, in which `Behind` wins 4 of 24 questions."""
    return rankers_in(stored, 24, behind_wins=4, slug="two", name="Two rankers")


@pytest.fixture
def owner(rankers: TwoRankers, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with rankers.making() as make:
        return client_of(make.member(rankers.project, "owner"))


def signed(value: float | None) -> str:
    return f"{value:+.3f}".replace("-", "−")


@pytest.mark.thorough
def test_the_numbers_on_the_page_are_the_engines(
    rankers: TwoRankers, owner: FlaskClient, stored: Database
) -> None:
    rankers.rate(rankers.ordered()[:20])
    page = text_of(owner.get(URL).text)

    between = verdict_between(evidence_of(stored, rankers.project.id), 0, 1)
    pair, verdict = between.pair, between.pair.verdict
    differences = differences_of(between.context, pair)
    interval = mean_interval(differences, clip=None)
    assert f"paired over 20 questions {signed(interval.mean)}" in page
    assert f"{signed(interval.low)} to {signed(interval.high)}" in page
    assert pair.bounds is not None
    assert " to ".join(dict.fromkeys(signed(bound) for bound in pair.bounds)) in page
    assert f"{verdict.sample.n} of the 20 scored ones" in page
    assert f"P = {verdict.sample.p:.4f}; “probably” needs P ≤ .10 on 10 or more questions" in page
    assert f"e = {verdict.sample.e_value:.3g}; “sure” needs 100" in page
    assert "“sure” needs P ≤ .04" in page
    assert f"{int((differences > 0).sum())} better with Ahead" in page
    assert f"{int((differences < 0).sum())} better with Behind" in page
    assert between.context.board.ruler.fingerprint[:12] in page


def test_the_title_is_the_verdict(rankers: TwoRankers, owner: FlaskClient) -> None:
    early = owner.get(URL).text
    rankers.rate(rankers.queries)
    tested = owner.get(URL).text

    assert (
        heading_of(early)
        == "Too early to compare Ahead and Behind: 0 questions scored for both, 10 are needed."
    )
    assert heading_of(tested) == "Ahead is better than Behind, by 25 points."
    assert "verdict--sure" in tested


def test_questions_without_results_are_said_before_more_are_asked_for(
    stored: Database, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers = rankers_in(stored, 3, slug="two", name="Two rankers")
    rankers.add_queries(4)
    rankers.rate(rankers.queries[:3])
    with rankers.making() as make:
        owner = client_of(make.member(rankers.project, "owner"))

    page = text_of(owner.get(URL).text)

    said = (
        "4 questions lack results of Ahead v1 and of Behind v1. "
        "Add at least 3 questions. Import a new version of each ranker, with results for all questions."
    )
    assert said in page
    assert "Add 7 questions" not in page


def test_the_new_version_to_mark_is_named_as_on_the_overview(
    stored: Database, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers = rankers_in(stored, 6, slug="two", name="Two rankers")
    rankers.put_in_production(rankers.runs[1])
    rankers.add_queries(4)
    rankers.add_run("Ahead")
    rankers.add_run("Behind", good_first=False)
    rankers.rate(rankers.queries)
    with rankers.making() as make:
        owner = client_of(make.member(rankers.project, "owner"))

    for address in (URL, URL.removesuffix("compare")):
        page = text_of(owner.get(address).text)
        assert "Behind v1 has no results for 4 questions. Behind v2 has more results: mark it as in" in page


def test_rating_alone_is_not_said_to_be_enough(
    stored: Database, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers = rankers_in(stored, 3, slug="two", name="Two rankers")
    rankers.rate(rankers.queries[:1])
    with rankers.making() as make:
        owner = client_of(make.member(rankers.project, "owner"))

    page = text_of(owner.get(URL).text)

    assert "Too early to compare Ahead and Behind: 1 question scored for both, 10 are needed" in page


def test_the_other_order_tells_the_same_story(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.queries)
    first, second = (run.id for run in rankers.runs)

    there = owner.get(f"{URL}?first={first}&second={second}").text
    back = owner.get(f"{URL}?first={second}&second={first}").text
    assert heading_of(there) == heading_of(back) == "Ahead is better than Behind, by 25 points."
    assert "+25 points" in there
    assert "−25 points" in back
    assert "verdict--sure" in there
    assert "verdict--sure" in back, "the word is about the one that the title names"


@pytest.mark.thorough
@pytest.mark.parametrize("marked", [None, 1])
def test_without_an_address_it_opens_on_the_overviews_pair_and_says_its_sentence(
    rankers: TwoRankers, owner: FlaskClient, marked: int | None
) -> None:
    rankers.rate(rankers.queries)
    newest = rankers.add_run("Behind", good_first=True)
    if marked is not None:
        rankers.put_in_production([*rankers.runs[:2], newest][marked])

    overview, page = owner.get("/p/two/").text, owner.get(URL).text

    assert heading_of(page) == heading_of(overview)
    chosen = re.findall(r'<option value="(\d+)" selected', page)
    turned = owner.get(f"{URL}?first={chosen[1]}&second={chosen[0]}").text
    assert heading_of(turned) == heading_of(overview)


def test_where_nothing_beats_production_only_the_overview_speaks_of_all_rankers(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)
    rankers.put_in_production(rankers.runs[0])

    overview, compare = (text_of(owner.get(address).text) for address in ("/p/two/", URL))

    assert "No ranker is known to beat Ahead." in overview
    assert re.search(r"On new questions Ahead is likely \d+ to \d+ points ahead of Behind\.", overview)
    assert "newest version is known" not in compare
    assert re.search(r"Ahead is better than Behind, by \d+ points\.", compare)
    assert re.search(r"On new questions Ahead is likely \d+ to \d+ points ahead\.", compare)


def test_what_is_in_production_is_kept_until_something_is_sure(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.put_in_production(rankers.runs[1])
    rankers.rate(rankers.ordered()[:11], (3, 2))
    unsure = text_of(owner.get(URL).text)
    rankers.rate(rankers.queries)
    sure = text_of(owner.get(URL).text)

    assert "Keep Behind in production for now. On new questions" in unsure
    assert "Keep Behind in production for now" not in sure


def test_unrated_answers_of_the_two_can_be_asked_for_once(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.ordered()[:20])
    page = owner.get(URL).text
    assert (
        "Rate the 8 unrated top answers of both (about 3 minutes). More questions may be needed."
        in text_of(page)
    )
    assert "Have these 8 rated first" in page

    runs = [run.id for run in rankers.runs]
    asked = owner.post("/p/two/next/requests", data={"run": runs, "next": URL}, follow_redirects=True).text
    assert "8 answers will be rated first, from the top 2 of Ahead v1 and Behind v1." in text_of(asked)
    assert "rated first</button>" not in asked
    assert re.search(r'class="btn btn--stone" href="/p/two/rate">Rate now', asked)


def test_a_viewer_is_offered_nothing_to_press(
    rankers: TwoRankers, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers.rate(rankers.ordered()[:20])
    with rankers.making() as make:
        viewer = make.member(rankers.project, "viewer")
    page = client_of(viewer).get(URL).text

    assert "Rate the 8 unrated top answers of both" in text_of(page)
    assert "btn--stone" not in page
    assert client_of(rankers.annotator).get(URL).status_code == 404


def test_a_lead_of_one_question_is_said_with_the_gap_without_it(
    stored: Database, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers = rankers_in(stored, 12, behind_wins=4, slug="one", name="One question")
    rankers.rate(rankers.queries[:4], (2, 1))
    rankers.rate(rankers.queries[4:8], (2, 1))
    rankers.rate(rankers.queries[8:9], (3, 0))
    rankers.rate(rankers.queries[9:], (2, 2))
    with rankers.making() as make:
        owner = client_of(make.member(rankers.project, "owner"))
    page = owner.get("/p/one/compare").text

    # The equal wins and losses take each other away: one question of 12 has 37 points of the whole lead.
    assert heading_of(page) == "Ahead leads Behind by 3 points, but that isn’t certain yet."
    assert "All of the gap comes from one question" in page
    heaviest = f'href="/p/one/questions/{rankers.queries[8].id}">Lead of Ahead without its best question: 0 ('
    assert heaviest in page
    assert 'class="heaviest small heaviest--last"' in page


def test_every_bar_opens_its_question(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.queries)
    page = owner.get(URL).text

    bars = re.findall(r'<a href="(/p/two/questions/\d+)" aria-label="([^"]+)"><title>', page)
    assert len(bars) == 24
    assert {address for address, _ in bars} == {f"/p/two/questions/{query.id}" for query in rankers.queries}
    assert sum("Ahead better by 37" in label for _, label in bars) == 20


def test_a_question_with_unrated_answers_is_marked_wherever_it_is_called_worse(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)
    with rankers.making() as make:
        fresh = make.document(rankers.project, "fresh")
        lists = {query: [rankers.answers[query.id][1], fresh] for query in rankers.queries}
        third = make.run(make.ranker(rankers.project, "Third"), lists)
    page = owner.get(f"{URL}?first={rankers.runs[0].id}&second={third.id}").text

    listed = page[page.index('id="list"') : page.index("</ul>", page.index('id="list"'))]
    assert listed.count("Ahead better by 100, 1 unrated") == 20
    assert page.count("Ahead better by 100, 1 answer unrated") > 0
    helps = text_of(page[page.index("Where Ahead leads most") : page.index('id="pairs"')])
    assert helps.count("1 top answer unrated.") == 3


def test_rating_alone_promises_no_verdict_while_it_is_too_early(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.ordered()[:4])

    page = text_of(owner.get(URL).text)
    assert "4 questions scored for both, 10 are needed. Rate answers for 6 more questions." in page


@pytest.mark.thorough
@pytest.mark.parametrize("older", [False, True])
def test_what_nobody_here_could_judge_is_to_be_decided_and_the_verdict_stays(
    rankers: TwoRankers, owner: FlaskClient, *, older: bool
) -> None:
    ordered = rankers.ordered()
    if older:
        rankers.add_run("Behind")
    rankers.rate(ordered[1:])
    address = f"{URL}?first={rankers.runs[0].id}&second={rankers.runs[1].id}"
    before, word = text_of(owner.get(address).text), rankers.verdict().verdict
    rankers.let_nobody_here_judge(ordered[0])

    page = text_of(owner.get(address).text)

    assert "Rate the 2 unrated" in before
    assert "Have these 2 rated first" in before
    assert "2 of their top answers could not be rated: decide them in Review." in page
    assert "Rate the 2 unrated" not in page
    assert "rated first" not in page
    assert rankers.verdict().verdict == word


def test_a_version_against_the_one_before_it_is_no_pair_that_somebody_picked(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    newer = rankers.add_run("Behind")
    rankers.rate(rankers.queries)
    in_a_row = text_of(owner.get(f"{URL}?first={newer.id}&second={rankers.runs[1].id}").text)
    across = text_of(owner.get(f"{URL}?first={rankers.runs[0].id}&second={rankers.runs[1].id}").text)
    usual = text_of(owner.get(f"{URL}?first={rankers.runs[0].id}&second={newer.id}").text)

    assert "Behind v2 is better than Behind v1, by 31 points." in in_a_row
    assert PICKED not in in_a_row
    assert PICKED in across
    assert "Ahead v1" in across
    assert PICKED not in usual


@pytest.mark.parametrize(
    ("address", "note"),
    [
        ("?first=999999", "The version in this address no longer exists"),
        ("?first=x&second=%27", "The version in this address no longer exists"),
        ("?first={0}&second={0}", "A version cannot be compared with itself"),
    ],
)
def test_an_address_that_cannot_be_met_says_so(
    rankers: TwoRankers, owner: FlaskClient, address: str, note: str
) -> None:
    answer = owner.get(URL + address.format(rankers.runs[0].id))

    assert answer.status_code == 200
    assert note in text_of(answer.text)


def test_a_version_of_another_project_is_none_of_this_one(
    rankers: TwoRankers, owner: FlaskClient, stored: Database
) -> None:
    other = rankers_in(stored, 1, slug="other", name="Other")
    with other.making() as make:
        foreign = make.run(make.ranker(other.project, "Secret ranker"), {})

    for page in (
        owner.get(f"{URL}?first={foreign.id}&second={rankers.runs[0].id}").text,
        owner.get(f"{URL}/changes?version={foreign.id}").text,
    ):
        assert "Secret ranker" not in page
        assert "no longer exists" in page


def test_one_version_alone_asks_for_another(
    client_of: Callable[[Person], FlaskClient], stored: Database
) -> None:
    rankers = rankers_in(stored, 1, slug="two")
    with rankers.making() as make:
        alone = make.project(slug="alone")
        make.run(make.ranker(alone, "Only"), {})
        owner, viewer = make.member(alone, "owner"), make.member(alone, "viewer")

    assert "Import results" in client_of(owner).get("/p/alone/compare").text
    assert "Import results" not in client_of(viewer).get("/p/alone/compare").text


def test_tags_are_slices_with_their_own_n(rankers: TwoRankers, owner: FlaskClient, stored: Database) -> None:
    rankers.rate(rankers.queries)
    with stored.write() as session:
        for query in rankers.queries[:4]:
            session.get_one(Query, query.id).tags = ["<rare>"]

    page = owner.get(URL).text
    assert "&lt;rare&gt;" in page
    assert "<rare>" not in page
    assert "<rare> 4 −37 –" in text_of(page)
    assert pytest.approx(0.37, abs=0.005) == GAP


def test_the_matrix_holds_gaps_only_and_comes_with_three_rankers(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    two = owner.get(URL).text
    rankers.add_run("Third")
    rankers.rate(rankers.queries)
    three = owner.get(URL).text

    assert 'id="pairs"' not in two
    assert 'aria-label="Ahead v1 against Behind v1: +25"' in three
    assert 'aria-label="Behind v1 against Ahead v1: −25"' in three


@pytest.mark.parametrize("turned", [False, True])
def test_the_second_version_is_on_the_left_wherever_the_two_are_side_by_side(
    rankers: TwoRankers, owner: FlaskClient, turned: bool
) -> None:
    rankers.rate(rankers.queries)
    first, second = rankers.runs[:2][:: -1 if turned else 1]
    left, right = ("Ahead", "Behind") if turned else ("Behind", "Ahead")
    fewer, more = (20, 4) if turned else (4, 20)
    page = owner.get(f"{URL}?first={first.id}&second={second.id}").text

    counts = f"{fewer} better with {left}, 0 the same, {more} better with {right}"
    assert f'class="wltbar" role="img" aria-label="{counts}"' in page
    assert page.count(f'aria-label="Questions sorted by difference. {counts}"') == 2
    words = text_of(page)
    for before, after in (
        (f"◀ {left} better", f"{right} better ▶"),
        (f"{fewer} better with {left}", f"{more} better with {right}"),
        (f"Where {left} leads most", f"Where {right} leads most"),
    ):
        assert words.index(before) < words.index(after)
    bar = page[page.index('class="wltbar"') :]
    assert re.findall(r'<rect class="(win|loss) ', bar[: bar.index("</svg>")]) == ["loss", "win"]
    bars = re.findall(r"<title>[^<]*: (\w+) better by \d+</title>", page)
    assert bars == [left] * fewer + [right] * more
    listed = page[page.index('id="list"') :]
    assert listed.index(f"{right} better by") < listed.index(f"{left} better by")


@pytest.mark.parametrize("turned", [False, True])
def test_the_range_and_its_dot_have_the_hue_of_the_version_that_is_ahead(
    rankers: TwoRankers, owner: FlaskClient, turned: bool
) -> None:
    newer = rankers.add_run("Behind", good_first=True)
    rankers.rate(rankers.queries)
    runs = [newer, rankers.runs[1]][:: -1 if turned else 1]
    page = owner.get(f"{URL}?first={runs[0].id}&second={runs[1].id}").text

    drawing = page[page.index('aria-label="Average gap') :]
    drawing = drawing[: drawing.index("</svg>")]
    label = re.search(r'<text class="lab c(\d)"[^>]*>\s*(◀ )?Behind v2 better', drawing)
    assert label is not None
    assert re.findall(r'<circle class="c(\d) pt"', drawing) == [label[1]]
    assert re.findall(r'<rect class="sk(\d)"', drawing) == [label[1]]


@pytest.mark.thorough
def test_many_questions_are_one_shape_and_a_line_each(
    stored: Database, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers = rankers_in(stored, 230, behind_wins=90, slug="long", name="Many questions")
    rankers.rate(rankers.queries)
    with rankers.making() as make:
        owner = client_of(make.member(rankers.project, "owner"))
    pages = [owner.get(f"/p/long/compare?list={number}").text for number in (1, 2, 3)]

    wide = pages[0][pages[0].index('aria-label="Questions sorted by difference') :]
    wide = wide[: wide.index("</svg>")]
    # All 140 wins have one size, and so have all 90 losses: two steps, in proportion.
    (win,), (loss,) = (re.findall(rf'<path class="{kind} c\d" d="([^"]+)"', wide) for kind in ("win", "loss"))
    left, right = 38.0, 1100.0
    end = re.search(r"H([\d.]+)V", loss)
    assert end is not None
    assert (float(end[1]) - left) / (right - left) == pytest.approx(90 / 230, abs=1e-3)
    assert loss.startswith(f"M{left:g} ")
    assert f"H{right:g}V" in win
    assert "<rect" not in wide
    listed = [re.findall(r"better by \d+", page[page.index('id="list"') :]) for page in pages]
    assert [len(lines) for lines in listed] == [100, 100, 30]


def test_the_gap_without_a_question_is_told_in_the_direction_of_the_lead(
    stored: Database, app: Flask
) -> None:
    rankers = rankers_in(stored, 12, behind_wins=2, slug="lead")
    rankers.rate(rankers.queries, (3, 1))
    between = verdict_between(evidence_of(rankers.database, rankers.project.id), 0, 1)
    ahead = replace(between.pair, verdict=replace(between.pair.verdict, concentration=0.6))

    with app.test_request_context():
        told = [
            _heaviest("lead", between.context, ahead, ("Ahead", "Behind")),
            _heaviest("lead", between.context, ahead.turned(), ("Behind", "Ahead")),
        ]

    assert ahead.verdict.leads > 0
    assert told[0] is not None
    assert told[1] is not None
    assert told[0].text == told[1].text
    assert [one.first for one in told] == [False, True], "the first version is on the right"
    assert "Lead of Ahead without its best question: +" in told[0].text
