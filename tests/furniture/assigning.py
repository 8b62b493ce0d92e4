"""Batches for tests that care for what is in them, and not for how they were chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from app.models import Project, Query, now_utc
from app.services.assignment import batches, progress
from app.services.assignment.eligibility import assignment_request, eligible_candidates
from app.services.assignment.progress import AnnotatorProgress
from app.services.assignment.selection import Proposal
from app.services.evidence.store import read_evidence

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Assignment
    from app.services.assignment.eligibility import CandidateFacts


def open_candidates(
    session: Session, project: Project, person_id: int, now: datetime
) -> list[CandidateFacts]:
    """Return everything that may be given to a person, best placed first."""
    queries = session.scalars(select(Query.id).where(Query.project_id == project.id)).all()
    slots = [
        slot
        for query_id in queries
        for slot in eligible_candidates(
            session, assignment_request(session, project, person_id, now), query_id=query_id
        )
    ]
    return sorted(slots, key=lambda slot: (slot.best_rank, slot.query_id, slot.public_id))


def assign_best_batch(
    session: Session,
    project_id: int,
    person_id: int,
    *,
    proposal: Proposal | None = None,
    query_id: int | None = None,
    now: datetime | None = None,
    **more: Any,
) -> Assignment | None:
    """Assign a batch: as proposed, of one query, or with the best placed answer that nobody has."""
    project = session.get(Project, project_id)
    if proposal is None and query_id is None and project is not None:
        slots = open_candidates(session, project, person_id, now or now_utc())
        # While one has neither a rating nor a lease, the others wait.
        query_id = next((slot.query_id for slot in [*(one for one in slots if not one.taken), *slots]), None)
    chosen = proposal or Proposal(query_id=query_id or 0)
    return batches.assign_batch(session, project_id, person_id, proposal=chosen, now=now, **more)


def progress_of(session: Session, project_id: int, person_id: int, **more: Any) -> AnnotatorProgress:
    """Return how far a person is, with all that the session has written."""
    evidence = read_evidence(session, project_id)
    return progress.progress_of(session, project_id, person_id, evidence=evidence, **more)
