"""Withdraw a run, and bring it back: ledger events that re-form the pool and take no judgment away."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from app.models import EventKind, Ranker, Run
from app.services.bulk import lock_project
from app.services.errors import ConflictError, NotFoundError
from app.services.ledger import record_event
from app.services.pooling.places import pool_places
from app.services.pooling.projection import PoolChange, apply_change, change_of_pool

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project


class Turn(NamedTuple):
    """From one state to another, and the event that says so."""

    before: str
    after: str
    kind: EventKind


WITHDRAW = Turn("published", "withdrawn", EventKind.RUN_WITHDRAWN)
RESTORE = Turn("withdrawn", "published", EventKind.RUN_RESTORED)


def find_run(session: Session, project: Project, ranker: str, version: str | None = None) -> Run | None:
    """Return a ranker's run of this label, or its newest; None where there is none."""
    wanted = (
        select(Run)
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Ranker.project_id == project.id, Ranker.name == ranker, Run.state != "unpublished")
        .order_by(Run.revision.desc())
    )
    if version is not None:
        wanted = wanted.where(Run.version == version)
    return session.scalars(wanted).first()


def get_run(session: Session, project: Project, ranker: str, version: str | None = None) -> Run:
    """Return a ranker's run of this label, or its newest.

    Raises
    ------
    NotFoundError
        There is none.
    """
    run = find_run(session, project, ranker, version)
    if run is None:
        label = f" {version}" if version is not None else ""
        raise NotFoundError(f"The project {project.slug} has no run {ranker}{label}.")
    return run


def withdraw_run(session: Session, run: Run, *, actor_id: int | None = None) -> PoolChange:
    """Take a run out of the pool and out of today's scores; it can be restored.

    Raises
    ------
    ConflictError
        It is not published.
    """
    return _turn(session, run, WITHDRAW, actor_id)


def restore_run(session: Session, run: Run, *, actor_id: int | None = None) -> PoolChange:
    """Bring a withdrawn run back.

    Raises
    ------
    ConflictError
        It is not withdrawn.
    """
    return _turn(session, run, RESTORE, actor_id)


def _turn(session: Session, run: Run, turn: Turn, actor_id: int | None) -> PoolChange:
    project = lock_project(session, run.project_id)
    session.refresh(run)
    if run.state != turn.before:
        raise ConflictError(f"This run is {run.state}, not {turn.before}.", code="run_state")
    run.state = turn.after
    session.flush()
    change = change_of_pool(session, project, pool_places(session, project.id, project.pool_depth))
    event = record_event(session, project.id, turn.kind, {"run_id": run.id}, actor_id=actor_id)
    apply_change(session, change, event.revision)
    return change
