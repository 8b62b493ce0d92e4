"""No page is empty while work is left: what nobody is at goes to whoever has nothing else."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from app.jobs import assignment
from app.models import Assignment, AssignmentCandidate, Candidate, Reason, now_utc
from app.services.assignment.batch_lifecycle import (
    STALE_AFTER,
    decline_query,
    is_held_elsewhere,
    park_batch,
    release_stale_leases,
)
from tests.furniture.assigning import assign_best_batch
from tests.furniture.factories import making_in
from tests.furniture.rating import make_workshop

LATER = timedelta(minutes=31)


@pytest.fixture
def shop(session, make):
    """Return a question of two answers that Ada holds."""
    shop = make_workshop(make, queries=1, answers=2)
    assign_best_batch(session, shop.project.id, shop.ada.id)
    return shop


def given(session, shop, person, now):
    return release_stale_leases(session, shop.project.id, person.id, now)


def test_what_nobody_is_at_goes_to_whoever_has_nothing_else(session, shop):
    now = now_utc()

    assert is_held_elsewhere(session, shop.project.id, shop.bo.id, now)
    assert given(session, shop, shop.bo, now) == 0
    assert given(session, shop, shop.bo, now + LATER) == 1
    assert not is_held_elsewhere(session, shop.project.id, shop.bo.id, now)
    batch = assign_best_batch(session, shop.project.id, shop.bo.id, now=now + LATER)
    assert session.query(AssignmentCandidate).filter_by(assignment_id=batch.id).count() == 2


def test_nobody_loses_what_they_are_at_or_left_for_later(session, make, shop):
    now = now_utc() + STALE_AFTER / 2
    make.judgment(session.scalars(select(Candidate)).first(), shop.ada, 2, received_at=now)

    assert given(session, shop, shop.bo, now + STALE_AFTER / 2 + timedelta(minutes=1)) == 0
    park_batch(session, shop.project.id, shop.ada.id, 1)
    assert given(session, shop, shop.bo, now + 2 * LATER) == 0


def test_nothing_is_taken_away_that_the_other_cannot_have(session, make, shop):
    now = now_utc() + LATER
    assert given(session, shop, shop.ada, now) == 0
    for candidate in session.scalars(select(Candidate)):
        make.judgment(candidate, shop.bo, 1)
    assert given(session, shop, shop.bo, now) == 0
    shop.project.state = "paused"
    assert given(session, shop, shop.owner, now) == 0


def test_a_batch_whose_answers_want_no_more_ratings_is_left_with_the_other(session, make, shop):
    now = now_utc()
    for candidate in session.scalars(select(Candidate)):
        make.judgment(candidate, shop.owner, 1)

    assert not is_held_elsewhere(session, shop.project.id, shop.bo.id, now)
    assert given(session, shop, shop.bo, now + LATER) == 0


def test_a_declined_question_is_left_with_the_other(session, make):
    shop = make_workshop(make, queries=1, answers=2, overlap=2)
    assign_best_batch(session, shop.project.id, shop.bo.id)
    decline_query(session, shop.project.id, shop.bo.id, 1, Reason.EXPERTISE)
    assign_best_batch(session, shop.project.id, shop.ada.id)

    assert given(session, shop, shop.bo, now_utc() + LATER) == 0
    assert not is_held_elsewhere(session, shop.project.id, shop.bo.id, now_utc())


def test_the_next_page_of_a_third_person_holds_what_two_left_lying(database, monkeypatch):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=2, answers=2)
    held = [assignment.find_next_batch(database, shop.project.id, one.id) for one in (shop.ada, shop.bo)]
    assert held == [1, 2]
    assert assignment.find_next_batch(database, shop.project.id, shop.owner.id) is None

    later = now_utc() + LATER
    monkeypatch.setattr(assignment, "now_utc", lambda: later)
    assert assignment.find_next_batch(database, shop.project.id, shop.owner.id) == 3
    with database.read() as session:
        states = dict(session.execute(select(Assignment.batch, Assignment.state)).all())
    assert states == {1: "released", 2: "released", 3: "open"}
