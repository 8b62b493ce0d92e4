"""What is written on the chart over time: the weeks of a replay, owners' notes, the score they aim at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, and_, bindparam, func, select
from sqlalchemy.orm import Session

from app.models.base import now_utc
from app.models.event import Bookmark
from app.models.project import Project
from app.sentences import message
from app.services.bulk import lock_project
from app.services.errors import InvalidError, NotFoundError
from app.services.ledger import head_of
from app.services.prepared import Prepared
from app.services.scores.history import Moment

LONGEST, MOST = 80, 50
NEWEST = 2**62
"""A revision that no project reaches."""
TARGET = "target"
"""The name of the score aimed at among a project's options."""


@Prepared
def _marked() -> Select[Any]:
    """Return the query for the target with the notes, or alone where there are none."""
    return (
        select(
            Project.options[TARGET].as_integer().label("target"),
            Bookmark.id,
            Bookmark.revision,
            Bookmark.label,
            Bookmark.at,
            Bookmark.is_note,
        )
        .outerjoin(Bookmark, and_(Bookmark.project_id == Project.id, Bookmark.revision <= bindparam("upto")))
        .where(Project.id == bindparam("project"))
        .order_by(Bookmark.revision, Bookmark.at, Bookmark.id)
    )


@dataclass(frozen=True)
class Note:
    """What an owner wrote on the chart, and about which moment."""

    id: int
    revision: int
    at: datetime
    text: str


@dataclass(frozen=True)
class Marked:
    """The labelled weeks of a replay and the notes, oldest first, and the score aimed at."""

    weeks: list[Moment]
    notes: list[Note]
    target: int | None


def marked_of(session: Session, project_id: int, revision: int = NEWEST) -> Marked:
    """Return what is written on a project's chart up to a revision, with one question to the database."""
    rows = _marked.rows(session, {"project": project_id, "upto": revision})
    now = datetime.now(UTC)
    written = [row for row in rows if row.id is not None]
    return Marked(
        weeks=[Moment(row.revision, now, row.label) for row in written if not row.is_note],
        notes=[Note(row.id, row.revision, row.at, row.label) for row in written if row.is_note],
        target=next((row.target for row in rows), None),
    )


def add_note(
    session: Session, project: Project, text: str, *, revision: int | None = None, at: datetime | None = None
) -> Bookmark:
    """Write a note on the chart: about a revision, a moment, or now.

    :raise InvalidError: There are no words or too many, the moment is to come, or the chart has too many
        notes.
    """
    words = _words(text)
    project = lock_project(session, project.id)
    now = now_utc()
    if at is not None and at > now:
        raise InvalidError("A note is about the past: choose a day up to today.", code="at")
    notes = select(func.count()).where(Bookmark.project_id == project.id, Bookmark.is_note)
    if (session.scalar(notes) or 0) >= MOST:
        raise InvalidError(
            message("There are %(most)s notes already: delete one first.", most=MOST), code="notes"
        )
    note = Bookmark(
        project_id=project.id,
        revision=head_of(session, project.id) if revision is None else revision,
        label=words,
        at=at or now,
        is_note=True,
    )
    session.add(note)
    session.flush()
    return note


def change_note(session: Session, project: Project, note_id: int, text: str) -> None:
    """Change the words of a note.

    :raise NotFoundError: The project has no such note.
    :raise InvalidError: There are no words or too many.
    """
    _find(session, project, note_id).label = _words(text)
    session.flush()


def delete_note(session: Session, project: Project, note_id: int) -> None:
    """Delete a note.

    :raise NotFoundError: The project has no such note.
    """
    session.delete(_find(session, project, note_id))
    session.flush()


def set_target(session: Session, project: Project, target: int | None) -> None:
    """Set the score that a project aims at, or none.

    :raise InvalidError: It is no score.
    """
    if target is not None and not 0 <= target <= 100:
        raise InvalidError("A target is a whole number from 0 to 100.", code=TARGET)
    project = lock_project(session, project.id)
    kept = {name: value for name, value in project.options.items() if name != TARGET}
    project.options = kept if target is None else {**kept, TARGET: target}
    session.flush()


def _words(text: str) -> str:
    words = " ".join(text.split())
    if not words:
        raise InvalidError("Write what the note should say.", code="note")
    if len(words) > LONGEST:
        raise InvalidError(message("A note has at most %(most)s characters.", most=LONGEST), code="note")
    return words


def _find(session: Session, project: Project, note_id: int) -> Bookmark:
    note = session.get(Bookmark, note_id)
    if note is None or note.project_id != project.id or not note.is_note:
        raise NotFoundError("There is no such note.")
    return note
