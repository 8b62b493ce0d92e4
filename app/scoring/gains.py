"""What a grade is worth: the gain maps, and the values of a consensus that lies between two grades."""

import numpy as np

from app.scoring.arrays import Floats
from app.scoring.choices import GAINS, Gain

WIDEST_EXPONENTIAL = 1001
"""The most grades that exponential gains are made for: sums of what 2^1000 is worth stay finite numbers."""


def gain_table(lowest: int, highest: int, kind: Gain = "linear") -> Floats:
    """Return the gain of every grade of a scale, lowest grade first.

    Parameters
    ----------
    lowest, highest
        The ends of the scale, both included: 0 and 3, or 1 and 5.
    kind
        ``linear``: grade - lowest. ``exponential``: 2^(grade - lowest) - 1 (Burges et al. 2005).
        ``raw``: the grade itself, for agreement with tools that take stars as gains.

    Returns
    -------
    float64 array of shape (highest - lowest + 1,)
        Strictly increasing; cell g is the gain of grade ``lowest + g``.

    Raises
    ------
    ValueError
        The scale is empty, the kind is unknown, raw gains would be negative, or exponential ones endless.
    """
    if highest < lowest:
        raise ValueError(f"the highest grade {highest} is below the lowest grade {lowest}")
    steps = np.arange(highest - lowest + 1)
    if kind == "linear":
        return steps.astype(np.float64)
    if kind == "exponential":
        if len(steps) > WIDEST_EXPONENTIAL:
            raise ValueError(f"exponential gains need a scale of at most {WIDEST_EXPONENTIAL} grades")
        return np.ldexp(1.0, steps) - 1.0
    if kind == "raw":
        if lowest < 0:
            raise ValueError(f"raw gains need a lowest grade of 0 or more, not {lowest}")
        return (steps + lowest).astype(np.float64)
    raise ValueError(f"unknown gain {kind!r}: use one of {', '.join(GAINS)}")


def pair_table(table: Floats) -> Floats:
    """Return the mean of a map at every pair of grades: what a median between two grades is worth.

    A median consensus is kept as its two middle grades (lo, hi). Its value under any map is
    ``(map[lo] + map[hi]) / 2``, which for the exponential gain is not the map of the midpoint.

    Parameters
    ----------
    table
        float64 array of shape (grades,): the map at every grade.

    Returns
    -------
    float64 array of shape (grades, grades)
        Cell (lo, hi); the diagonal is the map itself.
    """
    return (table[:, None] + table[None, :]) / 2.0


def stop_table(lowest: int, highest: int) -> Floats:
    """Return the chance that a reader is satisfied by a document of each grade, for ERR.

    Formula: ``(2^(g - lowest) - 1) / 2^(highest - lowest)`` (Chapelle et al. 2009).

    Returns
    -------
    float64 array of shape (highest - lowest + 1,)
    """
    # 2^(g - highest) - 2^(lowest - highest): the same, and finite on a scale of any width.
    steps = np.arange(lowest - highest, 1)
    chances: Floats = np.ldexp(1.0, steps) - np.ldexp(1.0, lowest - highest)
    return chances
