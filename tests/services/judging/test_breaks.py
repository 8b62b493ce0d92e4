"""A break is hinted at softly: after 45 active minutes without one, and not for long."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from app.models import Candidate
from app.services.judging.pages import _last_times, break_hint
from tests.furniture.rating import NOON, make_workshop


@pytest.fixture
def shop(make):
    return make_workshop(make, queries=1, answers=1)


def rate_for(make, shop, minutes, *, until=NOON):
    """Let Ada rate once every three minutes, all of it active time."""
    answer = make.session.scalars(select(Candidate).where(Candidate.project_id == shop.project.id)).one()
    for left in range(minutes - 3, -1, -3):
        at = until - timedelta(minutes=left)
        make.judgment(answer, shop.ada, left % 4, active_ms=180_000, received_at=at)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("minutes", "hint"), [(0, None), (42, None), (45, 45), (48, 48), (51, None), (90, 90)]
)
def test_the_hint_comes_after_45_minutes_and_goes_again(session, make, shop, minutes, hint):
    rate_for(make, shop, minutes)

    assert break_hint(session, shop.project.id, shop.ada.id, NOON) == hint


def test_a_break_begins_the_count_anew(session, make, shop):
    rate_for(make, shop, 45, until=NOON - timedelta(minutes=20))
    rate_for(make, shop, 6)

    assert break_hint(session, shop.project.id, shop.ada.id, NOON) is None
    assert break_hint(session, shop.project.id, shop.ada.id, NOON + timedelta(minutes=11)) is None
    assert break_hint(session, shop.project.id, shop.bo.id, NOON) is None


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_the_ratings_of_others_are_not_gone_through(session):
    statement = _last_times.build().params(project=1, person=1)
    text = statement.compile(session.get_bind(), compile_kwargs={"literal_binds": True})

    (step,) = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {text}").all()

    assert "(project_id=? AND annotator_id=?)" in step.detail
    assert "ix_judgment_project_id_annotator_id" in step.detail
