"""The queries that verdicts are read from: comparison sets, samples, and whether a pair is finished."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags
    from app.services.comparison.basis import Basis


@dataclass(frozen=True)
class PairQueries:
    """One entry per pair of rows.

    Attributes
    ----------
    compared
        bool (pairs, queries): the comparison set, the scored queries that both cover.
    sampled
        bool (pairs, queries): of these the ones before the first query, in drawn order, that both cover and
        that is not closed.
    finished
        bool (pairs,): every query that both cover is closed.
    """

    compared: Flags
    sampled: Flags
    finished: Flags


def queries_of(basis: Basis, pairs: Sequence[tuple[int, int]]) -> PairQueries:
    """Return the queries that the verdicts on some pairs of rows are read from."""
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    counted, covered, closed = basis.board.counted, basis.covered, basis.closed
    compared = counted[first] & counted[second]
    waiting = covered[first] & covered[second] & ~(closed[first] & closed[second])
    drawn = basis.evidence.structure.place_drawn
    ends = np.where(waiting, drawn, len(drawn)).min(axis=1, initial=len(drawn))[:, None]
    return PairQueries(compared, compared & (drawn < ends), np.asarray(~waiting.any(axis=1)))


def finished_pairs(basis: Basis, pairs: Sequence[tuple[int, int]]) -> Flags:
    """Return which pairs are finished, of many pairs: bool (pairs,)."""
    if not len(pairs):
        return np.zeros(0, dtype=np.bool_)
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    covered = basis.covered.astype(np.float32)
    done = (basis.covered & basis.closed).astype(np.float32)
    both = covered @ covered.T == done @ done.T
    return np.asarray(both[first, second])
