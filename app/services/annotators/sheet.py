"""Where, when and how fast each rating was given: columns beside the ledger of the evidence.

Scores need none of this, so evidence does not hold it. Past rows never change: what was read once is kept
with the evidence, and only newer rows are read.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import BigInteger, cast, extract, select

from app.models import Judgment
from app.services.evidence.rows import read_columns

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Ints
    from app.services.evidence import Evidence

KEPT = "annotators.sheet"
KINDS: tuple[type[np.signedinteger[Any]], ...] = (
    np.int64,
    np.int16,
    np.int16,
    np.int32,
    np.int32,
    np.int64,
)


@dataclass(frozen=True)
class Sheet:
    """One row for each row of the ledger; all arrays have shape (rows,).

    Attributes
    ----------
    revision
        int64: of the row.
    place, length, batch
        integers: the slot at which the answer was shown, out of how many, in which batch; 0 for files.
    active_ms
        int32: the time that was really spent, 0 where none was taken.
    second
        int64: when it arrived, in seconds since 1970.
    """

    revision: Ints
    place: Ints
    length: Ints
    batch: Ints
    active_ms: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.revision)

    def until(self, rows: int) -> Sheet:
        """Return the first rows."""
        return Sheet(*(getattr(self, one.name)[:rows] for one in fields(self)))

    def extended(self, more: list[Ints]) -> Sheet:
        """Return these rows followed by newer ones."""
        pairs = zip(fields(self), more, strict=True)
        return Sheet(*(np.concatenate((getattr(self, one.name), column)) for one, column in pairs))


NO_ROWS: list[Ints] = [np.zeros(0, dtype=kind) for kind in KINDS]
NOTHING = Sheet(*NO_ROWS)


def sheet_of(session: Session, evidence: Evidence) -> Sheet:
    """Return the columns that belong to the evidence's ledger.

    The session may see a later moment than the evidence; rows beyond it are left out.
    """
    held: Sheet = evidence.memory.kept.get(KEPT, NOTHING)
    rows = len(evidence.ledger)
    if len(held) < rows:
        after = int(held.revision[-1]) if len(held) else 0
        wanted = _wanted(evidence.project_id, after, evidence.revision)
        held = held.extended(read_columns(session, wanted, KINDS))
        evidence.memory.kept[KEPT] = held
    return held if len(held) == rows else held.until(rows)


def _wanted(project_id: int, after: int, last: int) -> Select[int, int, int, int, int, int]:
    second = cast(extract("epoch", Judgment.received_at), BigInteger)
    return (
        select(Judgment.revision, Judgment.place, Judgment.length, Judgment.batch, Judgment.active_ms, second)
        .where(Judgment.project_id == project_id, Judgment.revision > after, Judgment.revision <= last)
        .order_by(Judgment.revision)
    )
