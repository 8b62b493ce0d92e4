"""Values of measures, kept from one rating to the next: only the queries it touched are scored again.

A rating changes one query, and the values of a query know nothing of the others, so what is kept has the
bits of scoring everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.evaluate import evaluate
from app.scoring.lists import Lists
from app.services.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags, Floats, Ints
    from app.scoring.consensus import Consensus
    from app.scoring.judged import Judged
    from app.scoring.measures import Asked
    from app.services.evidence import Evidence

MOST_KEPT = 4
"""Sets of runs and measures."""
LARGEST_SHARE = 4
"""If more than one query in so many is touched, all are scored again."""


@dataclass(frozen=True)
class _Kept:
    """Values, and the grades they were made from."""

    consensus: Consensus
    pooled: Flags
    values: dict[str, Floats]


# By the lists that the values were made of.
_shelf: Shelf[_Kept] = Shelf(MOST_KEPT)


def kept_values(
    evidence: Evidence, runs: Sequence[int], asked: Sequence[Asked], depth: int, judged: Judged
) -> dict[str, Floats]:
    """Return what `evaluate` does of the newest grades, for measures that read lists as deep as evidence is.

    Parameters
    ----------
    runs
        Places within `evidence.structure.runs`.
    depth
        How deep the measures look.
    """
    lists = evidence.structure.positions
    key = (judged.ruler, tuple(runs), tuple(one.label for one in asked))
    kept = _shelf.kept(lists, key)
    touched = None if kept is None else _touched(kept, judged)
    if kept is None or touched is None:
        values = evaluate(asked, evidence.lists(runs, depth), judged)
    elif len(touched):
        again = evaluate(asked, _lists(evidence, runs, depth, touched), judged, touched)
        values = _with(kept.values, touched, again)
    else:
        values = kept.values
    _shelf.keep(lists, key, _Kept(judged.consensus, judged.pooled, values))
    return values


def _touched(before: _Kept, now: Judged) -> Ints | None:
    """Return the queries with other grades, or another pool, than before; None where they are too many."""
    old, new = before.consensus, now.consensus
    moved = (old.low != new.low) | (old.high != new.high) | (before.pooled != now.pooled)
    if old.counts is not None and new.counts is not None:
        moved |= (old.counts != new.counts).any(axis=1)
    touched = np.unique(now.query[moved])
    return None if len(touched) * LARGEST_SHARE > now.queries else touched


def _lists(evidence: Evidence, runs: Sequence[int], depth: int, queries: Ints) -> Lists:
    """Return the lists of some runs for a few queries."""
    structure, rows = evidence.structure, np.array(runs)[:, None]
    return Lists(structure.positions[:depth, rows, queries], structure.lengths[rows, queries])


def _with(kept: dict[str, Floats], touched: Ints, again: dict[str, Floats]) -> dict[str, Floats]:
    """Return the values with those of some queries made again."""
    found = {label: values.copy() for label, values in kept.items()}
    for label, values in found.items():
        values[:, touched] = again[label]
    return found
