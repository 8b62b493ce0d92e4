"""A project's scores at earlier revisions, folded from the ledger.

Scores at past revisions are computed once, because no later event changes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.intervals import mean_intervals
from app.scoring.live import Changes, Live, Stage
from app.scoring.means import means_of
from app.services.evidence.state import Evidence, PastScore, counts_under
from app.services.evidence.structure import RunFact
from app.services.scoring_settings import ScoringSettings, scoring_ruler

PRECISIONS = ("date", "minutes", "seconds", "milliseconds")
"""How much of a moment is shown."""


@dataclass(frozen=True)
class Moment:
    """A revision to look back at: a day, an event, or a labelled week of a replay."""

    revision: int
    at: datetime
    label: str | None = None
    precision: str = PRECISIONS[0]
    """How much of its time is needed to tell it from those beside it."""
    before: bool = False
    """Whether it is what was shown until something changed at its time."""
    is_now: bool = False
    """Whether it is the last one of today: the day is not over."""


def told_apart(moments: Sequence[Moment]) -> list[Moment]:
    """Return the moments, each with as much of its time as tells it from the others."""
    found = list(moments)
    for finer in PRECISIONS[1:]:
        shown = [_shown(moment) for moment in found]
        beside = Counter(shown)
        found = [
            replace(moment, precision=finer) if beside[text] > 1 else moment
            for moment, text in zip(found, shown, strict=True)
        ]
    return found


def _shown(moment: Moment) -> tuple[str, bool]:
    at = moment.at.astimezone(UTC)
    if moment.precision == PRECISIONS[0]:
        return at.date().isoformat(), False
    return at.isoformat(timespec=moment.precision), moment.before


class HistoryPoint(NamedTuple):
    """One ranker at one moment.

    Attributes
    ----------
    score
        None where there was no scored query yet.
    low, high
        The band around it: Student's interval, or the exact bounds where a history is of evidence.
    scored
        The queries that the score is a mean of.
    judged
        judged@k over the same queries.
    fingerprint
        Of the ruler: points of different rulers are never joined.
    """

    moment: Moment
    run: RunFact
    score: float | None
    low: float | None
    high: float | None
    scored: int
    judged: float | None
    fingerprint: str


@dataclass(frozen=True)
class History:
    """Points per ranker in order of time, and the size of the comparison set where there is one.

    Where no scored query is covered by all, `apart` is the version that covers fewest, with their number.
    """

    mode: str
    points: dict[int, list[HistoryPoint]]
    common: int | None
    apart: tuple[RunFact, int] | None = None


@dataclass(frozen=True)
class Fold:
    """Scores of some runs at one revision.

    Attributes
    ----------
    runs
        Places within `evidence.structure.runs`.
    values, judged
        float64 (runs, queries): nDCG@k, NaN where a query has no score, and judged@k.
    scored
        bool (queries,): whether active or not.
    low, high
        float64 (runs, queries): the exact bounds, where they were asked for.
    """

    revision: int
    runs: Sequence[int]
    ruler: ScoringSettings
    values: Floats
    judged: Floats
    scored: Flags
    low: Floats | None = None
    high: Floats | None = None


def folds(
    evidence: Evidence, wanted: Mapping[int, Sequence[int]], *, bounded: bool = False
) -> Iterator[Fold]:
    """Return the scores of some runs at some revisions, oldest first, each under the ruler of its moment.

    They have the bits of `score_runs` at the same revision.

    Parameters
    ----------
    wanted
        Places of runs by revision.
    """
    all_runs = sorted({place for places in wanted.values() for place in places})
    keeper: _Keeper | None = None
    for revision, runs in sorted(wanted.items()):
        ruler = evidence.ruler_at(revision)
        if ruler.ideal == "returned":
            # An ideal over each list itself is for worked examples; it has no history.
            yield _nothing(evidence, runs, ruler, revision)
            continue
        then = evidence.at(revision)
        if keeper is None or keeper.ruler != ruler or keeper.evidence is not then:
            keeper = _Keeper(then, all_runs, ruler, revision, bounded=bounded)
        else:
            keeper.move_to(revision)
        yield keeper.fold(revision, runs)


class _Keeper:
    """Keeps the scores of some runs under one ruler, and under the same merges, up with the ledger."""

    def __init__(
        self, evidence: Evidence, runs: Sequence[int], ruler: ScoringSettings, revision: int, *, bounded: bool
    ) -> None:
        self.evidence, self.ruler = evidence, ruler
        self._row_of = {place: row for row, place in enumerate(runs)}
        # Without bounds the pool matters only to an ideal over it.
        self._bounded, self._pools = bounded, bounded or ruler.ideal == "pool"
        self._pool_of = self._pool_at(revision)
        self._changes = evidence.changes(only_blind=ruler.only_blind, machines=ruler.machines)
        self._decisions = evidence.decisions(only_blind=ruler.only_blind)
        self._live = Live(self._stage(runs, revision), len(evidence.structure.query_id))
        self._low, self._high = np.zeros((2, len(runs), len(evidence.structure.query_id)))
        self._at = self._changes.until(revision)
        self._decided = 0
        self._live.fold(counts_under(evidence, ruler, revision))
        self._decide(revision)
        if bounded:
            self._bound(np.arange(len(evidence.structure.query_id)))

    def move_to(self, revision: int) -> None:
        """Take in what happened up to a later revision."""
        until = self._changes.until(revision)
        here = slice(self._at, until)
        changes = Changes(
            self._changes.candidate_index[here], self._changes.old[here], self._changes.new[here]
        )
        touched = [self._live.apply(changes), self._decide(revision)]
        self._at = until
        if self._pools and (pool := self._pool_at(revision)) != self._pool_of:
            self._pool_of = pool
            touched.append(self._live.pool(self.evidence.pooled(revision)))
        if self._bounded:
            self._bound(np.unique(np.concatenate(touched)))

    def fold(self, revision: int, runs: Sequence[int]) -> Fold:
        """Return the scores of some runs as they are now."""
        live, rows = self._live, [self._row_of[place] for place in runs]
        low, high = (self._low[rows], self._high[rows]) if self._bounded else (None, None)
        values, judged = live.values_of(rows), live.judged_shares_of(rows)
        return Fold(revision, runs, self.ruler, values, judged, live.scored, low, high)

    def _stage(self, runs: Sequence[int], revision: int) -> Stage:
        return Stage(
            lists=self.evidence.lists(runs, self.ruler.k),
            query=self.evidence.structure.query,
            ruler=scoring_ruler(self.ruler),
            cutoff=self.ruler.k,
            rule=self.ruler.consensus,  # type: ignore[arg-type]
            pooled=self.evidence.pooled(revision) if self._pools else None,
        )

    def _pool_at(self, revision: int) -> tuple[int, tuple[int, ...]] | None:
        """Return what the pool of a moment is made of."""
        if not self._pools:
            return None
        return self.evidence.depth_at(revision), tuple(self.evidence.active_runs(revision))

    def _decide(self, revision: int) -> Ints:
        """Take in the adjudications up to a revision, and return the queries they touched."""
        until = int(np.searchsorted(self._decisions.revision, revision, side="right"))
        here = slice(self._decided, until)
        self._decided = until
        indexes: Ints = self._decisions.candidate_index[here]
        return self._live.decide(indexes, self._decisions.column[here]) if len(indexes) else indexes

    def _bound(self, queries: Ints) -> None:
        if len(queries):
            self._low[:, queries], self._high[:, queries] = self._live.bounds(queries)


def _nothing(evidence: Evidence, runs: Sequence[int], ruler: ScoringSettings, revision: int) -> Fold:
    none = np.full((len(runs), len(evidence.structure.query_id)), np.nan)
    return Fold(revision, runs, ruler, none, none, np.zeros(none.shape[1], dtype=np.bool_))


def scores_as_of(
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
    missing: dict[int, list[int]] = {}
    for revision, places in wanted.items():
        if unknown := [place for place in places if (revision, facts[place].id, bounded) not in known]:
            missing[revision] = unknown
    worked_out = {
        (revision, facts[place].id, bounded): score
        for (revision, place), score in _worked_out(evidence, missing, bounded=bounded)
    }
    found = {
        (revision, place): worked_out.get(key) or known[key]
        for revision, places in wanted.items()
        for place in places
        for key in [(revision, facts[place].id, bounded)]
    }
    evidence.memory.keep(worked_out)
    return found


def _worked_out(
    evidence: Evidence, missing: Mapping[int, Sequence[int]], *, bounded: bool
) -> Iterator[tuple[tuple[int, int], PastScore]]:
    for fold in folds(evidence, missing, bounded=bounded):
        scores = _scores(evidence, fold)
        yield from (((fold.revision, place), score) for place, score in zip(fold.runs, scores, strict=True))


def _scores(evidence: Evidence, fold: Fold) -> list[PastScore]:
    """Return the scores of a fold: each run by itself with bounds, else over the comparison set."""
    covered = evidence.covered(fold.runs) if fold.low is not None else evidence.covered_by_all(fold.revision)
    counted = covered & evidence.active_queries(fold.revision) & fold.scored
    intervals = mean_intervals(fold.values, counted)
    judged = means_of(fold.judged, counted)
    nothing: list[float | None] = [None] * len(fold.runs)
    least = nothing if fold.low is None else means_of(fold.low, counted)
    most = nothing if fold.high is None else means_of(fold.high, counted)
    return [
        PastScore(one.mean, one.low, one.high, one.n, *rest)
        for one, *rest in zip(intervals, judged, least, most, strict=True)
    ]


def history_as_of(
    evidence: Evidence, moments: list[Moment], rankers: Container[int] | None = None
) -> History:
    """Return each moment with the ratings, the versions and the ruler of that moment.

    A number is the headline of its moment, over the comparison set of all versions current then, whichever
    rankers are wanted.

    Parameters
    ----------
    rankers
        Numbers of the rankers wanted; all by default.
    """
    structure = evidence.structure
    wanted = {
        moment.revision: [
            place
            for place in evidence.current_runs(moment.revision)
            if rankers is None or structure.runs[place].ranker_id in rankers
        ]
        for moment in moments
    }
    scores = scores_as_of(evidence, wanted)
    points: dict[int, list[HistoryPoint]] = {}
    for moment in moments:
        fingerprint = evidence.ruler_at(moment.revision).fingerprint
        for place in wanted[moment.revision]:
            past, run = scores[moment.revision, place], structure.runs[place]
            point = HistoryPoint(
                moment, run, past.score, past.low, past.high, past.scored, past.judged, fingerprint
            )
            points.setdefault(run.ranker_id, []).append(point)
    return History("then", points, None)


def history_of_version(evidence: Evidence, place: int, moments: list[Moment]) -> History:
    """Return one version at each moment since its registration, with the exact bounds of that moment.

    The version stays, the ledger grows: a rise or fall comes from the ratings, never from the ranker.

    Parameters
    ----------
    place
        Of the version, within `evidence.structure.runs`.
    """
    run = evidence.structure.runs[place]
    since = [moment for moment in moments if moment.revision >= run.revision]
    scores = scores_as_of(evidence, {moment.revision: [place] for moment in since}, bounded=True)
    points = []
    for moment in since:
        past = scores[moment.revision, place]
        fingerprint = evidence.ruler_at(moment.revision).fingerprint
        points.append(
            HistoryPoint(
                moment, run, past.score, past.least, past.most, past.scored, past.judged, fingerprint
            )
        )
    return History("growth", {run.ranker_id: points} if points else {}, None)
