"""Ratings given too fast to have been read, annotator by annotator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.scoring.speed import hasty_flags

if TYPE_CHECKING:
    from app.scoring.arrays import Flags
    from app.services.annotators.given import Given


def hasty_rows(given: Given) -> Flags:
    """Return which grades were given too fast: bool (n,); "can't judge" takes no reading and never is."""
    found = np.zeros(len(given), dtype=np.bool_)
    for number in np.unique(given.annotator):
        rows = np.flatnonzero((given.annotator == number) & given.graded)
        found[rows] = hasty_flags(given.ms[rows], given.column[rows])
    return found
