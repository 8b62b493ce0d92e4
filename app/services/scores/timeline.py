"""The points and events of the chart: today's versions, days, and what happened."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import numpy as np
from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.models.event import EventKind
from app.models.judgment import Judgment
from app.scoring.arrays import Ints
from app.services.evidence.state import Evidence
from app.services.evidence.structure import EventFact, RunFact
from app.services.prepared import Prepared
from app.services.scores.chart_notes import marked_of
from app.services.scores.history import History, HistoryPoint, Moment, told_apart
from app.services.scores.scoreboard import Scoreboard, score_runs


def history_with_current_ratings(
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
        them a version's point is at its registration.
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
    """Return which version stands at which moment: the newest one then of those not withdrawn since."""
    facts = evidence.structure.runs
    if not moments:
        return [
            (Moment(facts[place].revision, facts[place].registered_at.astimezone(UTC)), place)
            for place in runs
        ]
    found: list[tuple[Moment, int]] = []
    for moment in moments:
        then = set(evidence.active_runs(moment.revision))
        newest = {facts[place].ranker_id: place for place in runs if place in then}
        found += [(moment, place) for place in newest.values()]
    return found


DaysAt = Callable[[list[int]], list[date]]

ASKED_AT_ONCE = 500
RECEIVED = select(Judgment.revision, Judgment.received_at).where(Judgment.project_id == bindparam("project"))
MANY = RECEIVED.where(Judgment.revision.in_(bindparam("revisions", expanding=True)))
# The newest two are asked for at every rating.
_two = Prepared(lambda: RECEIVED.where(Judgment.revision.in_([bindparam("first"), bindparam("last")])))


def last_revisions(session: Session, evidence: Evidence) -> dict[date, int]:
    """Return the last revision of every UTC day on which ratings arrived, in order.

    Ratings arrive in the order of their revisions; a clock that is set back only moves the border of a day.
    """
    memory, revisions = evidence.memory, evidence.ledger.revision
    # The last known day may go on: it is looked at again from its last rating.
    fresh = revisions[np.searchsorted(revisions, memory.days_until) :]
    if len(fresh) and int(fresh[-1]) > memory.days_until:
        found = _borders(fresh, lambda places: _days_at(session, evidence.project_id, fresh[places]))
        memory.days = {**memory.days, **found}
        memory.days_until = int(fresh[-1])
    return _until(memory.days, int(revisions[-1:].max(initial=0)))


def ratings_per_day(evidence: Evidence, days: dict[date, int]) -> dict[date, int]:
    """Return how many ratings arrived on each of the days."""
    upto = np.searchsorted(evidence.ledger.revision, list(days.values()), side="right")
    return dict(zip(days, np.diff(upto, prepend=0).tolist(), strict=True))


def _until(days: dict[date, int], newest: int) -> dict[date, int]:
    """Return the days up to a rating: somebody else may know more of them already."""
    found: dict[date, int] = {}
    before = 0
    for day, revision in days.items():
        if before >= newest:
            break
        found[day], before = min(revision, newest), revision
    return found


def _borders(revisions: Ints, days_at: DaysAt) -> dict[date, int]:
    """Return the last of some ascending revisions on each day, halving every stretch that two days share."""
    ends = sorted({0, len(revisions) - 1})
    known = dict(zip(ends, days_at(ends), strict=True))
    borders, stretches = [ends[-1]], [(ends[0], ends[-1])]
    while stretches := [pair for pair in stretches if known[pair[0]] != known[pair[1]]]:
        borders += [low for low, high in stretches if high - low == 1]
        stretches = [(low, high) for low, high in stretches if high - low > 1]
        middles = [(low + high) // 2 for low, high in stretches]
        known.update(zip(middles, days_at(middles), strict=True))
        stretches = [
            half
            for (low, high), middle in zip(stretches, middles, strict=True)
            for half in ((low, middle), (middle, high))
        ]
    return {known[place]: int(revisions[place]) for place in sorted(borders)}


def _days_at(session: Session, project_id: int, revisions: Ints) -> list[date]:
    """Return the UTC day of some ratings."""
    wanted = revisions.tolist()
    rows: list[Any] = []
    if 0 < len(wanted) <= 2:
        rows = _two.rows(session, {"project": project_id, "first": wanted[0], "last": wanted[-1]})
    else:
        for start in range(0, len(wanted), ASKED_AT_ONCE):
            asked = {"project": project_id, "revisions": wanted[start : start + ASKED_AT_ONCE]}
            rows += session.execute(MANY, asked)
    found = {revision: at.astimezone(UTC).date() for revision, at in rows}
    return [found[revision] for revision in wanted]


MOST_POINTS = 200
# They move no number: they say what is compared, what it is called, or what is rated next.
STILL_EVENTS = {
    EventKind.PRODUCTION_SET,
    EventKind.REQUESTED,
    EventKind.REQUEST_WITHDRAWN,
    EventKind.QUERIES_ASSIGNED,
    EventKind.GUIDELINES_CHANGED,
    EventKind.STATE_CHANGED,
    EventKind.RANKER_RENAMED,
    EventKind.VERSION_RENAMED,
}
RUN_MOMENTS = {EventKind.RUN_PUBLISHED, EventKind.RUN_WITHDRAWN, EventKind.RUN_RESTORED}
MOMENTS = RUN_MOMENTS | {EventKind.RULER_SET}
# What they replace was shown until then, and no later moment would tell it.
ENDINGS = {EventKind.RULER_SET, EventKind.JUDGMENTS_UNDONE}
JUST_BEFORE = timedelta(microseconds=1)
TOGETHER = timedelta(minutes=1)
"""Versions imported within so much time of the first of them are one moment."""


def moments_of(
    session: Session, evidence: Evidence, within: Callable[[Moment], bool] | None = None
) -> list[Moment]:
    """Return one moment per UTC day with ledger rows, and one per run or ruler event, at most 200.

    Versions imported together, without a rating between them, are one moment. A new ruler, an import that
    is undone, and versions that change after ratings came in have one just before them as well: what was
    shown until then. What ends a day with such an event stands at the time of the event.
    Labelled revisions (the weeks of a replay) stand for everything before the last of them.

    Parameters
    ----------
    within
        Tells which moments are wanted; a shorter range shows more of them.
    """
    weeks = marked_of(session, evidence.project_id, evidence.revision).weeks
    after = max(weeks[-1].revision if weeks else 0, _scaled(evidence))
    found: dict[int, Moment] = {}
    turns = [Moment(event.revision, event.at) for event in _turns(evidence)]
    for moment in (*turns, *_days(session, evidence), *_endings(evidence)):
        if moment.revision > after:
            found.setdefault(moment.revision, moment)
    later = [found[revision] for revision in sorted(found) if revision <= evidence.revision]
    wanted = [moment for moment in weeks + later if within is None or within(moment)]
    labelled = [moment for moment in wanted if moment.label]
    kept = thinned(wanted[len(labelled) :], MOST_POINTS - len(labelled))
    return labelled + told_apart(kept)


def moved_revision(evidence: Evidence) -> int:
    """Return the newest revision that could move a number."""
    events = [event.revision for event in evidence.structure.events if event.kind not in STILL_EVENTS]
    return max(events[-1] if events else 0, int(evidence.ledger.revision[-1:].max(initial=0)))


def thinned(moments: list[Moment], most: int) -> list[Moment]:
    """Return at most `most` of the moments, evenly chosen, always the last one."""
    if len(moments) <= most:
        return moments
    step = len(moments) / most
    return [moments[min(int((number + 1) * step) - 1, len(moments) - 1)] for number in range(most)]


def _scaled(evidence: Evidence) -> int:
    """Return the last change of the stars: nothing was rated before, and grades of then have no place now."""
    events = evidence.structure.events
    return max((event.revision for event in events if event.kind == EventKind.SCALE_CHANGED), default=0)


def _endings(evidence: Evidence) -> Iterator[Moment]:
    """Yield what was shown until a change of the ruler, the undoing of an import, or other versions."""
    begun, before = False, 0
    for event in evidence.structure.events:
        if event.kind in RUN_MOMENTS and _rated_between(evidence, before, event.revision):
            yield Moment(event.revision - 1, event.at - JUST_BEFORE, before=True)
        before = event.revision
        if event.kind in ENDINGS and begun:
            # The rows that clear an import come just before the event that tells of it.
            rows = event.payload["count"] if event.kind == EventKind.JUDGMENTS_UNDONE else 0
            yield Moment(event.revision - rows - 1, event.at - JUST_BEFORE, before=True)
        begun = begun or event.kind == EventKind.RULER_SET


def _turns(evidence: Evidence) -> list[EventFact]:
    """Return the run and ruler events; of versions imported together only the last."""
    kept: list[EventFact] = []
    begun: datetime | None = None
    for event in (one for one in evidence.structure.turning if one.kind in MOMENTS):
        before = kept[-1] if kept else None
        if before is None or begun is None or not _together(evidence, before, event, begun):
            begun = event.at
        else:
            kept.pop()
        kept.append(event)
    return kept


def _together(evidence: Evidence, before: EventFact, event: EventFact, begun: datetime) -> bool:
    """Return whether two events brought versions in one go: soon after its first, nothing rated between."""
    if {before.kind, event.kind} != {EventKind.RUN_PUBLISHED} or event.at - begun > TOGETHER:
        return False
    return not _rated_between(evidence, before.revision, event.revision)


def _rated_between(evidence: Evidence, before: int, after: int) -> bool:
    """Return whether ratings arrived between two revisions."""
    rated = evidence.ledger.revision
    return bool(np.searchsorted(rated, before) < np.searchsorted(rated, after))


def _days(session: Session, evidence: Evidence) -> list[Moment]:
    """Return the last revision of every UTC day, judgments and events together."""
    last: dict[date, int] = dict(last_revisions(session, evidence))
    for event in evidence.structure.events:
        if event.kind in STILL_EVENTS:
            continue
        day = event.at.astimezone(UTC).date()
        last[day] = max(last.get(day, 0), event.revision)
    now = datetime.now(UTC)
    return [
        Moment(revision, now, is_now=True)
        if day >= now.date()
        else Moment(revision, datetime.combine(day, time.max, tzinfo=UTC))
        for day, revision in last.items()
    ]
