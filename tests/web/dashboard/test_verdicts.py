"""The overview's words: decided by tests, taken while it is read, and told with what comes next."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from app.models import EventKind
from tests.furniture.race import race_in
from tests.furniture.words import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient

    from app.database import Database
    from app.models import Person
    from tests.furniture.race import Race

URL = "/p/race/"


@pytest.fixture
def race(stored: Database) -> Race:
    return race_in(stored, 24, behind_wins=4, slug="race", name="The race")


@pytest.fixture
def owner(race: Race, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with race.making() as make:
        return client_of(make.member(race.project, "owner"))


def test_what_is_declared_complete_waits_for_no_rating(race: Race, owner: FlaskClient) -> None:
    race.rate(race.ordered()[:20])
    before = text_of(owner.get(URL).text)
    race.set_ruler(unjudged="complete")
    after = text_of(owner.get(URL).text)

    assert "8 of 48 answers are missing and count as 0 until rated." in before
    assert "8 of 48 answers are missing and count as 0 for good." in after
    assert "until rated" not in after


def test_the_look_that_is_due_is_taken_while_the_page_is_read(race: Race, owner: FlaskClient) -> None:
    race.rate(race.ordered()[:20])
    page = text_of(owner.get(URL).text)

    assert "Ahead is doing best. It surely beats Behind." in page
    assert "Sure: ahead" in page
    assert "Sure: ahead" in text_of(owner.get("/").text)
    assert "Sure: behind" in page
    assert len(race.events(EventKind.LOOK)) == 1


def test_the_page_says_what_the_next_test_waits_for(race: Race, owner: FlaskClient) -> None:
    race.rate(race.ordered()[:7])
    page = text_of(owner.get(URL).text)

    assert (
        "The first test of who is ahead comes at 10 scored questions, in a drawn order; of the first 10 "
        "questions in that order 7 are ready, and 6 unrated answers of 3 questions stand in the way."
    ) in page


def test_the_pages_say_when_the_next_test_would_be_the_last(race: Race, owner: FlaskClient) -> None:
    owner.get(URL)  # the plan is declared
    race.rate(race.ordered()[1:])
    page, following, home = (text_of(owner.get(address).text) for address in (URL, f"{URL}next", "/"))

    assert (
        "in a drawn order; of the first 10 questions in that order 9 are ready, and 2 unrated answers of "
        "1 question stand in the way. It will rest on up to 24 questions, as those that follow are ready "
        "too, and no other test of these versions is planned after it."
    ) in page
    assert "of the first 10 questions in that order 9 are ready." in following
    assert (
        "sure, on up to 24 questions, as those that follow are ready too. No other test of these versions "
        "is planned after it."
    ) in following
    assert "This test spends 5.00 % of the 5 %." in following
    assert "the first test waits for them, and it is the last one planned for these versions." in home


def test_no_test_is_promised_where_too_few_questions_can_be_reached(
    stored: Database, client_of: Callable[[Person], FlaskClient]
) -> None:
    race = race_in(stored, 8, slug="race")
    with race.making() as make:
        client = client_of(make.member(race.project, "owner"))

    for address in (URL, f"{URL}next"):
        assert (
            "A test of who is ahead needs 10 scored questions; with the questions that can be reached now "
            "there are at most 8."
        ) in text_of(client.get(address).text)


def test_experts_see_what_the_last_test_said(race: Race, owner: FlaskClient) -> None:
    race.rate(race.ordered()[:20])
    page = text_of(owner.get(URL).text)

    (event,) = race.events(EventKind.LOOK)
    (pair,) = event.payload["pairs"]
    assert "Look 1 of the plan" in page
    assert f"Ahead against Behind {abs(pair['mean']):+.3f}" in page
    assert f"{pair['p']:.4f} yes" in page


def test_after_the_look_nothing_new_costs_a_304(race: Race, owner: FlaskClient) -> None:
    race.rate(race.ordered()[:20])
    page = owner.get(URL).text
    tag = re.search(r"data-refresh-etag='(\"[0-9a-f]+\")'", page)

    assert tag is not None
    answer = owner.get(f"{URL}overview/part", headers={"If-None-Match": tag[1]})
    assert answer.status_code == 304


def test_a_part_that_takes_the_look_carries_the_tag_of_what_it_shows(race: Race, owner: FlaskClient) -> None:
    race.rate(race.ordered()[:20])
    part = owner.get(f"{URL}overview/part")
    again = owner.get(f"{URL}overview/part", headers={"If-None-Match": part.headers["ETag"]})

    assert "It surely beats Behind." in text_of(part.text)
    assert again.status_code == 304


def test_the_home_page_shows_the_leaders_word(race: Race, owner: FlaskClient) -> None:
    race.rate(race.queries)

    page = owner.get("/").text
    assert "Leaning: ahead" in page
    assert "Ahead so far" not in page
