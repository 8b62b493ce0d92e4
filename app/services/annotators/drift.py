"""Whether annotators' grades move against the others' from week to week, tested together by Holm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.drift import Drift, drift_of
from app.scoring.holm import holm
from app.scoring.seeds import seed_of
from app.services.annotators.profiles import difference_from_others

if TYPE_CHECKING:
    from app.services.annotators.given import Given
    from app.services.annotators.sheet import Sheet

WEEK = 7 * 86_400
# Weeks begin on Mondays; the first Monday of 1970 was the fifth of January.
MONDAY = 4 * 86_400


@dataclass(frozen=True)
class AnnotatorDrift:
    """The weeks of one annotator, and their P adjusted for the number of annotators tested."""

    drift: Drift
    adjusted: float | None

    @property
    def is_found(self) -> bool:
        """Tell whether the weeks differ by more than chance."""
        return self.adjusted is not None and self.adjusted <= 0.05

    @property
    def mondays(self) -> list[int]:
        """The beginning of each week, in seconds since 1970."""
        return [int(week) * WEEK + MONDAY for week in self.drift.week]


def drifts_of(given: Given, sheet: Sheet) -> dict[int, AnnotatorDrift]:
    """Return the drift of everybody who shares answers with others, by their number."""
    apart, shared = difference_from_others(given)
    week = (sheet.second[given.last] - MONDAY) // WEEK
    found: dict[int, Drift] = {}
    for number in np.unique(given.annotator[shared]).tolist():
        rows = np.flatnonzero(shared & (given.annotator == number))
        found[number] = drift_of(apart[rows], week[rows], seed=seed_of("drift", number, len(rows)))
    tested = [number for number, drift in found.items() if drift.p is not None]
    adjusted = dict(zip(tested, holm(np.array([found[n].p for n in tested], dtype=float)), strict=True))
    return {
        number: AnnotatorDrift(drift, float(adjusted[number]) if number in adjusted else None)
        for number, drift in found.items()
    }
