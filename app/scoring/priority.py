"""Which answer to ask about next: the open-race rule, and depth order as its fallback.

In one sentence: answers that some ranker puts near the top come first, above all where rankers
disagree and the race between them is not settled.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.discounts import Discounts
from app.scoring.seeds import hash_words

LEAST_OPEN = 0.05
_SAME = 1e-12


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


def candidates_of(
    query: Ints, ranks: Ints, discounts: Discounts, *, current: Flags, depth: int | None = None
) -> Candidates:
    """Return the candidates with the discounts at which the active runs return them.

    Parameters
    ----------
    query
        integers (items,), ascending.
    ranks
        integers (runs, items): the rank of the item in each active run, counted from 1, 0 where it is
        not returned.
    discounts
        To the depth k of the measure.
    current
        bool (runs,).
    depth
        The pool's; k where it is not given.

    Raises
    ------
    ValueError
        The items are not in the order of their queries.
    """
    if (query[1:] < query[:-1]).any():
        raise ValueError("candidates are given in the order of their queries")
    reach = discounts.depth
    padded = np.concatenate([[0.0], discounts.weights])
    weights = padded[np.where(ranks <= reach, ranks, 0)]
    returned = (ranks > 0) & (ranks <= (reach if depth is None else depth))
    popularity = np.count_nonzero(returned[current], axis=0)
    pooled = np.asarray(returned.any(axis=0), dtype=np.bool_)
    return Candidates(query, weights, pooled, current, np.asarray(popularity))


def openness_of(scores: Floats, fresh: Flags | None = None) -> Floats:
    """Return how open the race between every two current runs is.

    Formula: ``o_ab = 0.05 + exp(-z^2 / 8)``, z = |mean paired difference| / its standard error; doubled
    where one of both runs is fresh, so that a new version becomes readable soon.

    Parameters
    ----------
    scores
        float64 (runs, queries): the current runs' nDCG with the smoothed estimate, on queries holding
        a rating.
    fresh
        bool (runs,): registered within the last 7 days.

    Returns
    -------
    float64 (pairs,): in the order of ``combinations(range(runs), 2)``
    """
    pairs = np.array(list(combinations(range(len(scores)), 2)), dtype=np.int64).reshape(-1, 2)
    opened = LEAST_OPEN + np.exp(-np.square(_z(scores[pairs[:, 0]] - scores[pairs[:, 1]])) / 8)
    if fresh is not None:
        opened = np.where(fresh[pairs].any(axis=1), 2 * opened, opened)
    return np.asarray(opened)


def race_priority(candidates: Candidates, openness: Floats) -> Floats:
    """Return the open-race priority of every item.

    Formula: ``max_a c_a(u) + 2 * sum_{a<b} o_ab |c_a(u) - c_b(u)| / sum_{a<b} o_ab``, the maximum over
    the active runs, the pairs over the current ones. One current run: the second term is 0.

    Parameters
    ----------
    candidates
        The items.
    openness
        float64 (pairs,): of the current runs, from `openness_of`; a pair of 0 is left out. With
        none left the second term is 0.

    Returns
    -------
    float64 (items,)
    """
    rows = np.flatnonzero(candidates.current)
    disputed = np.zeros(len(candidates.query))
    for weight, (a, b) in zip(openness, combinations(rows, 2), strict=True):
        if weight == 0:
            continue
        disputed += weight * np.abs(candidates.weights[a] - candidates.weights[b])
    total = float(openness.sum())
    share = 2.0 / total if total > 0 else 0.0
    return np.asarray(depth_priority(candidates) + share * disputed)


def depth_priority(candidates: Candidates) -> Floats:
    """Return the best discount that an active run gives each item: judging in depth order.

    Formula: ``max_a c_a(u)`` over the active runs.

    Parameters
    ----------
    candidates
        The items.

    Returns
    -------
    float64 (items,)
    """
    return np.asarray(candidates.weights.max(axis=0, initial=0.0))


def priority_order(priority: Floats, keys: Ints, seed: int) -> NDArray[np.intp]:
    """Return the items by descending priority, ties in the order of a seeded hash of their keys.

    Parameters
    ----------
    priority
        float64 (items,); differences below 1e-12 are rounding, hence ties.
    keys
        integers (items,): lasting numbers of the items, all different.
    seed
        Of the project.
    """
    return np.lexsort((keys, hash_words(seed, keys), -np.round(priority, 12)))


def _z(differences: Floats) -> Floats:
    """Return |mean| / standard error of each row: 0 where nothing is known or nothing differs."""
    pairs, n = differences.shape
    if n < 2:
        return np.zeros(pairs)
    mean = np.abs(differences.mean(axis=1))
    error = differences.std(axis=1, ddof=1) / np.sqrt(n)
    z: Floats = np.where(mean > _SAME, np.inf, 0.0)
    np.divide(mean, error, out=z, where=error > _SAME)
    return z
