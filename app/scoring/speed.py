"""Ratings given faster than an answer can be read. A flag is a question, never a reason to delete."""

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints

SHORTEST_MS = 1_500
HASTY_MS = 2_000
FAR = 3.0
# Fewer times make no pace: that of somebody with a handful of ratings is not known yet.
LEAST_TIMED = 10
SAME_IN_A_ROW = 10
# Makes the median absolute deviation of a normal sample estimate its standard deviation.
_MAD_TO_SD = 1.4826


def hasty_flags(ms: Ints, grade: Ints) -> Flags:
    """Return which ratings of one annotator were given too fast: bool (ratings,).

    Flagged is a rating under 1.5 s, one with ``(log t - median) / (1.4826 MAD) < -3`` of the annotator's
    own log times, and each of 10 or more equal grades in a row whose median time is under 2 s.

    Parameters
    ----------
    ms
        integers (ratings,): active milliseconds in the order in which they were given; 0 where no time
        was taken (a file, a page without scripts), which is never flagged.
    grade
        integers (ratings,): what was given.
    """
    timed = ms > 0
    return np.asarray(((ms < SHORTEST_MS) & timed) | _far_below_own_pace(ms) | _same_again(ms, grade))


def _far_below_own_pace(ms: Ints) -> Flags:
    far = np.zeros(len(ms), dtype=np.bool_)
    timed = np.flatnonzero(ms > 0)
    if len(timed) < LEAST_TIMED:
        return far
    logs: Floats = np.log(ms[timed])
    distance = logs - np.median(logs)
    spread = _MAD_TO_SD * float(np.median(np.abs(distance)))
    if spread > 0:
        far[timed] = distance / spread < -FAR
    return far


def _same_again(ms: Ints, grade: Ints) -> Flags:
    """Return the ratings within long stretches of one grade, given fast."""
    found = np.zeros(len(ms), dtype=np.bool_)
    timed = np.flatnonzero(ms > 0)
    if len(timed) < SAME_IN_A_ROW:
        return found
    given = grade[timed]
    starts = np.flatnonzero(np.append(True, given[1:] != given[:-1]))
    lengths = np.diff(np.append(starts, len(given)))
    long = lengths >= SAME_IN_A_ROW
    for start, length in zip(starts[long].tolist(), lengths[long].tolist(), strict=True):
        stretch = timed[start : start + length]
        if float(np.median(ms[stretch])) < HASTY_MS:
            found[stretch] = True
    return found
