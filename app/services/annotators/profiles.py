"""Each annotator in numbers: how much, how fast, how often passed on, and which grades."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.services.annotators.haste import hasty_rows

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Floats
    from app.services.annotators.given import Given
    from app.services.annotators.sheet import Sheet

LEAST_TIMED = 10
"""A median over fewer times is no pace."""


@dataclass(frozen=True)
class Profile:
    """One annotator's ratings of today.

    Attributes
    ----------
    rated
        Answers of today's pool that they graded; `outside`: others that they graded.
    declined
        Answers that they could not judge.
    timed
        Answers with a time; `pace_ms` is their median, None below 10.
    total_ms
        All active time.
    grades
        How often they gave each grade, lowest first.
    shared
        Graded answers that somebody else graded too; `apart` is the mean of their grade minus the mean of
        the others' there, in grade steps, None without any.
    hasty
        Graded answers that were given too fast to have been read.
    could_see_rankers
        Graded while they could see rankers.
    last_second
        When their last rating arrived, in seconds since 1970; None without one.
    """

    rated: int
    outside: int
    declined: int
    timed: int
    pace_ms: float | None
    total_ms: int
    grades: tuple[int, ...]
    shared: int
    apart: float | None
    hasty: int
    could_see_rankers: int
    last_second: int | None

    @property
    def graded(self) -> int:
        """All answers with a grade, in the pool or not."""
        return self.rated + self.outside

    @property
    def declined_share(self) -> float | None:
        """The share of "can't judge" among what they settled, None before the first."""
        settled = self.graded + self.declined
        return self.declined / settled if settled else None

    @property
    def mean(self) -> float | None:
        """The mean grade as a column of the scale, None without a grade."""
        return sum(n * column for column, n in enumerate(self.grades)) / self.graded if self.graded else None


NOTHING = Profile(0, 0, 0, 0, None, 0, (), 0, None, 0, 0, None)


def profiles_of(
    given: Given, sheet: Sheet, blind: Flags, *, pooled: Flags, levels: int
) -> dict[int, Profile]:
    """Return the profile of everybody who has settled an answer, by their number.

    Parameters
    ----------
    blind
        bool (rows of the ledger,).
    pooled
        bool (candidates,): today's pool.
    levels
        The number of grades of the scale.
    """
    hasty = hasty_rows(given)
    apart, shared = difference_from_others(given)
    found = {}
    for number in np.unique(given.annotator).tolist():
        rows = np.flatnonzero(given.annotator == number)
        graded = rows[given.column[rows] >= 0]
        inside = int(pooled[given.cell[graded]].sum())
        both = graded[shared[graded]]
        timed = given.ms[rows][given.ms[rows] > 0]
        found[number] = Profile(
            rated=inside,
            outside=len(graded) - inside,
            declined=len(rows) - len(graded),
            timed=len(timed),
            pace_ms=float(np.median(timed)) if len(timed) >= LEAST_TIMED else None,
            total_ms=int(timed.sum()),
            grades=tuple(np.bincount(given.column[graded], minlength=levels).tolist()),
            shared=len(both),
            apart=float(apart[both].mean()) if len(both) else None,
            hasty=int(hasty[graded].sum()),
            could_see_rankers=int((~blind[given.last[graded]]).sum()),
            last_second=int(sheet.second[given.last[rows]].max()),
        )
    return found


def difference_from_others(given: Given) -> tuple[Floats, Flags]:
    """Return each grade minus the mean of the others' of the same answer, and where there are others.

    float64 (n,) and bool (n,); the difference is 0 where there are none.
    """
    graded = given.graded
    cells = int(given.cell.max(initial=0)) + 1
    number = np.bincount(given.cell[graded], minlength=cells)
    total = np.bincount(given.cell[graded], weights=given.column[graded], minlength=cells)
    others = number[given.cell] - graded
    shared = graded & (others > 0)
    mean = (total[given.cell] - given.column) / np.maximum(others, 1)
    return np.where(shared, given.column - mean, 0.0), np.asarray(shared)
