"""A look as a table: every pair it tested, the clearest first."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.scoring.verdict import PairLook
    from app.services.comparison.looks import TakenLook
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact


@dataclass(frozen=True)
class TestedPair:
    """Two runs as a look saw them, the one that was ahead first; d = score of `first` minus `second`."""

    first: RunFact
    second: RunFact
    look: PairLook
    sure: bool


def tested_pairs(evidence: Evidence, taken: TakenLook) -> list[TestedPair]:
    """Return what a look said then about every pair, by its P."""
    runs = {run.id: run for run in evidence.structure.runs}
    found = []
    for a, b in combinations(taken.run_ids, 2):
        look = taken.pair(a, b)
        first, second = (b, a) if look.mean >= 0 else (a, b)
        oriented = taken.pair(second, first)
        found.append(TestedPair(runs[first], runs[second], oriented, oriented.is_sure))
    return sorted(found, key=lambda pair: (pair.look.p, -pair.look.mean))
