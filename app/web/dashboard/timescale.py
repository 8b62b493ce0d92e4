"""The time axis of the overview's chart, and what was chosen to be shown on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from functools import cached_property
from typing import Any

from werkzeug.datastructures import MultiDict

from app.http.languages import gettext as _
from app.http.languages import translated
from app.services.evidence.structure import RunFact
from app.services.scores.history import PRECISIONS, Moment, told_apart
from app.web.arguments import whole_number
from app.web.dates import moment_in_words

VIEWS = ("today", "then", "growth")
LONGEST = 40


@dataclass(frozen=True)
class HistoryChoice:
    """A view of the history.

    Attributes
    ----------
    view
        One of `VIEWS`.
    rankers
        Their numbers; the usual ones if empty.
    band
        The ranker whose band is drawn; the best one if None.
    version
        The run whose evidence grows; the newest of the best ranker if None.
    first, last
        The ends of the range as they stand in the address; empty for no end.
    point
        Ranker and revision of the point to explain.
    """

    view: str = VIEWS[0]
    rankers: tuple[int, ...] = ()
    band: int | None = None
    version: int | None = None
    first: str = ""
    last: str = ""
    point: tuple[int, int] | None = None

    @property
    def is_usual(self) -> bool:
        """Whether neither rankers nor a range are chosen."""
        return not (self.rankers or self.first or self.last or self.band)

    def address(self, **changes: Any) -> dict[str, Any]:
        """Return the query of the address of this view, or of this view with changes."""
        to = replace(self, **changes)
        named = {
            "view": to.view if to.view != VIEWS[0] else None,
            "ranker": list(to.rankers) or None,
            "band": to.band,
            "version": to.version if to.view == "growth" else None,
            "from": to.first or None,
            "until": to.last or None,
            "point": "{}-{}".format(*to.point) if to.point and to.view == "then" else None,
        }
        return {name: value for name, value in named.items() if value is not None}


def history_choice(query: MultiDict[str, str]) -> HistoryChoice:
    """Return what an address asks for; what it says wrongly is as if it were not said."""
    view = query.get("view", "")
    return HistoryChoice(
        view=view if view in VIEWS else VIEWS[0],
        rankers=tuple(dict.fromkeys(filter(None, map(whole_number, query.getlist("ranker"))))),
        band=whole_number(query.get("band", "")),
        version=whole_number(query.get("version", "")),
        first=query.get("from", "").strip()[:LONGEST],
        last=query.get("until", "").strip()[:LONGEST],
        point=_point(query.get("point", "")),
    )


def _point(text: str) -> tuple[int, int] | None:
    ranker, _, revision = text.partition("-")
    numbers = whole_number(ranker), whole_number(revision)
    return None if None in numbers else numbers  # type: ignore[return-value]


DAY = 86_400.0
MINUTE = 60 / DAY
TINY = 1e-9


def week_in_words(label: str) -> str:
    """Return the label of a week of a replay; the demo's are numbered."""
    word, _sep, number = label.partition(" ")
    return _("Week %(number)s", number=number) if word == "Week" and number.isdecimal() else translated(label)


@dataclass(frozen=True)
class Span:
    """A part of the axis, both ends included; endless by default."""

    low: float = -math.inf
    high: float = math.inf

    def holds(self, x: float) -> bool:
        """Return whether a place lies within."""
        return self.low <= x <= self.high


class TimeScale:
    """Weeks of a replay one step apart, all later revisions within one step; without a replay by the clock.

    Parameters
    ----------
    weeks
        The labelled moments of a replay, oldest first; none without one.
    newest
        The newest revision: it is at the end of the last step.
    runs
        Versions whose points stand at their registration; imported within one minute, they share a place.
    """

    def __init__(self, weeks: list[Moment], newest: int = 0, runs: Iterable[RunFact] = ()) -> None:
        self.weeks = {week.revision: number for number, week in enumerate(weeks, start=1)}
        self.last = weeks[-1].revision if weeks else 0
        self.newest = newest
        self.now = datetime.now(UTC)
        self._shared = {} if weeks else _shared_places(runs)
        self._registered = _registered(runs, self._shared)
        self._labels = {week.label or "": week_in_words(week.label or "") for week in weeks}

    @cached_property
    def steps(self) -> list[tuple[str, str]]:
        """The weeks of a replay, to choose from: each one's value in the address, and its words."""
        return [(str(number), label) for number, label in enumerate(self._labels.values(), start=1)]

    def x(self, revision: int, at: datetime) -> float:
        """Return the place of a moment."""
        if not self.weeks:
            return at.timestamp() / DAY
        if revision > self.last:
            past = revision - self.last
            return len(self.weeks) + past / max(self.newest - self.last, past)
        return next(number for until, number in self.weeks.items() if revision <= until) * 1.0

    def place_of(self, moment: Moment) -> float:
        """Return the place of a moment of a history."""
        shared = self._shared.get(moment.revision)
        return self.x(moment.revision, moment.at) if shared is None else shared

    def label(self, moment: Moment) -> str:
        """Return the words below the axis."""
        if moment.label:
            return self._labels.get(moment.label) or week_in_words(moment.label)
        if moment.is_now:
            return _("Now")
        moment = self._registered.get(moment.revision, moment)
        if moment.before:
            precision = max(moment.precision, PRECISIONS[1], key=PRECISIONS.index)
            words = moment_in_words(moment.at, precision)
            return _("%(moment)s, before a new version or setting", moment=words)
        if moment.precision != PRECISIONS[0] and moment.at.time() == time.max:
            return _("%(day)s, end of the day", day=moment_in_words(moment.at, "date"))
        return moment_in_words(moment.at, moment.precision)

    def border(self, x: float) -> str:
        """Return the words for an end of a range."""
        if self.weeks:
            return self.steps[math.ceil(x) - 1][1]
        if x >= self.now.timestamp() / DAY:
            return _("Now")
        return moment_in_words(datetime.fromtimestamp(x * DAY, tz=UTC), "date")

    def when(self, revision: int, at: datetime) -> str:
        """Return when an event happened, in words."""
        if revision > self.last:
            return moment_in_words(at, "date")
        return self.steps[math.ceil(self.x(revision, at)) - 1][1]

    def span(self, first: str, last: str) -> Span:
        """Return the range between two ends; an end that says nothing sensible is no end."""
        low, high = self._end(first), self._end(last)
        # A step begins after the one before it; a day ends before the next.
        begins, ends = (TINY - 1, 0.0) if self.weeks else (0.0, 1 - TINY)
        return Span(-math.inf if low is None else low + begins, math.inf if high is None else high + ends)

    def _end(self, text: str) -> float | None:
        if self.weeks:
            return float(text) if text in dict(self.steps) else None
        try:
            day = date.fromisoformat(text)
            return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() / DAY
        except (ValueError, OverflowError, OSError):
            return None


def _registered(runs: Iterable[RunFact], places: Mapping[int, float]) -> Mapping[int, Moment]:
    """Return when a version was imported, by its revision: of those at one place the last."""
    last: dict[float, Moment] = {}
    for run in sorted(runs, key=lambda one: one.revision):
        if run.revision in places:
            last[places[run.revision]] = Moment(run.revision, run.registered_at.astimezone(UTC))
    told = dict(zip(last, told_apart(list(last.values())), strict=True))
    return {revision: told[place] for revision, place in places.items()}


def _shared_places(runs: Iterable[RunFact]) -> Mapping[int, float]:
    """Return the place of each version by its revision: that of the last imported within the same minute.

    Nothing is shown before it was imported, so a second version of one ranker begins another place.
    """
    places: dict[int, float] = {}
    begun = before = here = -math.inf
    together: dict[int, int] = {}
    for run in sorted(runs, key=lambda one: one.revision):
        at = run.registered_at.timestamp()
        if at - begun > MINUTE * DAY or run.ranker_id in together:
            begun, before, together = at, here, {}
        together[run.ranker_id] = run.revision
        here = max(at, before + 1)
        places |= dict.fromkeys(together.values(), here / DAY)
    return places
