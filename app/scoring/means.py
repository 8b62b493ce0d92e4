"""Means over queries, exactly summed: the same number whatever the order of the queries."""

import math

import numpy as np

from app.scoring.arrays import Flags, Floats

LARGE = 2.0**900
"""From here on values are scaled down before they are added: sums of many would pass the largest number."""

SAME = 1e-12
"""Up to here a difference of scores is rounding."""

CACHED = 16_384
"""Values that are added up at a time."""


def means_of(values: Floats, counted: Flags) -> list[float | None]:
    """Return the mean of every run over its counted queries, ``None`` for a run without any.

    The sum is rounded once, as by ``math.fsum``, so a mean has the same bits live and replayed.

    Parameters
    ----------
    values
        float64 (runs, queries); what is not counted may be NaN.
    counted
        bool (queries,) or (runs, queries): the scored queries, that the run covers.
    """
    kept, numbers = counted_values(values, counted)
    sums = exact_sums(kept)
    return [total / number if number else None for total, number in zip(sums, numbers, strict=True)]


def counted_values(values: Floats, counted: Flags) -> tuple[Floats, list[int]]:
    """Return the counted values of every row, with 0 in place of others that are left in, and their numbers.

    Parameters
    ----------
    values, counted
        As for :func:`means_of`.
    """
    if counted.ndim == 1:
        kept = values if counted.all() else values.take(np.flatnonzero(counted), axis=1)
        return kept, [kept.shape[1]] * len(kept)
    return np.where(counted, values, 0.0), np.count_nonzero(counted, axis=1).tolist()


def mean_of(values: Floats) -> float | None:
    """Return the exactly summed mean of some values, or ``None`` of no values.

    Parameters
    ----------
    values
        float64 (n,), finite.
    """
    return math.fsum(values.tolist()) / len(values) if len(values) else None


def exact_sums(rows: Floats) -> list[float]:
    """Return the sum of every row, rounded once: what ``math.fsum`` gives, for many rows at once.

    The high bits of all values are cut off at one common place, so that they add up without rounding in
    any order; then the next bits, until nothing is left (Rump, Ogita & Oishi 2008, Accurate
    floating-point summation, algorithm ExtractVector).

    Parameters
    ----------
    rows
        float64 (rows, values), finite.

    Raises
    ------
    ValueError
        A value is NaN or infinite.
    """
    if rows.size > CACHED and len(rows) > 1:
        # A few rows at a time stay in the processor's cache: twice as quick for hundreds of them.
        few = max(1, CACHED // rows.shape[1])
        parts_of_all = (exact_sums(rows[first : first + few]) for first in range(0, len(rows), few))
        return [total for sums in parts_of_all for total in sums]
    work = np.abs(rows)
    largest = float(work.max(initial=0.0))
    if not largest < LARGE:
        return _sums_of_large(rows)
    if not largest:
        return [0.0] * len(rows)
    parts: list[list[float]] = []
    left = rows
    room = 2.0 ** math.ceil(math.log2(rows.shape[1] + 2))
    place = room * 2.0 ** math.frexp(largest)[1]
    while True:
        # In place: half the time goes into new arrays otherwise.
        np.add(left, place, out=work)
        work -= place
        parts.append(work.sum(axis=1).tolist())
        if (work == left).all():
            return [math.fsum(row) for row in zip(*parts, strict=True)]
        left = np.subtract(left, work, out=None if left is rows else left)
        # What is left is at most half the last bit of the place.
        place *= room * 2.0**-52


def _sums_of_large(rows: Floats) -> list[float]:
    """Return the sums of values so large that the common place could lie beyond the largest number."""
    if not np.isfinite(rows).all():
        raise ValueError("sums need finite values")
    return [total * LARGE for total in exact_sums(rows / LARGE)]
