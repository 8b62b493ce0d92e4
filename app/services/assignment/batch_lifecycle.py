"""How a batch ends: done, for later, "can't judge this question", or its lease released."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache

from sqlalchemy import Select, bindparam, exists, func, select, update
from sqlalchemy.orm import Session, aliased

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.judgment import Judgment, Reason
from app.models.project import Project
from app.services.assignment.batches import LEASE, lock_assignment, open_batches, own_batches
from app.services.assignment.query_assignments import queries_for
from app.services.assignment.wanted import (
    NOW,
    PERSON,
    RUNNING,
    is_check,
    is_running,
    leases_of_candidate,
    wanted_ratings,
)
from app.services.current_judgments import (
    is_settled_by,
    kind_in_batch,
    ratings_of_candidate,
    spread_of_candidate,
)
from app.services.errors import ConflictError, NotFoundError

# Leaving a batch: done, for later, or "can't judge this question".


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
    lock_assignment(session, project_id)
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


# Leases that keep others from the last work while nobody is at it: no page is empty while work is left.


# Whoever has rated nothing in a project for so long is not at it.
STALE_AFTER = timedelta(minutes=30)


def release_stale_leases(session: Session, project_id: int, person_id: int, now: datetime) -> int:
    """Release the batches of others that nobody is at, for somebody for whom nothing else is left.

    What was left for later stays. Who comes back to a page that stood open may still rate: that is an extra
    rating then, and none is lost.

    Returns
    -------
    How many batches were released.
    """
    project = session.get_one(Project, project_id)
    if project.state != "open":
        return 0
    rated = exists().where(
        Judgment.project_id == project_id,
        Judgment.annotator_id == Assignment.person_id,
        Judgment.received_at > now - STALE_AFTER,
    )
    done = session.execute(
        update(Assignment)
        .where(
            Assignment.id.in_(_held(session, project, person_id, now)),
            Assignment.state == "open",
            Assignment.assigned_at <= now - STALE_AFTER,
            ~rated.correlate(Assignment),
        )
        .values(state="released")
        .returning(Assignment.id)
        .execution_options(synchronize_session=False)
    )
    return len(done.all())


def others_at_work(session: Session, project_id: int, person_id: int, now: datetime) -> int:
    """Return how many other people were dealt something a short while ago and hold it."""
    held = select(func.count(Assignment.person_id.distinct())).where(
        Assignment.project_id == project_id,
        Assignment.person_id != person_id,
        Assignment.state == "open",
        Assignment.assigned_at > now - STALE_AFTER,
        Assignment.lease_end > now,
    )
    return session.execute(held).scalar_one()


def is_held_elsewhere(session: Session, project_id: int, person_id: int, now: datetime) -> bool:
    """Tell whether others have answers on lease that this person could be dealt as well."""
    return bool(_held(session, session.get_one(Project, project_id), person_id, now))


def _held(session: Session, project: Project, person_id: int, now: datetime) -> set[int]:
    """Return the batches of others with something that neither they nor this person have rated."""
    values = {"project": project.id, "person": person_id, "now": now}
    allotted = queries_for(session, project, person_id)
    rows = session.execute(_held_elsewhere(), values)
    return {row.id for row in rows if allotted is None or row.query_id in allotted}


@cache
def _held_elsewhere() -> Select[int, int]:
    held, declined = aliased(Assignment), aliased(Assignment)
    return (
        select(held.id, held.query_id)
        .distinct()
        .join(AssignmentCandidate, AssignmentCandidate.assignment_id == held.id)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .where(
            held.project_id == bindparam("project"),
            is_running(held),
            held.lease_end > NOW,
            held.person_id != PERSON,
            ~is_check(AssignmentCandidate),
            ~is_settled_by(held.person_id),
            ~is_settled_by(PERSON),
            ~exists()
            .where(
                declined.person_id == PERSON,
                declined.project_id == held.project_id,
                declined.query_id == held.query_id,
                declined.declined.is_not(None),
            )
            .correlate(held),
        )
    )
