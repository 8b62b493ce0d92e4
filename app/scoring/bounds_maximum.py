"""Bounds against a list of nothing but the highest grade: plain arithmetic, since that ideal is fixed.

A score is then a sum over documents, so each unjudged one is worth 0 or the largest gain at either end,
whatever the others turn out to be.
"""

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.bounds_arrays import around
from app.scoring.bounds_pairs import placed_weights, signed_sums
from app.scoring.dcg import dcg
from app.scoring.judged import Judged


def maximum_bounds(positions: Ints, judged: Judged, cutoff: int) -> tuple[Floats, Floats]:
    """Return the bounds of every run: two float64 arrays (runs, queries).

    Parameters
    ----------
    positions
        integers (ranks, runs, queries), as in :class:`app.scoring.lists.Lists`.
    """
    maximum = judged.ruler.largest_dcg(cutoff)
    ranked = positions[:cutoff]
    discounts = judged.ruler.discounts(len(ranked))
    low = dcg(ranked, judged.gain, discounts)
    perfect = np.where(judged.open_cells, judged.ruler.largest_gain, 0.0)
    added = dcg(ranked, perfect, discounts)
    return low / maximum, np.minimum((low + added) / maximum, 1.0)


def maximum_pair_bounds(
    positions: Ints, judged: Judged, cutoff: int, first: Ints, second: Ints
) -> tuple[Floats, Floats]:
    """Return the bounds of the score of ``second`` minus that of ``first``: float64 (pairs, queries) each.

    Formula: ``(DCG_b - DCG_a + Gmax * sum of the weights u_b - u_a of unjudged documents) / maximum``, the
    negative ones for the lower end and the positive ones for the upper.

    Parameters
    ----------
    positions
        As for :func:`maximum_bounds`.
    first, second
        integers (pairs,): run numbers.
    """
    maximum, largest = judged.ruler.largest_dcg(cutoff), judged.ruler.largest_gain
    ranked = positions[:cutoff]
    discounts = judged.ruler.discounts(len(ranked))
    reached = dcg(ranked, judged.gain, discounts)
    fallen, risen = signed_sums(placed_weights(ranked, judged.open_cells, discounts), first, second)
    ahead = reached[second] - reached[first]
    low, high = (ahead + largest * fallen) / maximum, (ahead + largest * risen) / maximum
    score = reached / maximum
    return around(score[second] - score[first], low, high, judged.open_counts == 0)
