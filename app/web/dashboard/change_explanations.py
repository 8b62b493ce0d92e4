"""Why a score changed between two revisions, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from sqlalchemy.orm import Session

from app.http.languages import Later, later, ngettext, translated
from app.http.languages import gettext as _
from app.models.event import EventKind
from app.sentences import Message, number_message
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.scores.chart_notes import marked_of
from app.services.scores.history import History, HistoryPoint, Moment, history_as_of, history_of_version
from app.services.scores.jumps import ScoreChange, ScorePart
from app.services.scores.leaderboard import Leaderboard
from app.services.scores.scoreboard import Scoreboard
from app.services.scores.timeline import history_with_current_ratings, moments_of, moved_revision
from app.web.dashboard.event_labels import setting_text
from app.web.dashboard.timescale import HistoryChoice, Span, TimeScale
from app.web.numbers import decimal
from app.web.ranker_colours import ranker_colours

MOST_LARGEST = 3
# Each cause, and what it is made of.
MADE_OF: dict[str, tuple[Later, Callable[[int], Message]]] = {
    "queries": (
        later("Questions added or retired"),
        lambda n: number_message(
            "%(num)s question added or retired", "%(num)s questions added or retired", n
        ),
    ),
    "common": (
        later("Questions common to all rankers"),
        lambda n: number_message(
            "%(num)s question joined or left those that all rankers cover",
            "%(num)s questions joined or left those that all rankers cover",
            n,
        ),
    ),
    "pool": (
        later("Pool growth"),
        lambda n: number_message(
            "%(num)s answer that has a grade joined the pool",
            "%(num)s answers that have a grade joined the pool",
            n,
        ),
    ),
    "new": (
        later("New grades"),
        lambda n: number_message(
            "%(num)s answer graded for the first time", "%(num)s answers graded for the first time", n
        ),
    ),
    "revised": (
        later("Changed grades"),
        lambda n: number_message("%(num)s grade changed or removed", "%(num)s grades changed or removed", n),
    ),
    "settings": (
        later("Settings"),
        lambda n: number_message("%(num)s setting changed", "%(num)s settings changed", n),
    ),
}


@dataclass(frozen=True)
class ChangePart:
    """One line: the cause, what happened, and its points."""

    cause: str
    happened: str
    points: str


@dataclass(frozen=True)
class ChangeExplanation:
    """A jump as it is shown: from where to where, and the parts (a first number has none)."""

    title: str
    parts: list[ChangePart]
    total: str


def explain_change(jump: ScoreChange, scale: TimeScale) -> ChangeExplanation:
    """Return a jump in words."""
    before, after = (f"{_tenths(point)} ({scale.label(point.moment)})" for point in (jump.before, jump.after))
    return ChangeExplanation(
        title=_(
            "%(name)s: from %(before)s to %(after)s", name=jump.after.run.ranker, before=before, after=after
        ),
        parts=[_part(jump, part) for part in jump.parts],
        total=signed(jump.moved),
    )


def explain_first(point: HistoryPoint, scale: TimeScale) -> ChangeExplanation:
    """Return the words for a number that none of the same ranker comes before."""
    when = scale.label(point.moment)
    title = _(
        "%(name)s: %(score)s (%(when)s), its first score",
        name=point.run.ranker,
        score=_tenths(point),
        when=when,
    )
    return ChangeExplanation(title, [], "")


def largest_jumps(history: History) -> list[tuple[HistoryPoint, HistoryPoint, float]]:
    """Return the points that moved most: the one before, the point, and how far (0 to 1), largest first."""
    moves = [
        (before, after, after.score - before.score)
        for points in history.points.values()
        for before, after in pairwise(point for point in points if point.score is not None)
        if before.score is not None and after.score is not None
    ]
    moves.sort(key=lambda move: -abs(move[2]))
    return [move for move in moves[:MOST_LARGEST] if round(abs(move[2]) * 1000)]


def signed(moved: float) -> str:
    """Return a difference of scores in points, with its sign."""
    text = f"{moved * 100:+.1f}".replace("-", "−")
    return "0" if text in {"+0.0", "−0.0"} else decimal(text)


def _part(jump: ScoreChange, part: ScorePart) -> ChangePart:
    if part.kind == "ranker":
        return ChangePart(_("Ranker"), _ranker(jump, part), signed(part.moved))
    cause, made_of = str(MADE_OF[part.kind][0]), MADE_OF[part.kind][1]
    if part.details:
        text = "; ".join(setting_text(*one) for one in part.details)
        return ChangePart(cause, f"{text[0].upper()}{text[1:]}", signed(part.moved))
    happened = translated(made_of(part.count)) if part.count else _("nothing")
    if part.kind == "pool" and part.count and signed(part.moved).startswith("−"):
        happened = _(
            "%(happened)s: more good answers are known, so the same results score less", happened=happened
        )
    return ChangePart(cause, happened, signed(part.moved))


def _ranker(jump: ScoreChange, part: ScorePart) -> str:
    if jump.same_version:
        return _("%(version)s at both points", version=jump.after.run.version)
    return ngettext(
        "%(old)s became %(new)s; on %(num)s question common to both points",
        "%(old)s became %(new)s; on %(num)s questions common to both points",
        part.count,
        old=jump.before.run.version,
        new=jump.after.run.version,
    )


def _tenths(point: HistoryPoint) -> str:
    return decimal(f"{(point.score or 0.0) * 100:.1f}")


MOST_LINES, USUAL_LINES = 30, 10


class HistoryQuery:
    """What somebody asks of the history of a project.

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
        The one that all gaps are to: that of the version in production, else the best one drawn. None where
        the line of the version in production ends in a newer version.
    production
        The version in production, if there is one.
    """

    def __init__(
        self,
        session: Session,
        evidence: Evidence,
        leaderboard: Leaderboard,
        choice: HistoryChoice,
        scored: Callable[[list[int]], Scoreboard] | None = None,
    ) -> None:
        self.session, self.evidence, self.choice, self.scored = session, evidence, choice, scored
        self.board = leaderboard.board
        self.leader = leaderboard.rankers[0].run.ranker_id if leaderboard.rankers else None
        self.marked = marked_of(session, evidence.project_id, evidence.revision)
        self.weeks = self.marked.weeks
        placed = [run for run in evidence.structure.runs if run.kind == "system" and choice.view == "today"]
        self.scale = TimeScale(self.weeks, evidence.revision, placed)
        self.rankers = _rankers(evidence, leaderboard)
        self.tones = ranker_colours(evidence, leaderboard.board, {*choice.rankers, choice.band or 0})
        self.drawn = _drawn(list(self.rankers), choice)
        best = next(iter(self.drawn), None)
        self.focus = choice.band if choice.band in self.drawn else best
        place = evidence.production_run()
        self.production = None if place is None else evidence.structure.runs[place]
        held = self.production.ranker_id if self.production else None
        self.reference = held if held in self.drawn else best
        # As shown then, a line ends in its newest version: no gap to an older one can be read there.
        newest = self.rankers.get(held) if held is not None else None
        if choice.view == "then" and newest not in {None, self.production}:
            self.reference = None

    @property
    def today(self) -> str:
        """The day that a note is about unless another is chosen."""
        return f"{self.scale.now:%Y-%m-%d}"

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
        """The points of the range, and the last before it where a version holds until the next one.

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
            return history_as_of(self.evidence, self._moments(), set(self.drawn))
        if self.choice.view == "growth":
            nothing = History("growth", {}, None)
            return (
                nothing
                if self.version is None
                else history_of_version(self.evidence, self.version, self._moments())
            )
        return history_with_current_ratings(
            self.evidence, self._replayed(), set(self.drawn), self.board, self.scored
        )

    def _moments(self) -> list[Moment]:
        def within(moment: Moment) -> bool:
            return self.span.holds(self.scale.place_of(moment))

        return moments_of(self.session, self.evidence, within)

    def _replayed(self) -> list[Moment] | None:
        """Return the moments at which versions stand in a replay; elsewhere they stand where they began."""
        if not self.weeks:
            return None
        marks = [
            event.revision
            for event in self.evidence.structure.events
            if event.kind == EventKind.PRODUCTION_SET
        ]
        later = max([moved_revision(self.evidence), *marks]) > self.weeks[-1].revision
        now = Moment(self.evidence.revision, self.scale.now, is_now=True)
        return [*self.weeks, now] if later else self.weeks


def _rankers(evidence: Evidence, leaderboard: Leaderboard) -> dict[int, RunFact]:
    newest = {run.ranker_id: run for run in evidence.structure.runs if run.kind == "system"}
    placed = [ranker.run.ranker_id for ranker in leaderboard.rankers]
    others = sorted((number for number in newest if number not in placed), key=lambda n: newest[n].mark)
    return {number: newest[number] for number in [*placed, *others]}


def _drawn(rankers: list[int], choice: HistoryChoice) -> list[int]:
    """Return the rankers to draw: the chosen ones, else all, else the best few of very many."""
    chosen = [number for number in rankers if number in choice.rankers]
    if chosen:
        return chosen[:MOST_LINES]
    return rankers if len(rankers) <= MOST_LINES else rankers[:USUAL_LINES]
