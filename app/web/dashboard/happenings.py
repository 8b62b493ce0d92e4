"""Numbered events of the chart over time: what happened in the ledger, and days of heavy rating."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time
from statistics import median
from typing import TYPE_CHECKING

from app.services.history import last_revisions, ratings_per_day
from app.web.charts import Event
from app.web.dashboard.event_words import WORDS, event_text

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.evidence import Evidence
    from app.web.dashboard.timescale import Span, TimeScale

MOST_EVENTS = 12
# A day is told when it brought at least so many ratings, and so many times those of a usual day.
MANY, TIMES_USUAL, LEAST_DAYS, MOST_DAYS = 50, 3, 5, 3


def events_of(session: Session, evidence: Evidence, scale: TimeScale, span: Span) -> tuple[list[Event], int]:
    """Return the newest events of a range, numbered, and how many older ones are left out."""
    told = _told(evidence, scale) + _heavy_days(session, evidence, scale)
    within = sorted((event for event in told if span.holds(event.x)), key=lambda event: event.x)
    shown = within[-MOST_EVENTS:]
    numbered = [replace(event, number=number) for number, event in enumerate(shown, start=1)]
    return numbered, len(within) - len(shown)


def _told(evidence: Evidence, scale: TimeScale) -> list[Event]:
    said = (
        (event, event_text(evidence, event, replayed=event.revision <= scale.last))
        for event in evidence.structure.events
        if event.kind in WORDS
    )
    return [
        Event(0, scale.x(event.revision, event.at), text, scale.when(event.revision, event.at))
        for event, text in said
        if text
    ]


def _heavy_days(session: Session, evidence: Evidence, scale: TimeScale) -> list[Event]:
    """Return the few days that brought far more ratings than usual."""
    if scale.weeks:
        return []  # a replay was loaded in one go: its days say nothing
    days = last_revisions(session, evidence)
    ratings = ratings_per_day(evidence, days)
    if len(ratings) < LEAST_DAYS:
        return []
    least = max(MANY, TIMES_USUAL * median(ratings.values()))
    heavy = sorted((day for day in ratings if ratings[day] >= least), key=ratings.__getitem__)[-MOST_DAYS:]
    noon = {day: datetime.combine(day, time(12), tzinfo=UTC) for day in heavy}
    return [
        Event(0, scale.x(days[day], noon[day]), f"{ratings[day]:,} ratings in one day", f"{day:%-d %b %Y}")
        for day in heavy
    ]
