"""How far annotators agree: Krippendorff's alpha with an item bootstrap, and when it may be shown."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints, compact
from app.scoring.seeds import multinomial_draws

Stage = Literal["too few", "no variation", "early", "full"]
Reading = Literal["strong", "tentative", "low"]

LEAST_ITEMS = 30
EARLY_ITEMS = 100
LEAST_ANNOTATORS = 2
RESAMPLES = 2_000


@dataclass(frozen=True)
class Ratings:
    """The planned ratings of a project: the latest grade of each annotator for each item.

    Extra ratings opened by a disagreement, adjudications, repeats and gold stay out: the first would
    inflate agreement, the others are no independent opinion.

    Attributes
    ----------
    item, annotator
        integers (ratings,): their numbers, in any order.
    grade
        integers (ratings,): columns of the scale, 0 is its lowest grade.
    levels
        The number of grades of the scale.

    Raises
    ------
    ValueError
        Arrays of different lengths, a grade off the scale, or two ratings of one item by one annotator.
    """

    item: Ints
    annotator: Ints
    grade: Ints
    levels: int

    def __post_init__(self) -> None:
        """Refuse what is not one grade per item and annotator."""
        if not len(self.item) == len(self.annotator) == len(self.grade):
            raise ValueError("every rating needs an item, an annotator and a grade")
        off = (self.grade < 0) | (self.grade >= self.levels)
        if off.any():
            raise ValueError(f"grade column {self.grade[off][0]} is off a scale of {self.levels} grades")
        people = int(self.annotator.max(initial=0)) + 1
        numbers, size = compact(self.item.astype(np.int64) * people + self.annotator)
        if np.bincount(numbers, minlength=size).max(initial=0) > 1:
            raise ValueError("an annotator has two ratings of one item: give the latest only")

    @cached_property
    def shared(self) -> Flags:
        """Which ratings lie on an item with at least two."""
        numbers, size = compact(self.item)
        return np.asarray(np.bincount(numbers, minlength=size)[numbers] >= 2, dtype=np.bool_)

    @cached_property
    def counts(self) -> Ints:
        """The ratings of every item with at least two, per grade: integers (items, levels)."""
        numbers, size = compact(self.item[self.shared])
        are_there = np.bincount(numbers, minlength=size) > 0
        rows, items = np.cumsum(are_there) - 1, int(are_there.sum())
        cells = rows[numbers] * self.levels + self.grade[self.shared]
        return np.bincount(cells, minlength=items * self.levels).reshape(items, self.levels)


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha and how much it may be trusted.

    Attributes
    ----------
    alpha, low, high
        The value and its 95% item-bootstrap interval; ``None`` where ``stage`` forbids them, the ends
        also where too many resamples show no variation.
    items, annotators
        Items with at least two planned ratings, and the annotators who gave them.
    stage
        ``too few`` (under 30 items or 2 annotators) and ``no variation`` (all grades equal) have no
        value; ``early`` has under 100 items.
    reading
        ``strong`` from .80, ``tentative`` from .667 (Krippendorff); low alpha alone voids no ranking.
    """

    alpha: float | None
    low: float | None
    high: float | None
    items: int
    annotators: int
    stage: Stage
    reading: Reading | None


def agreement_of(ratings: Ratings, *, seed: int, resamples: int = RESAMPLES) -> Agreement:
    """Return Krippendorff's alpha of the planned ratings, under the small-sample rules.

    Parameters
    ----------
    ratings
        The planned ones.
    seed
        Of the bootstrap.
    resamples
        How often the items are drawn again.
    """
    items, annotators = _shared_by(ratings)
    if items < LEAST_ITEMS or annotators < LEAST_ANNOTATORS:
        return Agreement(None, None, None, items, annotators, "too few", None)
    alpha = krippendorff_alpha(ratings.counts)
    if alpha is None:
        return Agreement(None, None, None, items, annotators, "no variation", None)
    low, high = _bootstrap(ratings.counts, seed, resamples)
    stage: Stage = "early" if items < EARLY_ITEMS else "full"
    return Agreement(alpha, low, high, items, annotators, stage, reading_of(alpha))


def alpha_of(ratings: Ratings) -> float | None:
    """Return the ordinal alpha alone, without its interval; ``None`` where the small-sample rules hide it."""
    items, annotators = _shared_by(ratings)
    if items < LEAST_ITEMS or annotators < LEAST_ANNOTATORS:
        return None
    return krippendorff_alpha(ratings.counts)


def reading_of(alpha: float) -> Reading:
    """Return Krippendorff's reading of an alpha.

    Formula: strong from .80, tentative from .667, else low (Krippendorff 2004, Content Analysis).
    """
    if alpha >= 0.80:
        return "strong"
    return "tentative" if alpha >= 0.667 else "low"


def krippendorff_alpha(counts: Ints) -> float | None:
    """Return Krippendorff's ordinal alpha; ``None`` where no two ratings differ, for then it is undefined.

    Formula: ``1 - (n - 1) sum_{c<k} o_ck d2_ck / sum_{c<k} n_c n_k d2_ck``, with o_ck = sum over items
    of ordered pairs of ratings c, k divided by (ratings - 1), n_c = sum_k o_ck; d2 =
    (sum of n_g from c to k, minus (n_c + n_k) / 2)^2 (Hayes & Krippendorff 2007).

    Parameters
    ----------
    counts
        integers (items, levels): ratings per item and grade; items with fewer than two do not count.
    """
    alpha = float(_alphas(_coincidences(counts).sum(axis=0)))
    return None if np.isnan(alpha) else alpha


def _shared_by(ratings: Ratings) -> tuple[int, int]:
    """Return how many items have at least two ratings, and how many annotators gave them."""
    return len(ratings.counts), len(np.unique(ratings.annotator[ratings.shared]))


def _coincidences(counts: Ints) -> Floats:
    """Return each item's coincidence matrix, float64 (items, levels, levels)."""
    number = counts.sum(axis=1)
    several = counts[number >= 2].astype(np.float64)
    pairs = several[:, :, None] * several[:, None, :]
    levels = np.arange(counts.shape[1])
    pairs[:, levels, levels] -= several
    shares: Floats = pairs / (number[number >= 2] - 1.0)[:, None, None]
    return shares


def _alphas(observed: Floats) -> Floats:
    """Return alpha of coincidence matrices (..., levels, levels), NaN where no two grades differ."""
    margin = observed.sum(axis=-1)
    total = margin.sum(axis=-1)
    places = np.cumsum(margin, axis=-1) - margin / 2
    distance = np.square(places[..., :, None] - places[..., None, :])
    apart = (observed * distance).sum(axis=(-2, -1))
    chance = (margin[..., :, None] * margin[..., None, :] * distance).sum(axis=(-2, -1))
    ratio = np.full(chance.shape, np.nan)
    np.divide((total - 1.0) * apart, chance, out=ratio, where=chance > 0)
    return np.asarray(1.0 - ratio)


def _bootstrap(counts: Ints, seed: int, resamples: int) -> tuple[float | None, float | None]:
    """Return the 2.5% and 97.5% points of alpha over items drawn with replacement.

    Items with equal ratings are drawn together, so a resample costs as much as there are patterns.
    """
    patterns, times = np.unique(counts, axis=0, return_counts=True)
    drawn = multinomial_draws(seed, len(counts), times / len(counts), resamples)
    observed = np.tensordot(drawn.astype(np.float64), _coincidences(patterns), axes=1)
    alphas = _alphas(observed)
    defined = alphas[~np.isnan(alphas)]
    # Leaving out many resamples without variation would make the rest look surer than they are.
    if len(defined) < 0.95 * resamples:
        return None, None
    low, high = np.quantile(defined, [0.025, 0.975])
    return float(low), float(high)
