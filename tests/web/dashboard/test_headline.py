"""What owners declare about the grades: that they are complete; it can be taken back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from app.models import Candidate, EventKind
from app.services.scoring_settings import get_ruler
from app.web.projects import home
from tests.furniture.rankers import rankers_in
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
    rankers = rankers_in(stored, 24, slug="two", name="Two rankers")
    rankers.rate(rankers.ordered()[:20])
    return rankers


@pytest.fixture
def owner(rankers: TwoRankers, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with rankers.making() as make:
        return client_of(make.member(rankers.project, "owner"))


def test_grades_are_declared_complete_and_it_is_taken_back(rankers: TwoRankers, owner: FlaskClient) -> None:
    with rankers.database.read() as session:
        ruler = get_ruler(session, rankers.project.id)
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
    scores = re.compile(r'<div class="lb__score"><b>([\d.]+)</b>')
    assert scores.findall(again) == scores.findall(before)
    assert len(rankers.events(EventKind.RULER_SET)) == 3


def test_where_unrated_answers_count_as_not_relevant_rating_is_no_next_step(
    rankers: TwoRankers, owner: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    rankers.set_ruler(unjudged="complete")

    page = text_of(owner.get(URL).text)
    assert "What to rate next No rating is needed: unrated answers count as not relevant." in page
    assert "put an unrated answer" not in page
    # Of very many projects Home scores some only.
    monkeypatch.setattr(home, "MOST_SCORED", 0)
    assert "waiting for you" not in text_of(owner.get("/").text)


def test_before_ten_questions_are_scored_rating_stays_the_next_step(
    stored: Database, client_of: Callable[[Person], FlaskClient]
) -> None:
    rankers = rankers_in(stored, 24, slug="young", name="Young")
    rankers.rate(rankers.queries[:5])
    rankers.set_ruler(unjudged="complete")
    with rankers.making() as make:
        owner = client_of(make.member(rankers.project, "owner"))

    page = text_of(owner.get("/p/young/").text)
    assert "Rate answers for 5 more questions." in page
    assert "No rating is needed" not in page
    assert "waiting for you in Young" in text_of(owner.get("/").text)


@pytest.mark.thorough
def test_where_unrated_answers_count_as_not_relevant_no_page_says_that_ratings_are_needed(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    # Of one more question only the good answer is rated.
    query = rankers.ordered()[20]
    with rankers.making() as make:
        wanted = {"query_id": query.id, "document_id": rankers.answers[query.id][0].id}
        make.judgment(make.session.scalars(select(Candidate).filter_by(**wanted)).one(), rankers.annotator, 3)

    def pages() -> dict[str, str]:
        found = {
            name: text_of(owner.get(f"{URL}{name}").text)
            for name in ("", "next", "quality", "compare", "import")
        }
        return found | {"home": text_of(owner.get("/").text)}

    open_ones = pages()
    assert "Bounds of the difference" in open_ones["compare"]
    assert "waiting for you in Two rankers" in open_ones["home"]
    rankers.set_ruler(unjudged="complete")

    closed = pages()

    assert "Bounds of the difference" not in closed["compare"]
    assert "count as not relevant. Rating everything anyway would take about" in closed["next"]
    for page in (closed["next"], closed["import"]):
        assert "is still needed: about" not in page
        assert "are still needed: about" not in page
    assert "waiting for you in Two rankers" not in closed["home"]
    assert "Unrated count as not relevant" in closed["quality"]
