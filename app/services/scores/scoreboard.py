"""Scores: a pure function of runs, ledger up to a revision, and scoring settings; never without coverage.

A rating changes one query, and the values of a query know nothing of the others: only the queries that it
touched are scored again, and the result has the bits of scoring everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from sqlalchemy.orm import Session

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.consensus import Consensus
from app.scoring.evaluate import evaluate
from app.scoring.intervals import MeanInterval, mean_intervals
from app.scoring.judged import Judged
from app.scoring.lists import Lists
from app.scoring.means import mean_of, means_of
from app.scoring.measures.measure import Asked
from app.scoring.measures.names import parse_measures
from app.services.cache import Cache
from app.services.evidence.state import Evidence, full_lists
from app.services.evidence.structure import RunFact
from app.services.scoring_settings import ScoringSettings

MOST_KEPT = 4
"""Sets of runs and measures."""
LARGEST_SHARE = 4
"""If more than one query in this many is touched, all are scored again."""


@dataclass(frozen=True)
class _CachedValues:
    """Values, and the grades they were made from."""

    consensus: Consensus
    pooled: Flags
    values: dict[str, Floats]


# By the lists that the values were made of.
_cache: Cache[_CachedValues] = Cache(MOST_KEPT)


def kept_values(
    evidence: Evidence, runs: Sequence[int], asked: Sequence[Asked], depth: int, judged: Judged
) -> dict[str, Floats]:
    """Return what `evaluate` does of the newest grades, for measures that read lists as deep as evidence is.

    Parameters
    ----------
    runs
        Places within `evidence.structure.runs`.
    depth
        How deep the measures look.
    """
    lists = evidence.structure.positions
    key = (judged.ruler, tuple(runs), tuple(one.label for one in asked))
    kept = _cache.get(lists, key)
    touched = None if kept is None else _touched(kept, judged)
    if kept is None or touched is None:
        values = evaluate(asked, evidence.lists(runs, depth), judged)
    elif len(touched):
        again = evaluate(asked, _lists(evidence, runs, depth, touched), judged, touched)
        values = _with(kept.values, touched, again)
    else:
        values = kept.values
    _cache.put(lists, key, _CachedValues(judged.consensus, judged.pooled, values))
    return values


def _touched(before: _CachedValues, now: Judged) -> Ints | None:
    """Return the queries with other grades, or another pool, than before; None where they are too many."""
    old, new = before.consensus, now.consensus
    moved = (old.low != new.low) | (old.high != new.high) | (before.pooled != now.pooled)
    if old.counts is not None and new.counts is not None:
        moved |= (old.counts != new.counts).any(axis=1)
    touched = np.unique(now.query[moved])
    return None if len(touched) * LARGEST_SHARE > now.queries else touched


def _lists(evidence: Evidence, runs: Sequence[int], depth: int, queries: Ints) -> Lists:
    """Return the lists of some runs for a few queries."""
    structure, rows = evidence.structure, np.array(runs)[:, None]
    return Lists(structure.positions[:depth, rows, queries], structure.lengths[rows, queries])


def _with(kept: dict[str, Floats], touched: Ints, again: dict[str, Floats]) -> dict[str, Floats]:
    """Return the values with those of some queries made again."""
    found = {label: values.copy() for label, values in kept.items()}
    for label, values in found.items():
        values[:, touched] = again[label]
    return found


@dataclass(frozen=True)
class RunScore:
    """The scores of one run.

    Attributes
    ----------
    place
        Its place among the runs of the evidence.
    measures
        Mean of each measure over the scored queries that the run covers; None without any.
    judged
        judged@k for every cutoff asked for: how much of what it returned is rated.
    scored, no_relevant, unjudged
        Covered queries by state.
    """

    place: int
    run: RunFact
    measures: dict[str, float | None]
    judged: dict[str, float | None]
    scored: int
    no_relevant: int
    unjudged: int


@dataclass(frozen=True)
class Scoreboard:
    """Scores of several runs at one revision under one ruler.

    Attributes
    ----------
    values
        float64 (runs, queries) for each measure asked for; NaN where a query has no score.
    headline
        The label of the ruler's own nDCG@k within `values`.
    counted
        bool (runs, queries): scored, active, and covered by the run.
    """

    revision: int
    ruler: ScoringSettings
    runs: list[RunScore]
    query_name: tuple[str, ...]
    values: dict[str, Floats]
    headline: str
    counted: Flags
    scored: Flags
    no_relevant: Flags
    unjudged: Flags
    judged: Judged = field(repr=False)

    @property
    def empty(self) -> Flags:
        """Those of the unjudged queries without any answer in their pool: bool (queries,)."""
        return np.asarray(self.unjudged & (self.judged.pooled_counts == 0))

    @property
    def left_out(self) -> tuple[int, int, int]:
        """How many queries no score counts: with nothing relevant, with nothing yet, and without answers."""
        empty = int(self.empty.sum())
        return int(self.no_relevant.sum()), int(self.unjudged.sum()) - empty, empty

    @cached_property
    def common(self) -> Flags:
        """The comparison set: scored queries that every run covers, bool (queries,)."""
        return np.asarray(self.counted.all(axis=0)) if len(self.runs) else np.zeros_like(self.scored)

    @cached_property
    def common_intervals(self) -> list[MeanInterval]:
        """The interval of each run's headline mean over the comparison set."""
        return mean_intervals(self.values[self.headline], self.common)

    @cached_property
    def common_coverage(self) -> list[float | None]:
        """The mean judged@k of each run over the comparison set."""
        label = f"judged@{self.ruler.k}"
        return (
            [run.judged[label] for run in self.runs]
            if self._alike
            else means_of(self.values[label], self.common)
        )

    @cached_property
    def _alike(self) -> bool:
        """Whether every run counts the comparison set and nothing else: its own means are those over it."""
        return bool((self.counted == self.common).all())

    def per_query(self, place: int) -> dict[str, dict[str, float]]:
        """Return the values of one row of `runs` by query id, for the queries that count."""
        kept = np.flatnonzero(self.counted[place])
        return {
            self.query_name[query]: {label: float(rows[place, query]) for label, rows in self.values.items()}
            for query in kept
        }


def score_runs(
    evidence: Evidence,
    runs: Sequence[int],
    *,
    measures: str = "",
    revision: int | None = None,
    ruler: ScoringSettings | None = None,
    session: Session | None = None,
    judged: Judged | None = None,
) -> Scoreboard:
    """Return the scores of some runs at a revision, under the ruler of that moment or a given one.

    Parameters
    ----------
    runs
        Places within `evidence.structure.runs`.
    measures
        Further measures, as people write them; the ruler's nDCG@k is always there.
    session
        Needed for measures that read whole lists: they are read from the database.
    judged
        The folded grades, where the caller has them already: of this very evidence, which is then not asked
        for the merges of the revision.

    :raise UnknownMeasureError: A measure is not known.
    """
    if judged is None and revision is not None:
        evidence = evidence.at(revision)
    values_of_ruler = ruler or evidence.ruler_at(revision)
    headline = f"nDCG@{values_of_ruler.k}"
    asked = parse_measures(f"{headline} {measures}")
    asked = _with_coverage(asked)
    folded = judged or evidence.judged(revision, values_of_ruler)
    values = _values(evidence, runs, asked, folded, session, newest=judged is None and revision is None)
    active = evidence.active_queries(revision)
    covered = evidence.covered(runs) & active
    counted = covered & folded.scored
    means = {one.label: means_of(values[one.label], counted) for one in asked}
    coverage = {one.label for one in asked if one.measure.reads == "coverage"}
    states = [
        np.count_nonzero(covered & state, axis=1).tolist()
        for state in (folded.scored, folded.no_relevant, folded.undecided)
    ]
    return Scoreboard(
        revision=evidence.revision if revision is None else revision,
        ruler=values_of_ruler,
        runs=[
            RunScore(
                place=place,
                run=evidence.structure.runs[place],
                measures={label: found[row] for label, found in means.items() if label not in coverage},
                judged={label: found[row] for label, found in means.items() if label in coverage},
                scored=scored,
                no_relevant=no_relevant,
                unjudged=unjudged,
            )
            for row, (place, scored, no_relevant, unjudged) in enumerate(zip(runs, *states, strict=True))
        ],
        query_name=evidence.structure.query_name,
        values=values,
        headline=headline,
        counted=counted,
        scored=folded.scored & active,
        no_relevant=folded.no_relevant & active,
        unjudged=folded.undecided & active,
        judged=folded,
    )


def _with_coverage(asked: list[Asked]) -> list[Asked]:
    """Return the measures with judged@k for each cutoff: no number without its coverage."""
    cutoffs = {one.parameter for one in asked if one.measure.takes.startswith("cutoff") and one.parameter}
    present = {one.label.lower() for one in asked}
    wanted = [f"judged@{cutoff}" for cutoff in sorted(cutoffs)]
    return asked + [one for name in wanted if name not in present for one in parse_measures(name)]


def _values(
    evidence: Evidence,
    runs: Sequence[int],
    asked: list[Asked],
    judged: Judged,
    session: Session | None,
    *,
    newest: bool,
) -> dict[str, Floats]:
    """Return the values of some measures; of the newest grades most of them may be known already."""
    held = evidence.structure.positions.shape[0]
    ruler_reads_whole = evidence.ruler_at().ideal == "returned"
    if not ruler_reads_whole and all(one.depth is not None and one.depth <= held for one in asked):
        depth = max(one.depth or 0 for one in asked)
        if newest:
            return kept_values(evidence, runs, asked, depth, judged)
        return evaluate(asked, evidence.lists(runs, depth), judged)
    if session is None:
        raise ValueError("these measures read whole lists: a session is needed")
    return evaluate(asked, full_lists(session, evidence, runs), judged)


def common_means(board: Scoreboard, queries: Flags | None = None) -> list[float | None]:
    """Return each run's headline mean over a set of queries (default: the comparison set)."""
    chosen = board.common if queries is None else queries
    return [mean_of(row[chosen]) for row in board.values[board.headline]]


def weighted_means(
    evidence: Evidence, board: Scoreboard, counted: Flags | None = None
) -> dict[str, list[float | None]]:
    """Return each run's mean of each measure with the weights of the questions; empty while all weigh 1.

    Parameters
    ----------
    counted
        bool (runs, queries): what takes part; by default what counts for each run.
    """
    weight = evidence.structure.weight
    if (weight == 1).all():
        return {}
    chosen = board.counted if counted is None else counted
    return {
        label: [_weighted(*row, weight) for row in zip(rows, chosen, strict=True)]
        for label, rows in board.values.items()
    }


def _weighted(values: Floats, counted: Flags, weight: Floats) -> float | None:
    kept = counted & ~np.isnan(values)
    return float(np.average(values[kept], weights=weight[kept])) if kept.any() else None


def best_first(board: Scoreboard) -> list[int]:
    """Return the rows of a board by their means over the comparison set; equal ones in order of arrival."""
    means = [interval.mean or 0.0 for interval in board.common_intervals]
    return sorted(range(len(means)), key=lambda row: (-means[row], board.runs[row].run.mark))
