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
        "The first test of who is ahead comes at 10 scored questions, in a drawn order; 7 are ready, and "
        "6 unrated answers of 3 questions stand in the way."
    ) in page


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

    assert "Ahead so far" in owner.get("/").text
