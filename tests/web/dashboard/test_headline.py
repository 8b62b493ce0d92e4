"""What owners declare about the grades: that they are complete; it can be taken back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from app.models import EventKind
from app.services.scoring_settings import get_ruler
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
    race = race_in(stored, 24, slug="race", name="The race")
    race.rate(race.ordered()[:20])
    return race


@pytest.fixture
def owner(race: Race, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with race.making() as make:
        return client_of(make.member(race.project, "owner"))


def test_grades_are_declared_complete_and_it_is_taken_back(race: Race, owner: FlaskClient) -> None:
    with race.database.read() as session:
        ruler = get_ruler(session, race.project.id)
        values = {name: getattr(ruler, name) for name in ("k", "gain", "discount", "threshold", "consensus")}
    before = owner.get(URL).text

    for unjudged, note in (
        ("complete", "Unrated answers count as not relevant"),
        ("open", "Missing ratings cannot change"),
    ):
        sent = values | {"unjudged": unjudged, "depth": 2, "overlap": 1}
        assert owner.post(f"{URL}settings", data=sent).status_code == 302
        page = text_of(owner.get(URL).text)
        assert note in page
        assert ("count as not relevant Consensus" in page) == (unjudged == "complete")
    again = owner.get(URL).text
    scores = re.compile(r'<div class="lb__score"><b>(\d+)</b>')
    assert scores.findall(again) == scores.findall(before)
    assert len(race.events(EventKind.RULER_SET)) == 3
