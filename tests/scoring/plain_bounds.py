"""The exact bounds of nDCG for one query, in plain Python: slow, readable, the truth for the fast form.

One query, one run (or one pair of runs). ``judged`` are the gains of all judged items of the query;
each unjudged item u of the pool has a weight w_u: the discount of its rank in the run, 0 outside the
cutoff (for a pair: the difference of both). The DCG of a completion x is ``reached + sum w_u x_u``, its
ideal the best DCG of ``judged`` and x together, and ``0 / 0`` is 0.

As a function of x the ratio is quasi-concave: the numerator is linear, the ideal convex. So the minimum
lies where every x_u is 0 or the largest gain, and the maximum on the levels that occur. Proof and check
against full enumeration: the project's notes on evaluation; the tests enumerate again.
"""

import itertools
from collections.abc import Sequence

from app.scoring.bounds_arrays import NO_RISE, TOLERANCE


def lower_bound(
    reached: float,
    judged: Sequence[float],
    weights: Sequence[float],
    discount: Sequence[float],
    largest: float,
) -> float:
    """Return the least nDCG that any grades of the unjudged items can lead to.

    Formula: ``min over s of (A + Gmax * sum of the s smallest w) / IDCG(J and s copies of Gmax)``.

    Parameters
    ----------
    reached
        A, the DCG of the judged items of the list.
    judged
        Gains of all judged items of the query.
    weights
        w of each unjudged pool item, in any order.
    discount
        c_i of the ranks 1 to k, not rising.
    largest
        Gmax.
    """
    smallest = sorted(weights)
    return min(
        _ratio(reached + largest * sum(smallest[:s]), _ideal([*judged, *[largest] * s], discount))
        for s in range(len(smallest) + 1)
    )


def upper_bound(
    reached: float,
    judged: Sequence[float],
    weights: Sequence[float],
    discount: Sequence[float],
    largest: float,
) -> float:
    """Return the largest nDCG, or difference of two, that any grades of the unjudged items can lead to.

    Dinkelbach's method on the layer-cake form ``(A + sum_j d_j P(s_j)) / sum_j d_j C(J_j + s_j)``, where
    s_j unjudged items have a gain of level j or more and d_j is the step up to that level. Where even the
    largest numerator is not above 0, the maximum lies at a vertex.

    Parameters
    ----------
    reached, judged, weights, discount, largest
        As for :func:`lower_bound`; for a pair A and the weights are differences.
    """
    prefix = _prefix_sums(sorted(weights, reverse=True))
    if reached + largest * max(prefix) <= 0:
        return max(
            _ratio(reached + largest * gain, _ideal([*judged, *[largest] * s], discount))
            for s, gain in enumerate(prefix)
        )
    levels = sorted({0.0, largest, *judged})
    rate = 0.0
    while True:
        numerator, ideal = reached, 0.0
        for below, level in itertools.pairwise(levels):
            costs = _ideal_costs(level, judged, len(prefix), discount)
            best = _best_number(rate, prefix, costs)
            numerator += (level - below) * prefix[best]
            ideal += (level - below) * costs[best]
        risen = _ratio(numerator, ideal)
        if risen <= rate + NO_RISE:
            return max(risen, rate)
        rate = risen


def _ideal_costs(
    level: float, judged: Sequence[float], numbers: int, discount: Sequence[float]
) -> list[float]:
    """Return what the ideal counts at one level if s = 0, 1, ... unjudged items reach it: C(J_j + s)."""
    at_least = sum(gain >= level for gain in judged)
    return [sum(discount[: at_least + s]) for s in range(numbers)]


def _best_number(rate: float, prefix: Sequence[float], costs: Sequence[float]) -> int:
    """Return the least s at which the gain minus the rate times the cost is largest."""
    worth = [gain - rate * cost for gain, cost in zip(prefix, costs, strict=True)]
    return next(s for s, value in enumerate(worth) if value >= max(worth) - TOLERANCE)


def _prefix_sums(weights: Sequence[float]) -> list[float]:
    """Return the sums of the first 0, 1, 2, ... weights."""
    sums = [0.0]
    for weight in weights:
        sums.append(sums[-1] + weight)
    return sums


def _ideal(gains: Sequence[float], discount: Sequence[float]) -> float:
    """Return the DCG of the gains in descending order, cut where the discount ends."""
    best = sorted(gains, reverse=True)
    return sum(gain * weight for gain, weight in zip(best, discount, strict=False))


def _ratio(numerator: float, ideal: float) -> float:
    """Return numerator / ideal, 0 where both are 0."""
    return numerator / ideal if ideal > 0 else 0.0
