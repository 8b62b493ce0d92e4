"""Proof that answers were shown in random order: their place has nothing to do with any ranker's rank."""

from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.order_blocks import Blocks, blocks_of, shuffled_sums, sums_of

LEAST = 100
"""Fewer ranked answers in blocks prove nothing either way."""


@dataclass(frozen=True)
class OrderProof:
    """How the place at which answers were shown goes with their rank in one run.

    Attributes
    ----------
    correlation
        Within blocks, -1 to 1; ``None`` under 100 answers, or where nothing varies.
    low, high
        The band within which it lies by chance, at the level asked for.
    answers
        Ranked answers in blocks that hold at least two of them.
    """

    correlation: float | None
    low: float | None
    high: float | None
    answers: int

    @property
    def is_inside(self) -> bool | None:
        """Whether it lies inside its band; ``None`` where nothing can be said."""
        if self.correlation is None or self.low is None or self.high is None:
            return None
        return self.low <= self.correlation <= self.high


def order_proof_of(
    rank: Ints, place: Ints, block: Ints, *, seed: int, shuffles: int, level: float = 0.95
) -> OrderProof:
    """Return the correlation of place and rank within blocks, with its permutation band.

    Formula: ``sum p r / sqrt(sum p^2 sum r^2)``, place p and rank r centred in their block; the band
    holds the share ``level`` of the same number after shuffling ranks within blocks.

    Parameters
    ----------
    rank
        integers (n,): the rank of each answer in the run.
    place, block
        integers (n,): where it was shown, and in which block.
    seed, shuffles
        Of the band.
    level
        Of the band; with m runs ``1 - .05 / m`` keeps all of them inside 95 times in 100.
    """
    blocks = blocks_of(rank.astype(np.float64), place, block)
    answers = int(blocks.lengths.sum())
    scale = float(np.sqrt(blocks.squares * _squares_of(blocks)))
    if answers < LEAST or scale <= 0:
        return OrderProof(None, None, None, answers)
    drawn: Floats = shuffled_sums(blocks, seed=seed, shuffles=shuffles).line / scale
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return OrderProof(float(sums_of(blocks).line[0]) / scale, float(low), float(high), answers)


def _squares_of(blocks: Blocks) -> float:
    """Return the sum of the squared values, centred in their block."""
    centred = (group.values - group.values.mean(axis=1, keepdims=True) for group in blocks.groups)
    return float(sum(np.square(values).sum() for values in centred))
