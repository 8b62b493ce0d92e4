"""The mark "in production": at most one version of a project carries it, and newer ones do not inherit it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Event, EventKind, Ranker, Run
from app.services.bulk import lock_project
from app.services.errors import ConflictError
from app.services.ledger import record_event

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project


def set_production(
    session: Session, project: Project, run: Run | None, *, actor_id: int | None = None
) -> bool:
    """Mark a version as the one in production, or take the mark away; tell whether that is new.

    Raises
    ------
    ConflictError
        The version is withdrawn, or holds answers that people knew of.
    """
    lock_project(session, project.id)
    if run is not None:
        session.refresh(run)
        if session.get_one(Ranker, run.ranker_id).kind != "system":
            raise ConflictError("Only a version of a ranker can be in production.", code="not_a_ranker")
        if run.state != "published":
            raise ConflictError(
                "This version is withdrawn: restore it first, then mark it in production.", code="run_state"
            )
    wanted = run and run.id
    if marked_run(session, project.id) == wanted:
        return False
    record_event(session, project.id, EventKind.PRODUCTION_SET, {"run_id": wanted}, actor_id=actor_id)
    return True


def end_production(session: Session, run: Run, *, actor_id: int | None = None) -> bool:
    """Take the mark away from a version, and tell whether it had it: another's mark stays."""
    project = lock_project(session, run.project_id)
    if marked_run(session, project.id) != run.id:
        return False
    return set_production(session, project, None, actor_id=actor_id)


def marked_run(session: Session, project_id: int) -> int | None:
    """Return the number of the version that carries the mark, withdrawn or not; None without one."""
    newest = (
        select(Event.payload)
        .where(Event.project_id == project_id, Event.kind == EventKind.PRODUCTION_SET.value)
        .order_by(Event.revision.desc())
    )
    said = session.scalar(newest.limit(1))
    return said["run_id"] if said else None
