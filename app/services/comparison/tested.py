"""A look as a table: every pair it tested, the clearest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.scoring.verdict import PairLook
    from app.services.comparison.looks import TakenLook
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact

MOST = 100
"""Pairs in the table: two hundred rankers would fill it with twenty thousand."""


@dataclass(frozen=True)
class TestedPair:
    """Two runs as a look saw them, the one that was ahead first; d = score of `first` minus `second`."""

    first: RunFact
    second: RunFact
    look: PairLook
    sure: bool


def tested_pairs(evidence: Evidence, taken: TakenLook) -> list[TestedPair]:
    """Return what a look said then about the pairs with the smallest P, at most `MOST`."""
    runs = {run.id: run for run in evidence.structure.runs}
    told = taken.said["pairs"]
    # Twenty thousand pairs are put in order as two columns of numbers.
    p, mean = (np.array([pair[name] for pair in told]) for name in ("p", "mean"))
    earlier, later = taken.tested
    found = []
    for place in np.lexsort((-np.abs(mean), p))[:MOST].tolist():
        a, b = taken.run_ids[earlier[place]], taken.run_ids[later[place]]
        first, second = (b, a) if mean[place] >= 0 else (a, b)
        look = taken.pair(second, first)
        found.append(TestedPair(runs[first], runs[second], look, look.is_sure))
    return found
