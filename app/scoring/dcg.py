"""DCG, its ideal and their ratio over all rankers and queries at once.

Everything is added in rank order, one rank at a time, so the same ledger gives the same bits whatever
the layout of the arrays, and the same bits as trec_eval for the log2 discount.
"""

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.discounts import Discounts

BLOCK = 1 << 17
"""Gains of ideal lists laid out at a time."""


def dcg(positions: Ints, gain: Floats, discounts: Discounts) -> Floats:
    """Return the discounted cumulated gain of every list.

    Formula: ``sum over ranks i of gain_i * c_i``, added in rank order; unjudged is 0.

    Parameters
    ----------
    positions
        integers of shape (depth, ...): at each rank the cell of ``gain`` that holds the document's
        gain; documents without one, and ranks below the end of a list, point to a cell that holds 0.
    gain
        float64 (cells,).
    discounts
        Of at least the wanted depth; the shorter of both decides.

    Returns
    -------
    float64 of the shape of one rank, ``positions.shape[1:]``
    """
    total = np.zeros(positions.shape[1:], dtype=np.float64)
    for rank in range(min(len(positions), discounts.depth)):
        total += discounts.contribution(gain.take(positions[rank]), rank)
    return total


def dcg_of_levels(positions: Ints, level: Ints, levels: Floats, discounts: Discounts) -> Floats:
    """Return the same, from the number of each cell's gain among few levels.

    What a level is paid at a rank is computed once, and the gains of many items are gathered as small
    numbers: the same bits, and a third of the memory traffic.

    Parameters
    ----------
    positions, discounts
        As for :func:`dcg`.
    level
        small integers (cells,).
    levels
        float64: the gain of each level.
    """
    total = np.zeros(positions.shape[1:], dtype=np.float64)
    for rank in range(min(len(positions), discounts.depth)):
        total += discounts.contribution(levels, rank).take(level.take(positions[rank]))
    return total


def ideal_dcg(counts: Ints, levels: Floats, discounts: Discounts) -> Floats:
    """Return the DCG of the best possible order of each query's judged documents.

    No sorting: the gain at each rank follows from how many documents have at least each gain. It is
    added in rank order by descending gain, so it has the bits of a sort followed by a sum.

    Parameters
    ----------
    counts
        integers of shape (queries, levels): judged documents per query and gain level.
    levels
        float64 (levels,): the gain of each level, ascending.
    discounts
        To the depth of the ideal list.

    Returns
    -------
    float64 (queries,)
    """
    total = np.zeros(len(counts), dtype=np.float64)
    if discounts.depth == 0 or counts.size == 0:
        return total
    block = max(1, BLOCK // max(discounts.depth, len(levels)))
    for start in range(0, len(counts), block):
        here = slice(start, start + block)
        ranked = _best_first(counts[here], levels, discounts.depth)
        for paid in discounts.contributions(ranked).T:
            total[here] += paid
    return total


def _best_first(counts: Ints, levels: Floats, depth: int) -> Floats:
    """Return the gains of each query's judged documents, best first, filled up with 0: (queries, depth)."""
    upto = np.zeros((len(levels) + 2, len(counts)), dtype=np.int64)
    np.cumsum(counts.T[::-1], axis=0, out=upto[1:-1])
    upto[-1] = depth
    np.minimum(upto, depth, out=upto)
    times = (upto[1:] - upto[:-1]).T.ravel()
    falling = np.append(levels[::-1], 0.0)
    return np.repeat(np.tile(falling, len(counts)), times).reshape(len(counts), depth)


def ndcg(reached: Floats, ideal: Floats, *, undefined: float = np.nan) -> Floats:
    """Return DCG divided by its ideal, and ``undefined`` where the ideal is 0.

    Parameters
    ----------
    reached
        float64 (..., queries).
    ideal
        float64, broadcast against ``reached``.
    undefined
        NaN marks the cell for the caller, who leaves it out and never shows it; 0 is trec_eval's way.
    """
    quotient = np.asarray(reached / np.where(ideal > 0, ideal, np.nan))
    if not np.isnan(undefined):
        quotient[np.isnan(quotient)] = undefined
    return quotient
