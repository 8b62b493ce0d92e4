"""Rankers: the systems whose versions are runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, func, select

from app.models import Ranker, Run
from app.services.bulk import lock_project
from app.services.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project


def find_ranker(session: Session, project_id: int, name: str) -> Ranker | None:
    """Return the ranker of this name, or None."""
    return session.scalar(select(Ranker).where(Ranker.project_id == project_id, Ranker.name == name))


def get_ranker(session: Session, project: Project, name: str) -> Ranker:
    """Return the ranker of this name.

    Raises
    ------
    NotFoundError
        There is none.
    """
    found = find_ranker(session, project.id, name)
    if found is None:
        known = session.scalars(
            select(Ranker.name)
            .where(Ranker.project_id == project.id, Ranker.kind == "system")
            .order_by(Ranker.mark)
        ).all()
        there = f"there is {', '.join(known)}" if known else "there is none yet"
        raise NotFoundError(f"There is no ranker {name!r}: {there}.")
    return found


def find_or_add_ranker(session: Session, project_id: int, name: str, kind: str = "system") -> Ranker:
    """Return the ranker of this name; a new one takes the next mark, but for a manual one, which needs none.

    Raises
    ------
    ConflictError
        The name belongs to a ranker of the other kind.
    """
    lock_project(session, project_id)
    ranker = find_ranker(session, project_id, name)
    if ranker is None:
        last = session.scalar(select(func.max(Ranker.mark)).where(Ranker.project_id == project_id))
        ranker = Ranker(
            project_id=project_id, name=name, kind=kind, mark=(last or 0) + 1 if kind == "system" else 0
        )
        session.add(ranker)
        session.flush()
    if ranker.kind != kind:
        raise ConflictError(
            f"The name {name!r} is reserved for answers added by people: choose another."
            if ranker.kind == "manual"
            else f"There is a ranker called {name!r} already.",
            code="name_taken",
        )
    return ranker


def drop_empty_ranker(session: Session, ranker_id: int) -> None:
    """Delete a ranker without versions: its name is free again."""
    has_runs = exists().where(Run.ranker_id == ranker_id)
    session.execute(delete(Ranker).where(Ranker.id == ranker_id, ~has_runs))
