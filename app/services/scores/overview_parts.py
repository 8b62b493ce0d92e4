"""Other parts of the overview: another measure, the narrowest ranker, any two versions.

Another measure, or the questions of one tag, get numbers without a verdict: verdicts belong to the project's
own measure on all questions, which were chosen before anybody looked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy.orm import Session

from app.scoring.arrays import Flags
from app.scoring.intervals import MeanInterval, mean_interval, mean_intervals
from app.scoring.means import means_of
from app.scoring.measures.measure import Asked
from app.scoring.measures.names import UnknownMeasureError, on_screen, parse_measure
from app.scoring.measures.registry import MEASURES
from app.sentences import message
from app.services.errors import InvalidError
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.scores.compare import tags_by_query
from app.services.scores.context import ScoringContext
from app.services.scores.leaderboard import (
    ComparedVersions,
    Entry,
    Leaderboard,
    compared_versions,
    versions_before,
)
from app.services.scores.scoreboard import Scoreboard, score_runs
from app.services.scores.verdicts import PairVerdict, pair_verdicts


@dataclass(frozen=True)
class Between:
    """What may be said about two versions.

    Attributes
    ----------
    pair
        d = score of the first minus score of the second.
    context
        What the rows of the pair are of.
    together
        Whether the pair is one of those that the overview asks about together; else it is asked about alone.
    answered
        The pair as the overview's sentence is about it, the challenger first; None where it is about others.
    """

    pair: PairVerdict
    context: ScoringContext
    together: bool
    answered: PairVerdict | None = None


def verdict_between(
    evidence: Evidence, first: int, second: int, *, current: ScoringContext | None = None
) -> Between:
    """Return the verdict on two different versions.

    A pair of the overview is read among all pairs that it asks about together, any other pair alone.

    Parameters
    ----------
    first, second
        Places within `evidence.structure.runs`.
    current
        The context of the current runs of this evidence, where the caller has it already.
    """
    shown = compared_versions(evidence, current)
    places = shown.context.places
    if {first, second} <= set(places) and shown.marked in {None, places.index(first), places.index(second)}:
        rows = shown.behind_first(places.index(first), places.index(second))
        (pair,) = pair_verdicts(shown.context, [rows], shown.family)
        about = _about(pair, shown.context, first)
        return Between(about, shown.context, together=True, answered=_answered(shown, about))
    # The newer one first in every case: the sums have the same bits.
    context = shown.context.of([max(first, second), min(first, second)])
    (pair,) = pair_verdicts(context, [(0, 1)])
    return Between(_about(pair, context, first), context, together=False)


def _answered(shown: ComparedVersions, pair: PairVerdict) -> PairVerdict | None:
    """Return the pair with the challenger first where the overview's sentence is about it."""
    return next((one for one in (pair, pair.turned()) if one.rows == shown.main), None)


def _about(pair: PairVerdict, context: ScoringContext, first: int) -> PairVerdict:
    """Return a pair with the version of a place first."""
    return pair if context.places[pair.rows[0]] == first else pair.turned()


# Below this many questions, or this share of those compared, its absence would change little.
LEAST, SHARE = 3, 0.25


@dataclass(frozen=True)
class Narrow:
    """A version, and the questions that are or could be scored for all: with it, and without it."""

    run: RunFact
    common: int
    without: int


def narrow_of(context: ScoringContext) -> Narrow | None:
    """Return the version without which far more questions would be common to the others; None without one."""
    covered = context.covered[:, context.possible]
    if len(covered) < 3 or covered.all():
        return None
    missing = ~covered
    alone = missing[:, missing.sum(axis=0) == 1].sum(axis=1)
    row, common = int(alone.argmax()), int(covered.all(axis=0).sum())
    if alone[row] < max(LEAST, SHARE * common):
        return None
    return Narrow(context.board.runs[row].run, common, common + int(alone[row]))


ENDLESS = frozenset({"CG", "DCG", "IDCG"})
"""Without an end at 1."""
RESIDUAL = "RBP-residual"
"""Better when smaller."""


@dataclass(frozen=True)
class OtherEntry:
    """One entry in the other view: its mean, its gap to the reference, and to the version before it."""

    entry: Entry
    score: MeanInterval
    gap: MeanInterval | None
    since: MeanInterval | None


@dataclass(frozen=True)
class OtherView:
    """The entries in another measure or on some of the questions, best first.

    Attributes
    ----------
    title
        The measure, with what it depends on.
    common
        The questions that all entries are scored on.
    """

    title: str
    common: int
    entries: list[OtherEntry]


def measure_of(text: str) -> Asked:
    """Return the measure that somebody names.

    :raise InvalidError: It is none, or no score from 0 to 100 of which more is better; it says which.
    """
    try:
        asked = parse_measure(text)
    except UnknownMeasureError:
        raise InvalidError(message("There is no measure “%(name)s”", name=text), code="measure") from None
    if asked.measure.name in ENDLESS:
        raise InvalidError(
            message(
                "%(name)s has no highest value, and here scores go up to 100", name=on_screen(asked.label)
            ),
            code="measure",
        )
    if asked.measure.name == RESIDUAL:
        raise InvalidError(
            message("%(name)s is better when smaller", name=on_screen(asked.label)), code="measure"
        )
    return asked


def offered_measures(k: int) -> list[str]:
    """Return the measures that can be shown, with the project's cutoff where they take one."""
    shown = [one for one in MEASURES if one.name not in {*ENDLESS, RESIDUAL}]
    return [f"{one.name}@{k}" if one.takes.startswith("cutoff") else one.name for one in shown] + [
        one.name for one in shown if one.takes == "cutoff or nothing"
    ]


def other_view(
    session: Session, evidence: Evidence, leaderboard: Leaderboard, asked: Asked, queries: Flags | None = None
) -> OtherView:
    """Return the entries of an overview in a measure.

    Parameters
    ----------
    queries
        bool (queries,): the questions to look at; all by default.
    """
    before = versions_before(evidence, [one.place for one in leaderboard.rankers])
    places = list(dict.fromkeys([*(one.place for one in leaderboard.rankers), *before.values()]))
    board = other_board(session, evidence, places, asked, queries)
    values, counted = board.values[asked.label], board.counted
    row = {place: number for number, place in enumerate(places)}
    shown = [row[one.place] for one in leaderboard.rankers]
    common = np.asarray(counted[shown].all(axis=0))
    reference = None if leaderboard.reference is None else row[leaderboard.reference.place]

    def gap(first: int, second: int | None) -> MeanInterval | None:
        if second is None or first == second:
            return None
        both = counted[first] & counted[second]
        return mean_interval(values[first, both] - values[second, both], clip=None)

    entries = [
        OtherEntry(
            entry,
            interval,
            gap(row[entry.place], reference),
            gap(row[entry.place], row[before[entry.place]] if entry.place in before else None),
        )
        for entry, interval in zip(leaderboard.rankers, mean_intervals(values[shown], common), strict=True)
    ]
    entries.sort(key=lambda one: -(one.score.mean or 0.0))
    return OtherView(on_screen(asked.title(evidence.judged().ruler)), int(common.sum()), entries)


def other_board(
    session: Session, evidence: Evidence, places: list[int], asked: Asked, queries: Flags | None = None
) -> Scoreboard:
    """Return the scores of some runs in a measure, on some of the questions or all."""
    board = score_runs(evidence, places, measures=asked.label, session=session)
    counted = board.counted & ~np.isnan(board.values[asked.label])
    if queries is not None:
        counted = counted & queries
    shares = {
        label: means_of(board.values[label], counted)
        for label in (board.runs[0].judged if board.runs else ())
    }
    runs = [
        replace(run, judged={label: found[row] for label, found in shares.items()})
        for row, run in enumerate(board.runs)
    ]
    return replace(board, runs=runs, headline=asked.label, counted=counted)


def tags_of(session: Session, evidence: Evidence) -> list[str]:
    """Return the tags of a project's active questions, in alphabetical order."""
    active = set(evidence.structure.query_id[evidence.active_queries()].tolist())
    return sorted(
        {
            tag
            for number, tags in tags_by_query(session, evidence.project_id)
            for tag in tags
            if number in active
        }
    )


def tagged_queries(session: Session, evidence: Evidence, tag: str) -> Flags:
    """Return which questions carry a tag: bool (queries,)."""
    carrying = [number for number, tags in tags_by_query(session, evidence.project_id) if tag in tags]
    return np.isin(evidence.structure.query_id, carrying)
