"""Is B really better? Paired sign-flip tests over queries, for one pair or for all pairs at once.

With 2 rankers the sign-flip test, with 3 or more its max-t form, which assumes nothing about equal
variances. Both are one computation here. The t of a pair is ``|mean d| / (sd / sqrt n)``, and flipping
signs changes no square of a d, so t rises with ``r = |sum d| / (sqrt n * |d|)``. Comparing r instead
of t needs no variance per flip and has no division by zero.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.means import SAME
from app.scoring.seeds import random_words

FLIPS = 9_999
MOST_ENUMERATED = 13
MOST_EXPONENT = 1023
MANY = 4
"""Rankers from which on the patterns are applied to rankers and not to pairs of them."""
_ROWS = 512
_PATTERNS = 1024


@dataclass(frozen=True)
class FamilyTests:
    """What the sign-flip tests say about the pairs of one family.

    Attributes
    ----------
    raw, adjusted
        float64 (pairs,): P of each pair alone, and for all of them together (max-t).
    resamples
        The number of patterns compared: 2^n when ``exact``, else the random ones.
    exact
        Whether all patterns were enumerated.
    """

    raw: Floats
    adjusted: Floats
    resamples: int
    exact: bool


def compare_pairs(
    scores: Floats, counted: Flags, pairs: Ints, *, seed: int, flips: int = FLIPS
) -> FamilyTests:
    """Return the paired tests of some pairs of rankers, each on the queries that count for both.

    Formula: ``P_ab = (1 + #{max over pairs t* >= t_ab}) / (B + 1)``, signs of all differences of one
    query flipped together; all 2^n patterns for n <= 13, then ``P = # / 2^n`` (Westfall & Young 1993;
    Smucker, Allan & Carterette 2007). Pairs on different numbers of queries are compared by t itself.

    Parameters
    ----------
    scores
        float64 (rankers, queries); NaN where a query does not count.
    counted
        bool (rankers, queries).
    pairs
        int (pairs, 2): rankers a and b.
    seed
        Made of the ruler's fingerprint, the sorted run ids and n.
    flips
        B, the number of random patterns.

    Raises
    ------
    ValueError
        There is no pair, or no query counts for any.
    """
    if not len(pairs):
        raise ValueError("a family of tests needs a pair")
    rankers = np.unique(pairs)
    queries = np.flatnonzero(counted[rankers].sum(axis=0) > 1)
    if not len(queries):
        raise ValueError("a family of tests needs a query that counts for both rankers of a pair")
    n = len(queries)
    values = np.where(counted[:, queries], scores[:, queries], 0.0)
    values /= unit_of(values)
    used = counted[:, queries]
    alike = bool(used[rankers].all())
    if alike and len(rankers) >= MANY and n > MOST_ENUMERATED and _is_every_pair(pairs, rankers):
        chosen = values[rankers]
        first, second = (
            np.searchsorted(rankers, pairs.min(axis=1)),
            np.searchsorted(rankers, pairs.max(axis=1)),
        )
        # The order of `combinations`, in which the shares are counted.
        place = first * (2 * len(rankers) - first - 1) // 2 + second - first - 1
        a, b = np.triu_indices(len(rankers), 1)
        raw, adjusted = _shares_reached_by_many(chosen, chosen[b] - chosen[a], seed, flips)
        return FamilyTests(raw[place], adjusted[place], flips, exact=False)
    both = used[pairs[:, 0]] & used[pairs[:, 1]]
    differences = np.where(both, values[pairs[:, 1]] - values[pairs[:, 0]], 0.0)
    sizes = None if alike else np.count_nonzero(both, axis=1)
    raw, adjusted = _shares_reached(differences, seed, flips, sizes)
    exact = n <= MOST_ENUMERATED
    return FamilyTests(raw, adjusted, 2**n if exact else flips, exact)


def _is_every_pair(pairs: Ints, rankers: Ints) -> bool:
    return len(np.unique(np.sort(pairs, axis=1), axis=0)) == len(rankers) * (len(rankers) - 1) // 2


def sign_patterns(n: int, flips: int, seed: int) -> Iterator[Floats]:
    """Yield blocks of sign patterns, float64 (rows, n), 1 where a sign is flipped and 0 elsewhere.

    All 2^n patterns for n <= 13, else ``flips`` random ones.
    """
    if n <= MOST_ENUMERATED:
        yield (np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(np.float64)
        return
    width = -(-n // 64)
    words = random_words(seed, flips * width).astype("<u8").reshape(flips, width)
    for start in range(0, flips, _ROWS):
        block = words[start : start + _ROWS].view(np.uint8)
        yield np.unpackbits(block, axis=1, count=n).astype(np.float64)


def unit_of(scores: Floats) -> float:
    """Return the power of two just above the largest score, 1 without any but 0.

    Two scores are the same if they differ by no more than ``SAME`` of it: rounding noise has the size of the
    scores, which for DCG and RBP on wide scales is far from 1. Dividing by it keeps every bit.
    """
    return float(np.ldexp(1.0, min(int(np.frexp(np.abs(scores).max(initial=0.0))[1]), MOST_EXPONENT)))


def _shares_reached(
    differences: Floats, seed: int, flips: int, sizes: Ints | None = None
) -> tuple[Floats, Floats]:
    """Return the P of each pair alone, and against the largest r of all pairs, both (pairs,).

    Where pairs have different numbers of queries (`sizes`), the largest t is taken in place of the largest r.
    """
    n = differences.shape[1]
    columns = _unit_columns(differences, sizes)
    totals = columns.sum(axis=0)
    least = np.abs(totals) - SAME
    least_t = _t_from_r(np.abs(totals), sizes) * (1.0 - SAME)
    alone, together = np.zeros(len(least), dtype=np.int64), np.zeros(len(least), dtype=np.int64)
    for flipped in sign_patterns(n, flips, seed):
        reached = np.abs(totals - 2.0 * (flipped @ columns))
        alone += np.count_nonzero(reached >= least, axis=0)
        if sizes is None:
            together += np.count_nonzero(reached.max(axis=1)[:, None] >= least, axis=0)
        else:
            largest = _t_from_r(reached, sizes).max(axis=1)
            together += np.count_nonzero(largest[:, None] >= least_t, axis=0)
    # Enumerated patterns hold the observed one; random ones do not, so it is added to both counts.
    drawn, patterns = (0.0, 2.0**n) if n <= MOST_ENUMERATED else (1.0, flips + 1.0)
    return np.divide(alone + drawn, patterns), np.divide(together + drawn, patterns)


def _shares_reached_by_many(
    scores: Floats, differences: Floats, seed: int, flips: int
) -> tuple[Floats, Floats]:
    """Return the same shares for all pairs of very many rankers, (pairs,) each.

    The signed sum of a difference is the difference of two signed sums: every pattern is applied to the
    rankers, of which there are a hundred times fewer than pairs.
    """
    scale = _unit_scale(differences)
    # Around the mean of each query the sums are small, and so is their rounding.
    centred = scores - scores.mean(axis=0)
    totals = centred.sum(axis=1)
    flipped = np.vstack(
        [totals - 2.0 * (block @ centred.T) for block in sign_patterns(len(centred.T), flips, seed)]
    )
    sums = np.ascontiguousarray(flipped.T)
    largest, alone = np.zeros(flips), np.zeros(len(scale), dtype=np.int64)
    least = np.abs(np.concatenate([totals[a + 1 :] - totals[a] for a in range(len(scores))])) * scale - SAME
    room = np.empty((len(scores) - 1, _PATTERNS))
    for first in range(0, flips, _PATTERNS):
        # Few patterns at a time: what is computed of them stays in the processor's cache.
        some, most = sums[:, first : first + _PATTERNS], largest[first : first + _PATTERNS]
        start = 0
        for a in range(len(scores) - 1):
            here = slice(start, start + len(scores) - a - 1)
            reached = room[: len(scores) - a - 1, : len(most)]
            np.subtract(some[a + 1 :], some[a], out=reached)
            np.abs(reached, out=reached)
            np.multiply(reached, scale[here, None], out=reached)
            alone[here] += np.count_nonzero(reached >= least[here, None], axis=1)
            np.maximum(most, reached.max(axis=0), out=most)
            start = here.stop
    together = flips - np.searchsorted(np.sort(largest), least, side="left")
    return np.divide(alone + 1.0, flips + 1.0), np.divide(together + 1.0, flips + 1.0)


def _t_from_r(r: Floats, sizes: Ints | None) -> Floats:
    """Return t from r: ``r sqrt((m - 1) / (1 - r^2))``; r itself where all pairs have the same m."""
    if sizes is None:
        return r
    room = np.maximum(1.0 - r * r, SAME)
    return np.asarray(r * np.sqrt(np.maximum(sizes - 1, 0) / room))


def _unit_columns(differences: Floats, sizes: Ints | None = None) -> Floats:
    """Return the differences as columns (queries, pairs) whose sums are r; all 0 for equal rankers."""
    return np.ascontiguousarray((differences * _unit_scale(differences, sizes)[:, None]).T)


def _unit_scale(differences: Floats, sizes: Ints | None = None) -> Floats:
    """Return what makes the sum of each row r: float64 (pairs,), 0 for equal rankers."""
    n = differences.shape[1]
    counted = n if sizes is None else sizes
    length = np.sqrt(np.einsum("pq,pq->p", differences, differences) * counted)
    # Rounding noise between equal scores is no difference: the same tolerance as for ties.
    return np.asarray(np.divide(1.0, length, out=np.zeros_like(length), where=length > SAME * n))
