"""What every annotator says today about every answer that they settled: a grade, or "can't judge"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.models import EventKind, Origin
from app.services.current_judgments import COUNTED
from app.services.evidence.ledger import CLEARED, DECLINED

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Ints
    from app.services.annotators.sheet import Sheet
    from app.services.evidence import Evidence

DECLINED_COLUMN = -1


@dataclass(frozen=True)
class Given:
    """One row for each annotator and answer, in the order in which they were first settled.

    Attributes
    ----------
    annotator, cell
        integers (n,): the database's number, and the place of the candidate.
    column
        int8 (n,): the grade as a column of the scale, -1 for "can't judge".
    first, last
        integers (n,): the rows of the ledger where it was first said, and where it was said as it is now.
    planned
        bool (n,): asked for by the plan: no extra rating that a disagreement opened, and no machine's.
    ms
        int64 (n,): active milliseconds over all changes of mind, 0 where no time was taken.
    """

    annotator: Ints
    cell: Ints
    column: Ints
    first: Ints
    last: Ints
    planned: Flags
    ms: Ints

    def __len__(self) -> int:
        return len(self.annotator)

    @property
    def graded(self) -> Flags:
        """Which rows hold a grade."""
        return np.asarray(self.column >= 0)

    def only(self, kept: Flags | Ints) -> Given:
        """Return some of the rows."""
        return Given(*(getattr(self, name)[kept] for name in self.__annotations__))


def given_of(evidence: Evidence, sheet: Sheet, roles: tuple[Origin, ...] = COUNTED) -> Given:
    """Return what stands today, by everybody whose ratings have one of these roles.

    What was said about the text of a document before it was edited, and what was taken back, is left out.
    Merged documents are one answer, about which the latest word stands.
    """
    ledger = evidence.ledger
    rows = np.flatnonzero(np.isin(ledger.role, roles) & (evidence.cell >= 0) & ~evidence.outdated)
    annotator, cell = ledger.annotator[rows], evidence.cell[rows]
    key = cell.astype(np.int64) * (int(annotator.max(initial=0)) + 1) + annotator
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    now = np.flatnonzero(evidence.current[rows])
    last = now[np.argsort(key[now])]
    ms = np.bincount(group, weights=_own_times(evidence, sheet)[rows], minlength=len(first)).astype(np.int64)
    standing = np.flatnonzero(ledger.grade[rows[last]] != CLEARED)
    order = standing[np.argsort(first[standing])]
    grade = ledger.grade[rows[last[order]]]
    lowest = evidence.ruler_at().scale_low
    return Given(
        annotator=annotator[first[order]],
        cell=cell[first[order]],
        column=np.where(grade == DECLINED, DECLINED_COLUMN, grade - lowest).astype(np.int8),
        first=rows[first[order]],
        last=rows[last[order]],
        planned=ledger.role[rows[first[order]]] == Origin.PLANNED,
        ms=ms[order],
    )


def _own_times(evidence: Evidence, sheet: Sheet) -> Ints:
    """Return the active time of every row of the ledger, 0 for those of "no good answer here".

    That is one act for all answers of a question that are left: its time belongs to none of them.
    """
    steps = [event for event in evidence.structure.events if event.kind == EventKind.NO_GOOD_ANSWER]
    if not steps:
        return sheet.active_ms
    revisions = evidence.ledger.revision
    # The rows of a step come just before its event.
    last = np.array([event.revision for event in steps])
    first = last - np.array([event.payload["count"] for event in steps])
    edges = np.zeros(len(revisions) + 1, dtype=np.int64)
    np.add.at(edges, np.searchsorted(revisions, first), 1)
    np.add.at(edges, np.searchsorted(revisions, last), -1)
    return np.where(np.cumsum(edges[:-1]) > 0, 0, sheet.active_ms)
