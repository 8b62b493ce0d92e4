"""The card "Score over time": its chart, the events, what can be chosen, and why a number moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from flask import url_for
from sqlalchemy.orm import Session

from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.scores.history import History, HistoryPoint
from app.services.scores.jumps import score_change_between
from app.services.scores.leaderboard import Leaderboard
from app.services.scores.scoreboard import Scoreboard
from app.web.charts.lines import Event
from app.web.charts.timeline import TimeChart, time_chart
from app.web.dashboard.change_explanations import (
    ChangeExplanation,
    HistoryQuery,
    explain_change,
    explain_first,
    largest_jumps,
)
from app.web.dashboard.event_labels import TimelineEvent, timeline_events
from app.web.dashboard.timeline import series_of
from app.web.dashboard.timescale import VIEWS, Choice


@dataclass(frozen=True)
class Option:
    """Something to choose: what stands in the address, its words, and whether it is chosen."""

    value: str
    label: str
    chosen: bool
    mark: int = 0


@dataclass(frozen=True)
class JumpLink:
    """A point that moved much, and where its explanation is."""

    url: str
    ranker: str
    when: str
    points: str


@dataclass(frozen=True)
class NoteLine:
    """An owner's note in words, and its number on the chart where it is in sight."""

    id: int
    text: str
    when: str
    event: Event | None


@dataclass(frozen=True)
class HistoryCard:
    """Everything the card shows.

    Attributes
    ----------
    tones
        The colour of every ranker, here and in whatever stands beside the chart.
    rankers, bands, versions, steps
        What can be chosen: lines, whose band, whose evidence, and the ends of a range in a replay.
    notes, target
        What owners wrote on the chart, and the score they aim at.
    happened, older
        System events, and how many come before the first one told.
    left_out
        Rankers that are not drawn.
    views
        The address of each view, with the same choices.
    jump
        Why the chosen point moved; `largest` leads to those that moved most.
    today
        The day that a note is about unless another is chosen.
    """

    choice: Choice
    chart: TimeChart
    history: History
    tones: dict[int, int]
    rankers: list[Option]
    bands: list[Option]
    versions: list[Option]
    steps: list[tuple[str, str]]
    notes: list[NoteLine]
    target: int | None
    happened: list[TimelineEvent]
    older: int
    left_out: int
    views: dict[str, str]
    jump: ChangeExplanation | None
    largest: list[JumpLink]
    today: str

    @property
    def version(self) -> str:
        """The version whose evidence grows, in words; empty in the other views."""
        return next((one.label for one in self.versions if one.chosen), "")

    @staticmethod
    def changes(slug: str) -> Callable[[int], str]:
        """Return what gives the address of the page that tells what changed with a version."""
        return lambda run_id: url_for("compare.changes", slug=slug, version=run_id)

    @property
    def common(self) -> int | None:
        """The size of the comparison set, where the view has one."""
        return self.history.common


def history_card(
    session: Session,
    evidence: Evidence,
    standing: Leaderboard,
    choice: Choice,
    page: Callable[..., str],
    *,
    scored: Callable[[list[int]], Scoreboard] | None = None,
) -> HistoryCard:
    """Return the card for what somebody wants to see.

    Parameters
    ----------
    page
        Gives the address of the page it stands on.
    scored
        How versions are scored, where not by the project's own measure on all questions.
    """
    back = HistoryQuery(session, evidence, standing, choice, scored)
    then, growth = choice.view == "then", choice.view == "growth"
    address = (lambda point: _explanation(page, choice, point)) if then else None
    notes = _notes(back)
    happened, older = timeline_events(session, evidence, back.scale, back.span)
    return HistoryCard(
        choice=choice,
        chart=time_chart(
            series_of(back, address), [one.event for one in notes if one.event], goal=back.marked.target
        ),
        history=back.history,
        tones=back.tones,
        rankers=[
            Option(str(number), run.ranker, number in back.drawn, back.tones[number])
            for number, run in back.rankers.items()
        ],
        bands=[
            Option(str(number), back.rankers[number].ranker, number == back.focus) for number in back.drawn
        ],
        versions=[
            Option(str(run.id), _version_name(back, place, run), place == back.version)
            for place, run in (back.versions if growth else [])
        ],
        steps=back.scale.steps,
        notes=notes,
        target=back.marked.target,
        happened=happened,
        older=older,
        left_out=len(back.rankers) - len(back.drawn),
        views={view: _address(page, choice, view=view, point=None) for view in VIEWS},
        jump=_jump(back) if then else None,
        largest=_largest(back, page) if then else [],
        today=f"{back.scale.now:%Y-%m-%d}",
    )


def _notes(back: HistoryQuery) -> list[NoteLine]:
    """Return all notes in order of time; those within the range are numbered on the chart."""
    placed = sorted(
        ((back.scale.x(note.revision, note.at), note) for note in back.marked.notes), key=lambda one: one[0]
    )
    numbers = count(1)
    lines = []
    for x, note in placed:
        when = back.scale.when(note.revision, note.at)
        event = Event(next(numbers), x, note.text, when) if back.span.holds(x) else None
        lines.append(NoteLine(note.id, note.text, when, event))
    return lines


def _version_name(back: HistoryQuery, place: int, run: RunFact) -> str:
    """Return the name of a version, and whether it is not its ranker's present one."""
    name = f"{run.ranker} {run.version}"
    if place in back.evidence.current_runs():
        return name
    return f"{name} ({'older version' if place in back.evidence.active_runs() else 'withdrawn'})"


def _address(page: Callable[..., str], choice: Choice, *, anchor: str = "time", **changes: Any) -> str:
    return page(**choice.address(**changes), _anchor=anchor)


def _explanation(page: Callable[..., str], choice: Choice, point: HistoryPoint) -> str:
    return _address(page, choice, anchor="jump", point=(point.run.ranker_id, point.moment.revision))


def _jump(back: HistoryQuery) -> ChangeExplanation | None:
    """Return why the chosen point differs from the one before it; None without such a point."""
    ranker, revision = back.choice.point or (0, 0)
    points = [point for point in back.history.points.get(ranker, []) if point.score is not None]
    place = next((n for n, point in enumerate(points) if point.moment.revision == revision), None)
    if place is None:
        return None
    jump = score_change_between(back.evidence, points[place - 1], points[place]) if place else None
    return explain_first(points[place], back.scale) if jump is None else explain_change(jump, back.scale)


def _largest(back: HistoryQuery, page: Callable[..., str]) -> list[JumpLink]:
    return [
        JumpLink(
            _explanation(page, back.choice, point), point.run.ranker, back.scale.label(point.moment), moved
        )
        for point, moved in largest_jumps(back.history)
    ]
