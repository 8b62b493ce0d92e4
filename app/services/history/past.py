"""Scores at past revisions: worked out once, because no later event changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.scoring.intervals import mean_intervals
from app.scoring.means import means_of
from app.services.evidence.memory import PastScore
from app.services.history.folding import folds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.services.evidence import Evidence
    from app.services.history.folding import Fold

    Key = tuple[int, int, bool]


def past_scores(
    evidence: Evidence, wanted: Mapping[int, Sequence[int]], *, bounded: bool = False
) -> dict[tuple[int, int], PastScore]:
    """Return the scores of some runs at some revisions, by (revision, place of the run).

    They are over the comparison set of the moment, the scored queries that all versions current then cover:
    what the headline of that moment was a mean of.

    Parameters
    ----------
    wanted
        Places of runs by revision.
    bounded
        Each run by itself, over the scored queries that it covers, with the exact bounds of its mean.
    """
    known, facts = evidence.memory.scores, evidence.structure.runs
    found = {
        (revision, place): known.get((revision, facts[place].id, bounded))
        for revision, places in wanted.items()
        for place in places
    }
    missing: dict[int, list[int]] = {}
    for (revision, place), score in found.items():
        if score is None:
            missing.setdefault(revision, []).append(place)
    worked_out = dict(_worked_out(evidence, missing, bounded=bounded))
    evidence.memory.keep(
        {(revision, facts[place].id, bounded): score for (revision, place), score in worked_out.items()}
    )
    return {key: score or worked_out[key] for key, score in found.items()}


def _worked_out(
    evidence: Evidence, missing: Mapping[int, Sequence[int]], *, bounded: bool
) -> Iterator[tuple[tuple[int, int], PastScore]]:
    runs = sorted({place for places in missing.values() for place in places})
    row_of = {place: row for row, place in enumerate(runs)}
    for fold in folds(evidence, runs, sorted(missing), bounded=bounded):
        places = missing[fold.revision]
        scores = _scores(evidence, fold, places, [row_of[place] for place in places])
        yield from (((fold.revision, place), score) for place, score in zip(places, scores, strict=True))


def _scores(evidence: Evidence, fold: Fold, places: Sequence[int], rows: list[int]) -> list[PastScore]:
    """Return the scores of some rows of a fold: by themselves with bounds, else over the comparison set."""
    covered = evidence.covered(places) if fold.low is not None else evidence.covered_by_all(fold.revision)
    counted = covered & evidence.active_queries(fold.revision) & fold.scored
    intervals = mean_intervals(fold.values[rows], counted)
    judged = means_of(fold.judged[rows], counted)
    nothing: list[float | None] = [None] * len(rows)
    least = nothing if fold.low is None else means_of(fold.low[rows], counted)
    most = nothing if fold.high is None else means_of(fold.high[rows], counted)
    return [
        PastScore(one.mean, one.low, one.high, one.n, *rest)
        for one, *rest in zip(intervals, judged, least, most, strict=True)
    ]
