"""The smoothed estimate: what unjudged items would probably be worth, to steer by and to be drawn dotted.

It borrows strength from overlap between rankers, so it favours the crowd and understates a ranker that
finds what the others miss. It is never the headline.
"""

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.discounts import Discounts
from app.scoring.priority import Candidates

BUCKET_PRIOR = 3.0
QUERY_PRIOR = 4.0
MOST_PADDING = 4
"""Cells of a table with one row per query, for each item that it holds."""


def estimated_gains(candidates: Candidates, gains: Floats, highest: float) -> Floats:
    """Return the gains with an estimate for every unjudged pool item.

    Formula: ``min(Gmax, mb[v] * r_q)``, v = current runs returning the item, ``mb[v] = (gains judged in
    bucket v + 3 m) / (n_v + 3)``, ``r_q = (gains judged in q + 4 m) / (their mb + 4 m)``, m = the mean
    gain, all over judged pool items. With m = 0 or nothing judged all estimates are 0.

    Parameters
    ----------
    candidates
        The items.
    gains
        float64 (items,): NaN where nothing is judged.
    highest
        Gmax, the gain of the highest grade.

    Returns
    -------
    float64 (items,): judged gains as they are; 0 for what is neither judged nor pooled
    """
    judged = ~np.isnan(gains)
    known = judged & candidates.pooled
    filled = np.where(judged, gains, 0.0)
    mean = float(filled[known].mean()) if known.any() else 0.0
    if mean == 0:
        return filled
    expected = _bucket_means(candidates.popularity, filled, known, mean)[candidates.popularity]
    richness = _richness(candidates.query, filled, expected, known, mean)[candidates.query]
    guess = np.minimum(highest, expected * richness)
    return np.where(judged | ~candidates.pooled, filled, guess)


def ndcg_table(candidates: Candidates, gains: Floats, discounts: Discounts, queries: int) -> Floats:
    """Return the nDCG of every active run on every query, for given gains of all items.

    Made for steering and simulation: fast over many items, without the promised order of additions.

    Parameters
    ----------
    candidates
        The items.
    gains
        float64 (items,): without NaN.
    discounts
        To the depth of the measure.
    queries
        The number of queries.

    Returns
    -------
    float64 (runs, queries): 0 where the ideal is 0
    """
    reached = np.stack(
        [np.bincount(candidates.query, gains * row, minlength=queries) for row in candidates.weights]
    )
    ideal = ideal_of_gains(candidates.query, gains, discounts, queries)
    return np.divide(reached, ideal, out=np.zeros_like(reached), where=ideal > 0)


def _bucket_means(popularity: Ints, filled: Floats, known: Flags, mean: float) -> Floats:
    """Return mb[v] of every popularity v."""
    size = int(popularity.max(initial=0)) + 1
    total = np.bincount(popularity[known], filled[known], minlength=size)
    count = np.bincount(popularity[known], minlength=size)
    return np.asarray((total + BUCKET_PRIOR * mean) / (count + BUCKET_PRIOR))


def _richness(query: Ints, filled: Floats, expected: Floats, known: Flags, mean: float) -> Floats:
    """Return r_q of every query: how much richer its judged items are than their buckets."""
    size = int(query.max(initial=0)) + 1
    found = np.bincount(query[known], filled[known], minlength=size)
    awaited = np.bincount(query[known], expected[known], minlength=size)
    return np.asarray((found + QUERY_PRIOR * mean) / (awaited + QUERY_PRIOR * mean))


def ideal_of_gains(query: Ints, gains: Floats, discounts: Discounts, queries: int) -> Floats:
    """Return the DCG of each query's items in their best order, for gains of any value.

    Parameters
    ----------
    query, gains
        integers ascending, and float64, both (items,).
    discounts
        To the depth of the measure.
    queries
        The number of queries.
    """
    starts = np.searchsorted(query, np.arange(queries))
    place = np.arange(len(query)) - starts[query]
    width = int(place.max(initial=-1)) + 1
    if queries * width > MOST_PADDING * len(query):
        return _ideal_of_sorted(query, gains, discounts, queries)
    # One row per query, padded with 0, which adds nothing: only the best of each row are put in order.
    table = np.zeros((queries, width))
    table[query, place] = gains
    deep = min(discounts.depth, width)
    best = np.partition(table, width - deep, axis=1)[:, width - deep :] if deep < width else table
    return np.asarray(np.sort(best, axis=1)[:, ::-1] @ discounts.weights[:deep])


def _ideal_of_sorted(query: Ints, gains: Floats, discounts: Discounts, queries: int) -> Floats:
    """Return the same where a few queries have most of the items, and rows would be mostly padding."""
    order = np.lexsort((-gains, query))
    starts = np.searchsorted(query, np.arange(queries))
    rank = np.arange(len(query)) - starts[query[order]]
    near = rank < discounts.depth
    worth = gains[order[near]] * discounts.weights[rank[near]]
    return np.asarray(np.bincount(query[order[near]], worth, minlength=queries))
