"""The card "Score over time": its chart, the events, what can be chosen, and why a number moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from flask import url_for
from sqlalchemy.orm import Session

from app.http.languages import gettext as _
from app.http.languages import later, ngettext
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.scores.history import History, HistoryPoint
from app.services.scores.jumps import score_change_between
from app.services.scores.leaderboard import Leaderboard, versions_before
from app.services.scores.scoreboard import Scoreboard
from app.web.charts.lines import ChartNote
from app.web.charts.timeline import TimeChart, time_chart
from app.web.dashboard.change_explanations import (
    ChangeExplanation,
    HistoryQuery,
    explain_change,
    explain_first,
    largest_jumps,
    signed,
)
from app.web.dashboard.event_labels import TimelineEvent, timeline_events
from app.web.dashboard.timeline import series_of
from app.web.dashboard.timescale import VIEWS, HistoryChoice

MEANINGS = {
    "today": later("Scored with today’s ratings."),
    "then": later("Each score as it was at that time. A rise can also come from new ratings."),
    "growth": later("How the score of one version moved as ratings came in."),
}
"""What each view shows."""


@dataclass(frozen=True)
class NoteLine:
    """An owner's note in words, and its number on the chart where it is in sight."""

    id: int
    text: str
    when: str
    event: ChartNote | None


@dataclass(frozen=True)
class VersionLink:
    """The page that a point leads to, and what it does, with places for its ranker and its version."""

    url: str
    words: str


@dataclass(frozen=True)
class LargestJump:
    """A point that moved much: the address of why, whose it is, when, and its points."""

    url: str
    ranker: str
    when: str
    points: str


@dataclass(frozen=True)
class HistoryCard:
    """Everything the card shows.

    Attributes
    ----------
    query
        What is asked of the history, with what can be chosen: lines, whose band, the ends of a range.
    tones
        The colour of every ranker, here and beside the chart.
    versions
        Whose evidence can be shown as it grew: number, name, and whether it is chosen.
    notes
        What owners wrote on the chart.
    happened, older
        System events, and how many come before the first one told.
    views
        The address of each view, with the same choices.
    jump
        Why the chosen point moved; `largest` leads to those that moved most.
    is_provisional
        Whether the score of some ranker is: its band says nothing of what is unrated.
    """

    query: HistoryQuery
    choice: HistoryChoice
    chart: TimeChart
    history: History
    tones: dict[int, int]
    versions: list[tuple[int, str, bool]]
    notes: list[NoteLine]
    happened: list[TimelineEvent]
    older: int
    views: dict[str, str]
    jump: ChangeExplanation | None
    largest: list[LargestJump]
    is_provisional: bool

    @property
    def meaning(self) -> str:
        """What the view shows."""
        return str(MEANINGS[self.choice.view])

    def common_line(self, leaderboard: Leaderboard) -> str:
        """Return on how many questions the chart's numbers are, where some beside it are on others."""
        common = self.history.common
        scored = {leaderboard.common, *(one.gap.n for one in leaderboard.rankers if one.gap is not None)}
        if common is None or scored == {common}:
            return ""
        return ngettext(
            "On the %(num)s question that all versions here share",
            "On the %(num)s questions that all versions here share",
            common,
        )

    def caption(self, *, counts_unrated: bool = True) -> str:
        """Return what the view and the signs in it mean.

        Parameters
        ----------
        counts_unrated
            Whether unrated answers count as 0 in its scores.
        """
        told = [self.meaning, self._band(counts_unrated=counts_unrated)]
        if any(line.rings for line in self.chart.wide.lines):
            told.append(_("Ring: a version went into production."))
        if self.chart.starts_at:
            told.append(_("Scale from %(number)s.", number=self.chart.starts_at))
        return " ".join(filter(None, told))

    def _band(self, *, counts_unrated: bool) -> str:
        banded = ", ".join(dict.fromkeys(line.name for line in self.chart.wide.lines if line.bands))
        if not banded:
            return ""
        if self.choice.view == "growth":
            return _(
                "Band: how far missing ratings could move the score, on the questions scored at that time. "
                "Other questions, new answers and second ratings can move it further."
            )
        if self.is_provisional and counts_unrated:
            return _(
                "Band: %(ranker)s’s likely score on new questions, if unrated answers count as 0.",
                ranker=banded,
            )
        return _("Band: %(ranker)s’s likely score on new questions.", ranker=banded)

    def changes(self, slug: str) -> Callable[[int], VersionLink]:
        """Return what gives the page that a point leads to: what changed, for a first version Compare."""
        evidence = self.query.evidence
        runs = evidence.structure.runs
        active = evidence.active_runs()
        there = {runs[place].id for place in active}
        later = {runs[place].id for place in versions_before(evidence, active)}
        # Once, not for each of hundreds of points.
        changes, compare, rankers = (
            url_for(name, slug=slug) for name in ("compare.changes", "compare.index", "rankers.index")
        )

        compares = _("%(ranker)s: compare %(version)s")
        explains = _("%(ranker)s: what changed with %(version)s")
        gone = _("%(ranker)s: withdrawn, %(version)s")

        def link(run_id: int) -> VersionLink:
            if run_id in later:
                return VersionLink(f"{changes}?version={run_id}", explains)
            if run_id in there:
                return VersionLink(f"{compare}?first={run_id}", compares)
            return VersionLink(rankers, gone)

        return link


def history_card(
    session: Session,
    evidence: Evidence,
    leaderboard: Leaderboard,
    choice: HistoryChoice,
    page: Callable[..., str],
    *,
    scored: Callable[[list[int]], Scoreboard] | None = None,
) -> HistoryCard:
    """Return the card for what somebody wants to see.

    Parameters
    ----------
    page
        Gives the address of the page it is on.
    scored
        How versions are scored, where not by the project's own measure on all questions.
    """
    query = HistoryQuery(session, evidence, leaderboard, choice, scored)
    then, growth = choice.view == "then", choice.view == "growth"
    address = (lambda point: _explanation(page, choice, point)) if then else None
    notes = _notes(query)
    happened, older = timeline_events(session, evidence, query.scale, query.span)
    return HistoryCard(
        query=query,
        choice=choice,
        chart=time_chart(
            series_of(query, address), [one.event for one in notes if one.event], goal=query.marked.target
        ),
        history=query.history,
        tones=query.tones,
        versions=[
            (run.id, _version_name(query, place, run), place == query.version)
            for place, run in (query.versions if growth else [])
        ],
        notes=notes,
        happened=happened,
        older=older,
        views={view: _address(page, choice, view=view, point=None) for view in VIEWS},
        jump=_jump(query) if then else None,
        largest=_largest(query, page) if then else [],
        is_provisional=leaderboard.provisional,
    )


def _notes(query: HistoryQuery) -> list[NoteLine]:
    """Return all notes in order of time; those within the range are numbered on the chart."""
    placed = sorted(
        ((query.scale.x(note.revision, note.at), note) for note in query.marked.notes), key=lambda one: one[0]
    )
    numbers = count(1)
    lines = []
    for x, note in placed:
        when = query.scale.when(note.revision, note.at)
        event = ChartNote(next(numbers), x, note.text, when) if query.span.holds(x) else None
        lines.append(NoteLine(note.id, note.text, when, event))
    return lines


def _version_name(query: HistoryQuery, place: int, run: RunFact) -> str:
    """Return the name of a version, and whether it is not its ranker's present one."""
    name = f"{run.ranker} {run.version}"
    if place in query.evidence.current_runs():
        return name
    if place in query.evidence.active_runs():
        return _("%(name)s (older version)", name=name)
    return _("%(name)s (withdrawn)", name=name)


def _address(page: Callable[..., str], choice: HistoryChoice, *, anchor: str = "time", **changes: Any) -> str:
    return page(**choice.address(**changes), _anchor=anchor)


def _explanation(page: Callable[..., str], choice: HistoryChoice, point: HistoryPoint) -> str:
    return _address(page, choice, anchor="jump", point=(point.run.ranker_id, point.moment.revision))


def _jump(query: HistoryQuery) -> ChangeExplanation | None:
    """Return why the chosen point differs from the one before it; None without such a point."""
    ranker, revision = query.choice.point or (0, 0)
    points = [point for point in query.history.points.get(ranker, []) if point.score is not None]
    place = next((n for n, point in enumerate(points) if point.moment.revision == revision), None)
    if place is None:
        return None
    jump = score_change_between(query.evidence, points[place - 1], points[place]) if place else None
    return explain_first(points[place], query.scale) if jump is None else explain_change(jump, query.scale)


def _largest(query: HistoryQuery, page: Callable[..., str]) -> list[LargestJump]:
    return [
        LargestJump(
            _explanation(page, query.choice, after),
            after.run.ranker,
            query.scale.label(after.moment),
            signed(moved),
        )
        for _before, after, moved in largest_jumps(query.history)
    ]
