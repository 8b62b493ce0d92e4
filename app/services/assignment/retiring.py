"""Retire questions: what people hold of them is released in the same step."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment
from app.models.base import now_utc
from app.models.project import Project
from app.models.query import Query
from app.services.assignment.batches import count_unsettled, lock_assignment
from app.services.assignment.wanted import is_leased
from app.services.collection.queries import retire_queries


def retire_questions(
    session: Session, project: Project, external_ids: Sequence[str], *, actor_id: int | None = None
) -> int:
    """Retire questions and release everybody's batches of them; return how many were still active.

    Ratings that arrive from a page that stands open are stored all the same.

    :raise NotFoundError: The project has no such question.
    :raise ConflictError: The project is archived.
    """
    # Before the ledger, as assignment does: what is assigned meanwhile is seen here.
    lock_assignment(session, project.id)
    now = now_utc()
    held = session.scalars(
        select(Assignment)
        .join(Query, Query.id == Assignment.query_id)
        .where(
            Query.project_id == project.id, Query.external_id.in_(external_ids), is_leased(Assignment, now)
        )
    )
    for one in held.all():
        one.state, one.lease_end = "released" if count_unsettled(session, one) else "done", now
    session.flush()
    return retire_queries(session, project, external_ids, actor_id=actor_id)
