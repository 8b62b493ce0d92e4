"""Does the place at which an answer is shown move its grade? Three possible findings, with their numbers."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.intervals import t_quantile
from app.scoring.means import SAME
from app.scoring.order_blocks import Blocks, Sums, blocks_of, shuffled_sums, sums_of

Finding = Literal["effect found", "no larger effect", "not enough ratings"]

SHUFFLES = 9_999
LEAST_RATINGS = 200
LEAST_BLOCKS = 20
LEAST_ANNOTATORS = 8
LEVEL = 0.05
"""A P-value up to this is a sign of an effect."""
MARGIN = 0.15
MARGIN_STARS = 0.20


@dataclass(frozen=True)
class Shown:
    """Ratings with the place at which each was shown. Anchor items stay out: they are gold, not scored.

    Attributes
    ----------
    annotator, item
        integers (ratings,): their numbers; one rating per annotator and item.
    block
        integers (ratings,): annotator x batch, in which the order was random; -1 for ratings that were
        not shown in a batch (imported ones): they only serve as other people's grades.
    place
        integers (ratings,): the place within the block.
    grade
        float64 (ratings,): on the scale, in grade steps.
    """

    annotator: Ints
    item: Ints
    block: Ints
    place: Ints
    grade: Floats


@dataclass(frozen=True)
class OrderEffect:
    """What the ledger says about order.

    Attributes
    ----------
    finding
        ``effect found`` (P of the slope at most .05), ``no larger effect`` (the 95% interval lies
        inside +-margin), or ``not enough ratings`` (under 200 ratings or 20 blocks, or neither).
    effect, low, high
        Grade steps from the first to the last place of a block of median length, with the 95%
        interval; ``None`` without a block of two.
    margin
        The effect that would matter, in grade steps.
    slope_p, curvature_p, carry_over_p
        Permutation P-values. Curvature and carry-over have no other number that could be read against 0.
    ratings, blocks, annotators
        What entered: ratings in blocks of at least two.
    length
        The median block length.
    """

    finding: Finding
    effect: float | None
    low: float | None
    high: float | None
    margin: float
    slope_p: float | None
    curvature_p: float | None
    carry_over_p: float | None
    ratings: int
    blocks: int
    annotators: int
    length: float


def order_effect_of(
    shown: Shown, *, seed: int, margin: float = MARGIN, shuffles: int = SHUFFLES
) -> OrderEffect:
    """Return whether places moved grades, tested by shuffling within blocks.

    Formula: residual e = grade minus the mean of the other annotators on that item, or minus the block
    mean where nobody else rated it; place p centred in the block; slope ``b = sum e p / sum p^2``;
    effect ``b (L - 1)``, L the median block length.

    Parameters
    ----------
    shown
        The ratings.
    seed
        Of the shuffles.
    margin
        0.15 grade steps on 0-3, 0.2 on 1-5 stars.
    shuffles
        B of the permutation P-values.
    """
    rows = np.flatnonzero(shown.block >= 0)
    blocks = blocks_of(residuals_of(shown)[rows], shown.place[rows], shown.block[rows])
    if not blocks.squares:
        return OrderEffect("not enough ratings", None, None, None, margin, None, None, None, 0, 0, 0, 0.0)
    people = [shown.annotator[rows[group.rows]] for group in blocks.groups]
    observed, drawn = sums_of(blocks), shuffled_sums(blocks, seed=seed, shuffles=shuffles)
    slope = float(observed.line[0]) / blocks.squares
    half = _half_width(blocks, people, slope, float(drawn.line.std(ddof=1)) / blocks.squares)
    length, ratings = float(np.median(blocks.lengths)), int(blocks.lengths.sum())
    low, high = (slope - half) * (length - 1), (slope + half) * (length - 1)
    slope_p = _around(0.0, float(observed.line[0]), drawn.line)
    enough = ratings >= LEAST_RATINGS and len(blocks.lengths) >= LEAST_BLOCKS
    return OrderEffect(
        finding=_finding(slope_p, low, high, margin) if enough else "not enough ratings",
        effect=slope * (length - 1),
        low=low,
        high=high,
        margin=margin,
        slope_p=slope_p,
        curvature_p=_around(0.0, float(observed.curve[0]), drawn.curve),
        carry_over_p=_carry_over_p(blocks, observed, drawn),
        ratings=ratings,
        blocks=len(blocks.lengths),
        annotators=len(np.unique(np.concatenate([part.ravel() for part in people]))),
        length=length,
    )


def residuals_of(shown: Shown) -> Floats:
    """Return how far each grade lies above what was to be expected of its item: float64 (ratings,).

    Formula: ``grade - mean of the others on the item``, where nobody else rated it ``grade - mean of its
    block``.
    """
    items = np.unique(shown.item, return_inverse=True)[1]
    blocks = np.unique(shown.block, return_inverse=True)[1]
    others = np.bincount(items)[items] - 1
    total = np.bincount(items, weights=shown.grade)[items] - shown.grade
    block_mean = (np.bincount(blocks, weights=shown.grade) / np.bincount(blocks))[blocks]
    expected = np.where(others > 0, total / np.maximum(others, 1), block_mean)
    return np.asarray(shown.grade - expected)


def _half_width(blocks: Blocks, people: list[Ints], slope: float, spread: float) -> float:
    """Return the half-width of the slope's 95% interval, ratings of one annotator being one cluster.

    Below 8 annotators the spread of the shuffled slopes takes the place of the clusters.
    """
    names = np.unique(np.concatenate([part.ravel() for part in people]))
    count = len(names)
    if count < LEAST_ANNOTATORS:
        return 1.96 * spread
    clusters = np.zeros(count)
    for group, part in zip(blocks.groups, people, strict=True):
        scores = group.places * (group.values - slope * group.places)
        clusters += np.bincount(np.searchsorted(names, part.ravel()), scores.ravel(), minlength=count)
    variance = count / (count - 1) * float(np.square(clusters).sum()) / blocks.squares**2
    return t_quantile(0.975, count - 1) * math.sqrt(variance)


def _around(centre: float, observed: float, drawn: Floats) -> float:
    """Return the share of orders at least as far from the centre as the observed one, itself included."""
    reached = np.count_nonzero(np.abs(drawn - centre) >= abs(observed - centre) - SAME)
    return float((1 + reached) / (1 + len(drawn)))


def _carry_over_p(blocks: Blocks, observed: Sums, drawn: Sums) -> float:
    """Return the P of the correlation between neighbours.

    Without any effect it lies below 0, so its distance from 0 would hide a carry-over that lifts it by
    as much: it is compared around the mean of all orders, the observed one included.
    """
    lag, lags = float(observed.lag(blocks.neighbours)[0]), drawn.lag(blocks.neighbours)
    return _around((lag + float(lags.sum())) / (1 + len(lags)), lag, lags)


def _finding(p: float, low: float, high: float, margin: float) -> Finding:
    """Return which of the three findings holds, given enough ratings."""
    if p <= LEVEL:
        return "effect found"
    return "no larger effect" if -margin <= low and high <= margin else "not enough ratings"
