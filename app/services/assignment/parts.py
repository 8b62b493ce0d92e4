"""A question with more answers than a batch holds: in how many parts it comes, and all its parts at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from app.models import Assignment, AssignmentCandidate, Candidate, Project, now_utc
from app.services.assignment.choosing import chosen_of
from app.services.assignment.dealing import lock_dealing, own_batches, write_batch
from app.services.assignment.eligibility import open_slots
from app.services.assignment.slots import BATCH_SIZE, RUNNING, is_check
from app.services.current_judgments import is_settled_by

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.services.assignment.eligibility import Slot


@dataclass(frozen=True)
class Parts:
    """Which part of its question a batch is.

    Attributes
    ----------
    part, of
        Counted from 1 among those that its annotator has or is still to get.
    more
        The answers of the question outside this batch that are left for its annotator.
    """

    part: int = 1
    of: int = 1
    more: int = 0


def parts_of(session: Session, assignment: Assignment, *, now: datetime | None = None) -> Parts:
    """Return which part of its question a batch is; one that fits into a batch has no others."""
    pooled = select(func.count()).where(Candidate.query_id == assignment.query_id, Candidate.in_pool)
    if (session.scalar(pooled) or 0) <= BATCH_SIZE:
        return Parts()
    now = now or now_utc()
    # What was released is dealt again in other batches.
    own = [one for one in own_batches(session, assignment) if one.state != "released" or one is assignment]
    others = [one.id for one in _others(own, assignment, now)]
    left = len(_open(session, assignment, now))
    return Parts(
        part=1 + own.index(assignment),
        of=len(own) - (-left // BATCH_SIZE),
        more=left + _count_unsettled(session, assignment.person_id, others),
    )


def take_all_parts(
    session: Session, assignment: Assignment, *, now: datetime | None = None
) -> list[Assignment]:
    """Deal all that is left of a batch's question to its annotator, and return all the parts but this one.

    For a step that settles the whole question: the parts that are returned are closed.
    """
    now = now or now_utc()
    numbers = lock_dealing(session, assignment.project_id)
    others = _others(own_batches(session, assignment), assignment, now)
    project = session.get_one(Project, assignment.project_id)
    slots = _open(session, assignment, now)
    for start in range(0, len(slots), BATCH_SIZE):
        part = Assignment(
            project_id=project.id,
            person_id=assignment.person_id,
            query_id=assignment.query_id,
            batch=numbers.next,
            dealt_at=now,
            lease_end=now,
        )
        write_batch(session, project, part, [chosen_of(slot) for slot in slots[start : start + BATCH_SIZE]])
        numbers = numbers.after(part.batch)
        others.append(part)
    for part in others:
        part.state = "done"
    session.flush()
    return others


def _others(own: list[Assignment], assignment: Assignment, now: datetime) -> list[Assignment]:
    """Return the batches that run beside one."""
    return [one for one in own if one is not assignment and one.state in RUNNING and one.lease_end > now]


def _open(session: Session, assignment: Assignment, now: datetime) -> list[Slot]:
    """Return what of a batch's question may still be dealt to its annotator."""
    project = session.get_one(Project, assignment.project_id)
    return open_slots(session, project, assignment.person_id, now, query_id=assignment.query_id)


def _count_unsettled(session: Session, person_id: int, assignments: list[int]) -> int:
    """Return how many answers of some batches take a rating that fills a slot."""
    wanted = (
        select(func.count())
        .select_from(Candidate)
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .where(
            AssignmentCandidate.assignment_id.in_(assignments),
            ~is_check(AssignmentCandidate),
            ~is_settled_by(person_id),
        )
    )
    return session.scalar(wanted) or 0
