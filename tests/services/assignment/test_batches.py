"""Assigned batches: those of one query, best placed first, nobody twice, never empty while work is left."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from app.models import Assignment, AssignmentCandidate, Candidate, Document, Reason, now_utc
from app.services.assignment.batch_lifecycle import find_begun, finish_batch, park_batch
from app.services.assignment.batches import (
    LEASE,
    SHORT_LEASE,
    assign_ahead,
    count_unsettled,
    open_batches,
    take_up_parked,
)
from app.services.assignment.selection import Proposal
from app.services.assignment.wanted import BATCH_SIZE, shuffled
from app.services.judging.recording import record_judgment
from tests.furniture.assigning import assign_best_batch
from tests.furniture.rating import make_workshop, rating


def candidates_of(session, assignment):
    return session.scalars(
        select(Candidate)
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .where(AssignmentCandidate.assignment_id == assignment.id)
        .order_by(AssignmentCandidate.place)
    ).all()


def rate_all(session, shop, person, assignment, grade=2):
    for candidate in candidates_of(session, assignment):
        record_judgment(
            session, shop.annotator(person), candidate.public_id, rating(grade, batch=assignment.batch)
        )


def dealt_all(session, shop, person):
    """Return all batches that a person gets when they rate everything they are assigned."""
    batches = []
    while (batch := assign_best_batch(session, shop.project.id, person.id)) is not None:
        rate_all(session, shop, person, batch)
        batches.append(batch)
    return batches


def test_a_batch_holds_answers_of_one_query_in_the_keyed_order(session, make):
    shop = make_workshop(make, answers=5)

    batch = assign_best_batch(session, shop.project.id, shop.ada.id)
    shown = candidates_of(session, batch)

    assert batch.batch == 1
    assert {candidate.query_id for candidate in shown} == {batch.query_id}
    expected = shuffled(
        shop.project.shuffle_secret,
        [candidate.public_id for candidate in shown],
        annotator=shop.ada.id,
        query=batch.query_id,
        batch=1,
    )
    assert [candidate.public_id for candidate in shown] == expected


@pytest.mark.parametrize(("answers", "sizes"), [(12, [12]), (13, [12, 1]), (60, [12] * 5), (1, [1])])
@pytest.mark.thorough
def test_a_larger_pool_comes_in_several_batches(session, make, answers, sizes):
    shop = make_workshop(make, queries=1, answers=answers)

    batches = dealt_all(session, shop, shop.ada)

    assert [len(candidates_of(session, batch)) for batch in batches] == sizes
    assert max(sizes) <= BATCH_SIZE


def test_the_best_placed_answers_come_first(session, make):
    shop = make_workshop(make, queries=1, answers=30)

    batch = assign_best_batch(session, shop.project.id, shop.ada.id)

    assert sorted(candidate.best_rank for candidate in candidates_of(session, batch)) == list(range(1, 13))


def test_first_ratings_come_before_second_ones_which_fill_what_is_left_over(session, make):
    shop = make_workshop(make, queries=1, answers=30, overlap=2)
    first = assign_best_batch(session, shop.project.id, shop.ada.id)
    rate_all(session, shop, shop.ada, first)

    batches = dealt_all(session, shop, shop.bo)

    rated = {candidate.id for candidate in candidates_of(session, first)}
    found = [{candidate.id for candidate in candidates_of(session, batch)} & rated for batch in batches]
    assert [len(one) for one in found] == [0, 6, 6]
    assert set(session.scalars(select(AssignmentCandidate.arm))) == {"answer", "second"}


@pytest.mark.parametrize("overlap", [1, 2])
def test_every_answer_reaches_its_overlap_and_nobody_sees_one_twice(session, make, overlap):
    shop = make_workshop(make, queries=3, answers=14, overlap=overlap)

    for person in (shop.ada, shop.bo):
        dealt_all(session, shop, person)

    pairs = session.execute(
        select(Assignment.person_id, AssignmentCandidate.candidate_id).join(
            AssignmentCandidate, AssignmentCandidate.assignment_id == Assignment.id
        )
    ).all()
    assert len(pairs) == len(set(pairs)) == 42 * overlap


def test_a_share_of_the_answers_is_rated_twice(session, make):
    shop = make_workshop(make, queries=1, answers=60, share_twice=0.5)

    once = sum(len(candidates_of(session, batch)) for batch in dealt_all(session, shop, shop.ada))
    twice = sum(len(candidates_of(session, batch)) for batch in dealt_all(session, shop, shop.bo))

    assert once == 60
    assert 15 <= twice <= 45


def test_an_answer_without_a_text_a_retired_query_and_a_withdrawn_candidate_are_not_dealt(session, make):
    shop = make_workshop(make, queries=3, answers=1)
    first, second, third = shop.queries
    second.retired_revision = 99
    empty = session.get_one(Document, shop.documents[first.id][0].id)
    empty.title, empty.text, empty.content_hash = "", "", None
    session.scalars(select(Candidate).where(Candidate.query_id == third.id)).one().in_pool = False
    session.flush()

    assert assign_best_batch(session, shop.project.id, shop.ada.id) is None


def test_can_t_judge_fills_no_slot_and_does_not_come_back(session, make):
    shop = make_workshop(make, queries=1, answers=2)
    batch = assign_best_batch(session, shop.project.id, shop.ada.id)
    for candidate in candidates_of(session, batch):
        record_judgment(session, shop.annotator(), candidate.public_id, rating(None, reason=Reason.EXPERTISE))

    again = assign_best_batch(session, shop.project.id, shop.ada.id)
    others = assign_best_batch(session, shop.project.id, shop.bo.id)

    assert again is None
    assert len(candidates_of(session, others)) == 2


def test_ratings_that_were_imported_fill_slots(session, make):
    shop = make_workshop(make, queries=1, answers=3)
    source = make.member(shop.project, "annotator", kind="imported", email=None)
    done = session.scalars(select(Candidate).order_by(Candidate.best_rank)).first()
    make.judgment(done, source, 0)

    batch = assign_best_batch(session, shop.project.id, shop.ada.id)

    assert done.id not in {candidate.id for candidate in candidates_of(session, batch)}
    assert len(candidates_of(session, batch)) == 2


def test_an_edited_answer_is_dealt_again_without_its_old_grade(session, make):
    shop = make_workshop(make, queries=1, answers=1)
    rate_all(session, shop, shop.ada, assign_best_batch(session, shop.project.id, shop.ada.id))
    finish_batch(session, shop.project.id, shop.ada.id, 1)
    document = shop.documents[shop.queries[0].id][0]
    make.edit(document)

    batch = assign_best_batch(session, shop.project.id, shop.ada.id)

    assert len(candidates_of(session, batch)) == 1
    assert count_unsettled(session, batch) == 1


def test_a_lease_keeps_others_away_for_a_day_and_is_then_free(session, make):
    shop = make_workshop(make, queries=1, answers=4)
    now = now_utc()
    mine = assign_best_batch(session, shop.project.id, shop.ada.id, now=now)
    candidate = candidates_of(session, mine)[0]
    record_judgment(session, shop.annotator(), candidate.public_id, rating(1))

    early = assign_best_batch(session, shop.project.id, shop.bo.id, now=now + LEASE - timedelta(seconds=1))
    late = assign_best_batch(session, shop.project.id, shop.bo.id, now=now + LEASE)

    assert early is None
    assert len(candidates_of(session, late)) == 3
    assert session.get_one(Assignment, mine.id).state == "released"


def test_what_was_left_behind_comes_back_to_the_same_person(session, make):
    shop = make_workshop(make, queries=1, answers=2)
    now = now_utc()
    assign_best_batch(session, shop.project.id, shop.ada.id, now=now)

    again = assign_best_batch(session, shop.project.id, shop.ada.id, now=now + LEASE)

    assert len(candidates_of(session, again)) == 2


def test_the_batch_at_hand_is_the_oldest_open_one(session, make):
    shop = make_workshop(make)
    first = assign_best_batch(session, shop.project.id, shop.ada.id)
    assign_best_batch(session, shop.project.id, shop.ada.id)

    assert find_begun(session, shop.project.id, shop.ada.id).id == first.id
    assert find_begun(session, shop.project.id, shop.bo.id) is None
    assert not list(open_batches(session, shop.project.id, shop.ada.id, now=now_utc() + LEASE))


def test_a_batch_left_for_later_stays_leased_and_is_taken_up_again(session, make):
    shop = make_workshop(make, queries=1)
    batch = assign_best_batch(session, shop.project.id, shop.ada.id)
    batch.lease_end = now_utc() + timedelta(minutes=30)
    park_batch(session, shop.project.id, shop.ada.id, 1)

    assert batch.lease_end > now_utc() + timedelta(hours=23), "a day from the moment that it is left"
    assert find_begun(session, shop.project.id, shop.ada.id) is None
    assert assign_best_batch(session, shop.project.id, shop.bo.id) is None
    assert take_up_parked(session, shop.project.id, shop.ada.id).batch == 1
    assert find_begun(session, shop.project.id, shop.ada.id).batch == 1


def test_a_batch_left_for_later_is_not_taken_up_once_all_of_it_is_rated(session, make):
    shop = make_workshop(make, queries=2)
    place = (session, shop.project.id, shop.ada.id)
    first, _ = (assign_best_batch(*place) for _ in range(2))
    for number in (1, 2):
        park_batch(*place, number)
    for candidate in candidates_of(session, first):
        record_judgment(session, shop.annotator(), candidate.public_id, rating(1, batch=1))

    assert take_up_parked(*place).batch == 2


@pytest.mark.parametrize(("answers", "cleared"), [(2, 2), (14, 1)])
def test_a_finished_batch_whose_answers_were_cleared_is_opened_again(session, make, answers, cleared):
    shop = make_workshop(make, queries=1, answers=answers)
    place = (session, shop.project.id, shop.ada.id)
    batch = assign_best_batch(*place)
    given = {one.public_id: rating(2) for one in candidates_of(session, batch)}
    for public_id, one in given.items():
        record_judgment(session, shop.annotator(), public_id, one)
    finish_batch(*place, 1)
    for public_id, one in list(given.items())[:cleared]:
        back = rating(None, reason=Reason.CLEARED, base=one.id)
        record_judgment(session, shop.annotator(), public_id, back)

    assert assign_best_batch(*place) is batch

    assert (batch.batch, batch.state, count_unsettled(session, batch)) == (1, "open", cleared)
    assert batch.lease_end > now_utc() + LEASE / 2
    # What was on no page yet comes on one of its own.
    rest = assign_best_batch(*place)
    assert (rest and count_unsettled(session, rest)) == (answers - 12 if answers > 12 else None)


def test_a_finished_batch_with_a_cleared_answer_can_be_left_for_later(session, make):
    shop = make_workshop(make, queries=1)
    batch = assign_best_batch(session, shop.project.id, shop.ada.id)
    for candidate in candidates_of(session, batch):
        given = record_judgment(session, shop.annotator(), candidate.public_id, rating(1, batch=1))
    finish_batch(session, shop.project.id, shop.ada.id, 1)
    cleared = rating(None, reason=Reason.CLEARED, batch=1, base=given.rating.id)
    record_judgment(session, shop.annotator(), candidate.public_id, cleared)
    batch.lease_end = now_utc()

    park_batch(session, shop.project.id, shop.ada.id, 1)

    # The answer is kept for her: it comes on no second page, and to nobody else.
    assert assign_best_batch(session, shop.project.id, shop.ada.id) is None
    assert assign_best_batch(session, shop.project.id, shop.bo.id) is None
    assert take_up_parked(session, shop.project.id, shop.ada.id).batch == 1


@pytest.mark.parametrize(
    ("hours", "state", "kept"),
    [(11, "open", False), (13, "open", True), (13, "parked", False), (25, "open", False)],
)
def test_rating_in_a_batch_late_in_its_day_leases_it_for_another(session, make, hours, state, kept):
    shop = make_workshop(make)
    now = now_utc()
    batch = assign_best_batch(session, shop.project.id, shop.ada.id, now=now - timedelta(hours=hours))
    batch.state, before = state, batch.lease_end
    session.flush()

    record_judgment(session, shop.annotator(), candidates_of(session, batch)[0].public_id, rating(1, batch=1))

    session.refresh(batch)
    assert (batch.lease_end > now + LEASE / 2) is (kept or hours == 11)
    assert (batch.lease_end != before) is kept


@pytest.mark.parametrize("state", ["paused", "closed", "archived"])
def test_nothing_is_dealt_while_a_project_rests(session, make, state):
    shop = make_workshop(make, state=state)

    assert assign_best_batch(session, shop.project.id, shop.ada.id) is None


def test_batches_are_dealt_ahead_once_and_for_an_hour_only(session, make):
    shop = make_workshop(make, queries=4, answers=10)
    now = now_utc()
    assign_best_batch(session, shop.project.id, shop.ada.id, now=now)
    proposals = [Proposal(query_id=query.id) for query in shop.queries]

    ahead = [
        assign_ahead(session, shop.project.id, shop.ada.id, after=1, proposals=proposals[1:], now=now)
        for _ in range(2)
    ]

    assert ahead == [[2, 3], [2, 3]]
    ends = session.scalars(select(Assignment.lease_end).order_by(Assignment.batch)).all()
    assert [end - now for end in ends] == [LEASE, SHORT_LEASE, SHORT_LEASE]


def test_a_batch_is_dealt_of_the_query_asked_for_or_not_at_all(session, make):
    shop = make_workshop(make, queries=2)
    last = shop.queries[1].id

    assert assign_best_batch(session, shop.project.id, shop.ada.id, query_id=last).query_id == last
    assert assign_best_batch(session, shop.project.id, shop.bo.id, query_id=last) is None
