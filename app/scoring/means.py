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
    used = np.broadcast_to(counted, values.shape)
    numbers: list[int] = np.count_nonzero(used, axis=1).tolist()
    sums = exact_sums(np.where(used, values, 0.0))
    return [total / number if number else None for total, number in zip(sums, numbers, strict=True)]


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
    parts: list[list[float]] = []
    left = rows
    room = 2.0 ** math.ceil(math.log2(rows.shape[1] + 2))
    while largest:
        place = room * 2.0 ** math.frexp(largest)[1]
        # In place: half the time goes into new arrays otherwise.
        np.add(left, place, out=work)
        work -= place
        parts.append(work.sum(axis=1).tolist())
        left = np.subtract(left, work, out=None if left is rows else left)
        largest = float(np.abs(left, out=work).max())
    if not parts:
        return [0.0] * len(rows)
    return [math.fsum(row) for row in zip(*parts, strict=True)]


def _sums_of_large(rows: Floats) -> list[float]:
    """Return the sums of values so large that the common place could lie beyond the largest number."""
    if not np.isfinite(rows).all():
        raise ValueError("sums need finite values")
    return [total * LARGE for total in exact_sums(rows / LARGE)]
