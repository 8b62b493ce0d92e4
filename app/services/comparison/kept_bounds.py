"""Exact bounds, kept from one rating to the next: only the queries it touched are bounded again.

A rating changes the gains of one query, and the bounds of a query know nothing of the others, so what is
kept has the bits of bounding everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.bounds import Block, Bounds, difference_bounds, ndcg_bounds, pair_bounds, run_bounds
from app.scoring.bounds_arrays import table_of
from app.services.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags, Floats, Ints
    from app.services.comparison.basis import Basis

    Pairs = tuple[tuple[int, int], ...]

MOST_KEPT = 4
"""Sets of runs or pairs; each keeps one gain per candidate."""
LARGEST_SHARE = 4
"""If more than one query in so many is touched, all are bounded again."""


@dataclass(frozen=True)
class _Kept:
    """Bounds, and the gains they were made from."""

    gain: Floats
    open_cells: Flags
    levels: Floats
    bounds: Bounds


# By the lists that the bounds were made of.
_shelf: Shelf[_Kept] = Shelf(MOST_KEPT)


def pair_bounds_of(basis: Basis, pairs: Sequence[tuple[int, int]]) -> Bounds:
    """Return the exact bounds of the first row's score minus the second's, per query, for some pairs."""
    return _kept_or_made(basis, tuple(pairs))


def run_bounds_of(basis: Basis) -> Bounds:
    """Return the exact bounds of every row's score, per query."""
    return _kept_or_made(basis, ())


def _kept_or_made(basis: Basis, pairs: Pairs) -> Bounds:
    lists = basis.evidence.structure.positions
    key = (basis.board.ruler.fingerprint, tuple(basis.places), pairs)
    kept = _shelf.kept(lists, key)
    touched = None if kept is None else _touched(basis, kept)
    if kept is None or touched is None:
        bounds = _all_bounds(basis, pairs)
    else:
        bounds = _with_touched(basis, pairs, kept.bounds, touched)
    judged = basis.board.judged
    _shelf.keep(lists, key, _Kept(judged.gain, judged.open_cells, judged.levels, bounds))
    return bounds


def _touched(basis: Basis, kept: _Kept) -> Ints | None:
    """Return the queries whose gains are others than those kept; None if nothing kept is of use."""
    judged = basis.board.judged
    if not np.array_equal(kept.levels, judged.levels):
        return None
    moved = (kept.gain != judged.gain) | (kept.open_cells != judged.open_cells)
    touched = np.unique(judged.query[moved[: judged.absent]])
    return None if len(touched) * LARGEST_SHARE > judged.queries else touched


def _all_bounds(basis: Basis, pairs: Pairs) -> Bounds:
    judged, k = basis.board.judged, basis.board.ruler.k
    lists = basis.evidence.lists(basis.places, k)
    if not pairs:
        return ndcg_bounds(lists, judged, k)
    first, second = np.array(pairs).T
    return pair_bounds(lists, judged, k, second, first)


def _with_touched(basis: Basis, pairs: Pairs, kept: Bounds, touched: Ints) -> Bounds:
    if not len(touched):
        return kept
    block = block_of(basis, touched)
    low, high = kept.low.copy(), kept.high.copy()
    if pairs:
        first, second = np.array(pairs).T
        low[:, touched], high[:, touched] = difference_bounds(block, second, first)
    else:
        low[:, touched], high[:, touched] = run_bounds(block)
    return Bounds(low, high)


def block_of(basis: Basis, queries: Ints, rows: Sequence[int] | None = None) -> Block:
    """Return what the bounds need of some queries, for some rows (all by default)."""
    judged, k = basis.board.judged, basis.board.ruler.k
    places = basis.places if rows is None else [basis.places[row] for row in rows]
    positions = basis.evidence.structure.positions[:k, np.array(places)[:, None], queries]
    discounts = judged.ruler.discounts(k)
    table = table_of(judged, discounts, queries)
    return Block(positions, judged.gain, judged.open_cells, np.arange(len(queries)), table, discounts)
