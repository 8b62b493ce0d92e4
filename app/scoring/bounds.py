"""What the scores can still become: bounds of each run, of the difference of two, and the certificate.

The bounds are exact for today's pool, scored queries and consensus: no grades of the unjudged items, also
between two grades of the scale, lead outside them, and some lead to each end.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.bounds_arrays import (
    QueryTable,
    around,
    lower_bounds,
    prefix_sums,
    ratio,
    table_of,
    upper_bounds,
)
from app.scoring.dcg import dcg
from app.scoring.discounts import Discounts
from app.scoring.judged import Judged
from app.scoring.lists import Lists
from app.scoring.means import SAME, exact_sums, means_of

CELLS = 4096
"""Lists, or pairs of lists, bounded side by side."""
ROOM = 1 << 22
"""Numbers in a table of what queries share, so that grades of a thousand kinds do not fill the memory."""


class Bounds(NamedTuple):
    """The least and the largest value that the unjudged items can still lead to.

    Attributes
    ----------
    low, high
        float64 (runs, queries) or (pairs, queries), of every query, scored or not: a query that nothing
        can give a gain has 0 and 0.
    """

    low: Floats
    high: Floats

    def means(self, counted: Flags) -> list[tuple[float, float] | None]:
        """Return the mean bounds of each run or pair over its counted queries, ``None`` without any."""
        low, high = means_of(self.low, counted), means_of(self.high, counted)
        return [None if a is None or b is None else (a, b) for a, b in zip(low, high, strict=True)]


class Block(NamedTuple):
    """Some queries of all runs, with what the bounds need of them.

    Attributes
    ----------
    positions
        integers (ranks, runs, queries of the block), cut at the cutoff.
    gain, open_cells
        By cell, as in :class:`app.scoring.judged.Judged`.
    query
        integers (queries of the block,): their rows in the table.
    table
        Of at least these queries.
    discounts
        To the cutoff.
    """

    positions: Ints
    gain: Floats
    open_cells: Flags
    query: Ints
    table: QueryTable
    discounts: Discounts

    @property
    def is_settled(self) -> bool:
        """Whether nothing is open in any of these queries: their bounds are their scores."""
        return not self.table.open_counts.take(self.query).any()


def ndcg_bounds(lists: Lists, judged: Judged, cutoff: int) -> Bounds:
    """Return the exact bounds of nDCG@k of every run on every query.

    Formula: the least and the largest ``(A + sum w_u x_u) / IDCG(J and x)`` over all gains x, each from 0
    to Gmax, of the unjudged pool items u (w_u: the discount at which the run returns u, A: what the judged
    items of the list add, J: the gains of all judged items); the plain form is in
    ``tests/scoring/plain_bounds.py``.

    Parameters
    ----------
    lists
        Of every run, down to the cutoff or deeper.
    judged
        What is judged, and what of the pool is not.
    cutoff
        The rank k.

    Returns
    -------
    Bounds of (runs, queries)

    Raises
    ------
    ValueError
        The ruler's ideal is the returned list, or unjudged documents are dropped from the lists: then
        nothing is fixed that could be bounded.
    """
    if judged.ruler.ideal == "maximum":
        from app.scoring.bounds_maximum import maximum_bounds

        _require_bounded(judged)
        return Bounds(*maximum_bounds(lists.positions, judged, cutoff))
    low, high = np.empty((2, lists.runs, lists.queries))
    for queries, block in _blocks(lists, judged, cutoff, lists.runs):
        low[:, queries], high[:, queries] = run_bounds(block)
    return Bounds(low, high)


def run_bounds(block: Block) -> tuple[Floats, Floats]:
    """Return the lower and upper bounds of a block: two float64 arrays (runs, queries of the block)."""
    ranks, runs, width = block.positions.shape
    flat = block.positions.reshape(ranks, runs * width)
    query = np.tile(block.query, runs)
    reached = dcg(flat, block.gain, block.discounts)
    score = ratio(reached, block.table.best.take(query))
    if block.is_settled:
        return (score.reshape(runs, width),) * 2
    open_ranks = block.open_cells.take(flat)
    rising = prefix_sums(open_ranks, block.discounts.weights[:ranks], block.table.copies)
    low = lower_bounds(reached, open_ranks, rising, query, block.table)
    high = upper_bounds(reached, rising, query, block.table)
    low, high = around(score, low, high, block.table.open_counts.take(query) == 0)
    return low.reshape(runs, width), high.reshape(runs, width)


def pair_bounds(lists: Lists, judged: Judged, cutoff: int, first: Ints, second: Ints) -> Bounds:
    """Return the exact bounds of the difference nDCG of ``second`` - nDCG of ``first``, per query.

    They lie inside what subtracting the single bounds gives: both runs share the unjudged items.

    Parameters
    ----------
    lists, judged, cutoff
        As for :func:`ndcg_bounds`.
    first, second
        integers (pairs,): run numbers.

    Returns
    -------
    Bounds of (pairs, queries)

    Raises
    ------
    ValueError
        As for :func:`ndcg_bounds`.
    """
    if judged.ruler.ideal == "maximum":
        from app.scoring.bounds_maximum import maximum_pair_bounds

        _require_bounded(judged)
        return Bounds(*maximum_pair_bounds(lists.positions, judged, cutoff, first, second))
    low, high = np.empty((2, len(first), lists.queries))
    for queries, block in _blocks(lists, judged, cutoff, 2 * len(first)):
        low[:, queries], high[:, queries] = difference_bounds(block, first, second)
    return Bounds(low, high)


def difference_bounds(block: Block, first: Ints, second: Ints) -> tuple[Floats, Floats]:
    """Return the pair bounds of a block: two float64 arrays (pairs, queries of the block).

    Parameters
    ----------
    block
        Some queries of all runs.
    first, second
        integers (pairs,): run numbers.
    """
    from app.scoring.bounds_pairs import pair_prefix_sums, placed_weights  # only comparisons need them

    reached = dcg(block.positions, block.gain, block.discounts)
    score = ratio(reached, np.broadcast_to(block.table.best.take(block.query), reached.shape))
    if block.is_settled:
        return (score[second] - score[first],) * 2
    placed = placed_weights(block.positions, block.open_cells, block.discounts)
    open_counts = block.table.open_counts.take(block.query)
    # The lower bound is the upper one of the two in exchanged places: both are found in one pass.
    minus, plus = np.concatenate((second, first)), np.concatenate((first, second))
    sums = pair_prefix_sums(placed, minus, plus, open_counts, block.table.copies)
    ahead, query = reached[plus] - reached[minus], np.tile(block.query, len(plus))
    low, high = upper_bounds(ahead.ravel(), sums, query, block.table).reshape(2, len(first), -1)
    return around(score[second] - score[first], -low, high, open_counts == 0)


def sums_of(pairs: Bounds, decisive: Flags) -> tuple[Floats, Floats]:
    """Return the sums of the pair bounds over some queries, exactly added: two float64 arrays (pairs,).

    Parameters
    ----------
    pairs
        From :func:`pair_bounds`.
    decisive
        bool (queries,) or (pairs, queries): scored or undecided, and covered by both runs.
    """
    used = np.broadcast_to(decisive, pairs.low.shape)
    low, high = (np.array(exact_sums(np.where(used, side, 0.0))) for side in pairs)
    return low, high


def settled(pairs: Bounds, decisive: Flags) -> Ints:
    """Return who stays ahead whatever the unjudged documents turn out to be: the certificate.

    The sum of the pair bounds over scored *and* undecided queries decides the sign of the mean difference
    whichever of them become scored; the mean over scored queries alone would not.

    Parameters
    ----------
    pairs, decisive
        As for :func:`sums_of`.

    Returns
    -------
    int8 (pairs,)
        1: the second run is ahead for sure; -1: the first; 0: open.
    """
    least, most = sums_of(pairs, decisive)
    return (least > SAME).astype(np.int8) - (most < -SAME).astype(np.int8)


def _blocks(lists: Lists, judged: Judged, cutoff: int, cells_per_query: int) -> Iterator[tuple[Ints, Block]]:
    """Yield all queries in blocks of about ``CELLS`` cells, each with its queries."""
    _require_bounded(judged)
    # No list and no ideal is longer: what lies further down costs nothing.
    longest = max(len(lists.positions), judged.longest_ideal + int(judged.open_counts.max(initial=0)))
    discounts = judged.ruler.discounts(min(cutoff, longest))
    room = max(1, ROOM // ((len(judged.levels) + 1) * (discounts.depth + 1)))
    width = max(1, min(CELLS, room) // max(cells_per_query, 1))
    for first in range(0, lists.queries, room):
        part = np.arange(first, min(first + room, lists.queries))
        table = table_of(judged, discounts, part)
        # Queries of which nothing is open stand by themselves: their bounds are their scores.
        is_open = table.open_counts > 0
        for alike in (np.flatnonzero(is_open), np.flatnonzero(~is_open)):
            for start in range(0, len(alike), width):
                query = alike[start : start + width]
                positions = lists.positions[:cutoff].take(part[query], axis=2)
                yield part[query], Block(positions, judged.gain, judged.open_cells, query, table, discounts)


def _require_bounded(judged: Judged) -> None:
    if judged.ruler.ideal == "returned":
        raise ValueError("bounds need an ideal over the judged documents, not over the returned list")
    if judged.ruler.unjudged == "condensed":
        raise ValueError("bounds need unjudged documents in their places, not lists without them")
