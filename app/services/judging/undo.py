"""Undo and redo for browsers without scripts: the ledger itself knows an annotator's steps.

Nothing is taken out of it. A row that undoes another has an id made from that one's, and so has one that
redoes it: reading the rows in order shows which steps count, and which were taken back.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import Input, Judgment, Origin, Reason
from app.services.assignment.batch_lifecycle import get_assignment
from app.services.current_judgments import COUNTED
from app.services.judging.no_good_answer import close_parts, reopen_parts
from app.services.judging.rating import Annotator, Rating
from app.services.judging.recording import record_judgment

# This many of the newest rows are read: steps of twelve answers are still more than fifty.
REMEMBERED = 1000


@dataclass(frozen=True, kw_only=True)
class _Row:
    id: UUID
    revision: int
    candidate_id: int
    public_id: str
    grade: int | None
    reason: Reason | None
    role: Origin
    place: int
    length: int
    batch: int
    judged_at: datetime

    @property
    def subject(self) -> tuple[int, int]:
        """What it is about: an answer, as a rating that counts or as a check."""
        return self.candidate_id, 0 if self.role in COUNTED else int(self.role)


@dataclass(frozen=True)
class _Change:
    """A row that is undone or redone, the newest about the same, and the one that is to hold again."""

    row: _Row
    newest: _Row | None
    says: _Row | None

    @property
    def grade(self) -> int | None:
        return self.says.grade if self.says else None

    @property
    def reason(self) -> Reason | None:
        return self.says.reason if self.says else Reason.CLEARED


@dataclass(frozen=True)
class RepeatedStep:
    """A step that was undone or redone: where it was, and what its first answer says now.

    `several` is how many answers it changed at once.
    """

    batch: int
    public_id: str
    grade: int | None
    reason: Reason | None
    several: int


@dataclass(frozen=True, kw_only=True)
class ComingStep:
    """The step that would be undone or redone next, by the id of its first rating.

    `grade` and `reason` are the rating of its first answer that would be taken back (`takes`) or come back.
    """

    id: UUID
    batch: int
    public_id: str
    grade: int | None
    reason: Reason | None
    takes: bool
    several: bool


def coming_step(session: Session, annotator: Annotator, *, again: bool) -> ComingStep | None:
    """Return what `undo_last` would undo, or with `again` `redo_last` redo; None where there is nothing."""
    rows = _rows(session, annotator)
    steps = _stacks(rows)[again]
    if not steps:
        return None
    row = steps[-1][0]
    was_cleared = row.reason is Reason.CLEARED
    named = _newest(rows, row, before=None if again else row.revision) if was_cleared else row
    return ComingStep(
        id=row.id,
        batch=row.batch,
        public_id=row.public_id,
        grade=named.grade if named else None,
        reason=named.reason if named else Reason.CLEARED,
        takes=was_cleared is again,
        several=len(steps[-1]) > 1,
    )


def undo_last(session: Session, annotator: Annotator) -> RepeatedStep | None:
    """Take back an annotator's last step in a project; None where there is none.

    :raise ConflictError: The rating was changed elsewhere meanwhile, its annotator knows what others gave
        (`others_known`), or rating is closed (`rating_closed`).
    """
    rows = _rows(session, annotator)
    done, _ = _stacks(rows)
    if not done:
        return None
    changes = [_Change(row, _newest(rows, row), _newest(rows, row, before=row.revision)) for row in done[-1]]
    moved = _write(session, annotator, changes, "undo")
    if len({row.batch for row in done[-1]}) > 1:
        reopen_parts(session, _assignment_of(session, annotator, moved))
    return moved


def redo_last(session: Session, annotator: Annotator) -> RepeatedStep | None:
    """Do again what was undone last; None where there is nothing, or something else was done since.

    :raise ConflictError: As `undo_last`.
    """
    rows = _rows(session, annotator)
    _, undone = _stacks(rows)
    if not undone:
        return None
    changes = [_Change(row, _newest(rows, row), row) for row in undone[-1]]
    moved = _write(session, annotator, changes, "redo")
    numbers = {row.batch for row in undone[-1]}
    if len(numbers) > 1:
        close_parts(session, _assignment_of(session, annotator, moved), numbers)
    return moved


def _assignment_of(session: Session, annotator: Annotator, moved: RepeatedStep) -> Assignment:
    return get_assignment(session, annotator.project.id, annotator.person_id, moved.batch)


def _newest(rows: list[_Row], like: _Row, before: int | None = None) -> _Row | None:
    """Return the newest row about the same as another, of all or of those before a revision."""
    earlier = (row for row in reversed(rows) if before is None or row.revision < before)
    return next((row for row in earlier if row.subject == like.subject), None)


def _write(session: Session, annotator: Annotator, changes: list[_Change], how: str) -> RepeatedStep:
    now = now_utc()
    for change in changes:
        row = change.row
        rating = Rating(
            id=_made(row, how),
            grade=change.grade,
            reason=change.reason,
            base=change.newest.id if change.newest else None,
            place=row.place,
            of=row.length,
            batch=row.batch,
            input=Input.FORM,
            at=now,
        )
        record_judgment(session, annotator, row.public_id, rating)
    first = changes[0]
    return RepeatedStep(first.row.batch, first.row.public_id, first.grade, first.reason, len(changes))


def _stacks(rows: list[_Row]) -> tuple[list[list[_Row]], list[list[_Row]]]:
    """Return the steps that stand, and those that were taken back; the last of each is the next to go."""
    done: list[list[_Row]] = []
    undone: list[list[_Row]] = []
    for step in _steps(rows):
        ids = {row.id for row in step}
        if done and ids == {_made(row, "undo") for row in done[-1]}:
            undone.append(done.pop())
        elif undone and ids == {_made(row, "redo") for row in undone[-1]}:
            undone.pop()
            done.append(step)
        else:
            done.append(step)
            undone.clear()
    return done, undone


def _steps(rows: list[_Row]) -> list[list[_Row]]:
    """Return the rows step by step: what was sent as one step has one time, and revisions in a row."""
    steps: list[list[_Row]] = []
    for row in rows:
        last = steps[-1][-1] if steps else None
        if last and row.judged_at == last.judged_at and row.revision == last.revision + 1:
            steps[-1].append(row)
        else:
            steps.append([row])
    return steps


def _made(row: _Row, how: str) -> UUID:
    return uuid5(row.id, how)


def _rows(session: Session, annotator: Annotator) -> list[_Row]:
    """Return a person's newest rows in a project, oldest first."""
    wanted = (
        select(
            Judgment.client_uuid,
            Judgment.revision,
            Judgment.candidate_id,
            Candidate.public_id,
            Judgment.grade,
            Judgment.reason,
            Judgment.role,
            Judgment.place,
            Judgment.length,
            Judgment.batch,
            Judgment.judged_at,
        )
        .join(Candidate, Candidate.id == Judgment.candidate_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Judgment.project_id == annotator.project.id,
            Judgment.annotator_id == annotator.person_id,
            Judgment.role != Origin.ADJUDICATION,
            # What was said about a text before its edit is not taken back any more.
            Judgment.revision >= func.coalesce(Document.edited_revision, 0),
        )
        .order_by(Judgment.revision.desc())
        .limit(REMEMBERED)
    )
    return [_row(dict(row._mapping)) for row in session.execute(wanted)][::-1]  # noqa: SLF001 - as documented


def _row(facts: dict[str, Any]) -> _Row:
    return _Row(id=UUID(bytes=bytes(facts.pop("client_uuid"))), **facts)
