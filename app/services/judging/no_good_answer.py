"""The step "no good answer": the lowest grade for the rest of a question, undone in one go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from uuid import UUID, uuid5

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.event import EventKind
from app.models.judgment import Reason
from app.services.assignment.batch_lifecycle import get_assignment
from app.services.assignment.batches import (
    assign_rest_of_query,
    count_unsettled,
    give_back_parts,
    lock_assignment,
    own_batches,
)
from app.services.errors import ConflictError
from app.services.judging.feedback import check_may_change
from app.services.judging.rating import (
    Annotator,
    BatchProgress,
    OwnRating,
    RatedCandidate,
    Rating,
    batch_progress,
    current_wording,
    find_by_id,
    find_current,
    get_rated_candidate,
)
from app.services.judging.recording import (
    CandidateStatus,
    append_rows,
    candidate_status,
    check_rating_is_open,
    role_of,
    row_of,
)
from app.services.ledger import record_event


@dataclass(frozen=True)
class RecordedStep:
    """What one step did to several answers of a question: their new rows, by the candidates' public ids.

    `wording` is that of the question now (`wording_of`).
    """

    ratings: dict[str, OwnRating]
    progress: BatchProgress
    wording: str


def record_no_good_answer(session: Session, annotator: Annotator, rating: Rating) -> RecordedStep:
    """Give the lowest grade to every answer of the question of `rating.batch` left for its annotator.

    That is what they have not settled in this batch, in others that they have, and what of the question was
    still to be assigned to them; those other batches are closed. What measures them is graded in this batch
    only: they have not seen it elsewhere. Each row's id is UUIDv5 of the step's id and the candidate, so the
    step sent again changes nothing.

    :raise NotFoundError: There is no such batch among this person's.
    :raise ConflictError: Nothing is left to grade (`nothing_left`), or rating is closed (`rating_closed`).
    """
    lowest = replace(rating, grade=annotator.project.scale_low, reason=None)
    assignment = get_assignment(session, annotator.project.id, annotator.person_id, rating.batch)
    # Locked before any annotator's rows, as assignment does.
    lock_assignment(session, annotator.project.id)
    stored = _stored(session, annotator, rating.id, _rows_of(session, annotator, assignment))
    if stored:
        return _step(session, annotator, assignment, stored)
    check_rating_is_open(annotator.project)
    left = _left(session, annotator, assignment)
    if not left:
        raise ConflictError("Every answer of this question is rated already.", code="nothing_left")
    written = _append(session, annotator, left, lowest)
    payload = {
        "query_id": assignment.query_id,
        "annotator_id": annotator.person_id,
        "count": len(written),
    }
    record_event(
        session, annotator.project.id, EventKind.NO_GOOD_ANSWER, payload, actor_id=annotator.person_id
    )
    return _step(session, annotator, assignment, written)


def take_back_no_good_answer(
    session: Session, annotator: Annotator, of: UUID, rating: Rating, *, also: Collection[UUID] = ()
) -> RecordedStep:
    """Clear what the step `of` graded, where it still counts; what was rated since stays.

    Parameters
    ----------
    also
        Ratings that count as the step's own: an annotator who changed one of its grades and undid that change
        has given the lowest grade under another id.

    :raise NotFoundError: There is no such batch among this person's.
    :raise ConflictError: Nothing is left of it (`nothing_left`), rating is closed (`rating_closed`), or the
        annotator knows what others gave for one of the answers (`others_known`).
    """
    cleared = replace(rating, grade=None, reason=Reason.CLEARED)
    assignment = get_assignment(session, annotator.project.id, annotator.person_id, rating.batch)
    rows = _rows_of(session, annotator, assignment)
    stored = _stored(session, annotator, rating.id, rows)
    if stored:
        return _step(session, annotator, assignment, stored)
    check_rating_is_open(annotator.project)
    unchanged = [
        row for row in rows if row.current and row.current.id in {uuid5(of, row.shown.public_id), *also}
    ]
    if not unchanged:
        raise ConflictError("This step was changed since, so it cannot be undone.", code="nothing_left")
    for row in unchanged:
        check_may_change(told=_status(session, annotator, row).told, current=row.current)
    written = _append(session, annotator, unchanged, cleared)
    reopen_parts(session, assignment)
    return _step(session, annotator, assignment, written)


def reopen_parts(session: Session, assignment: Assignment) -> None:
    """Open the parts of a batch's question again in which the step was undone."""
    closed = [one for one in own_batches(session, assignment) if one.state == "done"]
    give_back_parts(session, assignment, [one for one in closed if count_unsettled(session, one)])


def close_parts(session: Session, assignment: Assignment, numbers: Collection[int]) -> None:
    """Close the parts of a batch's question, by their numbers, in which the step was done again."""
    for one in own_batches(session, assignment):
        if one is not assignment and one.batch in numbers and not count_unsettled(session, one):
            one.state = "done"
    session.flush()


@dataclass(frozen=True)
class _StepRow:
    shown: RatedCandidate
    batch: int
    place: int
    length: int
    current: OwnRating | None

    @property
    def is_left(self) -> bool:
        return self.current is None or self.current.reason is Reason.CLEARED


def _left(session: Session, annotator: Annotator, assignment: Assignment) -> list[_StepRow]:
    """Return what the step grades, and close the other batches that hold some of it."""
    rows = _rows_in(session, annotator, [assignment])
    others = _rows_in(session, annotator, assign_rest_of_query(session, assignment))
    left = [row for row in rows if row.is_left] + [
        row for row in others if row.is_left and not row.shown.kind
    ]
    # An answer has one row of a step, in whichever batch it comes first.
    return list({row.shown.id: row for row in reversed(left)}.values())[::-1]


def _rows_of(session: Session, annotator: Annotator, assignment: Assignment) -> list[_StepRow]:
    """Return the answers of all batches of a question, each once as an answer and once as each check."""
    rows = _rows_in(session, annotator, own_batches(session, assignment))
    return list({(row.shown.id, row.shown.kind): row for row in rows}.values())


def _rows_in(session: Session, annotator: Annotator, batches: list[Assignment]) -> list[_StepRow]:
    numbers = {one.id: one.batch for one in batches}
    wanted = (
        select(AssignmentCandidate.assignment_id, Candidate.public_id, AssignmentCandidate.place)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .where(AssignmentCandidate.assignment_id.in_(numbers))
        .order_by(AssignmentCandidate.assignment_id, AssignmentCandidate.place)
    )
    places = session.execute(wanted).all()
    lengths = Counter(assignment_id for assignment_id, *_ in places)
    return [
        _row(session, annotator, public_id, (numbers[assignment_id], place, lengths[assignment_id]))
        for assignment_id, public_id, place in places
    ]


def _row(session: Session, annotator: Annotator, public_id: str, at: tuple[int, int, int]) -> _StepRow:
    batch, place, length = at
    me = annotator.person_id
    shown = get_rated_candidate(session, annotator.project.id, me, public_id, batch=batch)
    current = find_current(session, me, shown.id, kind=shown.kind)
    return _StepRow(shown, batch, place, length, current)


def _stored(session: Session, annotator: Annotator, step: UUID, rows: list[_StepRow]) -> dict[str, OwnRating]:
    """Return what this step wrote when it was sent before."""
    found = {
        row.shown.public_id: find_by_id(session, annotator.person_id, uuid5(step, row.shown.public_id))
        for row in rows
    }
    return {public_id: rating for public_id, rating in found.items() if rating is not None}


def _append(
    session: Session, annotator: Annotator, rows: list[_StepRow], rating: Rating
) -> dict[str, OwnRating]:
    written = append_rows(
        session,
        annotator.project.id,
        [
            row_of(
                annotator,
                row.shown,
                replace(
                    rating,
                    id=uuid5(rating.id, row.shown.public_id),
                    batch=row.batch,
                    place=row.place,
                    of=row.length,
                    active_ms=active_ms,
                ),
                role=role_of(annotator, row.shown, row.current, _status(session, annotator, row)),
            )
            for row, active_ms in zip(rows, _shared(rating.active_ms, len(rows)), strict=True)
        ],
    )
    return {row.shown.public_id: own for row, own in zip(rows, written, strict=True)}


def _shared(active_ms: int, rows: int) -> list[int]:
    """Return the time of a step divided among its rows, so that a sum over rows counts it once."""
    each, rest = divmod(active_ms, rows)
    return [each + (number < rest) for number in range(rows)]


def _status(session: Session, annotator: Annotator, row: _StepRow) -> CandidateStatus:
    return candidate_status(session, annotator.person_id, row.shown.id, now_utc())


def _step(
    session: Session, annotator: Annotator, assignment: Assignment, ratings: dict[str, OwnRating]
) -> RecordedStep:
    project_id, me = annotator.project.id, annotator.person_id
    progress = batch_progress(session, project_id, me, assignment.batch, settled_now={})
    return RecordedStep(ratings, progress, current_wording(session, assignment.query_id))
