"""Which queries are closed for a run: every answer in its top k is judged, or cannot be judged today."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.models import EventKind
from app.services.evidence.ledger import DECLINED

if TYPE_CHECKING:
    from app.scoring.arrays import Flags
    from app.scoring.judged import Judged
    from app.services.evidence import Evidence

ENOUGH_PASSES = 2
"""An answer that so many annotators passed on waits for its owner; one where only one person rates."""


def unratable(evidence: Evidence) -> Flags:
    """Return which candidates cannot be rated today: bool (candidates,).

    They have no text, or annotators passed on them: two, or the only one that ever rated here.
    """
    structure = evidence.structure
    found = structure.textless
    ledger = evidence.ledger
    if (ledger.grade == DECLINED).any():
        passed = np.flatnonzero(evidence.ratings_now & (ledger.grade == DECLINED))
        passes = np.bincount(evidence.cell[passed], minlength=structure.cells)
        found = found | (passes >= _passes_needed(evidence))
    return found


def closed_queries(evidence: Evidence, judged: Judged, runs: list[int], k: int) -> Flags:
    """Return which queries are closed for each run: bool (runs, queries).

    A query is closed for a pair of runs where it is closed for both.

    Parameters
    ----------
    judged
        Today's grades; under grades declared complete every query is closed.
    runs
        Places within `evidence.structure.runs`.
    k
        The cutoff.
    """
    waiting = judged.open & ~unratable(evidence)
    table = np.append(waiting, [False, False])
    lists = evidence.lists(runs, k)
    closed = np.ones(lists.positions.shape[1:], dtype=np.bool_)
    for rank in range(len(lists.positions)):
        closed &= ~table.take(lists.positions[rank])
    return closed


def _passes_needed(evidence: Evidence) -> int:
    imported = {
        number
        for event in evidence.structure.events
        if event.kind == EventKind.JUDGMENTS_IMPORTED
        for number in event.payload["annotator_ids"]
    }
    people = set(np.unique(evidence.ledger.annotator).tolist()) - imported
    return min(ENOUGH_PASSES, max(1, len(people)))
