"""The step that grades the rest of a batch with the lowest grade, and its undo."""

import uuid
from collections import Counter

import pytest
from sqlalchemy import select

from app.models import AssignmentCandidate, Event, EventKind, Judgment, Origin, Reason, now_utc
from app.services.assignment.batch_lifecycle import (
    get_assignment,
    park_batch,
    unfinished_questions,
)
from app.services.errors import ConflictError, NotFoundError
from app.services.judging.no_good_answer import record_no_good_answer, take_back_no_good_answer
from app.services.judging.pages import batch_page, break_hint
from app.services.judging.recording import record_judgment
from app.services.judging.undo import redo_last, undo_last
from app.services.ledger import head_of
from tests.furniture.assigning import assign_best_batch, progress_of
from tests.furniture.rating import make_workshop, rating


@pytest.fixture(params=["0-3", "1-5"])
def shop(request, session, make):
    shop = make_workshop(make, queries=1, answers=4, scale=request.param)
    assign_best_batch(session, shop.project.id, shop.ada.id)
    return shop


def grades(session, shop):
    return [card.grade for card in batch_page(session, shop.project.id, shop.ada.id, 1).answers]


def answers(session, shop):
    return [card.public_id for card in batch_page(session, shop.project.id, shop.ada.id, 1).answers]


def test_unrated_answers_get_the_lowest_grade_and_the_others_stay(session, shop):
    first, second, *_ = answers(session, shop)
    record_judgment(session, shop.annotator(), first, rating(3))
    record_judgment(session, shop.annotator(), second, rating(None, reason=Reason.UNREADABLE))
    head = head_of(session, shop.project.id)

    step = record_no_good_answer(session, shop.annotator(), rating(None, batch=1))

    low = shop.project.scale_low
    assert grades(session, shop) == [3, None, low, low]
    assert (step.progress.settled, step.progress.of) == (4, 4)
    # Two ratings and one event: the ledger counts all three without a gap.
    assert head_of(session, shop.project.id) == head + 3
    event = session.scalars(select(Event).where(Event.kind == EventKind.NO_GOOD_ANSWER)).one()
    assert event.payload == {"query_id": shop.queries[0].id, "annotator_id": shop.ada.id, "count": 2}


def test_the_step_sent_again_changes_nothing(session, shop):
    given = rating(None, batch=1)
    first = record_no_good_answer(session, shop.annotator(), given)
    head = head_of(session, shop.project.id)

    again = record_no_good_answer(session, shop.annotator(), given)

    assert again.ratings == first.ratings
    assert head_of(session, shop.project.id) == head


def test_the_ids_of_its_rows_follow_from_its_own(session, shop):
    given = rating(None, batch=1)

    step = record_no_good_answer(session, shop.annotator(), given)

    assert {public_id: own.id for public_id, own in step.ratings.items()} == {
        public_id: uuid.uuid5(given.id, public_id) for public_id in answers(session, shop)
    }


def test_the_step_is_taken_back_where_it_still_stands(session, shop):
    given = rating(None, batch=1)
    step = record_no_good_answer(session, shop.annotator(), given)
    changed = answers(session, shop)[0]
    record_judgment(session, shop.annotator(), changed, rating(2, base=step.ratings[changed].id))

    back = rating(None, batch=1)
    take_back_no_good_answer(session, shop.annotator(), given.id, back)
    take_back_no_good_answer(session, shop.annotator(), given.id, back)

    assert grades(session, shop) == [2, None, None, None]
    # Nothing was taken out: four grades, one new one, three that clear.
    assert len(session.scalars(select(Judgment)).all()) == 8


def test_what_undoing_has_put_in_its_place_is_taken_back_too(session, shop):
    given = rating(None, batch=1)
    step = record_no_good_answer(session, shop.annotator(), given)
    first, second, *_ = answers(session, shop)
    low = shop.project.scale_low
    undone = {}
    for public_id in (first, second):
        changed = rating(2, base=step.ratings[public_id].id)
        undone[public_id] = rating(low, base=changed.id)
        record_judgment(session, shop.annotator(), public_id, changed)
        record_judgment(session, shop.annotator(), public_id, undone[public_id])

    back = rating(None, batch=1)
    take_back_no_good_answer(session, shop.annotator(), given.id, back, also={undone[first].id})

    # The second one has been given again by hand.
    assert grades(session, shop) == [None, low, None, None]


def test_nothing_left_to_grade_or_to_take_back_is_said(session, shop):
    for public_id in answers(session, shop):
        record_judgment(session, shop.annotator(), public_id, rating(1))

    with pytest.raises(ConflictError, match="rated already"):
        record_no_good_answer(session, shop.annotator(), rating(None, batch=1))
    with pytest.raises(ConflictError, match="cannot be undone"):
        take_back_no_good_answer(session, shop.annotator(), uuid.uuid4(), rating(None, batch=1))


def test_the_time_of_the_step_is_counted_once(session, make):
    shop = make_workshop(make, queries=1, answers=9)
    assign_best_batch(session, shop.project.id, shop.ada.id)
    given = rating(None, batch=1, active_ms=2_700_001)

    step = record_no_good_answer(session, shop.annotator(), given)

    assert sum(own.active_ms for own in step.ratings.values()) == 2_700_001
    assert break_hint(session, shop.project.id, shop.ada.id, now_utc()) == 45

    back = rating(None, batch=1, active_ms=60_000)
    undone = take_back_no_good_answer(session, shop.annotator(), given.id, back)

    assert sum(own.active_ms for own in undone.ratings.values()) == 60_000


def test_nobody_grades_somebody_else_s_batch(session, shop):
    with pytest.raises(NotFoundError):
        record_no_good_answer(session, shop.annotator(shop.bo), rating(None, batch=1))


@pytest.fixture
def large(session, make):
    """Return a question of 30 answers, of which Ada has 20 in two batches, and has rated one."""
    shop = make_workshop(make, queries=2, answers=30, overlap=2)
    place = (session, shop.project.id, shop.ada.id)
    first = assign_best_batch(*place, query_id=shop.queries[0].id)
    assign_best_batch(*place, query_id=shop.queries[0].id)
    (card, *_) = batch_page(*place, first.batch).answers
    record_judgment(session, shop.annotator(), card.public_id, rating(2, batch=1))
    return shop


def assign_elsewhere(session, shop, person):
    found = assign_best_batch(session, shop.project.id, person.id, query_id=shop.queries[0].id)
    return (
        None if found is None else len(batch_page(session, shop.project.id, person.id, found.batch).answers)
    )


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["finish", "random"])
def test_the_parts_of_a_question_that_is_finished_are_numbered(session, large, kind):
    place = (session, large.project.id, large.ada.id)
    for number in (1, 2):
        get_assignment(*place, number).kind = kind
    session.flush()

    page = batch_page(*place, 1)

    assert page.parts.more == 18
    # Part 2 is at hand already; after it the question goes on only if it is being finished.
    assert page.parts.goes_on
    assert [batch_page(*place, number).parts.number for number in (1, 2)] == [1, 2]
    second = batch_page(*place, 2, ahead=True).parts
    assert second.goes_on is (kind == "finish")
    # The first part will be done with when the second one is seen.
    assert (second.more, batch_page(*place, 2).parts.more) == (6, 17)


def test_the_step_holds_for_the_whole_question(session, large):
    shop, given = large, rating(None, batch=1)
    page = batch_page(session, shop.project.id, shop.ada.id, 1)
    assert page.parts.more == 18

    step = record_no_good_answer(session, shop.annotator(), given)

    assert len(step.ratings) == 29
    rows = session.scalars(select(Judgment).where(Judgment.grade == shop.project.scale_low)).all()
    assert len({row.candidate_id for row in rows}) == 29
    assert {row.role for row in rows} == {Origin.PLANNED}
    assert sorted({(row.batch, row.length) for row in rows}) == [(1, 12), (2, 12), (3, 6)]
    (event,) = session.scalars(select(Event).where(Event.kind == EventKind.NO_GOOD_ANSWER))
    assert (event.payload["count"], event.revision) == (29, rows[-1].revision + 1)
    assert assign_elsewhere(session, shop, shop.ada) is None, "it is not asked again"
    assert assign_elsewhere(session, shop, shop.bo) == 12
    place = (session, shop.project.id, shop.ada.id)
    assert [get_assignment(*place, number).state for number in (1, 2, 3)] == ["open", "done", "done"]
    page = batch_page(*place, 1)
    assert page.parts.more == 0
    assert record_no_good_answer(session, shop.annotator(), given).ratings == step.ratings


def test_the_whole_question_is_taken_back_and_asked_again(session, large):
    shop, given = large, rating(None, batch=1)
    record_no_good_answer(session, shop.annotator(), given)

    undone = take_back_no_good_answer(session, shop.annotator(), given.id, rating(None, batch=1))

    assert len(undone.ratings) == 29
    assert progress_of(session, shop.project.id, shop.ada.id).done == 1
    # Part 2 was Ada’s before the step. What the step itself assigned is numbered no more: it comes in another.
    place = (session, shop.project.id, shop.ada.id)
    states = [get_assignment(*place, number).state for number in (1, 2, 3)]
    assert states == ["open", "open", "released"]
    assert assign_elsewhere(session, shop, shop.ada) == 6


def test_without_scripts_too_the_whole_question_is_one_step(session, large):
    shop = large
    record_no_good_answer(session, shop.annotator(), rating(None, batch=1, at=now_utc()))

    moved = undo_last(session, shop.annotator())

    assert moved.several == 29
    assert progress_of(session, shop.project.id, shop.ada.id).done == 1
    assert redo_last(session, shop.annotator()).several == 29


@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize("is_scripted", [True, False])
def test_the_parts_of_a_question_stand_as_before_when_the_step_is_undone_and_redone(
    session, make, at, is_scripted
):
    shop = make_workshop(make, queries=1, answers=48)
    place = (session, shop.project.id, shop.ada.id)
    for number in (1, 2):
        assign_best_batch(*place, query_id=shop.queries[0].id).kind = "finish"
        session.flush()
        if number == 1:
            park_batch(*place, number)
    given = rating(None, batch=at, at=now_utc())
    for_later = unfinished_questions(*place, now_utc())
    until = get_assignment(*place, 1).lease_end

    def parts():
        return [batch_page(*place, number).parts.more for number in (1, 2)]

    assert parts() == [36, 36]
    record_no_good_answer(session, shop.annotator(), given)
    if is_scripted:
        take_back_no_good_answer(session, shop.annotator(), given.id, rating(None, batch=at))
    else:
        undo_last(session, shop.annotator())

    assert parts() == [36, 36]
    assert [get_assignment(*place, number).state for number in (1, 2, 3)] == ["parked", "open", "released"]
    assert unfinished_questions(*place, now_utc()) == for_later
    assert get_assignment(*place, 1).lease_end == until, "it is reserved as long as before"
    if not is_scripted:
        redo_last(session, shop.annotator())
        assert parts() == [0, 0]


def test_what_measures_is_graded_only_where_it_was_seen(session, large):
    for batch in (1, 2):
        held = get_assignment(session, large.project.id, large.ada.id, batch)
        gold = session.scalars(
            select(AssignmentCandidate)
            .where(AssignmentCandidate.assignment_id == held.id)
            .order_by(AssignmentCandidate.place.desc())
            .limit(1)
        ).one()
        gold.arm = "gold"
    session.flush()

    step = record_no_good_answer(session, large.annotator(), rating(None, batch=1))

    roles = Counter(own.role for own in step.ratings.values())
    # What Ada has not seen as gold may yet be asked of her as such.
    assert roles == {Origin.PLANNED: 27, Origin.GOLD: 1}


def test_in_a_paused_project_the_step_takes_what_was_dealt(session, large):
    large.project.state = "paused"

    step = record_no_good_answer(session, large.annotator(), rating(None, batch=1))

    assert len(step.ratings) == 23
