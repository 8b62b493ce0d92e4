"""Copies of projects that were asked for: what is to be copied, and how far it is."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.base import now_utc
from app.models.project_copy import ProjectCopy
from app.services.bulk import lock_project
from app.services.errors import ConflictError
from app.services.projects.projects import check_slug

AT_WORK = ("waiting", "copying")
ATTEMPTS = 3


def request_copy(
    session: Session, project_id: int, slug: str, name: str, *, with_ratings: bool
) -> ProjectCopy:
    """Return the copy of a project that is to be made.

    :raise InvalidError: The short name cannot be one.
    :raise ConflictError: It is taken, or a copy of the project is being made.
    """
    check_slug(session, slug)
    lock_project(session, project_id)
    copy = session.get(ProjectCopy, project_id)
    if copy is not None and copy.state in AT_WORK:
        raise ConflictError("A copy of this project is being made: wait for it.", code="copying")
    if copy is None:
        copy = ProjectCopy(project_id=project_id)
        session.add(copy)
    copy.slug, copy.name, copy.with_ratings = slug, name, with_ratings
    copy.state, copy.attempts, copy.done, copy.total = "waiting", 0, 0, 0
    copy.report, copy.asked_at = {}, now_utc()
    session.flush()
    return copy


def find_copy(session: Session, project_id: int) -> ProjectCopy | None:
    """Return the last copy of a project that was asked for, or None."""
    return session.get(ProjectCopy, project_id)


def copies_at_work(session: Session) -> list[int]:
    """Return the projects of which a copy was asked for that is not done."""
    return list(session.scalars(select(ProjectCopy.project_id).where(ProjectCopy.state.in_(AT_WORK))))


def begin_copy(session: Session, project_id: int) -> ProjectCopy | None:
    """Return what is to be copied, one attempt later; None if nothing is, or it was tried too often."""
    copy = session.get(ProjectCopy, project_id)
    if copy is None or copy.state not in AT_WORK:
        return None
    if copy.attempts >= ATTEMPTS:
        fail_copy(session, project_id, "")
        return None
    copy.state, copy.attempts, copy.done, copy.total = "copying", copy.attempts + 1, 0, 0
    session.flush()
    return copy


def note_copying(session: Session, project_id: int, done: int, total: int) -> None:
    """Write down how far a copy is."""
    copy = session.get_one(ProjectCopy, project_id)
    copy.done, copy.total = done, total


def note_copied(session: Session, project_id: int) -> None:
    """Note, in the transaction that writes it, that a copy is there."""
    copy = session.get_one(ProjectCopy, project_id)
    copy.state, copy.done, copy.network = "done", copy.total, None


def fail_copy(session: Session, project_id: int, refusal: str) -> None:
    """Note that a copy was not made, and why where that is known."""
    copy = session.get(ProjectCopy, project_id)
    if copy is not None and copy.state in AT_WORK:
        copy.state, copy.report, copy.network = "failed", {"refusal": refusal}, None
