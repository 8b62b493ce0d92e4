"""Every version held to today's ratings: the only view that compares versions fairly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.services.evaluation import score_runs
from app.services.history.points import History, HistoryPoint, Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact


def todays_ratings(
    evidence: Evidence,
    moments: list[Moment] | None = None,
    rankers: Container[int] | None = None,
    board: Scoreboard | None = None,
    scored: Callable[[list[int]], Scoreboard] | None = None,
) -> History:
    """Return every active version scored with today's ratings, on the queries that all of them cover.

    A rise is the ranker's, never the annotators'.

    Parameters
    ----------
    moments
        For a replay: one point per labelled moment, showing the newest version of that moment. Without
        them a version's point stands at its registration.
    rankers
        Numbers of the rankers wanted, all by default; the comparison set is theirs.
    board
        Scores of this evidence, where the caller has some: used if they are of the very versions wanted.
    scored
        How versions are scored: by the project's own measure on all questions, unless told otherwise.
    """
    facts = evidence.structure.runs
    runs = [
        place
        for place in evidence.active_runs()
        if facts[place].kind == "system" and (rankers is None or facts[place].ranker_id in rankers)
    ]
    if scored is not None:
        board = scored(runs)
    elif board is None or {one.place for one in board.runs} != set(runs):
        board = score_runs(evidence, runs)
    intervals, judged = board.common_intervals, board.common_coverage
    fingerprint = board.ruler.fingerprint
    row_of = {one.place: row for row, one in enumerate(board.runs)}
    points: dict[int, list[HistoryPoint]] = {}
    for moment, place in _stands(evidence, runs, moments):
        row = row_of[place]
        one = intervals[row]
        point = HistoryPoint(
            moment, facts[place], one.mean, one.low, one.high, one.n, judged[row], fingerprint
        )
        points.setdefault(facts[place].ranker_id, []).append(point)
    return History("today", points, int(np.count_nonzero(board.common)), _apart(board))


def _apart(board: Scoreboard) -> tuple[RunFact, int] | None:
    """Return the version that keeps the comparison set empty; None where it is not, or nothing is scored."""
    covered = board.counted.sum(axis=1)
    if not covered.any() or board.common.any():
        return None
    row = int(covered.argmin())
    return board.runs[row].run, int(covered[row])


def _stands(evidence: Evidence, runs: list[int], moments: list[Moment] | None) -> list[tuple[Moment, int]]:
    """Return which version stands at which moment."""
    facts = evidence.structure.runs
    if not moments:
        return [(Moment(facts[place].revision, facts[place].registered_at), place) for place in runs]
    active = set(runs)
    return [
        (moment, place)
        for moment in moments
        for place in evidence.current_runs(moment.revision)
        if place in active
    ]
