"""Everything that fixes how a number is computed, as one value."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.scoring.arrays import Floats
from app.scoring.choices import IDEALS, UNJUDGED, USUAL_BASE, Discount, Gain, Ideal, Unjudged
from app.scoring.discounts import Discounts, discounts
from app.scoring.gains import gain_table, stop_table


@dataclass(frozen=True, kw_only=True)
class ScoringRuler:
    """The choices behind a score.

    Attributes
    ----------
    lowest, highest
        The ends of the grade scale.
    gain
        What a grade is worth: ``linear``, ``exponential`` or ``raw``.
    discount, base
        What a rank is worth, and the base of ``original-2002``.
    threshold
        The least grade that counts as relevant; ``None`` for the usual one (``lowest`` + 1 on scales
        that start at 0, 3 on 1 to 5).
    ideal
        What the ideal list is made of: ``judged`` (all judged documents of the query), ``pool`` (those
        of them in the pool), ``returned`` (the run's own list), ``maximum`` (nothing but the best grade,
        for measures with a cutoff).
    unjudged
        ``zero``: an unjudged document is worth 0 so far, and the bounds say what it could change.
        ``complete``: it is worth 0 by declaration, so the bounds are the score.
        ``condensed``: it is dropped before scoring.
    trec
        trec_eval's way: a query without a relevant document scores 0 and counts, also where the threshold
        lies above the scale, so that no document is.
    """

    lowest: int = 0
    highest: int = 3
    gain: Gain = "linear"
    discount: Discount = "log2"
    base: float = USUAL_BASE
    threshold: float | None = None
    ideal: Ideal = "judged"
    unjudged: Unjudged = "zero"
    trec: bool = False

    def __post_init__(self) -> None:
        if self.highest <= self.lowest:
            raise ValueError(f"a scale from {self.lowest} to {self.highest} tells nothing apart")
        largest = math.inf if self.trec else self.highest
        if self.threshold is not None and not self.lowest <= self.threshold <= largest:
            scale = f"within the scale from {self.lowest} to {self.highest}"
            raise ValueError(f"the relevance threshold must lie {scale}, not at {self.threshold:g}")
        if self.ideal not in IDEALS:
            raise ValueError(f"unknown ideal {self.ideal!r}: use one of {', '.join(IDEALS)}")
        if self.unjudged not in UNJUDGED:
            raise ValueError(f"unknown unjudged policy {self.unjudged!r}: use one of {', '.join(UNJUDGED)}")
        self.gains()
        self.discounts(0)

    def gains(self) -> Floats:
        """Return the gain of every grade, lowest first."""
        return gain_table(self.lowest, self.highest, self.gain)

    def stops(self) -> Floats:
        """Return ERR's chance of satisfaction of every grade, lowest first."""
        return stop_table(self.lowest, self.highest)

    def discounts(self, depth: int) -> Discounts:
        """Return the discount of the ranks 1 to ``depth``."""
        return discounts(self.discount, depth, self.base)

    @property
    def largest_gain(self) -> float:
        """Gmax: the gain of the highest grade."""
        return float(self.gains()[-1])

    def largest_dcg(self, depth: int) -> float:
        """Return Gmax * C(depth): the DCG of a list of nothing but the highest grade, added rank by rank."""
        return _largest_dcg(self, depth)

    @property
    def relevant_from(self) -> float:
        """The least grade that counts as relevant."""
        return self.threshold if self.threshold is not None else usual_threshold(self.lowest, self.highest)


@lru_cache(maxsize=64)
def _largest_dcg(ruler: ScoringRuler, depth: int) -> float:
    discounts = ruler.discounts(depth)
    paid = discounts.contributions(np.full(depth, ruler.largest_gain))
    return float(np.add.accumulate(paid)[-1]) if depth else 0.0


def usual_threshold(lowest: int, highest: int) -> int:
    """Return the relevance threshold a scale starts with: 3 on 1 to 5, else one step above the lowest."""
    return 3 if (lowest, highest) == (1, 5) else lowest + 1
