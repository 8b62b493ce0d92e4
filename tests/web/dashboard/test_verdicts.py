"""The overview's answer: the sentence, the verdict of each row, the one thing to do, and what changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from app.models import Candidate, EventKind, Project, Ranker, Request, Run
from app.services.collection.rankers import set_production
from app.services.collection.withdrawal import withdraw_run
from tests.furniture.rankers import rankers_in
from tests.furniture.rating import open_batch
from tests.furniture.routes import rows_of
from tests.furniture.words import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient

    from app.database import Database
    from app.models import Person
    from tests.furniture.rankers import TwoRankers

URL = "/p/two/"


@pytest.fixture
def rankers(stored: Database) -> TwoRankers:
    return rankers_in(stored, 24, behind_wins=4, slug="two", name="Two rankers")


@pytest.fixture
def owner(rankers: TwoRankers, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with rankers.making() as make:
        return client_of(make.member(rankers.project, "owner"))


@pytest.fixture
def viewer(rankers: TwoRankers, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with rankers.making() as make:
        return client_of(make.member(rankers.project, "viewer"))


def mark(rankers: TwoRankers, run: Run) -> None:
    with rankers.database.write() as session:
        set_production(session, session.get_one(Project, rankers.project.id), session.get_one(Run, run.id))


def withdraw(rankers: TwoRankers, run: Run) -> None:
    with rankers.database.write() as session:
        withdraw_run(session, session.get_one(Run, run.id))


def stone(page: str) -> str:
    """Return the slab with the answer."""
    return page[
        page.index('class="stone answer"') : page.index("</section>", page.index('class="stone answer"'))
    ]


@pytest.mark.thorough
def test_reading_the_page_writes_nothing(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.queries)
    before = rows_of(rankers.database)

    for address in (URL, f"{URL}overview/part", f"{URL}?measure=P@1", "/"):
        assert owner.get(address).status_code == 200

    assert rows_of(rankers.database) == before


@pytest.mark.thorough
def test_the_sentence_and_the_word_are_the_same_on_overview_home_and_report(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)

    for address in (URL, "/", f"{URL}report"):
        page = text_of(owner.get(address).text)
        assert "Ahead is better than Behind, by 25 points." in page
    assert "Surely worse" in text_of(owner.get(URL).text)
    assert "Sure" in text_of(owner.get("/").text)


def test_the_notes_of_the_report_end_with_one_full_stop(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.queries[:12])

    page = text_of(owner.get(f"{URL}report").text)

    assert ".." not in page


def test_a_version_in_production_is_what_the_others_are_compared_with(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)
    mark(rankers, rankers.runs[1])

    page = stone(owner.get(URL).text)

    assert "Yes: Ahead is better than Behind, by 25 points." in page
    assert "Gap to Behind (points)" in page
    assert page.count('class="tag"') == 1
    assert page.count("dot--ref") == 1
    assert "<b>+25</b>" in page


def test_the_button_marks_the_better_version_and_comes_back(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.queries)
    mark(rankers, rankers.runs[1])
    page = stone(owner.get(URL).text)
    (action,) = re.findall(r'<form method="post" action="([^"]+)"', page)

    sent = owner.post(action, data={"marked": "y", "next": URL})

    assert sent.location == URL
    assert 'value="/p/two/"' in page
    assert "No ranker is known to beat Ahead." in stone(owner.get(URL).text)


@pytest.mark.thorough
def test_the_button_asks_for_the_missing_answers_first_and_then_leads_to_rating(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.ordered()[:20])
    mark(rankers, rankers.runs[0])
    page = stone(owner.get(URL).text)
    (action,) = re.findall(r'<form method="post" action="([^"]+)"', page)
    runs = re.findall(r'name="run" value="(\d+)"', page)

    sent = [owner.post(action, data={"run": runs, "next": URL}) for _ in range(2)]

    assert "Have these rated first" in page
    assert {int(one) for one in runs} == {run.id for run in rankers.runs}
    assert [one.location for one in sent] == [URL, URL]
    with rankers.database.read() as session:
        assert [one.answers for one in session.query(Request)] == [8]
    after = owner.get(URL).text
    assert "This is requested already." in after
    assert "Have these rated first" not in stone(after)
    assert re.search(r'href="/p/two/rate">\s*Rate now', stone(after))


def test_whoever_may_only_look_has_no_button(rankers: TwoRankers, viewer: FlaskClient) -> None:
    rankers.rate(rankers.ordered()[:20])

    page = viewer.get(URL).text

    assert "<form" not in stone(page)
    assert "btn--stone" not in page
    assert "/p/two/next/rate" not in page


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("rated", "sentence", "button"),
    [
        (0, "Too early to compare Ahead and Behind: 0 questions scored for both, 10 are needed.", "Rate now"),
        (9, "Too early to compare Ahead and Behind: 9 questions scored for both, 10 are needed.", "Rate now"),
    ],
)
def test_below_ten_questions_numbers_are_grey(
    rankers: TwoRankers, owner: FlaskClient, rated: int, sentence: str, button: str
) -> None:
    rankers.rate(rankers.ordered()[:rated])

    page = stone(owner.get(URL).text)

    assert sentence in page
    assert button in page
    assert page.count("lb__row--early") == 2
    assert ("lb__streak" in page) == (rated >= 8)


def test_where_too_few_questions_can_be_scored_the_button_adds_some(
    stored: Database, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers = rankers_in(stored, 8, slug="two")
    with rankers.making() as make:
        client = client_of(make.member(rankers.project, "owner"))
    rankers.rate(rankers.ordered()[:3])

    page = stone(client.get(URL).text)

    assert "Rate answers for 5 more questions. Add at least 2 questions. Import" in page
    assert "Add questions" in page
    assert "Have these rated first" not in page


def test_a_new_version_leads_to_what_changed(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.queries)
    assert "last version" not in stone(owner.get(URL).text)
    run = rankers.add_run("Behind", good_first=True)

    page = stone(owner.get(URL).text)

    assert f'href="/p/two/compare/changes?version={run.id}"' in page
    assert "<span>from v1" in page
    assert "no earlier version" in page


def test_an_older_version_in_production_has_a_row_of_its_own_and_is_named(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)
    rankers.add_run("Behind", good_first=True)
    mark(rankers, rankers.runs[1])

    page = stone(owner.get(URL).text)

    assert page.count('class="lb__row"') == 3
    assert "Behind v2 is better than v1" in page or "better than Behind v1" in page
    assert "Gap to Behind v1 (points)" in page


def test_an_older_version_in_place_of_a_withdrawn_one_is_named_with_its_version(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)
    newest = rankers.add_run("Ahead", good_first=True)
    withdraw(rankers, newest)

    overview, compare = stone(owner.get(URL).text), owner.get(f"{URL}compare").text

    assert "Ahead v1 is better than Behind, by 25 points" in overview
    assert "Gap to Ahead v1 (points)" in overview
    assert "Ahead v1 is better than Behind, by 25 points" in text_of(compare)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("paused", "Rating is paused."),
        ("closed", "Rating is closed."),
    ],
)
def test_a_project_that_is_not_open_says_so_and_leads_to_its_settings(
    rankers: TwoRankers, owner: FlaskClient, state: str, message: str
) -> None:
    rankers.rate(rankers.ordered()[:20])
    with rankers.database.write() as session:
        session.get_one(Project, rankers.project.id).state = state

    page = owner.get(URL).text

    assert message in stone(page)
    assert 'href="/p/two/settings">Open it again' in stone(page)
    assert "/p/two/next/rate" not in page


def test_an_archived_project_has_no_button(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.ordered()[:20])
    with rankers.database.write() as session:
        session.get_one(Project, rankers.project.id).state = "archived"

    page = owner.get(URL).text

    assert "This project is archived" in page
    assert "<form" not in stone(page)
    assert "btn--stone" not in page
    assert "unrated top answers (about" not in text_of(page)


@pytest.mark.thorough
def test_more_than_eight_rankers_stand_behind_a_line(rankers: TwoRankers, owner: FlaskClient) -> None:
    for number in range(8):
        rankers.add_run(f"Ranker {number}")
    rankers.rate(rankers.queries)

    page = stone(owner.get(URL).text)

    assert "Show 2 more" in page
    assert page[: page.index("lb__more")].count('class="lb__row"') == 8


def test_the_line_of_trust_links_each_part(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.ordered()[:20])

    page = owner.get(URL).text
    line = page[page.index('class="trust"') : page.index("</p>", page.index('class="trust"'))]

    assert re.findall(r'href="([^"]+)">([^<]+)</a>', line) == [
        ("/p/two/questions", "20 of 24 questions scored"),
        ("/p/two/next", "83 % of answers rated"),
    ]


def test_questions_that_not_all_rankers_have_results_for_are_told_apart_and_explained(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.add_queries(4)
    rankers.add_run("Ahead")
    rankers.rate(rankers.queries)

    page = owner.get(URL).text

    assert f'<a href="{URL}rankers">24 of 28 questions scored for all rankers</a>' in page
    explained = text_of(owner.get(f"{URL}rankers").text)
    assert "24 of 28 questions with results" in explained
    assert "No version is scored on questions added after its import." in explained
    assert "On the 24 questions that all versions here share" not in page


def test_of_one_ranker_the_questions_of_both_versions_are_counted(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    withdraw(rankers, rankers.runs[1])
    rankers.add_queries(4)
    rankers.add_run("Ahead")
    rankers.rate(rankers.queries)

    assert "24 of 28 questions scored for both versions" in text_of(owner.get(URL).text)


def test_where_the_chart_counts_fewer_questions_it_is_said_at_its_numbers(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.add_queries(4)
    rankers.add_run("Ahead")
    rankers.add_run("Behind", good_first=False)
    rankers.rate(rankers.queries)

    page = owner.get(URL).text

    readout = page[page.index('class="readout"') :]
    line = "On the 24 questions that all versions here share"
    assert line in readout[: readout.index("</ul>")]
    assert page.count(line) == 1


def test_an_older_version_that_puts_an_unrated_answer_first_is_named(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.put_in_production(rankers.runs[1])
    rankers.add_run("Behind")
    rankers.rate(rankers.ordered()[:20])
    assert "2 rankers put an unrated answer first." in text_of(owner.get(f"{URL}next").text)
    withdraw(rankers, rankers.runs[0])

    for address in (URL, f"{URL}next"):
        page = text_of(owner.get(address).text)
        assert "Behind and Behind v1 put an unrated answer first." in page


def test_what_to_rate_next_says_why(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.ordered()[:20])

    page = owner.get(URL).text
    card = text_of(page[page.index('id="next-h"') : page.index('id="hard-h"')])

    assert "2 unrated" in card
    assert "Ahead and Behind put an unrated answer first." in card
    assert "8 unrated answers" in card


@pytest.mark.thorough
def test_what_is_on_the_pages_of_others_is_not_offered(
    rankers: TwoRankers, owner: FlaskClient, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers.rate(rankers.ordered()[:23])
    with rankers.making() as make:
        other = make.member(rankers.project, "annotator")

    def card() -> str:
        page = owner.get(URL).text
        return text_of(page[page.index('id="next-h"') : page.index('id="hard-h"')])

    assert "2 unrated" in card()
    open_batch(client_of(other), f"{URL}rate")

    assert "Others are rating the answers that are left." in card()
    assert "2 unrated" not in card()
    assert "2 unrated answers are on other people’s pages now." in text_of(owner.get(f"{URL}next").text)


@pytest.mark.thorough
def test_a_range_of_what_is_unrated_is_told_from_an_interval(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.queries)
    rankers.add_run("Behind", good_first=True)
    page = text_of(stone(owner.get(URL).text))
    assert "once all is rated)" not in page

    with rankers.making() as make:
        lists = {
            query: [make.document(rankers.project), rankers.answers[query.id][0]] for query in rankers.queries
        }
        ranker = make.session.get_one(Run, rankers.runs[1].id).ranker_id
        make.run(make.session.get_one(Ranker, ranker), lists, version="v3")

    assert "once all is rated)" in text_of(stone(owner.get(URL).text))


@pytest.mark.thorough
@pytest.mark.parametrize("path", ["", "overview/part", "report"])
def test_what_nobody_here_could_judge_waits_for_a_decision_and_no_rating(
    rankers: TwoRankers, owner: FlaskClient, path: str
) -> None:
    ordered = rankers.ordered()
    rankers.rate(ordered[2:])
    rankers.let_nobody_here_judge(ordered[0])
    before = text_of(owner.get(f"{URL}{path}").text)
    rankers.rate(ordered[1:2])

    page = owner.get(f"{URL}{path}").text

    assert "Rate the 2 unrated top answers of both (about 1 minute)." in before
    assert "2 of their top answers could not be rated: decide them in Review." in text_of(page)
    assert "first rating" not in page
    if path != "report":
        assert "2 unrated answers" in before, "what waits for a decision is not counted"
        assert "Have these rated first" not in page
        assert "Decide" in stone(page)
        assert "Annotators could not judge the answers that are left." in page


@pytest.mark.thorough
def test_where_it_is_too_early_the_sentence_asks_for_the_same_as_the_button(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.ordered()[:9])
    before = stone(owner.get(URL).text)
    rankers.let_nobody_here_judge(*rankers.ordered()[9:])

    page = stone(owner.get(URL).text)

    assert "Rate answers for 1 more question." in before
    assert "Rate answers" not in page
    assert "30 of their top answers could not be rated: decide them in Review." in text_of(page)
    assert "Decide" in page


@pytest.mark.thorough
def test_what_another_member_can_still_rate_waits_for_a_rating(
    stored: Database, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers = rankers_in(stored, 24, behind_wins=12, slug="two", name="Two rankers")
    with rankers.making() as make:
        owner = client_of(make.member(rankers.project, "owner"))
    ordered = rankers.ordered()
    rankers.rate(ordered[1:])
    rankers.pass_on(ordered[0], rankers.annotator)
    alone = text_of(owner.get(URL).text)
    with rankers.making() as make:
        make.member(rankers.project, "annotator")

    page, coming = (text_of(owner.get(f"{URL}{path}").text) for path in ("", "next"))

    assert "2 of their top answers could not be rated: decide them in Review." in alone
    assert "Rate the 2 unrated top answers of both (about 1 minute)." in page
    assert "2 answers wait for a first rating." in coming


def test_experts_see_every_number_of_the_tests(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.queries)
    pair = rankers.verdict()

    page = owner.get(URL).text
    experts = text_of(page[page.index('id="experts"') :])

    assert f"{pair.verdict.sample.e_value:.3g}" in experts
    assert "Sure from e = 100 on (1 pair at once)" in experts


def test_nothing_new_costs_a_304(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.ordered()[:20])
    tag = re.search(r"data-refresh-etag='(\"[0-9a-f]+\")'", owner.get(URL).text)

    assert tag is not None
    assert owner.get(f"{URL}overview/part", headers={"If-None-Match": tag[1]}).status_code == 304
    assert rankers.events(EventKind.REQUESTED) == []


def test_since_the_last_version_has_the_word_of_what_changed(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.queries)
    rankers.add_run("Behind", good_first=True)

    assert owner.get(f"{URL}report").text.count(", sure</td>") == 1
    cell = re.search(r'<a class="lb__was".*?</a>', owner.get(URL).text)
    assert cell is not None
    assert text_of(cell[0]).endswith("Sure +31 (+25 to +37)")


def test_a_new_version_that_is_not_told_apart_has_a_named_icon_in_place_of_the_word(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.ordered()[:9])
    rankers.add_run("Behind", good_first=True)

    cell = re.search(r'<a class="lb__was".*?</a>', owner.get(URL).text)

    assert cell is not None
    assert 'role="img" aria-label="Too early"' in cell[0]
    assert "Too early" not in text_of(cell[0])


@pytest.mark.thorough
def test_a_leader_that_is_surely_better_than_all_others_says_so_in_its_row(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    def first_row() -> str:
        return text_of(re.findall(r'<li class="lb__row.*?</li>', owner.get(URL).text, re.DOTALL)[0])

    rankers.rate(rankers.ordered()[:9])
    early = first_row()
    rankers.rate(rankers.ordered()[9:])

    assert "Sure" not in early
    assert "Sure" in first_row()
    assert re.search(r"<td>Sure</td>", owner.get(f"{URL}report").text)
    rankers.add_run("Twin of Ahead", good_first=True)
    assert "Sure" not in first_row()


def test_an_older_version_in_production_leaves_the_colour_to_the_newest(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)
    rankers.add_run("Behind", good_first=True)
    mark(rankers, rankers.runs[1])

    page = owner.get(URL).text
    rows = re.findall(r'<li class="lb__row.*?</li>', page, re.DOTALL)
    older = next(row for row in rows if "In production" in row)
    legend = page[page.index('aria-label="Lines"') :]

    assert 'class="mk mk-0"' in older
    assert re.search(r'mk-0.{0,90}<span dir="auto">Behind v1', legend, re.DOTALL)


@pytest.mark.thorough
def test_a_provisional_score_is_called_so_and_its_band_says_what_it_leaves_out(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    with rankers.making() as make:
        for query in rankers.queries:
            good = select(Candidate).where(
                Candidate.query_id == query.id, Candidate.document_id == rankers.answers[query.id][0].id
            )
            make.judgment(make.session.scalars(good).one(), rankers.annotator, 2)
    band = "Band: Ahead’s likely score on new questions, if unrated answers count as 0."

    page = text_of(owner.get(URL).text)

    told = text_of(stone(owner.get(URL).text))
    assert "All scores are provisional: unrated answers count as 0 for now." in told
    assert band in page
    assert "once all is rated Not sure yet" in told
    assert band in text_of(owner.get(f"{URL}report").text)

    rankers.rate(rankers.queries)
    for address in (URL, f"{URL}report"):
        complete = text_of(owner.get(address).text)
        assert "provisional" not in complete.lower()
        assert "Band: Ahead’s likely score on new questions." in complete


def test_what_verdicts_wait_for_is_said_once_below_the_rows(
    stored: Database, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers = rankers_in(stored, 24, behind_wins=2, slug="two")
    ordered = rankers.ordered()
    rankers.rate([one for one in ordered if one is not ordered[5]])
    with rankers.making() as make:
        client = client_of(make.member(rankers.project, "viewer"))

    for address in (URL, f"{URL}report"):
        page = text_of(client.get(address).text)
        assert "Not sure yet" in page
        assert page.count("Verdicts wait for missing ratings.") == 1
        # A number in a row would be taken for answers of that ranker alone.
        assert "rating missing" not in page
    rankers.rate([ordered[5]])
    assert "Verdicts wait" not in text_of(client.get(URL).text)


@pytest.mark.thorough
@pytest.mark.parametrize(("questions", "wins", "is_told"), [(12, 3, True), (16, 4, False)])
def test_a_range_past_0_beside_probably_is_explained(
    stored: Database, client_of: Callable[[Person], FlaskClient], questions: int, wins: int, is_told: bool
) -> None:
    rankers = rankers_in(stored, questions, behind_wins=wins, slug="two", name="Two rankers")
    rankers.rate(rankers.queries)
    with rankers.making() as make:
        client = client_of(make.member(rankers.project, "owner"))
    page = client.get(URL).text

    assert "Probably" in stone(page)
    assert ("“Probably” is less certain than the range, so the range can include 0." in page) is is_told
