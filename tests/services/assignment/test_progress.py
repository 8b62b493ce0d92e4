"""An annotator's own progress: what they did, and what is left for them."""

import pytest
from sqlalchemy import select

from app.models import AssignmentCandidate, Candidate, Reason
from app.services.assignment.batch_lifecycle import park_batch
from app.services.judging.no_good_answer import record_no_good_answer
from app.services.judging.own_ratings import last_ratings
from app.services.judging.recording import record_judgment
from app.services.judging.remarks import flag_answer
from tests.furniture.assigning import assign_best_batch, progress_of
from tests.furniture.rating import make_workshop, rating


def public_ids(session, assignment):
    return session.scalars(
        select(Candidate.public_id)
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .where(AssignmentCandidate.assignment_id == assignment.id)
        .order_by(AssignmentCandidate.place)
    ).all()


def test_progress_counts_what_is_rated_passed_on_flagged_and_left(session, make):
    shop = make_workshop(make, queries=3, answers=4)
    first, second, *_ = public_ids(session, assign_best_batch(session, shop.project.id, shop.ada.id))
    record_judgment(session, shop.annotator(), first, rating(0))
    record_judgment(session, shop.annotator(), second, rating(None, reason=Reason.LANGUAGE))
    flag_answer(session, shop.annotator(), second, flagged=True)
    assign_best_batch(session, shop.project.id, shop.ada.id)
    park_batch(session, shop.project.id, shop.ada.id, 2)

    progress = progress_of(session, shop.project.id, shop.ada.id)

    assert (progress.done, progress.passed, progress.queries_rated) == (2, 1, 1)
    assert (progress.waiting, progress.queries_left, progress.parked, progress.flags) == (10, 3, 1, 1)
    assert progress.minutes is None


def test_minutes_are_estimated_from_one_s_own_pace_after_five_questions(session, make):
    shop = make_workshop(make, queries=8, answers=2)
    for number in range(5):
        for public_id in public_ids(session, assign_best_batch(session, shop.project.id, shop.ada.id)):
            record_judgment(session, shop.annotator(), public_id, rating(1, active_ms=20_000 + number))

    progress = progress_of(session, shop.project.id, shop.ada.id)

    # Half of six answers, since two people rate, at a mean of 20.002 s are a little more than a minute.
    assert (progress.waiting, progress.share) == (6, 3)
    assert progress.minutes == 2


@pytest.mark.parametrize(("singly", "minutes"), [(2, 2), (1, None)])
def test_answers_graded_in_one_step_are_no_pace(session, make, singly, minutes):
    shop = make_workshop(make, queries=6, answers=4)
    for number in range(1, 6):
        assigned = assign_best_batch(session, shop.project.id, shop.ada.id)
        for public_id in public_ids(session, assigned)[:singly]:
            record_judgment(session, shop.annotator(), public_id, rating(2, active_ms=40_000))
        record_no_good_answer(session, shop.annotator(), rating(None, batch=number, active_ms=1_000))

    progress = progress_of(session, shop.project.id, shop.ada.id)

    # Half of four answers at 40 s each. Where three of four were graded in one step, 40 s are not what an answer took.
    assert (progress.share, progress.minutes) == (2, minutes)


def test_a_pace_is_a_mean_as_the_sums_beside_it_are(session, make):
    shop = make_workshop(make, queries=6, answers=2)
    for _ in range(5):
        for active_ms, public_id in zip(
            (10_000, 110_000),
            public_ids(session, assign_best_batch(session, shop.project.id, shop.ada.id)),
            strict=True,
        ):
            record_judgment(session, shop.annotator(), public_id, rating(1, active_ms=active_ms))
    cleared = rating(1, active_ms=3_000_000)
    first, _ = public_ids(session, assign_best_batch(session, shop.project.id, shop.ada.id))
    record_judgment(session, shop.annotator(), first, cleared)
    record_judgment(session, shop.annotator(), first, rating(None, reason=Reason.CLEARED, base=cleared.id))

    assert progress_of(session, shop.project.id, shop.ada.id).minutes == 2


@pytest.mark.parametrize("untimed", [0, 1])
def test_few_measured_times_are_no_pace(session, make, untimed):
    shop = make_workshop(make, queries=6, answers=2)
    times = [0] * untimed + [20_000] * (10 - untimed)
    for _ in range(5):
        for public_id in public_ids(session, assign_best_batch(session, shop.project.id, shop.ada.id)):
            record_judgment(session, shop.annotator(), public_id, rating(1, active_ms=times.pop()))

    assert (progress_of(session, shop.project.id, shop.ada.id).minutes is None) == bool(untimed)


def test_one_goes_on_with_the_oldest_begun_batch_and_last_with_those_left_for_later(session, make):
    shop = make_workshop(make, queries=3, answers=1)
    seen = [progress_of(session, shop.project.id, shop.ada.id)]
    for _ in range(3):
        assign_best_batch(session, shop.project.id, shop.ada.id)
    for batch in (2, 1, 3):
        seen.append(progress_of(session, shop.project.id, shop.ada.id))
        park_batch(session, shop.project.id, shop.ada.id, batch)
    seen.append(progress_of(session, shop.project.id, shop.ada.id))

    assert [one.at_hand for one in seen] == [None, 1, 1, 3, 1]
    assert [one.begun for one in seen] == [None, 1, 1, 3, None]


def test_nothing_is_left_of_a_closed_project_but_what_was_begun(session, make):
    shop = make_workshop(make, queries=2, answers=2)
    assign_best_batch(session, shop.project.id, shop.ada.id)
    shop.project.state = "closed"
    session.flush()

    assert progress_of(session, shop.project.id, shop.ada.id).waiting == 2
    assert progress_of(session, shop.project.id, shop.bo.id).waiting == 0


def test_the_last_ratings_are_current_ones_and_newest_first(session, make):
    shop = make_workshop(make, queries=1, answers=3)
    first, second, third = public_ids(session, assign_best_batch(session, shop.project.id, shop.ada.id))
    once = rating(1)
    record_judgment(session, shop.annotator(), first, once)
    record_judgment(session, shop.annotator(), second, rating(2))
    gone = rating(3)
    record_judgment(session, shop.annotator(), third, gone)
    record_judgment(session, shop.annotator(), third, rating(None, reason=Reason.CLEARED, base=gone.id))
    record_judgment(session, shop.annotator(), first, rating(0, base=once.id))

    last = last_ratings(session, shop.project.id, shop.ada.id)

    assert [(one.public_id, one.grade) for one in last] == [(first, 0), (second, 2)]
    assert [one.grade for one in last_ratings(session, shop.project.id, shop.ada.id, limit=1)] == [0]
    assert last_ratings(session, shop.project.id, shop.bo.id) == []
