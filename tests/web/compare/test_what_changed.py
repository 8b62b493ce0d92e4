"""What changed: a version against the one before it, told by its verdict, question by question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.models import Run
from app.services.collection.withdrawal import withdraw_run
from tests.furniture.race import race_in
from tests.furniture.words import heading_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient

    from app.database import Database
    from app.models import Person
    from tests.furniture.race import Race

URL = "/p/race/compare/changes"


@pytest.fixture
def race(stored: Database) -> Race:
    """Return a race in which `Behind` wins 4 of 24 questions and has a better second version."""
    race = race_in(stored, 24, behind_wins=4, slug="race", name="The race")
    race.add_run("Behind")
    return race


@pytest.fixture
def owner(race: Race, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with race.making() as make:
        return client_of(make.member(race.project, "owner"))


def test_the_newest_version_with_one_before_it_is_told_first(race: Race, owner: FlaskClient) -> None:
    race.rate(race.queries)
    page = owner.get(URL).text

    assert heading_of(page) == "Behind v2 is better than v1, by 31 points."
    assert "20 better, 4 the same, 0 worse" in page
    assert "On no question is v2 worse than v1." in page
    assert "Behind: what changed from v1 to v2 · The race" in page


def test_questions_show_gap_scores_and_the_answers_that_moved(race: Race, owner: FlaskClient) -> None:
    race.rate(race.queries)
    page = text_of(owner.get(URL).text)

    assert "+37 63 → 100 good 3 Solves it , from place 2 to place 1 2 1" in page
    assert "bad 0 No help , from place 1 to place 2 1 2" in page
    assert "Show 17 more" in page
    assert "4 questions with the same score In 4 of them the top 2 is the same." in page


def test_the_second_line_holds_it_against_production(race: Race, owner: FlaskClient) -> None:
    race.put_in_production(race.runs[0])
    race.rate(race.queries)
    page = owner.get(URL).text

    assert "Against Ahead, in production: +6 (" in text_of(page)
    assert f"/p/race/compare?first={race.runs[2].id}&amp;second={race.runs[0].id}" in page


@pytest.mark.parametrize(("which", "message"), [(1, "v1 is in production."), (2, "v2 is in production.")])
def test_one_of_the_two_in_production_is_said_once(
    race: Race, owner: FlaskClient, which: int, message: str
) -> None:
    race.put_in_production(race.runs[which])
    race.rate(race.queries)
    page = text_of(owner.get(URL).text)

    assert message in page
    assert "Against " not in page


def test_unrated_answers_add_up_and_have_one_button(race: Race, owner: FlaskClient) -> None:
    race.rate(race.ordered()[:20], (3, 2))
    race.rate(race.ordered()[10:14], (2, 3))
    page = owner.get(URL).text
    words = text_of(page)

    assert "Rate 8 more answers (about 3 minutes)." in words
    assert "8 answers not rated yet" in words
    assert page.count("2 unrated") == 4
    assert page.count("Have these 8 rated first") == 1
    for run in race.runs[1:]:
        assert f'<input type="hidden" name="run" value="{run.id}">' in page


@pytest.mark.thorough
def test_another_ranker_goes_before_the_version_that_was_shown(race: Race, owner: FlaskClient) -> None:
    second = race.add_run("Ahead", good_first=False)
    race.rate(race.queries)
    ahead = race.runs[0].ranker_id
    chosen = owner.get(f"{URL}?ranker={ahead}&version={race.runs[2].id}").text
    named = owner.get(f"{URL}?version={race.runs[2].id}").text

    assert heading_of(chosen) == "Ahead v2 is worse than v1, by 31 points."
    assert f'<option value="{second.id}" selected>v2 against v1</option>' in chosen
    assert heading_of(named).startswith("Behind v2")


def test_a_first_version_is_told_calmly(race: Race, owner: FlaskClient) -> None:
    page = owner.get(f"{URL}?version={race.runs[0].id}").text

    assert heading_of(page) == "Ahead v1 has no version before it."
    assert f"/p/race/compare?first={race.runs[0].id}" in page


def test_the_version_before_is_the_newest_that_is_not_withdrawn(race: Race, owner: FlaskClient) -> None:
    third = race.add_run("Behind", good_first=False)
    race.rate(race.queries)
    with race.database.write() as session:
        withdraw_run(session, session.get_one(Run, race.runs[2].id))
    page = owner.get(f"{URL}?version={third.id}").text
    gone = owner.get(f"{URL}?version={race.runs[2].id}").text

    assert "Behind v3" in heading_of(page)
    assert "than v1" in heading_of(page)
    assert "no longer exists. The newest is shown instead." in text_of(gone)


def test_before_a_question_is_scored_the_page_says_what_will_be_here(race: Race, owner: FlaskClient) -> None:
    page = owner.get(URL).text

    assert heading_of(page) == "Too early to compare: 0 questions scored, 10 are needed."
    assert "No question that both versions cover has a score yet." in text_of(page)
    assert "answer__gap" not in page


def test_the_same_answers_again_are_said_to_be_the_same(race: Race, owner: FlaskClient) -> None:
    race.add_run("Behind")
    race.rate(race.queries)
    page = owner.get(URL).text

    assert heading_of(page) == "Behind v3 gives the same answers as v2."
    assert "So their scores are the same." in text_of(page)


def test_without_a_ranker_owners_are_led_to_the_import_and_viewers_are_not(
    stored: Database, client_of: Callable[[Person], FlaskClient], race: Race
) -> None:
    with race.making() as make:
        empty = make.project(slug="empty")
        owner, viewer = make.member(empty, "owner"), make.member(empty, "viewer")
    pages = [client_of(person).get("/p/empty/compare/changes").text for person in (owner, viewer)]

    assert [heading_of(page) for page in pages] == ["No ranker has been imported yet."] * 2
    assert ["Import results" in page for page in pages] == [True, False]


def test_viewers_read_it_and_annotators_do_not(
    race: Race, client_of: Callable[[Person], FlaskClient]
) -> None:
    race.rate(race.queries[:20])
    with race.making() as make:
        viewer = make.member(race.project, "viewer")
    page = client_of(viewer).get(URL)

    assert page.status_code == 200
    assert "btn--stone" not in page.text
    assert client_of(race.annotator).get(URL).status_code == 404
