"""Student's t, and the interval of a mean: what a mean over queries says about other queries like them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from app.scoring.arrays import Flags, Floats
from app.scoring.means import counted_values, exact_sums

LEAST_QUERIES = 8
SQUARED_SAFELY = 300
"""Powers of two whose squares stay numbers of full precision, added up by the million."""
_MOST_STEPS = 10_000


@dataclass(frozen=True)
class MeanInterval:
    """A mean with its interval; what could not be computed is ``None``, never 0 and never NaN.

    Attributes
    ----------
    mean
        ``None`` without values.
    low, high
        The ends, clipped to the range that a mean can have; ``None`` below 8 values.
    n
        The number of values.
    level
        The level, 0.95 for a 95% interval.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    level: float


def mean_interval(
    values: Sequence[float] | Floats, *, level: float = 0.95, clip: tuple[float, float] | None = (0.0, 1.0)
) -> MeanInterval:
    """Return the mean of independent values with its Student t interval.

    Formula: ``mean +- t(1 - (1 - level) / 2, n - 1) * sd / sqrt(n)``, sums added exactly. Student's t
    covered better than bootstrap intervals at every n that was tried, so it is used at every n.

    Parameters
    ----------
    values
        One value per query, shape (n,).
    level
        Between 0 and 1, both excluded.
    clip
        The range of the mean: 0 to 1 for a score, ``None`` for a difference.

    Raises
    ------
    ValueError
        A value is NaN or infinite, or the level is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not at {level}")
    row = np.asarray(values, dtype=np.float64)[None]
    if not np.isfinite(row).all():
        raise ValueError("a mean needs every value finite")
    means, deviations = means_and_deviations(row)
    mean = float(means[0]) if row.size else None
    return interval_from(mean, float(deviations[0]), row.size, level=level, clip=clip)


def mean_intervals(values: Floats, counted: Flags) -> list[MeanInterval]:
    """Return the interval of every row's mean over its counted values, as :func:`mean_interval` does.

    Parameters
    ----------
    values
        float64 (rows, values); what is not counted may be NaN.
    counted
        bool (values,) or (rows, values).
    """
    kept, numbers = counted_values(values, counted)
    means = [total / n if n else None for total, n in zip(exact_sums(kept), numbers, strict=True)]
    apart = kept - np.array([mean or 0.0 for mean in means])[:, None]
    if counted.ndim > 1:
        apart[~counted] = 0.0
    # Means alone need exact sums: a history has tens of thousands of intervals.
    squares = np.einsum("ij,ij->i", apart, apart).tolist()
    return [
        interval_from(mean, math.sqrt(square / max(n - 1, 1)), n)
        for mean, square, n in zip(means, squares, numbers, strict=True)
    ]


def interval_from(
    mean: float | None,
    deviation: float,
    n: int,
    *,
    level: float = 0.95,
    clip: tuple[float, float] | None = (0.0, 1.0),
) -> MeanInterval:
    """Return the interval of a mean from the standard deviation of its values."""
    if mean is None or n < LEAST_QUERIES:
        return MeanInterval(mean, None, None, n, level)
    half = t_quantile(0.5 + level / 2, n - 1) * deviation / math.sqrt(n)
    least, most = clip if clip is not None else (-math.inf, math.inf)
    return MeanInterval(mean, max(least, mean - half), min(most, mean + half), n, level)


def means_and_deviations(rows: Floats, counted: Flags | None = None) -> tuple[Floats, Floats]:
    """Return the mean and the sample standard deviation of every row, whatever the order: (rows,) each.

    Both sums are exact, so the same values give the same bits in any order. The deviation of one value is 0.

    Parameters
    ----------
    rows
        float64 (rows, n), finite; what is not counted may be NaN.
    counted
        bool (rows, n); everything by default. A row without any value has mean and deviation 0.
    """
    used = rows if counted is None else np.where(counted, rows, 0.0)
    numbers = rows.shape[1] if counted is None else np.count_nonzero(counted, axis=1)
    units = _units(used)
    used = used / units[:, None]
    means = np.array(exact_sums(used)) / np.maximum(numbers, 1)
    apart = used - means[:, None]
    squares = np.array(exact_sums((apart if counted is None else np.where(counted, apart, 0.0)) ** 2))
    return means * units, np.sqrt(squares / np.maximum(numbers - 1, 1)) * units


def _units(rows: Floats) -> Floats:
    """Return a power of two for every row by which its values can be divided and then squared.

    It is 1 for all scores but those of exponential gains on scales of hundreds of grades, whose squares
    would pass the largest number or vanish. Dividing by a power of two keeps every bit.
    """
    exponent = np.frexp(np.abs(rows).max(axis=-1, initial=0.0))[1]
    return np.asarray(np.ldexp(1.0, np.where(np.abs(exponent) > SQUARED_SAFELY, exponent - 1, 0)))


def normal_quantile(probability: float) -> float:
    """Return the value below which a standard normal variable stays with this probability."""
    return NormalDist().inv_cdf(probability)


def t_cdf(value: float, freedom: float) -> float:
    """Return the probability that Student's t with ``freedom`` degrees of freedom stays below ``value``.

    Raises
    ------
    ValueError
        The degrees of freedom are not positive.
    """
    if not freedom > 0:
        raise ValueError(f"degrees of freedom are positive, not {freedom}")
    tail = _upper_tail(abs(value), freedom)
    return tail if value < 0 else 1.0 - tail


@lru_cache(maxsize=4096)
def t_quantile(probability: float, freedom: float) -> float:
    """Return the value below which Student's t stays with this probability.

    Newton's method on the upper tail. The tail is convex and the normal quantile lies below the wanted
    one, so the steps only ever go up, and the first that does not has met the rounding error.

    Raises
    ------
    ValueError
        The probability is not between 0 and 1, or there is less than 1 degree of freedom.
    """
    if not 0 < probability < 1:
        raise ValueError(f"a probability lies between 0 and 1, not at {probability}")
    if not freedom >= 1:
        raise ValueError(f"a quantile needs at least 1 degree of freedom, not {freedom}")
    if probability < 0.5:
        return -t_quantile(1.0 - probability, freedom)
    wanted, value = 1.0 - probability, normal_quantile(probability)
    for _ in range(_MOST_STEPS):
        step = (_upper_tail(value, freedom) - wanted) / _t_density(value, freedom)
        value += step
        if step <= 1e-15 * value:
            break
    # Counts come from arrays as well, and whoever asks next with equal numbers is given the same object.
    return float(value)


def _t_density(value: float, freedom: float) -> float:
    """Return the density of Student's t."""
    scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)
    return math.exp(scale - (freedom + 1) / 2 * math.log1p(value * value / freedom))


def _upper_tail(value: float, freedom: float) -> float:
    """Return the probability of a t above ``value`` >= 0.

    Formula: ``I(v / (v + t^2); v / 2, 1 / 2) / 2``, I the regularised incomplete beta function
    (Abramowitz & Stegun 26.7.1), as the continued fraction that converges faster (26.5.8).
    """
    square = value * value
    if square == 0 or math.isinf(square):
        return 0.5 if square == 0 else 0.0
    a, b = freedom / 2, 0.5
    x, rest = freedom / (freedom + square), square / (freedom + square)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(scale - a * math.log1p(square / freedom) + b * math.log(rest))
    if x < (a + 1) / (a + b + 2):
        return front / (2 * a * _beta_fraction(x, a, b))
    return 0.5 - front / (2 * b * _beta_fraction(rest, b, a))


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Return 1 + d1 / (1 + d2 / (1 + ...)) of the incomplete beta function, by the modified Lentz method."""
    value, upper, lower = 1.0, 1.0, 0.0
    for step in range(1, _MOST_STEPS):
        half = step // 2
        factor = -(a + half) * (a + b + half) if step % 2 else half * (b - half)
        term = factor * x / ((a + step - 1) * (a + step))
        lower = 1.0 / (1.0 + term * lower)
        upper = 1.0 + term / upper
        value *= upper * lower
        if abs(upper * lower - 1.0) < 3e-16:
            break
    return value
