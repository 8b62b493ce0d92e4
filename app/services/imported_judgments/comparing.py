"""Imported judgments against those that count already: new, the same, or another grade."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import SmallInteger, func, literal, select

from app.models import CurrentJudgment, Event, EventKind, Judgment
from app.services.evidence.rows import read_integers
from app.services.pooling.places import SPAN

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Ints

NAMESPACE = uuid.UUID("5b0c8a52-94d2-4a4e-8a5f-3f7c0f6d1a27")
NOT_JUDGED = -2


@dataclass(frozen=True)
class Standing:
    """What annotators' present judgments say, by annotator and candidate.

    Attributes
    ----------
    key
        int64 (pairs,): annotator number * 2^32 + candidate number, ascending.
    said
        int64 (pairs,): the grade, or -100 minus the reason.
    """

    key: Ints
    said: Ints

    def at(self, key: Ints) -> Ints:
        """Return what each pair says, `NOT_JUDGED` where it says nothing."""
        if not len(self.key):
            return np.full(len(key), NOT_JUDGED, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
        return np.where(self.key[place] == key, self.said[place], NOT_JUDGED)


def said_by(grade: Ints, reason: Ints) -> Ints:
    """Return grade and reason as one number."""
    return np.where(reason > 0, -100 - reason, grade)


def standing_of(session: Session, project_id: int, annotators: list[int]) -> Standing:
    """Return what some annotators of files, people or machines, say now."""
    wanted = (
        select(
            CurrentJudgment.annotator_id,
            CurrentJudgment.candidate_id,
            func.coalesce(CurrentJudgment.grade, -1),
            func.coalesce(CurrentJudgment.reason, literal(0, SmallInteger)),
        )
        .where(CurrentJudgment.project_id == project_id, CurrentJudgment.annotator_id.in_(annotators))
        .order_by(CurrentJudgment.annotator_id, CurrentJudgment.candidate_id)
    )
    rows = read_integers(session, wanted, 4)
    return Standing(rows[:, 0] * SPAN + rows[:, 1], said_by(rows[:, 2], rows[:, 3]))


def stored_uuids(session: Session, project_id: int, annotators: list[int]) -> set[bytes]:
    """Return the ids of all judgments that some annotators ever gave."""
    wanted = select(Judgment.client_uuid).where(
        Judgment.project_id == project_id, Judgment.annotator_id.in_(annotators)
    )
    return {bytes(stored) for stored in session.scalars(wanted)}


def uuid_of(file_hash: bytes, line: int, undone: int) -> bytes:
    """Return the id of a line's judgment: the same file gives it again, unless it was undone meanwhile."""
    again = f":again {undone}" if undone else ""
    return uuid.uuid5(NAMESPACE, f"{file_hash.hex()}:{line}{again}").bytes


def times_undone(session: Session, project_id: int, file_hash: bytes) -> int:
    """Return how often an import of this file was undone."""
    kinds = (EventKind.JUDGMENTS_IMPORTED.value, EventKind.JUDGMENTS_UNDONE.value)
    events = session.execute(
        select(Event.revision, Event.kind, Event.payload)
        .where(Event.project_id == project_id, Event.kind.in_(kinds))
        .order_by(Event.revision)
    ).all()
    imports = {
        event.revision
        for event in events
        if event.kind == kinds[0] and event.payload.get("file_hash") == file_hash.hex()
    }
    return sum(event.kind == kinds[1] and event.payload["of"] in imports for event in events)
