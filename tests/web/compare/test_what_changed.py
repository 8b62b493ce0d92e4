"""What changed: a version against the one before it, told by its verdict, question by question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from app.models import Candidate, Ranker, Run
from app.services.collection.withdrawal import withdraw_run
from tests.furniture.databases import built_in
from tests.furniture.rankers import rankers_in
from tests.furniture.words import heading_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient

    from app.database import Database
    from app.models import Person
    from tests.furniture.rankers import TwoRankers

URL = "/p/two/compare/changes"


@pytest.fixture
def rankers(stored: Database) -> TwoRankers:
    """Return two rankers in which `Behind` wins 4 of 24 questions and has a better second version."""
    return built_in(stored, build_rankers)


def build_rankers(database: Database) -> TwoRankers:
    rankers = rankers_in(database, 24, behind_wins=4, slug="two", name="Two rankers")
    rankers.add_run("Behind")
    return rankers


@pytest.fixture
def owner(rankers: TwoRankers, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with rankers.making() as make:
        return client_of(make.member(rankers.project, "owner"))


@pytest.mark.thorough
def test_the_newest_version_with_one_before_it_is_told_first(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.queries)
    page = owner.get(URL).text

    assert heading_of(page) == "Behind v2 is better than v1, by 31 points."
    assert 'aria-label="0 worse, 4 the same, 20 better"' in page
    assert "0 worse 4 the same 20 better" in text_of(page)
    assert "On no scored question is v2 worse than v1." in page
    assert "Behind: what changed from v1 to v2 · Two rankers" in page


def test_both_pages_say_that_the_version_in_production_is_withdrawn(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.add_run("Behind")
    rankers.put_in_production(rankers.runs[0])
    rankers.add_run("Ahead", good_first=False)
    with rankers.database.write() as session:
        withdraw_run(session, session.get_one(Run, rankers.runs[0].id))

    for address in (URL, "/p/two/compare"):
        assert "Ahead v1 is in production but withdrawn here" in text_of(owner.get(address).text)


def test_questions_show_gap_scores_and_the_answers_that_moved(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)
    page = text_of(owner.get(URL).text)

    assert "+37 63 → 100 good 3 Solves it , from place 2 to place 1 2 1" in page
    assert "bad 0 No help , from place 1 to place 2 1 2" in page
    assert "Show 17 more" in page
    assert "with another top 2, but the same score" not in page


def test_two_ratings_of_an_answer_that_moved_do_not_read_as_a_change(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)
    with rankers.making() as make:
        other = make.member(rankers.project, "annotator")
        for query in rankers.queries:
            bad = select(Candidate).where(
                Candidate.query_id == query.id, Candidate.document_id == rankers.answers[query.id][1].id
            )
            make.judgment(make.session.scalars(bad).one(), other, 1)
    page = text_of(owner.get(URL).text)

    assert "0–1: ratings differ" in page
    assert "0 to 1" not in page


def test_a_question_whose_answers_moved_without_a_change_of_score_is_listed(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    moved = rankers.queries[-1]
    rankers.rate(rankers.queries[:-1])
    rankers.rate([moved], (2, 2))
    page = owner.get(URL).text
    words = text_of(page)

    assert f"1 question with another top 2, but the same score {moved.text}" in words
    assert "See them on Compare" not in words


def test_the_second_line_holds_it_against_production(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.put_in_production(rankers.runs[0])
    rankers.rate(rankers.queries)
    page = owner.get(URL).text

    assert "Against Ahead, in production: +6 (" in text_of(page)
    assert f"/p/two/compare?first={rankers.runs[2].id}&amp;second={rankers.runs[0].id}" in page


@pytest.mark.parametrize(("which", "message"), [(1, "v1 is in production."), (2, "v2 is in production.")])
def test_one_of_the_two_in_production_is_said_once(
    rankers: TwoRankers, owner: FlaskClient, which: int, message: str
) -> None:
    rankers.put_in_production(rankers.runs[which])
    rankers.rate(rankers.queries)
    page = text_of(owner.get(URL).text)

    assert message in page
    assert "Against " not in page


def test_unrated_answers_add_up_and_have_one_button(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.ordered()[:20], (3, 2))
    rankers.rate(rankers.ordered()[10:14], (2, 3))
    page = owner.get(URL).text
    words = text_of(page)

    assert "Rate the 8 unrated top answers of both (about 3 minutes). More questions may be needed." in words
    assert "8 top answers of the two versions are not rated yet" in words
    assert page.count("2 unrated") == 4
    assert page.count("Have these 8 rated first") == 1
    for run in rankers.runs[1:]:
        assert f'<input type="hidden" name="run" value="{run.id}">' in page


def test_what_another_request_holds_already_is_not_offered_again(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.ordered()[:20], (3, 2))
    rankers.rate(rankers.ordered()[10:14], (2, 3))
    for query in rankers.ordered()[20:23]:
        owner.post("/p/two/next/requests", data={"query": str(query.id)})
    some = owner.get(URL).text
    owner.post("/p/two/next/requests", data={"query": str(rankers.ordered()[23].id)})

    page = owner.get(URL).text

    assert "Have these 8 rated first" in some
    assert "rated first</button>" not in page
    assert 'href="/p/two/rate">Rate now' in page


def test_an_answer_that_a_short_list_lacks_is_not_said_to_be_below_its_top(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)
    with rankers.making() as make:
        behind = make.session.get_one(Ranker, rankers.runs[1].ranker_id)
        good = {query: [rankers.answers[query.id][0]] for query in rankers.queries}
        bad = {query: [rankers.answers[query.id][1]] for query in rankers.queries}
        make.run(behind, good)
        gone = make.run(behind, bad)
    page = text_of(owner.get(f"{URL}?version={gone.id}").text)

    assert "good 3 Solves it , from place 1, no longer in the list 1 –" in page
    assert "bad 0 No help , not in the list of v3, now at place 1 – 1" in page
    assert "–: not in that version’s list." in page
    assert "top 2" not in page[page.index("good 3") : page.index("–: not")]


@pytest.mark.thorough
def test_another_ranker_goes_before_the_version_that_was_shown(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    second = rankers.add_run("Ahead", good_first=False)
    rankers.rate(rankers.queries)
    ahead = rankers.runs[0].ranker_id
    chosen = owner.get(f"{URL}?ranker={ahead}&version={rankers.runs[2].id}").text
    named = owner.get(f"{URL}?version={rankers.runs[2].id}").text

    assert heading_of(chosen) == "Ahead v2 is worse than v1, by 31 points."
    assert f'<option value="{second.id}" selected>v2 against v1</option>' in chosen
    assert heading_of(named).startswith("Behind v2")


def test_a_first_version_is_told_calmly(rankers: TwoRankers, owner: FlaskClient) -> None:
    page = owner.get(f"{URL}?version={rankers.runs[0].id}").text

    assert heading_of(page) == "Ahead v1 has no version before it."
    assert f"/p/two/compare?first={rankers.runs[0].id}" in page


def test_the_version_before_is_the_newest_that_is_not_withdrawn(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    third = rankers.add_run("Behind", good_first=False)
    rankers.rate(rankers.queries)
    with rankers.database.write() as session:
        withdraw_run(session, session.get_one(Run, rankers.runs[2].id))
    page = owner.get(f"{URL}?version={third.id}").text
    gone = owner.get(f"{URL}?version={rankers.runs[2].id}").text

    assert "Behind v3" in heading_of(page)
    assert "than v1" in heading_of(page)
    assert "Behind v2 is withdrawn. The newest is shown instead." in text_of(gone)
    assert "Behind v3" in heading_of(gone)
    never = owner.get(f"{URL}?version=999999").text
    assert "The version in this address no longer exists. The newest is shown instead." in text_of(never)
    pair = owner.get(f"/p/two/compare?first={rankers.runs[2].id}").text
    assert "Behind v2 is withdrawn." in text_of(pair)
    assert "is shown instead" not in text_of(pair)


def test_before_a_question_is_scored_the_page_says_what_will_be_here(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    page = owner.get(URL).text

    assert (
        heading_of(page)
        == "Too early to compare Behind v2 and v1: 0 questions scored for both, 10 are needed."
    )
    assert "No question that both versions cover has a score yet." in text_of(page)
    assert "answer__gap" not in page


def test_the_same_answers_again_are_said_to_be_the_same(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.add_run("Behind")
    rankers.rate(rankers.queries)
    page = owner.get(URL).text

    assert heading_of(page) == "Behind v3 gives the same answers as v2."
    assert "their top 2 is the same." in text_of(page)


def test_without_a_ranker_owners_are_led_to_the_import_and_viewers_are_not(
    stored: Database, client_of: Callable[[Person], FlaskClient], rankers: TwoRankers
) -> None:
    with rankers.making() as make:
        empty = make.project(slug="empty")
        owner, viewer = make.member(empty, "owner"), make.member(empty, "viewer")
    pages = [client_of(person).get("/p/empty/compare/changes").text for person in (owner, viewer)]

    assert [heading_of(page) for page in pages] == ["No ranker has been imported yet."] * 2
    assert ["Import results" in page for page in pages] == [True, False]


def test_viewers_read_it_and_annotators_do_not(
    rankers: TwoRankers, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers.rate(rankers.queries[:20])
    with rankers.making() as make:
        viewer = make.member(rankers.project, "viewer")
    page = client_of(viewer).get(URL)

    assert page.status_code == 200
    assert "btn--stone" not in page.text
    assert client_of(rankers.annotator).get(URL).status_code == 404
