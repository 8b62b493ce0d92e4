"""Leaving a batch: done, for later, not for me; and what it means for others."""

import pytest
from sqlalchemy import select

from app.models import Assignment, AssignmentCandidate, Candidate, Reason, now_utc
from app.services.assignment.batch_lifecycle import (
    STALE_AFTER,
    decline_query,
    find_begun,
    finish_batch,
    get_assignment,
    park_batch,
    release_stale_leases,
    take_back_decline,
    unfinished_questions,
)
from app.services.assignment.batches import LEASE, count_unsettled, take_up_parked
from app.services.errors import ConflictError, NotFoundError
from app.services.judging.recording import record_judgment
from tests.furniture.assigning import assign_best_batch
from tests.furniture.rating import make_workshop, rating


def rate_everything(session, shop, reason=None):
    for candidate in session.scalars(select(Candidate)):
        record_judgment(
            session,
            shop.annotator(),
            candidate.public_id,
            rating(None if reason else 1, reason=reason, batch=1),
        )


@pytest.mark.parametrize("reason", [None, Reason.UNCLEAR])
def test_a_batch_is_done_when_all_is_rated_or_passed_on(session, make, reason):
    shop = make_workshop(make, queries=1)
    assign_best_batch(session, shop.project.id, shop.ada.id)
    rate_everything(session, shop, reason)

    finish_batch(session, shop.project.id, shop.ada.id, 1)

    assert get_assignment(session, shop.project.id, shop.ada.id, 1).state == "done"


def test_a_batch_with_answers_left_is_not_done(session, make):
    shop = make_workshop(make, queries=1, answers=3)
    assign_best_batch(session, shop.project.id, shop.ada.id)

    with pytest.raises(ConflictError) as refusal:
        finish_batch(session, shop.project.id, shop.ada.id, 1)

    assert (refusal.value.code, refusal.value.details) == ("answers_left", {"left": 3})


def test_a_cleared_rating_leaves_its_answer_open(session, make):
    shop = make_workshop(make, queries=1, answers=1)
    batch = assign_best_batch(session, shop.project.id, shop.ada.id)
    public_id = session.scalar(select(Candidate.public_id))
    given = rating(0)
    record_judgment(session, shop.annotator(), public_id, given)
    assert count_unsettled(session, batch) == 0

    record_judgment(session, shop.annotator(), public_id, rating(None, reason=Reason.CLEARED, base=given.id))

    assert count_unsettled(session, batch) == 1


@pytest.mark.parametrize(
    "leave", [finish_batch, park_batch, take_back_decline, lambda *place: decline_query(*place, Reason.OTHER)]
)
def test_nobody_leaves_somebody_else_s_batch(session, make, leave):
    shop = make_workshop(make)
    assign_best_batch(session, shop.project.id, shop.ada.id)

    with pytest.raises(NotFoundError):
        leave(session, shop.project.id, shop.bo.id, 1)


def test_a_declined_question_goes_to_others_and_does_not_come_back(session, make):
    shop = make_workshop(make, queries=1)
    assign_best_batch(session, shop.project.id, shop.ada.id)

    decline_query(session, shop.project.id, shop.ada.id, 1, Reason.EXPERTISE)

    assert get_assignment(session, shop.project.id, shop.ada.id, 1).declined == "expertise"
    assert assign_best_batch(session, shop.project.id, shop.ada.id) is None
    assert count_unsettled(session, assign_best_batch(session, shop.project.id, shop.bo.id)) == 3


def test_a_declined_question_is_declined_in_all_its_batches(session, make):
    shop = make_workshop(make, queries=1, answers=30)
    place = (session, shop.project.id, shop.ada.id)
    assigned = [assign_best_batch(*place) for _ in range(3)]
    park_batch(*place, 2)

    decline_query(*place, 1, Reason.LANGUAGE)

    assert [one.state for one in assigned] == ["released"] * 3
    assert find_begun(*place) is None
    assert take_up_parked(*place) is None
    assert assign_best_batch(*place) is None

    decline_query(*place, 3, Reason.LANGUAGE)
    take_back_decline(*place, 1)

    assert [one.state for one in assigned] == ["parked", "parked", "released"]
    assert count_unsettled(session, assign_best_batch(*place)) == 6
    assert assign_best_batch(*place) is None


def test_declining_is_taken_back_while_nobody_else_has_the_answers(session, make):
    shop = make_workshop(make, queries=1)
    assign_best_batch(session, shop.project.id, shop.ada.id)
    decline_query(session, shop.project.id, shop.ada.id, 1, Reason.UNCLEAR)

    take_back_decline(session, shop.project.id, shop.ada.id, 1)

    assignment = get_assignment(session, shop.project.id, shop.ada.id, 1)
    assert (assignment.state, assignment.declined) == ("parked", None)
    assert assign_best_batch(session, shop.project.id, shop.bo.id) is None


def test_declining_is_not_taken_back_once_others_have_the_answers(session, make):
    shop = make_workshop(make, queries=1)
    assign_best_batch(session, shop.project.id, shop.ada.id)
    decline_query(session, shop.project.id, shop.ada.id, 1, Reason.UNCLEAR)
    assign_best_batch(session, shop.project.id, shop.bo.id)

    with pytest.raises(ConflictError, match="too late"):
        take_back_decline(session, shop.project.id, shop.ada.id, 1)


def make_declined(session, make, *, later):
    """Return a question in three parts, some left for later, after "can't judge" was said on the first."""
    shop = make_workshop(make, queries=1, answers=30)
    place = (session, shop.project.id, shop.ada.id)
    for _ in range(3):
        assign_best_batch(*place)
    for number in later:
        park_batch(*place, number)
    decline_query(*place, 1, Reason.LANGUAGE)
    return shop, place


def test_what_was_left_for_later_is_so_again_after_declining_was_taken_back(session, make):
    _, place = make_declined(session, make, later=[2, 3])
    until = [get_assignment(*place, number).lease_end for number in (2, 3)]
    assert unfinished_questions(*place, now_utc()) == []

    take_back_decline(*place, 1, now=(now := now_utc()))

    listed = unfinished_questions(*place, now_utc())
    # So is the page itself: its annotator is at another one by now.
    ends = [get_assignment(*place, number).lease_end for number in (2, 3, 1)]
    assert ends == [*until, now + LEASE]
    assert [(one.batch, one.left) for one in listed] == [(2, 12), (3, 6), (1, 12)]
    assert [one.part for one in listed] == [2, 3, 1]


def test_what_others_took_meanwhile_is_not_left_for_later_again(session, make):
    shop, place = make_declined(session, make, later=[1, 2, 3])
    taken = assign_best_batch(session, shop.project.id, shop.bo.id)
    assert {one.batch for one in parts_of(session, taken)} == {1}

    take_back_decline(*place, 3)

    assert [get_assignment(*place, number).state for number in (1, 2, 3)] == ["released", "parked", "parked"]


def parts_of(session, taken):
    """Return the other batches that hold what is in one."""
    held = select(AssignmentCandidate.candidate_id).where(AssignmentCandidate.assignment_id == taken.id)
    return session.scalars(
        select(Assignment)
        .join(AssignmentCandidate, AssignmentCandidate.assignment_id == Assignment.id)
        .where(AssignmentCandidate.candidate_id.in_(held), Assignment.id != taken.id)
    ).all()


def test_what_was_released_before_it_was_declined_stays_so_when_that_is_taken_back(session, make):
    shop = make_workshop(make, queries=1, answers=30)
    place = (session, shop.project.id, shop.ada.id)
    for _ in range(3):
        assign_best_batch(*place)
    idle = now_utc() + STALE_AFTER
    assert release_stale_leases(session, shop.project.id, shop.bo.id, idle) == 3
    assert get_assignment(*place, 1).state == "released"
    decline_query(*place, 2, Reason.LANGUAGE)

    take_back_decline(*place, 2, now=idle)

    assert get_assignment(*place, 1).state == "released"


def test_every_part_is_left_for_later_after_declining_was_taken_back(session, make):
    _, place = make_declined(session, make, later=[])
    take_back_decline(*place, 1)

    for number in (1, 2, 3):
        park_batch(*place, number)

    listed = unfinished_questions(*place, now_utc())
    assert {one.batch: one.left for one in listed} == {1: 12, 2: 12, 3: 6}


def test_a_declined_part_is_not_left_for_later(session, make):
    _, place = make_declined(session, make, later=[2])

    park_batch(*place, 2)

    assert unfinished_questions(*place, now_utc()) == []


@pytest.mark.parametrize("name", ["ada", "bo"])
def test_a_released_part_stays_released_once_its_answers_are_in_another_batch(session, make, name):
    shop, place = make_declined(session, make, later=[])
    take_back_decline(*place, 1)
    assign_best_batch(session, shop.project.id, getattr(shop, name).id)

    park_batch(*place, 2)

    assert get_assignment(*place, 2).state == "released"
