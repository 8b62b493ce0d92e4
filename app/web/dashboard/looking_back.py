"""What an address asks of the history, as far as the project has it: lines, range, version, points."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from app.services.history import (
    History,
    HistoryPoint,
    Moment,
    as_it_looked_then,
    evidence_growth,
    marked_of,
    moments_of,
    moved_revision,
    todays_ratings,
)
from app.web.dashboard.timescale import SINCE, Span, TimeScale
from app.web.tones import tones_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact
    from app.services.overview import Leaderboard
    from app.web.dashboard.choice import Choice

MOST_LINES, USUAL_LINES = 30, 10


class LookingBack:
    """One look back at a project.

    Attributes
    ----------
    rankers
        The newest run of every ranker that ever was: best first, those without a place today last.
    tones
        The colour of each: those chosen have one before better ones.
    drawn
        The numbers of the rankers to draw.
    focus
        The one whose band is drawn.
    reference
        The one that all gaps are to: that of the version in production, else the best one drawn.
    production
        The version in production, if there is one.
    """

    def __init__(
        self,
        session: Session,
        evidence: Evidence,
        standing: Leaderboard,
        choice: Choice,
        scored: Callable[[list[int]], Scoreboard] | None = None,
    ) -> None:
        self.session, self.evidence, self.choice, self.scored = session, evidence, choice, scored
        self.board = standing.board
        self.leader = standing.rankers[0].run.ranker_id if standing.rankers else None
        self.marked = marked_of(session, evidence.project_id, evidence.revision)
        self.weeks = self.marked.weeks
        placed = evidence.structure.runs if choice.view == "today" else ()
        self.scale = TimeScale(self.weeks, evidence.revision, placed)
        self.rankers = _rankers(evidence, standing)
        self.tones = tones_of(evidence, standing.board, {*choice.rankers, choice.band or 0})
        self.drawn = _drawn(list(self.rankers), choice)
        best = next(iter(self.drawn), None)
        self.focus = choice.band if choice.band in self.drawn else best
        place = evidence.production_run()
        self.production = None if place is None else evidence.structure.runs[place]
        held = self.production.ranker_id if self.production else None
        self.reference = held if held in self.drawn else best

    @cached_property
    def span(self) -> Span:
        """The part of the axis that is shown; evidence of a version grows from its registration on."""
        span = self.scale.span(self.choice.first, self.choice.last)
        if self.choice.view != "growth" or self.version is None:
            return span
        run = self.evidence.structure.runs[self.version]
        return Span(max(span.low, self.scale.x(run.revision, run.registered_at)), span.high)

    @cached_property
    def version(self) -> int | None:
        """The place of the version whose evidence grows: the chosen one, else the leader's newest."""
        runs, current = self.evidence.structure.runs, self.evidence.current_runs()
        chosen = [place for place, run in self.versions if run.id == self.choice.version]
        newest = [place for place in current if runs[place].ranker_id == self.leader]
        return next(iter([*chosen, *newest, *(place for place, _ in self.versions)]), None)

    @cached_property
    def versions(self) -> list[tuple[int, RunFact]]:
        """Every run of a system with its place, newest first."""
        runs = list(enumerate(self.evidence.structure.runs))
        return [(place, run) for place, run in reversed(runs) if run.kind == "system"]

    @cached_property
    def history(self) -> History:
        """The points of the range, and the last before it where a version stands until the next one.

        In a replay versions stand in every week: there the range has points of its own.
        """
        whole = self._whole()
        stands_on = whole.mode == "today" and not self.weeks
        seen: dict[int, list[HistoryPoint]] = {}
        for ranker, points in whole.points.items():
            places = [self.scale.place_of(point.moment) for point in points]
            before = [point for point, x in zip(points, places, strict=True) if x < self.span.low]
            within = [point for point, x in zip(points, places, strict=True) if self.span.holds(x)]
            seen[ranker] = (before[-1:] if stands_on else []) + within
        return replace(whole, points={ranker: found for ranker, found in seen.items() if found})

    def _whole(self) -> History:
        if self.choice.view == "then":
            return as_it_looked_then(self.evidence, self._moments(), set(self.drawn))
        if self.choice.view == "growth":
            nothing = History("growth", {}, None)
            return (
                nothing
                if self.version is None
                else evidence_growth(self.evidence, self.version, self._moments())
            )
        return todays_ratings(self.evidence, self._replayed(), set(self.drawn), self.board, self.scored)

    def _moments(self) -> list[Moment]:
        def within(moment: Moment) -> bool:
            return self.span.holds(self.scale.place_of(moment))

        return moments_of(self.session, self.evidence, within)

    def _replayed(self) -> list[Moment] | None:
        """Return the moments at which versions stand in a replay; elsewhere they stand where they began."""
        if not self.weeks:
            return None
        later = moved_revision(self.evidence) > self.weeks[-1].revision
        return [*self.weeks, Moment(self.evidence.revision, self.scale.now, SINCE)] if later else self.weeks


def _rankers(evidence: Evidence, standing: Leaderboard) -> dict[int, RunFact]:
    newest = {run.ranker_id: run for run in evidence.structure.runs if run.kind == "system"}
    placed = [ranker.run.ranker_id for ranker in standing.rankers]
    others = sorted((number for number in newest if number not in placed), key=lambda n: newest[n].mark)
    return {number: newest[number] for number in [*placed, *others]}


def _drawn(rankers: list[int], choice: Choice) -> list[int]:
    """Return the rankers to draw: the chosen ones, else all, else the best few of very many."""
    chosen = [number for number in rankers if number in choice.rankers]
    if chosen:
        return chosen[:MOST_LINES]
    return rankers if len(rankers) <= MOST_LINES else rankers[:USUAL_LINES]
