"""Leases that keep others from the last work while nobody is at it: no page is empty while work is left."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, exists, func, select, update
from sqlalchemy.orm import aliased

from app.models import Assignment, AssignmentCandidate, Candidate, Judgment, Project
from app.services.assignment.allotting import queries_for
from app.services.assignment.slots import NOW, PERSON, is_check, is_running
from app.services.current_judgments import is_settled_by

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

# Whoever has rated nothing in a project for so long is not at it.
IDLE = timedelta(minutes=30)


def release_idle(session: Session, project_id: int, person_id: int, now: datetime) -> int:
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
        Judgment.received_at > now - IDLE,
    )
    done = session.execute(
        update(Assignment)
        .where(
            Assignment.id.in_(_held(session, project, person_id, now)),
            Assignment.state == "open",
            Assignment.dealt_at <= now - IDLE,
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
        Assignment.dealt_at > now - IDLE,
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
