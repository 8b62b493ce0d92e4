"""Record ratings: checked, idempotent by the device's id, with the next revisions taken last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Integer, LargeBinary, Select, and_, bindparam, case, exists, func, select, true
from sqlalchemy.orm import Session, aliased

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import Judgment, Origin, Reason
from app.models.project import Project
from app.sentences import message
from app.services.assignment.batches import is_half_over, keep_lease
from app.services.assignment.wanted import (
    BATCH_SIZE,
    PERSON,
    is_on_lease,
    leases_of_candidate,
    wanted_ratings,
)
from app.services.current_judgments import (
    in_ledger,
    is_settled_by,
    judged_by,
    kind_in_batch,
    ratings_of_candidate,
)
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.judging.feedback import check_may_change, is_told
from app.services.judging.rating import (
    CANDIDATE,
    OWN_NAMES,
    WHOLE,
    Annotator,
    BatchProgress,
    OwnRating,
    RatedCandidate,
    Rating,
    Recorded,
    batch_progress,
    get_rated_candidate,
    has_note,
    needs_note,
    own_rating,
)
from app.services.ledger import append_judgments
from app.services.prepared import Prepared

KIND = bindparam("kind", type_=Integer)


@dataclass(frozen=True)
class CandidateStatus:
    """The status of a candidate for one person: were they ever given it, and who else has taken its places.

    `told`: they know what others gave for it (see `feedback`).
    """

    was_assigned: bool
    told: bool
    on_lease: bool
    planned: int
    leased: int


@dataclass(frozen=True)
class RatingContext:
    """What is known before a rating is recorded.

    Attributes
    ----------
    stored
        The row that the person's device has sent under the same id, or None.
    current
        The person's current row for the candidate, or None.
    others_settled, of, is_in_batch
        Of the rating's batch: how many of its other answers are settled, how many it has, and whether the
        candidate is one of them.
    lease_end
        When the batch's lease ends.
    """

    stored: OwnRating | None
    current: OwnRating | None
    status: CandidateStatus
    others_settled: int
    of: int
    is_in_batch: bool
    lease_end: datetime | None

    def progress(self, batch: int, *, settles: bool) -> BatchProgress:
        """Return how far the person is with the batch once the rating is written."""
        return BatchProgress(batch, self.others_settled + (settles and self.is_in_batch), self.of)


def read_rating_context(
    session: Session, annotator: Annotator, shown: RatedCandidate, rating: Rating, *, now: datetime
) -> RatingContext:
    """Return what is known before a rating of a candidate that `get_rated_candidate` has found.

    One statement: each costs more than its rows do, and every rating needs this one.
    """
    values = {
        "project": annotator.project.id,
        "person": annotator.person_id,
        "candidate": shown.id,
        "uuid": rating.id.bytes,
        "batch": rating.batch,
        "kind": shown.kind,
        "now": now,
    }
    row = tuple(_before.row(session, values))
    width = len(OWN_NAMES) + 1
    stored, status, rest = row[:width], row[width : 2 * width], row[2 * width :]
    return RatingContext(
        own_rating(stored) if stored[0] is not None else None,
        own_rating(status) if status[0] is not None else None,
        CandidateStatus(*rest[:5]),
        int(rest[5] or 0),
        rest[6],
        bool(rest[7]),
        rest[8],
    )


def candidate_status(session: Session, person_id: int, candidate_id: int, now: datetime) -> CandidateStatus:
    """Return the status of a candidate for a person."""
    values = {"person": person_id, "candidate": candidate_id, "now": now}
    return CandidateStatus(*_status.row(session, values))


def _status_columns() -> tuple[Any, ...]:
    was_assigned = exists().where(
        AssignmentCandidate.candidate_id == Candidate.id,
        AssignmentCandidate.assignment_id == Assignment.id,
        Assignment.person_id == PERSON,
    )
    return (
        was_assigned.correlate_except(AssignmentCandidate, Assignment),
        is_told(),
        is_on_lease(),
        ratings_of_candidate(but=PERSON, role=Origin.PLANNED),
        leases_of_candidate(),
    )


@Prepared
def _status() -> Select[Any]:
    return (
        select(*_status_columns())
        .select_from(Candidate)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.id == CANDIDATE)
    )


@Prepared
def _before() -> Select[Any]:
    stored, own = aliased(Judgment), aliased(Judgment)
    now, is_now = judged_by(PERSON, KIND)
    names = ("client_uuid", *OWN_NAMES)
    batch = (
        select(
            func.sum(
                case(
                    (
                        and_(
                            Candidate.id != CANDIDATE,
                            is_settled_by(PERSON, kind_in_batch(AssignmentCandidate.arm)),
                        ),
                        1,
                    ),
                    else_=0,
                )
            ).label("settled"),
            func.count().label("of"),
            func.max(case((Candidate.id == CANDIDATE, 1), else_=0)).label("here"),
            func.max(Assignment.lease_end).label("lease_end"),
        )
        .select_from(Assignment)
        .join(AssignmentCandidate, AssignmentCandidate.assignment_id == Assignment.id)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .where(
            Assignment.project_id == bindparam("project"),
            Assignment.batch == bindparam("batch"),
            Assignment.person_id == PERSON,
        )
        .correlate(None)
        .subquery()
    )
    return (
        select(
            *(getattr(stored, name) for name in names),
            *(getattr(own, name) for name in names),
            *_status_columns(),
            batch.c.settled,
            batch.c.of,
            batch.c.here,
            batch.c.lease_end,
        )
        .select_from(Candidate)
        .join(Document, Document.id == Candidate.document_id)
        .join(batch, true())
        .outerjoin(
            stored,
            and_(stored.annotator_id == PERSON, stored.client_uuid == bindparam("uuid", type_=LargeBinary)),
        )
        .outerjoin(now, is_now)
        .outerjoin(own, in_ledger(now, own))
        .where(Candidate.id == CANDIDATE)
    )


SHUT = {"closed", "archived"}


@dataclass(frozen=True)
class CheckedRating:
    """A rating that may be recorded, or one that is stored already.

    Attributes
    ----------
    row
        What is written of it, all but its revision; None where it is stored.
    wording
        That of its question now (`wording_of`).
    recorded
        What is answered where it is stored.
    """

    annotator: Annotator
    row: dict[str, Any] | None
    progress: BatchProgress
    wording: str
    recorded: Recorded | None = None


def record_judgment(session: Session, annotator: Annotator, public_id: str, rating: Rating) -> Recorded:
    """Append a rating to the ledger and return it; the same rating sent again is returned as stored.

    :raise ServiceError: As `check_judgment` says.
    """
    (recorded,) = record_checked(session, [check_judgment(session, annotator, public_id, rating)])
    return recorded


def check_judgment(session: Session, annotator: Annotator, public_id: str, rating: Rating) -> CheckedRating:
    """Return a rating as it is to be written in this transaction, the first half of `record_judgment`.

    :raise NotFoundError: There is no such candidate, or it was never given to this person.
    :raise InvalidError: The grade is off the scale or needs a note (`note_required`), a number cannot be
        stored, or the answer was not in that batch.
    :raise ConflictError: The id was used for another rating (`id_reused`), the rating was changed elsewhere
        (`changed_elsewhere`, with the `current` one), rating is closed in the project (`rating_closed`), or
        the annotator knows what others gave for the answer (`others_known`).
    """
    project, me = annotator.project, annotator.person_id
    check_rating(project, rating)
    shown = get_rated_candidate(session, project.id, me, public_id, batch=rating.batch)
    now = now_utc()
    before = read_rating_context(session, annotator, shown, rating, now=now)
    if before.stored is not None:
        recorded = _replayed(session, annotator, before.stored, rating, shown)
        return CheckedRating(annotator, None, recorded.progress, shown.wording, recorded)
    check_rating_is_open(project)
    check_may_change(told=before.status.told, current=before.current)
    role = role_of(annotator, shown, before.current, before.status)
    _check_batch(rating, is_in_it=before.is_in_batch)
    _check_base(before.current, rating)
    _check_note(session, annotator, shown.id, rating)
    if before.lease_end and is_half_over(before.lease_end, now):
        keep_lease(session, project.id, me, rating.batch, now)
    progress = before.progress(rating.batch, settles=rating.reason is not Reason.CLEARED)
    return CheckedRating(annotator, row_of(annotator, shown, rating, role=role), progress, shown.wording)


def record_checked(session: Session, checked: Sequence[CheckedRating]) -> list[Recorded]:
    """Append ratings to the ledger in their order, and return them; all statements last in the transaction.

    No two of them are of one annotator or of one candidate: each was checked before any was written.
    """
    recorded = [one.recorded for one in checked]
    by_project: defaultdict[int, list[int]] = defaultdict(list)
    for place, one in enumerate(checked):
        if one.row is not None:
            by_project[one.annotator.project.id].append(place)
    # In the order of their numbers: whoever writes to several projects locks them in the same order.
    for project_id in sorted(by_project):
        places = by_project[project_id]
        rows = [row for place in places if (row := checked[place].row) is not None]
        for place, own in zip(places, append_rows(session, project_id, rows), strict=True):
            one = checked[place]
            recorded[place] = Recorded(own, one.progress, is_new=True, wording=one.wording)
    return [one for one in recorded if one is not None]


def check_rating(project: Project, rating: Rating) -> None:
    """Refuse what cannot be stored.

    :raise InvalidError: Names the value and the remedy.
    """
    if (rating.grade is None) == (rating.reason is None):
        raise InvalidError("A rating needs either a grade or a reason.", code="grade_or_reason")
    if rating.grade is not None and rating.grade not in project.grades:
        raise InvalidError(
            message(
                "Grade %(grade)s is not on the scale. Choose %(low)s to %(high)s.",
                grade=rating.grade,
                low=project.scale_low,
                high=project.scale_high,
            ),
            code="off_scale",
        )
    for name in ("batch", "active_ms"):
        if not 0 <= getattr(rating, name) <= WHOLE:
            raise InvalidError(f"{name} is {getattr(rating, name)}: give 0 to {WHOLE}.", code="out_of_range")
    # Either is left out where nobody knows it.
    if not min(rating.of, 1) <= rating.place <= (rating.of or BATCH_SIZE) <= BATCH_SIZE:
        raise InvalidError(
            f"place is {rating.place} of {rating.of}: give 1 to the number of answers in the batch, at most "
            f"{BATCH_SIZE}.",
            code="out_of_range",
        )


def check_rating_is_open(project: Project) -> None:
    """Refuse ratings of a closed project; a paused one assigns nothing new, but takes what was assigned.

    :raise ConflictError: Rating is closed, or the project is archived.
    """
    if project.state == "archived":
        raise ConflictError(
            "An owner has archived this project. New ratings do not count.", code="rating_closed"
        )
    if project.state in SHUT:
        raise ConflictError(
            "An owner has closed rating in this project. New ratings do not count.", code="rating_closed"
        )


def role_of(
    annotator: Annotator, shown: RatedCandidate, current: OwnRating | None, status: CandidateStatus
) -> Origin:
    """Return why a rating was asked for: a check, planned, or extra where others have all its places.

    :raise NotFoundError: The candidate was never given to this person.
    """
    if current is not None and current.grade is not None:
        return current.role
    if current is None and not status.was_assigned:
        raise NotFoundError("This is not one of your answers.")
    if shown.kind:
        return Origin(shown.kind)
    # The rating that a wide spread opens is extra too: counted as planned, it would inflate agreement.
    taken = status.planned if status.on_lease else status.planned + status.leased
    wanted = wanted_ratings(annotator.project, shown.id)
    return Origin.EXTRA if taken >= wanted else Origin.PLANNED


def row_of(annotator: Annotator, shown: RatedCandidate, rating: Rating, *, role: Origin) -> dict[str, Any]:
    """Return a row of the ledger that has everything but its revision.

    :raise InvalidError: There are no such guidelines.
    """
    return {
        "candidate_id": shown.id,
        "annotator_id": annotator.person_id,
        "grade": rating.grade,
        "reason": rating.reason,
        "place": rating.place,
        "length": rating.of,
        "batch": rating.batch,
        "client_uuid": rating.id.bytes,
        "judged_at": rating.at,
        "received_at": now_utc(),
        "active_ms": rating.active_ms,
        "input": rating.input,
        "guideline_version": _guidelines_of(rating, shown),
        "role": role,
        "blind": annotator.blind,
    }


def _guidelines_of(rating: Rating, shown: RatedCandidate) -> int:
    newest = shown.guideline_version
    if rating.guidelines is None:
        return newest
    if not 0 <= rating.guidelines <= newest:
        problem = f"guidelines is {rating.guidelines}: give 0 to {newest}, the newest version."
        raise InvalidError(problem, code="out_of_range")
    return rating.guidelines


def append_rows(session: Session, project_id: int, rows: list[dict[str, Any]]) -> list[OwnRating]:
    """Write rows under the project's next revisions, in their order, and return what was written."""
    revisions = append_judgments(session, project_id, rows, len(rows))
    return [
        OwnRating(
            id=UUID(bytes=row["client_uuid"]),
            revision=revision,
            **{name: row[name] for name in OWN_NAMES if name != "revision"},
        )
        for revision, row in zip(revisions, rows, strict=True)
    ]


def _replayed(
    session: Session, annotator: Annotator, stored: OwnRating, rating: Rating, shown: RatedCandidate
) -> Recorded:
    if not stored.says_the_same(rating, shown.id):
        raise ConflictError("This id belongs to another rating.", code="id_reused")
    project_id, me = annotator.project.id, annotator.person_id
    progress = batch_progress(session, project_id, me, rating.batch, settled_now={})
    return Recorded(stored, progress, is_new=False, wording=shown.wording)


def _check_batch(rating: Rating, *, is_in_it: bool) -> None:
    # 0: the annotator does not say where.
    if rating.batch and not is_in_it:
        problem = f"batch is {rating.batch}, in which you did not get this answer"
        raise InvalidError(
            f"{problem}: give the batch in which it was, or leave it out.", code="not_in_batch"
        )


def _check_note(session: Session, annotator: Annotator, candidate_id: int, rating: Rating) -> None:
    if needs_note(annotator.project, rating.grade) and not has_note(session, annotator, candidate_id):
        raise InvalidError(
            message(
                "A grade of %(grade)s needs a note: write why, then rate the answer again.",
                grade=rating.grade,
            ),
            code="note_required",
        )


def _check_base(current: OwnRating | None, rating: Rating) -> None:
    if rating.base == (None if current is None else current.id):
        return
    raise ConflictError(
        "You have changed this rating elsewhere.",
        code="changed_elsewhere",
        current=None if current is None else current.facts,
    )
