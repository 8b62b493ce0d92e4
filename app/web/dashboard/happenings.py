"""What happened while the scores changed: events of the ledger, and days of heavy rating."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING

from app.models import EventKind
from app.services.history import last_revisions, ratings_per_day
from app.services.wording import counted
from app.web.dashboard.event_words import WORDS, event_text, grown_by

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.evidence import Evidence
    from app.services.evidence.structure import EventFact
    from app.web.dashboard.timescale import Span, TimeScale

MOST_EVENTS = 40
MOST_RUNS = 3
"""Runs in a row, on one day, that are told one by one."""
# A day is told when it brought at least so many ratings, and so many times those of a usual day.
MANY, TIMES_USUAL, LEAST_DAYS, MOST_DAYS = 50, 3, 5, 3


@dataclass(frozen=True)
class Happening:
    """Something that happened: its place on the axis, its words, and when."""

    x: float
    text: str
    when: str


def events_of(
    session: Session, evidence: Evidence, scale: TimeScale, span: Span
) -> tuple[list[Happening], int]:
    """Return the newest events of a range, and how many older ones are left out."""
    told = _told(evidence, scale) + _heavy_days(session, evidence, scale)
    within = sorted((event for event in told if span.holds(event.x)), key=lambda event: event.x)
    shown = within[-MOST_EVENTS:]
    return shown, len(within) - len(shown)


def _told(evidence: Evidence, scale: TimeScale) -> list[Happening]:
    said = (
        (event, event_text(evidence, event, replayed=event.revision <= scale.last))
        for event in evidence.structure.events
        if event.kind in WORDS
    )
    told = [(event, text) for event, text in said if text]
    return _with_growth(evidence, scale, _together(evidence, scale, told))


def _with_growth(evidence: Evidence, scale: TimeScale, told: list[tuple[EventFact, str]]) -> list[Happening]:
    """Return the events on the axis, with how far the pool grew in each replayed week.

    It stands with the last version told of its week, or by itself where none is.
    """
    grown: Counter[tuple[float, str]] = Counter()
    for event in evidence.structure.events:
        if event.kind == EventKind.RUN_PUBLISHED and event.revision <= scale.last:
            grown[_place(scale, event)] += grown_by(evidence, event)
    found = []
    for event, text in reversed(told):
        place, growth = _place(scale, event), ""
        if event.kind == EventKind.RUN_PUBLISHED and grown[place]:
            growth = f"; the pool grew by {counted(grown.pop(place), 'answer')} in that week"
        found.append(Happening(place[0], f"{text}{growth}", place[1]))
    return found[::-1] + [
        Happening(x, f"The pool grew by {counted(new, 'answer')}", when)
        for (x, when), new in grown.items()
        if new
    ]


def _place(scale: TimeScale, event: EventFact) -> tuple[float, str]:
    return scale.x(event.revision, event.at), _when(scale, event)


def _together(
    evidence: Evidence, scale: TimeScale, told: list[tuple[EventFact, str]]
) -> list[tuple[EventFact, str]]:
    """Return the events with many runs in a row, on one day, told as one where the first of them stands.

    Anything else that is told between two runs parts them.
    """
    found: list[tuple[EventFact, str]] = []
    kinds = groupby(told, key=lambda one: (_is_version(evidence, one[0]), _when(scale, one[0])))
    for (kind, _), rows in kinds:
        group = list(rows)
        if kind and len(group) > MOST_RUNS:
            replayed = group[0][0].revision <= scale.last
            group = [(group[0][0], _runs_text(evidence, [event for event, _ in group], grows=not replayed))]
        found += group
    return found


def _is_version(evidence: Evidence, event: EventFact) -> bool:
    """Tell whether an event brought a ranker's version; answers that people knew of are none."""
    run = evidence.structure.run_of.get(event.payload.get("run_id", 0))
    return event.kind == EventKind.RUN_PUBLISHED and run is not None and run.kind == "system"


def _when(scale: TimeScale, event: EventFact) -> str:
    return scale.when(event.revision, event.at)


def _runs_text(evidence: Evidence, events: list[EventFact], *, grows: bool) -> str:
    found = [evidence.structure.run_of[event.payload["run_id"]] for event in events]
    named = ", ".join(f"{run.ranker} {run.version}" for run in found[:2])
    grown = sum(event.payload.get("new_candidates", 0) for event in events)
    growth = f"; the pool grew by {counted(grown, 'answer')}" if grown and grows else ""
    return f"{len(found)} new versions: {named} and {len(found) - 2} more{growth}"


def _imported_per_day(evidence: Evidence) -> Counter[date]:
    found: Counter[date] = Counter()
    for event in evidence.structure.events:
        if event.kind == EventKind.JUDGMENTS_IMPORTED:
            found[event.at.date()] += event.payload["count"]
    return found


def _heavy_days(session: Session, evidence: Evidence, scale: TimeScale) -> list[Happening]:
    """Return the few days that brought far more ratings than usual."""
    if scale.weeks:
        return []  # a replay was loaded in one go: its days say nothing
    days = last_revisions(session, evidence)
    ratings = ratings_per_day(evidence, days)
    if len(ratings) < LEAST_DAYS:
        return []
    least = max(MANY, TIMES_USUAL * median(ratings.values()))
    # Ratings that came by file are told by their import.
    by_file = _imported_per_day(evidence)
    heavy = sorted((day for day in ratings if ratings[day] - by_file[day] >= least), key=ratings.__getitem__)[
        -MOST_DAYS:
    ]
    noon = {day: datetime.combine(day, time(12), tzinfo=UTC) for day in heavy}
    return [
        Happening(scale.x(days[day], noon[day]), f"{ratings[day]:,} ratings in one day", f"{day:%-d %b %Y}")
        for day in heavy
    ]
