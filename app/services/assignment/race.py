"""The open race of a project: how much each answer's rating is worth now, shared by all its annotators.

Everything is worked out on the evidence, outside any write session, and kept for 25 ratings.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.simulation import REFRESH
from app.services.shelf import Shelf

if TYPE_CHECKING:
    from datetime import datetime

    from app.scoring.arrays import Flags, Floats
    from app.services.evidence import Evidence

# A version registered so lately is to become readable soon.
FRESH = timedelta(days=7)
MOST_KEPT = 8


@dataclass(frozen=True)
class Race:
    """Where ratings count most in a project; the same for all annotators.

    Attributes
    ----------
    priority
        float64 (candidates,): by the open-race rule.
    pooled_since
        float64 (candidates,): since when an active run brings it into the pool, seconds of the epoch;
        infinite outside the pool.
    block
        bool (queries,): in the open milestone block.
    openness
        float64 (pairs,): how open the race of every two current runs is, in the order of
        ``combinations(evidence.current_runs(), 2)``; of very many, settled ones are 0.
    """

    priority: Floats
    pooled_since: Floats
    block: Flags
    openness: Floats


_shelf: Shelf[Race] = Shelf(MOST_KEPT)


def race_of(evidence: Evidence, now: datetime) -> Race:
    """Return the race of a project, at most 25 ratings old."""
    fresh = _fresh(evidence, now)
    key = (len(evidence.ledger) // REFRESH, evidence.ruler_at().fingerprint, tuple(fresh))
    return _shelf.kept_or_made(evidence.structure.positions, key, lambda: _race(evidence, fresh))


def _fresh(evidence: Evidence, now: datetime) -> list[bool]:
    """Return which of the current runs were registered within the last seven days."""
    return [run.registered_at > now - FRESH for run in evidence.run_facts(evidence.current_runs())]


def _race(evidence: Evidence, fresh: list[bool]) -> Race:
    structure = evidence.structure
    positions = structure.positions[:, evidence.current_runs(), :]
    ranks = np.full(structure.cells + 2, len(positions) + 1, dtype=np.float64)
    for rank in range(len(positions) - 1, -1, -1):
        ranks[positions[rank]] = rank + 1
    block = np.zeros(len(structure.query_id), dtype=np.bool_)
    pairs = len(fresh) * (len(fresh) - 1) // 2
    return Race(1.0 / ranks[:-2], _pooled_since(evidence), block, np.zeros(pairs))


def _pooled_since(evidence: Evidence) -> Floats:
    """Return since when an active run brings each candidate into the pool."""
    since = np.full(evidence.structure.cells, np.inf)
    depth = evidence.depth_at()
    for place in evidence.active_runs():
        at = evidence.structure.runs[place].registered_at.timestamp()
        mine = evidence.structure.pooled_by([place], depth)
        since[mine] = np.minimum(since[mine], at)
    return since
