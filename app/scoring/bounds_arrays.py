"""Exact bounds of nDCG while items are unjudged, for all runs and queries (or pairs of runs) at once.

What ``tests/scoring/plain_bounds.py`` says for one query in plain Python, in arrays. Only the cutoff's
number of unjudged items per query can matter, so everything has at most k + 1 rows. "Cells" are lists of
one run, or pairs of lists, side by side.
"""

from typing import NamedTuple

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.dcg import ideal_dcg
from app.scoring.discounts import Discounts
from app.scoring.judged import Judged

TOLERANCE = 1e-13
NO_RISE = 1e-14
ROUNDING = 1e-13
"""What sums of a list may part by through the order of adding."""


class QueryTable(NamedTuple):
    """What the bounds of all runs share on each query.

    Attributes
    ----------
    steps
        float64 (levels,): the rise in gain from each level to the next, d_j.
    costs
        float64 (levels, copies + 1, queries): what the ideal counts up to level j if s unjudged items
        reach it, ``C(J_j + s)``.
    ideal
        float64 (copies + 1, queries): the ideal DCG with s unjudged items at the largest gain.
    best
        float64 (queries,): the ideal DCG of the judged items alone, with the bits that scores have.
    open_counts
        integers (queries,): the unjudged items that could still earn a gain.
    largest
        The largest gain of the scale.
    """

    steps: Floats
    costs: Floats
    ideal: Floats
    best: Floats
    open_counts: Ints
    largest: float

    @property
    def copies(self) -> int:
        """The largest number of unjudged items that can matter."""
        return len(self.ideal) - 1


def query_table(
    level_counts: Ints, levels: Floats, open_counts: Ints, discounts: Discounts, largest: float
) -> QueryTable:
    """Return the shared part of the bounds.

    Parameters
    ----------
    level_counts, levels
        integers (queries, levels) and float64 (levels,) ascending: the judged items, as in ``Judged``.
    open_counts
        integers (queries,).
    discounts
        To the cutoff.
    largest
        The largest gain of the scale.
    """
    heights = np.array(sorted({0.0, largest, *levels.tolist()}))
    at_least = _counts_from(heights[1:], level_counts, levels)
    copies = np.arange(min(discounts.depth, int(open_counts.max(initial=0))) + 1)
    reach = np.minimum(at_least[:, None, :] + copies[None, :, None], discounts.depth)
    costs = np.append(0.0, np.cumsum(discounts.weights)).take(reach)
    steps = np.diff(heights)
    ideal = np.zeros(costs.shape[1:])
    for step, cost in zip(steps, costs, strict=True):
        ideal += step * cost
    best = ideal_dcg(level_counts, levels, discounts)
    return QueryTable(steps, costs, ideal, best, open_counts, largest)


def table_of(judged: Judged, discounts: Discounts, queries: Ints | None = None) -> QueryTable:
    """Return the shared part of the bounds for all queries of a project, or for some of them in turn.

    Parameters
    ----------
    judged, discounts
        Of the project, to the cutoff.
    queries
        integers: which, in this order; all if not given.
    """
    level_counts, open_counts = judged.level_counts, judged.open_counts
    if queries is not None:
        level_counts, open_counts = level_counts[queries], open_counts[queries]
    return query_table(level_counts, judged.levels, open_counts, discounts, judged.ruler.largest_gain)


def lower_bounds(
    reached: Floats, open_ranks: Flags, rising: Floats, query: Ints, table: QueryTable
) -> Floats:
    """Return the least nDCG of every list.

    Parameters
    ----------
    reached
        float64 (cells,): the DCG of the judged items.
    open_ranks
        bool (ranks, cells): the places of items that could still earn a gain.
    rising
        float64 (copies + 1, cells): from :func:`prefix_sums`.
    query
        integers (cells,): into the table.
    table
        Shared.
    """
    listed = np.count_nonzero(open_ranks, axis=0)
    unlisted = table.open_counts.take(query) - listed
    lowest = np.full(len(query), np.inf)
    cells, open_counts = np.arange(len(query)), table.open_counts.take(query)
    for copies in range(table.copies + 1):
        taken = np.minimum(np.maximum(copies - unlisted, 0), listed)
        least = rising[-1] - rising[listed - taken, cells]
        value = ratio(reached + table.largest * least, table.ideal[copies].take(query))
        np.minimum(lowest, value, out=lowest, where=copies <= open_counts)
    return lowest


def upper_bounds(reached: Floats, rising: Floats, query: Ints, table: QueryTable) -> Floats:
    """Return the largest value of every cell: of nDCG, or of a difference of two.

    Parameters
    ----------
    reached
        float64 (cells,): the DCG of the judged items (for a pair, the difference).
    rising
        float64 (copies + 1, cells): sums of the s largest weights of unjudged items.
    query
        integers (cells,): into the table.
    table
        Shared.
    """
    possible = np.arange(len(rising))[:, None] <= table.open_counts.take(query)
    rising = np.where(possible, rising, -np.inf)
    above = reached + table.largest * rising.max(axis=0) > 0
    highest = np.zeros(len(query))
    vertex, ratio = np.flatnonzero(~above), np.flatnonzero(above)
    highest[vertex] = _highest_vertex(reached[vertex], rising[:, vertex], query[vertex], table)
    highest[ratio] = _highestratio(reached[ratio], rising[:, ratio], query[ratio], table)
    return highest


def prefix_sums(open_ranks: Flags, weights: Floats, copies: int) -> Floats:
    """Return the sums of the discounts of the first s open ranks of every list, s = 0 to ``copies``.

    Discounts do not rise, so the first ranks have the largest weights. Unlisted items weigh 0.

    Parameters
    ----------
    open_ranks
        bool (ranks, cells): the places of items that could still earn a gain.
    weights
        float64 (ranks,), not rising.
    copies
        The largest s.

    Returns
    -------
    float64 (copies + 1, cells)
    """
    running = np.cumsum(open_ranks * weights[:, None], axis=0)
    total = running[-1] if len(running) else np.zeros(open_ranks.shape[1])
    rising = np.tile(total, (copies + 1, 1))
    rising[0] = 0.0
    rank, cell = np.nonzero(open_ranks)
    place = np.cumsum(open_ranks, axis=0)[rank, cell]
    rising[place, cell] = running[rank, cell]
    return rising


def around(score: Floats, low: Floats, high: Floats, settled: Flags) -> tuple[Floats, Floats]:
    """Return bounds that hold the score to the last bit, and are the score where nothing is open.

    Score and bounds are the same sums in other orders of adding, so that they part by a rounding; where a
    rounding has carried a bound beyond 1, it is 1.

    Parameters
    ----------
    score, low, high
        float64 (..., queries).
    settled
        bool (..., queries): nothing is open.

    Returns
    -------
    two float64 arrays of the shape of the score
    """
    low = np.where(np.abs(low + 1.0) < ROUNDING, -1.0, low)
    high = np.where(np.abs(high - 1.0) < ROUNDING, 1.0, high)
    low = np.where(settled, score, np.minimum(low, score))
    return low, np.where(settled, score, np.maximum(high, score))


def _counts_from(heights: Floats, level_counts: Ints, levels: Floats) -> Ints:
    """Return how many judged items of each query reach each height: int64 (heights, queries)."""
    from_here = np.zeros((len(levels) + 1, len(level_counts)), dtype=np.int64)
    from_here[:-1] = np.cumsum(level_counts[:, ::-1], axis=1)[:, ::-1].T
    return np.asarray(from_here[np.searchsorted(levels, heights)])


def _highest_vertex(reached: Floats, rising: Floats, query: Ints, table: QueryTable) -> Floats:
    """Return the maximum over unjudged items being 0 or perfect, where no numerator is above 0."""
    if not len(query):
        return np.zeros(0)
    return np.asarray(ratio(reached + table.largest * rising, table.ideal[:, query]).max(axis=0))


def _highestratio(reached: Floats, rising: Floats, query: Ints, table: QueryTable) -> Floats:
    """Return the maximum by Dinkelbach's method, going on only with the cells that still rise."""
    rate = np.zeros(len(query))
    active = np.arange(len(query))
    costs = table.costs[:, :, query]
    while len(active):
        risen = _best_ratio(rate[active], reached, rising, costs, table.steps)
        going_on = risen > rate[active] + NO_RISE
        rate[active] = np.maximum(rate[active], risen)
        active, reached, rising = active[going_on], reached[going_on], rising[:, going_on]
        costs = costs[:, :, going_on]
    return rate


def _best_ratio(rate: Floats, reached: Floats, rising: Floats, costs: Floats, steps: Floats) -> Floats:
    """Return the ratio of the completion that is best at each cell's exchange rate."""
    numerator, ideal = reached.copy(), np.zeros(len(reached))
    cells = np.arange(len(reached))
    for step, cost in zip(steps, costs, strict=True):
        worth = rising - rate * cost
        best = np.argmax(worth >= worth.max(axis=0) - TOLERANCE, axis=0)
        numerator += step * rising[best, cells]
        ideal += step * cost[best, cells]
    return ratio(numerator, ideal)


def ratio(numerator: Floats, ideal: Floats) -> Floats:
    """Return numerator / ideal, 0 where the ideal is 0."""
    return np.divide(numerator, ideal, out=np.zeros(numerator.shape), where=ideal > 0)
