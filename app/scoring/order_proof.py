"""Proof that answers were shown in random order: their place has nothing to do with any ranker's rank."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.order_blocks import Blocks, Group, blocks_of, sums_of

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


def order_proof_of(rank: Ints, place: Ints, block: Ints, *, level: float = 0.95) -> OrderProof:
    """Return the correlation of place and rank within blocks, with its permutation band.

    Formula: ``sum p r / sqrt(sum p^2 sum r^2)``, place p and rank r centred in their block; the band
    holds the share ``level`` of the same number over all orders within blocks: mean 0, variance exactly
    ``sum over blocks of (sum p^2)(sum r^2) / (length - 1)`` before it is scaled, and normal, being a sum
    over many blocks. No order has to be drawn, however many runs and answers there are.

    Parameters
    ----------
    rank
        integers (n,): the rank of each answer in the run.
    place, block
        integers (n,): where it was shown, and in which block.
    level
        Of the band; with m runs ``1 - .05 / m`` keeps all of them inside 95 times in 100.
    """
    blocks = blocks_of(rank.astype(np.float64), place, block)
    answers = int(blocks.lengths.sum())
    scale = float(np.sqrt(blocks.squares * _squares_of(blocks)))
    if answers < LEAST or scale <= 0:
        return OrderProof(None, None, None, answers)
    half = NormalDist().inv_cdf((1 + level) / 2) * float(np.sqrt(_variance_of(blocks))) / scale
    return OrderProof(float(sums_of(blocks).line[0]) / scale, -half, half, answers)


def _squares_of(blocks: Blocks) -> float:
    """Return the sum of the squared values, centred in their block."""
    return float(sum(_spread(group).sum() for group in blocks.groups))


def _variance_of(blocks: Blocks) -> float:
    """Return the variance of the sum of places times values over all orders within blocks."""
    parts = (
        (np.square(group.places).sum(axis=1) * _spread(group)).sum() / (group.values.shape[1] - 1)
        for group in blocks.groups
    )
    return float(sum(parts))


def _spread(group: Group) -> Floats:
    """Return the sum of the squared values of every block, centred in it: float64 (blocks,)."""
    centred = group.values - group.values.mean(axis=1, keepdims=True)
    return np.asarray(np.square(centred).sum(axis=1))
