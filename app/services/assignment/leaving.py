"""Leaving a batch: done, for later, or "can't judge this question"."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, func, select

from app.models import Assignment, AssignmentCandidate, Candidate, Project, Reason, now_utc
from app.services.assignment.dealing import LEASE, lock_dealing, open_batches, own_batches
from app.services.assignment.slots import PERSON, RUNNING, is_check, leases_of_candidate, wanted_ratings
from app.services.current_judgments import (
    is_settled_by,
    kind_in_batch,
    ratings_of_candidate,
    spread_of_candidate,
)
from app.services.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session


def get_assignment(session: Session, project_id: int, person_id: int, batch: int) -> Assignment:
    """Return one of a person's own batches.

    Raises
    ------
    NotFoundError
        There is no such batch, or it is somebody else's.
    """
    assignment = session.scalar(
        select(Assignment).where(
            Assignment.project_id == project_id,
            Assignment.person_id == person_id,
            Assignment.batch == batch,
        )
    )
    if assignment is None:
        raise NotFoundError("This is not one of your questions.")
    return assignment


def find_begun(
    session: Session,
    project_id: int,
    person_id: int,
    *,
    query_id: int | None = None,
    now: datetime | None = None,
) -> Assignment | None:
    """Return the oldest open batch of a person with something left, of any query or of one, or None."""
    held = open_batches(session, project_id, person_id, query_id=query_id, now=now)
    return next((one for one in held if count_unsettled(session, one)), None)


def count_unsettled(session: Session, assignment: Assignment) -> int:
    """Return how many answers of a batch its annotator has neither rated nor passed on."""
    values = {"assignment": assignment.id, "person": assignment.person_id}
    return session.scalars(_unsettled(), values).one()


@cache
def _unsettled() -> Select[int]:
    # Built once: putting it together takes longer than running it.
    return (
        select(func.count())
        .select_from(Candidate)
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .where(
            AssignmentCandidate.assignment_id == bindparam("assignment"),
            ~is_settled_by(PERSON, kind_in_batch(AssignmentCandidate.arm)),
        )
    )


def finish_batch(session: Session, project_id: int, person_id: int, batch: int) -> None:
    """Close a batch in which every answer is rated or passed on.

    Raises
    ------
    NotFoundError
        It is not this person's.
    ConflictError
        Answers are left (`left` says how many).
    """
    assignment = get_assignment(session, project_id, person_id, batch)
    left = count_unsettled(session, assignment)
    if left:
        raise ConflictError(
            "Some answers of this question are not rated yet.", code="answers_left", left=left
        )
    close_batch(session, assignment)


def close_batch(session: Session, assignment: Assignment) -> None:
    """Close a batch of which `count_unsettled` found nothing left."""
    if assignment.state in RUNNING:
        assignment.state = "done"
    session.flush()


def park_batch(session: Session, project_id: int, person_id: int, batch: int) -> None:
    """Leave a batch for later: it stays leased for what is left of its day, and the ratings stay.

    Raises
    ------
    NotFoundError
        It is not this person's.
    """
    assignment = get_assignment(session, project_id, person_id, batch)
    if assignment.state == "open":
        assignment.state = "parked"
    session.flush()


def decline_query(session: Session, project_id: int, person_id: int, batch: int, reason: Reason) -> None:
    """Release a question that its annotator cannot judge, with the reason; it does not come back to them.

    That holds for all batches of it that they have, this one and those dealt ahead or left for later.
    Ratings given in them stay.

    Raises
    ------
    NotFoundError
        It is not this person's.
    """
    assignment = get_assignment(session, project_id, person_id, batch)
    assignment.declined = reason.name.lower()
    for one in own_batches(session, assignment):
        if one.state in RUNNING:
            one.state = "released"
    session.flush()


def take_back_decline(
    session: Session, project_id: int, person_id: int, batch: int, *, now: datetime | None = None
) -> None:
    """Take back "can't judge this question" and lease the batch again; other batches of it are dealt again.

    Raises
    ------
    NotFoundError
        It is not this person's.
    ConflictError
        Others have all of its answers by now.
    """
    now = now or now_utc()
    lock_dealing(session, project_id)
    assignment = get_assignment(session, project_id, person_id, batch)
    for one in own_batches(session, assignment):
        one.declined = None
    if assignment.state != "released":
        return
    if not _is_free(session, assignment, now):
        raise ConflictError("Others are rating these answers now. You will get different ones.", code="taken")
    assignment.state, assignment.lease_end = "open", now + LEASE
    session.flush()


def _is_free(session: Session, assignment: Assignment, now: datetime) -> bool:
    project = session.get_one(Project, assignment.project_id)
    me = assignment.person_id
    taken = ratings_of_candidate(but=me) + leases_of_candidate()
    rows = session.execute(
        select(Candidate.id, taken, spread_of_candidate())
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .where(
            AssignmentCandidate.assignment_id == assignment.id,
            ~is_check(AssignmentCandidate),
            ~is_settled_by(me),
        ),
        {"person": me, "now": now},
    )
    return all(
        count < wanted_ratings(project, candidate_id, spread=spread) for candidate_id, count, spread in rows
    )
