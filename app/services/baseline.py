"""The baseline of a project: the ranker that all others are held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Event, EventKind, Ranker
from app.services.bulk import lock_project
from app.services.errors import InvalidError
from app.services.ledger import record_event

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project


def set_baseline(
    session: Session, project: Project, ranker_id: int | None, *, actor_id: int | None = None
) -> bool:
    """Declare a ranker the baseline, or none, and tell whether that is new.

    It is an event of the ledger: which test a look takes follows from what was declared before it.

    Raises
    ------
    InvalidError
        The ranker is not one of the project's.
    """
    project = lock_project(session, project.id)
    if ranker_id is not None:
        ranker = session.get(Ranker, ranker_id)
        if ranker is None or ranker.project_id != project.id or ranker.kind != "system":
            raise InvalidError(
                "That is no ranker of this project: choose one from the list.", code="baseline"
            )
    if find_baseline(session, project.id) == ranker_id:
        return False
    record_event(session, project.id, EventKind.BASELINE_SET, {"ranker_id": ranker_id}, actor_id=actor_id)
    return True


def find_baseline(session: Session, project_id: int) -> int | None:
    """Return the ranker that is the baseline now, None without one."""
    newest = (
        select(Event.payload)
        .where(Event.project_id == project_id, Event.kind == EventKind.BASELINE_SET.value)
        .order_by(Event.revision.desc())
    )
    said = session.scalar(newest.limit(1))
    return said["ranker_id"] if said else None
