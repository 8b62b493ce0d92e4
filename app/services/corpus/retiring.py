"""Queries with judgments are never deleted: they are retired, and can come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import EventKind, Query
from app.services.errors import NotFoundError
from app.services.import_file import refuse_archived
from app.services.ledger import record_event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from app.models import Project


def retire_queries(
    session: Session, project: Project, external_ids: Sequence[str], *, actor_id: int | None = None
) -> int:
    """Take queries out of scores and out of what is rated, and return how many were still active.

    Raises
    ------
    NotFoundError
        The project has no such query.
    ConflictError
        The project is archived.
    """
    found = _get_queries(session, project, external_ids)
    active = [query for query in found if query.retired_revision is None]
    _turn(session, project, active, EventKind.QUERY_RETIRED, actor_id)
    return len(active)


def restore_queries(
    session: Session, project: Project, external_ids: Sequence[str], *, actor_id: int | None = None
) -> int:
    """Bring retired queries back, and return how many were retired.

    Raises
    ------
    NotFoundError
        The project has no such query.
    ConflictError
        The project is archived.
    """
    retired = [
        row for row in _get_queries(session, project, external_ids) if row.retired_revision is not None
    ]
    _turn(session, project, retired, EventKind.QUERY_RESTORED, actor_id)
    return len(retired)


def _get_queries(session: Session, project: Project, external_ids: Sequence[str]) -> list[Query]:
    wanted = list(dict.fromkeys(external_ids))
    rows = session.scalars(
        select(Query).where(Query.project_id == project.id, Query.external_id.in_(wanted))
    ).all()
    if missing := set(wanted) - {row.external_id for row in rows}:
        raise NotFoundError(f"The project {project.slug} has no query {min(missing)!r}.")
    return list(rows)


def _turn(
    session: Session, project: Project, queries: list[Query], kind: EventKind, actor_id: int | None
) -> None:
    if not queries:
        return
    refuse_archived(project)
    payload = {"query_ids": [query.id for query in queries]}
    event = record_event(session, project.id, kind, payload, actor_id=actor_id)
    for query in queries:
        query.retired_revision = event.revision if kind is EventKind.QUERY_RETIRED else None
    session.flush()
