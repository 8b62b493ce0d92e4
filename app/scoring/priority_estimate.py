"""The smoothed estimate: what unjudged items would probably be worth, to steer by and to be drawn dotted.

It borrows strength from overlap between rankers, so it favours the crowd and understates a ranker that
finds what the others miss. It is never the headline.
"""

from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.discounts import Discounts

BUCKET_PRIOR = 3.0
QUERY_PRIOR = 4.0
MOST_PADDING = 4
"""Cells of a table with one row per query, for each item that it holds."""


@dataclass(frozen=True)
class Candidates:
    """The pooled and the judged pairs of a project, seen by its active runs.

    Attributes
    ----------
    query
        integers (items,), ascending: the number of each item's query.
    weights
        float64 (runs, items): c_a(u), the discount at which run a returns the item, 0 beyond k.
    pooled
        bool (items,): whether an active run returns it within the pool's depth.
    current
        bool (runs,): the newest active version of each ranker.
    popularity
        integers (items,): how many current runs return it within depth.
    """

    query: Ints
    weights: Floats
    pooled: Flags
    current: Flags
    popularity: Ints


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
    known = np.flatnonzero(judged & candidates.pooled)
    filled = np.where(judged, gains, 0.0)
    found = filled.take(known)
    mean = float(found.mean()) if len(known) else 0.0
    if mean == 0:
        return filled
    bucket = candidates.popularity.take(known)
    buckets = _bucket_means(bucket, found, int(candidates.popularity.max(initial=0)) + 1, mean)
    query_richness = _richness(candidates.query, known, found, buckets.take(bucket), mean)
    # Only what is open gets an estimate.
    guessed = np.flatnonzero(candidates.pooled & ~judged)
    expected = buckets.take(candidates.popularity.take(guessed))
    richness = query_richness.take(candidates.query.take(guessed))
    filled[guessed] = np.minimum(highest, expected * richness)
    return filled


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


def _bucket_means(bucket: Ints, found: Floats, size: int, mean: float) -> Floats:
    """Return mb[v] of every popularity v; `found` are the gains of the known items, `bucket` their v."""
    total = np.bincount(bucket, found, minlength=size)
    count = np.bincount(bucket, minlength=size)
    return np.asarray((total + BUCKET_PRIOR * mean) / (count + BUCKET_PRIOR))


def _richness(query: Ints, known: Ints, found: Floats, usual: Floats, mean: float) -> Floats:
    """Return r_q of every query: how much richer its known items are than what is usual in their buckets."""
    size = int(query.max(initial=0)) + 1
    of = query.take(known).astype(np.intp)
    reached = np.bincount(of, found, minlength=size)
    awaited = np.bincount(of, usual, minlength=size)
    return np.asarray((reached + QUERY_PRIOR * mean) / (awaited + QUERY_PRIOR * mean))


@dataclass(frozen=True, eq=False)
class QueryRows:
    """Where items stand in a table with one row per query.

    Attributes
    ----------
    flat
        integers (items,): the place in the flattened table; None where it would be mostly padding.
    width
        The most items that a query has.
    """

    flat: Ints | None
    width: int


def query_rows(query: Ints, queries: int) -> QueryRows:
    """Return where items, in ascending order of their queries, stand in a table with one row per query.

    Parameters
    ----------
    query
        integers (items,), ascending.
    queries
        Their number.
    """
    starts = np.searchsorted(query, np.arange(queries))
    place = np.arange(len(query)) - starts[query]
    width = int(place.max(initial=-1)) + 1
    if queries * width > MOST_PADDING * len(query):
        return QueryRows(None, width)
    kind = np.int32 if queries * width < np.iinfo(np.int32).max else np.int64
    return QueryRows((query.astype(np.int64) * width + place).astype(kind), width)


def ideal_of_gains(
    query: Ints, gains: Floats, discounts: Discounts, queries: int, rows: QueryRows | None = None
) -> Floats:
    """Return the DCG of each query's items in their best order, for gains of any value.

    Parameters
    ----------
    query, gains
        integers ascending, and float64, both (items,).
    discounts
        To the depth of the measure.
    queries
        The number of queries.
    rows
        From :func:`query_rows`, where the caller has them.
    """
    rows = rows or query_rows(query, queries)
    if rows.flat is None:
        return _ideal_of_sorted(query, gains, discounts, queries)
    # Rows are padded with 0, which adds nothing: only the best of each are put in order.
    width = rows.width
    table = np.zeros((queries, width))
    table.reshape(-1)[rows.flat] = gains
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
