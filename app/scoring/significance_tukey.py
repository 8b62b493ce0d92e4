"""Randomised Tukey HSD: the published test of all pairs, with the assumption that it makes."""

from itertools import combinations

import numpy as np

from app.scoring.arrays import Floats
from app.scoring.intervals import mean_and_deviation
from app.scoring.seeds import random_words
from app.scoring.significance import FLIPS, SAME, PairTests, require_scores, unit_of

ASSUMPTION = "rankers are exchangeable: their scores vary equally"
_CELLS = 1 << 20


def tukey_hsd(scores: Floats, *, seed: int, shuffles: int = FLIPS) -> PairTests:
    """Return the randomised Tukey HSD test of all pairs of rankers.

    Formula: the scores of each query are dealt anew to the rankers, ``T* = max mean - min mean``,
    ``P_ab = (1 + #{T* >= |mean d_ab|}) / (B + 1)`` (Carterette 2012). It assumes that rankers are
    exchangeable; with unequal variances it claims too much, where max-t does not.

    Parameters
    ----------
    scores
        float64 (rankers, queries): scores on the queries that all rankers cover.
    seed
        Made of the ruler's fingerprint, the sorted run ids and n.
    shuffles
        B, the number of random deals.

    Raises
    ------
    ValueError
        Fewer than 2 rankers, no query, or a score that is not finite.
    """
    require_scores(scores)
    rankers, n = scores.shape
    pairs = np.array(list(combinations(range(rankers), 2)))
    moments = np.array([mean_and_deviation(scores[b] - scores[a]) for a, b in pairs])
    spreads = np.sort(_spreads(np.ascontiguousarray(scores.T), seed, shuffles))
    reached = shuffles - np.searchsorted(spreads, np.abs(moments[:, 0]) - SAME * unit_of(scores))
    p = (1.0 + reached) / (shuffles + 1.0)
    return PairTests("tukey-hsd", pairs, moments[:, 0], moments[:, 1], p, p, n, shuffles, exact=False)


def _spreads(by_query: Floats, seed: int, shuffles: int) -> Floats:
    """Return the largest minus the smallest mean of every random deal, float64 (shuffles,)."""
    n, rankers = by_query.shape
    rows = max(1, _CELLS // by_query.size)
    spreads = np.empty(shuffles)
    for start in range(0, shuffles, rows):
        size = min(rows, shuffles - start)
        keys = random_words(seed + start, size * by_query.size).reshape(size, n, rankers)
        dealt = np.take_along_axis(np.broadcast_to(by_query, keys.shape), keys.argsort(axis=2), axis=2)
        sums = dealt.sum(axis=1)
        spreads[start : start + size] = (sums.max(axis=1) - sums.min(axis=1)) / n
    return spreads
