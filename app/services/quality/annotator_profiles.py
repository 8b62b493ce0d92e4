"""Each annotator in numbers, and whether place or time moves their grades."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.drift import Drift, drift_of
from app.scoring.holm import holm
from app.scoring.order_effect import MARGIN, MARGIN_STARS, SHUFFLES, OrderEffect, Shown, order_effect_of
from app.scoring.order_proof import OrderProof, order_proof_of
from app.scoring.seeds import seed_of
from app.scoring.speed import LEAST_TIMED
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.quality.annotator_grades import CurrentRatings, RatingMetadata, hasty_rows


@dataclass(frozen=True)
class Profile:
    """One annotator's ratings of today.

    Attributes
    ----------
    rated
        Answers of today's pool of active questions that they graded; `outside`: others that they graded.
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
        When they gave their last rating, in seconds since 1970; None without one.
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
    given: CurrentRatings, sheet: RatingMetadata, blind: Flags, *, pooled: Flags, levels: int
) -> dict[int, Profile]:
    """Return the profile of everybody who has settled an answer, by their number.

    Parameters
    ----------
    blind
        bool (rows of the ledger,).
    pooled
        bool (candidates,): today's pool of active questions.
    levels
        The number of grades of the scale.
    """
    hasty = hasty_rows(given)
    apart, shared = difference_from_others(given)
    found = {}
    for number in np.flatnonzero(np.bincount(given.annotator)).tolist():
        rows = np.flatnonzero(given.annotator == number)
        graded = rows[given.column[rows] >= 0]
        inside = int(pooled[given.candidate_index[graded]].sum())
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


def difference_from_others(given: CurrentRatings) -> tuple[Floats, Flags]:
    """Return each grade minus the mean of the others' of the same answer, and where there are others.

    float64 (n,) and bool (n,); the difference is 0 where there are none.
    """
    graded = given.graded
    indexes = int(given.candidate_index.max(initial=0)) + 1
    number = np.bincount(given.candidate_index[graded], minlength=indexes)
    total = np.bincount(given.candidate_index[graded], weights=given.column[graded], minlength=indexes)
    others = number[given.candidate_index] - graded
    shared = graded & (others > 0)
    mean = (total[given.candidate_index] - given.column) / np.maximum(others, 1)
    return np.where(shared, given.column - mean, 0.0), np.asarray(shared)


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
        """Return whether the weeks differ by more than chance."""
        return self.adjusted is not None and self.adjusted <= 0.05

    @property
    def mondays(self) -> list[int]:
        """The beginning of each week, in seconds since 1970."""
        return [int(week) * WEEK + MONDAY for week in self.drift.week]


def drifts_of(given: CurrentRatings, sheet: RatingMetadata) -> dict[int, AnnotatorDrift]:
    """Return the drift of everybody who shares answers with others, by their number."""
    apart, shared = difference_from_others(given)
    week = (sheet.second[given.last] - MONDAY) // WEEK
    found: dict[int, Drift] = {}
    for number in np.flatnonzero(np.bincount(given.annotator[shared])).tolist():
        rows = np.flatnonzero(shared & (given.annotator == number))
        found[number] = drift_of(apart[rows], week[rows], seed=seed_of("drift", number, len(rows)))
    tested = [number for number, drift in found.items() if drift.p is not None]
    adjusted = dict(zip(tested, holm(np.array([found[n].p for n in tested], dtype=float)), strict=True))
    return {
        number: AnnotatorDrift(drift, float(adjusted[number]) if number in adjusted else None)
        for number, drift in found.items()
    }


WORK = 40_000_000
"""Grades times shuffles: more would keep the visitor waiting for seconds."""
FEWEST_SHUFFLES = 399
NO_BLOCK = -1


@dataclass(frozen=True)
class OrderReport:
    """The finding about all annotators together, and one proof for each current run.

    `shuffles` is the number of random orders behind the finding, `level` that of each run's band.
    """

    effect: OrderEffect
    proofs: tuple[tuple[RunFact, OrderProof], ...]
    shuffles: int
    level: float


def order_report_of(
    evidence: Evidence, given: CurrentRatings, sheet: RatingMetadata, *, levels: int
) -> OrderReport:
    """Return what the ledger says about order; gold, repeats and machines stay out."""
    graded = given.only(given.graded)
    shown = shown_of(graded, sheet)
    inside = max(1, int((shown.block != NO_BLOCK).sum()))
    shuffles = int(np.clip(WORK // inside, FEWEST_SHUFFLES, SHUFFLES))
    effect = order_effect_of(
        shown,
        seed=seed_of("order", evidence.project_id, inside),
        margin=MARGIN if levels == 4 else MARGIN_STARS,
        shuffles=shuffles,
    )
    runs = evidence.current_runs()
    level = 1 - 0.05 / max(1, len(runs))
    proofs = [_proof(evidence, graded, shown, run, level=level) for run in runs]
    facts = evidence.run_facts(runs)
    return OrderReport(effect, tuple(zip(facts, proofs, strict=True)), shuffles, level)


def shown_of(graded: CurrentRatings, sheet: RatingMetadata) -> Shown:
    """Return grades with the place at which each answer was first shown; a batch belongs to one person."""
    batch = sheet.batch[graded.first]
    known = (batch > 0) & (sheet.place[graded.first] > 0)
    return Shown(
        annotator=graded.annotator,
        item=graded.candidate_index,
        block=np.where(known, batch, NO_BLOCK),
        place=sheet.place[graded.first],
        grade=graded.column.astype(np.float64),
    )


def _proof(evidence: Evidence, graded: CurrentRatings, shown: Shown, run: int, *, level: float) -> OrderProof:
    rank = _ranks(evidence, run)[graded.candidate_index]
    rows = np.flatnonzero((rank > 0) & (shown.block != NO_BLOCK))
    return order_proof_of(rank[rows], shown.place[rows], shown.block[rows], level=level)


def _ranks(evidence: Evidence, run: int) -> Ints:
    """Return the rank of every candidate in a run, 0 below the depth that evidence holds."""
    # Beyond the candidates are the indexes of no candidate, and of a merged one that is listed again.
    rank = np.zeros(evidence.structure.candidate_count + 2, dtype=np.int64)
    for depth, indexes in enumerate(evidence.structure.positions[:, run, :], start=1):
        rank[indexes] = depth
    return rank[: evidence.structure.candidate_count]
