"""How much a rank still counts: the three discounts, added up in one fixed order."""

import math
from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.choices import DISCOUNTS, USUAL_BASE, Discount


@dataclass(frozen=True, eq=False, repr=False)
class Discounts:
    """The discount of every rank down to a depth.

    Attributes
    ----------
    kind
        Its name on screen.
    weights
        float64 (depth,): c_i, what one unit of gain at rank i + 1 adds to the DCG.
    divisors
        float64 (depth,) for ``log2``: a gain is divided by it, as trec_eval does, so that sums
        agree with trec_eval to the last bit. ``None`` for the others: a gain is multiplied by c_i.
    """

    kind: Discount
    weights: Floats
    divisors: Floats | None = None

    @property
    def depth(self) -> int:
        """The number of ranks that have a discount."""
        return len(self.weights)

    def contribution(self, gain: Floats, rank: int) -> Floats:
        """Return what gains at one rank (counted from 0) add to the DCG.

        Parameters
        ----------
        gain
            float64 of any shape.
        rank
            From 0, below the depth.

        Returns
        -------
        float64 of the shape of the gains
        """
        if self.divisors is None:
            return np.asarray(gain * self.weights[rank])
        return np.asarray(gain / self.divisors[rank])

    def contributions(self, gains: Floats) -> Floats:
        """Return what each gain of a list, best rank first, adds to its DCG: float64 (..., ranks).

        Parameters
        ----------
        gains
            float64 (..., ranks), no deeper than the discounts.
        """
        ranks = gains.shape[-1]
        if self.divisors is None:
            return np.asarray(gains * self.weights[:ranks])
        return np.asarray(gains / self.divisors[:ranks])

    def contributions_at(self, gains: Floats, ranks: Ints) -> Floats:
        """Return what gains at these ranks (counted from 0) add to the DCG.

        Parameters
        ----------
        gains, ranks
            float64 and integers of one shape; ranks below the depth.

        Returns
        -------
        float64 of that shape
        """
        if self.divisors is None:
            return np.asarray(gains * self.weights.take(ranks))
        return np.asarray(gains / self.divisors.take(ranks))

    def cut(self, depth: int) -> "Discounts":
        """Return the same discount for the first ranks only."""
        divisors = None if self.divisors is None else self.divisors[:depth]
        return Discounts(self.kind, self.weights[:depth], divisors)


def discounts(kind: Discount = "log2", depth: int = 10, base: float = USUAL_BASE) -> Discounts:
    """Return the discount of the ranks 1 to ``depth``.

    Parameters
    ----------
    kind
        ``log2``: c_i = 1 / log2(i + 1), as trec_eval. ``original-2002``: c_i = 1 for i < base, else
        1 / log_base(i) (Jarvelin & Kekalainen 2002). ``reciprocal``: c_i = 1 / i.
    depth
        The number of ranks.
    base
        The base of ``original-2002``; the others do not use it.

    Raises
    ------
    ValueError
        The kind is unknown, the depth negative, or the base not above 1.
    """
    if depth < 0:
        raise ValueError(f"a depth of {depth} ranks is not possible")
    if kind == "log2":
        divisors = np.array([math.log2(rank + 1) for rank in range(1, depth + 1)], dtype=np.float64)
        return Discounts(kind, 1.0 / divisors, divisors)
    if kind == "original-2002":
        return Discounts(kind, _original_weights(depth, base))
    if kind == "reciprocal":
        return Discounts(kind, 1.0 / np.arange(1, depth + 1, dtype=np.float64))
    raise ValueError(f"unknown discount {kind!r}: use one of {', '.join(DISCOUNTS)}")


def _original_weights(depth: int, base: float) -> Floats:
    """Return 1 for the ranks below the base, and 1 / log_base(rank) from the base on."""
    if base <= 1:
        raise ValueError(f"the base of the original discount must be above 1, not {base}")
    ranks = range(1, depth + 1)
    weights = [1.0 if rank < base else math.log2(base) / math.log2(rank) for rank in ranks]
    return np.array(weights, dtype=np.float64)
