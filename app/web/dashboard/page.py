"""The overview: its page and its fragments."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import NamedTuple

import numpy as np
from flask import redirect, render_template, request, url_for
from sqlalchemy import Select, bindparam, select
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from app.http.assets import current_build
from app.http.languages import current_language, translated
from app.http.languages import gettext as _
from app.http.permissions import Access, allow, current_access, current_person_id
from app.http.project import current_context, current_project
from app.http.sessions import read_session
from app.models.base import now_utc
from app.models.person import Role
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Ints
from app.scoring.measures.measure import Asked
from app.scoring.measures.names import on_screen
from app.services.assignment.coming import (
    first_questions,
    free_answers,
    reasons_to_rate,
    waiting_answers,
)
from app.services.assignment.requests import is_pair_requested, unrated_answers
from app.services.assignment.selection import NOBODY
from app.services.assignment.wanted import BatchRequest
from app.services.errors import InvalidError
from app.services.evidence.passed import raters_of
from app.services.evidence.state import Evidence
from app.services.judging.adjudication_queue import queue_of
from app.services.judging.inbox import count_open
from app.services.ledger import head_of
from app.services.prepared import Prepared
from app.services.projects.projects import SetUpStep, set_up_steps
from app.services.quality.annotators import agreements_of
from app.services.scores.context import ScoringContext
from app.services.scores.coverage import Coverage, coverage_of
from app.services.scores.hardest import HardQuestion, hardest_of
from app.services.scores.leaderboard import Leaderboard, leaderboard_of
from app.services.scores.overview_parts import (
    Narrow,
    OtherView,
    measure_of,
    narrow_of,
    offered_measures,
    other_board,
    other_view,
    tagged_queries,
    tags_of,
)
from app.services.scores.scoreboard import Scoreboard, weighted_means
from app.web.dashboard import blueprint
from app.web.dashboard.history_card import HistoryCard, history_card
from app.web.dashboard.score_rows import ScoreRows, other_rows, score_rows
from app.web.dashboard.timescale import HistoryChoice, history_choice
from app.web.responses import fragment

LONGEST = 200


@dataclass(frozen=True)
class Switch:
    """What can be chosen, and what is.

    Attributes
    ----------
    usual
        The project's own measure.
    asked, tag
        What is chosen; None and empty for the usual view.
    refusal
        Why the page does not show what the address asks for, as a sentence; empty where it does.
    """

    usual: str
    measures: list[str]
    tags: list[str]
    asked: Asked | None
    tag: str
    refusal: str

    @property
    def measure(self) -> str:
        """The label of the chosen measure; empty for the project's own."""
        return on_screen(self.asked.label) if self.asked else ""

    @property
    def title(self) -> str:
        """What is shown, in short."""
        return f"{self.measure or self.usual}{f', {self.tag}' if self.tag else ''}"

    @property
    def skips_unrated(self) -> bool:
        """Whether the chosen measure drops or estimates unrated answers: with others they count as 0."""
        return self.asked is not None and self.asked.measure.skips_unjudged

    @property
    def is_usual(self) -> bool:
        """Whether nothing is chosen."""
        return self.asked is None and not self.tag


@dataclass(frozen=True)
class OtherPage:
    """The overview in another measure, or on the questions of a tag."""

    leaderboard: Leaderboard
    view: OtherView
    shown: ScoreRows
    history: HistoryCard
    switch: Switch

    @property
    def title(self) -> str:
        """What the page shows."""
        what = self.switch.measure or self.switch.usual
        if self.switch.tag:
            return _("Scores in %(measure)s for “%(tag)s”", measure=what, tag=self.switch.tag)
        return _("Scores in %(measure)s", measure=what)

    @property
    def measure(self) -> str:
        """The measure with what it depends on, for the head of a column."""
        return self.view.title.replace("relevant from", _("relevant from"))


def switch_of(session: Session, context: ScoringContext, arguments: Mapping[str, str]) -> Switch:
    """Return what an address asks for, and why it cannot be shown where it cannot."""
    ruler = context.board.ruler
    usual = on_screen(context.board.headline)
    named = arguments.get("measure", "").strip()[:LONGEST]
    asked, refusals = None, []
    try:
        asked = measure_of(named) if named else None
    except InvalidError as error:
        refusals.append(
            _("%(reason)s, so this page shows %(measure)s.", reason=translated(error.message), measure=usual)
        )
    if asked is not None and asked.label.lower() == usual.lower():
        asked = None
    measures = [on_screen(name) for name in offered_measures(ruler.k) if name.lower() != usual.lower()]
    if asked is not None and asked.label.lower() not in {one.lower() for one in measures}:
        measures = [*measures, on_screen(asked.label)]
    tags = tags_of(session, context.evidence)
    tag = arguments.get("tag", "")
    if tag and tag not in tags:
        refusals.append(
            _("No question has the tag “%(tag)s”, so this page shows all questions.", tag=tag[:LONGEST])
        )
    return Switch(usual, measures, tags, asked, tag if tag in tags else "", " ".join(refusals))


def other_page(session: Session, project: Project, context: ScoringContext, switch: Switch) -> OtherPage:
    """Return the page of a choice that is not the usual one."""
    evidence = context.evidence
    leaderboard = leaderboard_of(evidence, context)
    asked = switch.asked or measure_of(context.board.headline)
    queries = tagged_queries(session, evidence, switch.tag) if switch.tag else None
    view = other_view(session, evidence, leaderboard, asked, queries)
    return OtherPage(
        leaderboard=leaderboard,
        view=view,
        shown=other_rows(leaderboard, project.slug, view),
        history=history_card(
            session,
            evidence,
            leaderboard,
            HistoryChoice(),
            partial(url_for, "dashboard.overview", slug=project.slug),
            scored=lambda places: other_board(session, evidence, places, asked, queries),
        ),
        switch=switch,
    )


class OwnerTasks(NamedTuple):
    """How many answers need a decision, and how many remarks somebody who reads them."""

    decisions: int
    remarks: int


def owner_tasks(evidence: Evidence) -> OwnerTasks | None:
    """Return what an owner has to do in this project; None for anybody else, and where there is nothing."""
    access = current_access()
    if access.role is not Role.OWNER:
        return None
    queue = queue_of(read_session(), evidence, access.project)
    tasks = OwnerTasks(len(queue.waiting), count_open(read_session(), access.project.id))
    return tasks if any(tasks) else None


MOST_NEXT = 2
MOST_HARD = 2
MOST_FOR_AGREEMENT = 5_000
# One more is the question that a verdict waits for.
PLACES = [f"query{number}" for number in range(MOST_NEXT + MOST_HARD + 1)]


@dataclass(frozen=True)
class NextQuestion:
    """A question with answers that wait for a first rating, how many, and why they matter."""

    query_id: int
    text: str
    url: str
    missing: int
    reason: str


@dataclass(frozen=True)
class OverviewPage:
    """Everything the template needs; it asks nobody anything.

    Attributes
    ----------
    shown
        The score rows.
    heavy_url
        The page of the question that makes up much of the lead; empty without one.
    weighted
        The weighted mean of each run by its place, beside the score; empty while every question weighs 1.
    agreement
        Krippendorff's alpha; None where too few answers have two ratings, or where it would be long to work
        out at every rating.
    left
        How many answers wait for a first rating.
    asked
        Whether what the answer's pair needs is requested already.
    has_stuck
        Whether others have none and cannot be rated yet.
    steps
        The checklist of a project without a scored question.
    """

    leaderboard: Leaderboard
    shown: ScoreRows
    heavy_url: str
    narrow: Narrow | None
    weighted: dict[int, float | None]
    history: HistoryCard
    coverage: Coverage
    agreement: float | None
    hardest: list[tuple[HardQuestion, str, str]]
    next: list[NextQuestion]
    left: int
    asked: bool
    has_stuck: bool
    revision: int
    board: Scoreboard
    steps: list[SetUpStep]


def overview_page(
    session: Session,
    project: Project,
    context: ScoringContext,
    choice: HistoryChoice,
    page: Callable[..., str] | None = None,
    *,
    person_id: int = NOBODY,
) -> OverviewPage:
    """Return what the overview of a project shows to a person.

    Parameters
    ----------
    page
        Gives its address where it is shown elsewhere.
    """
    evidence = context.evidence
    leaderboard = leaderboard_of(evidence, context)
    coverage = coverage_of(evidence, leaderboard.board.judged)
    request = BatchRequest(project, person_id, now_utc())
    free, waiting = free_answers(session, context, request), waiting_answers(context)
    first = first_questions(session, context, request, free, most=MOST_NEXT)
    left_each = np.bincount(evidence.structure.query[waiting], minlength=len(evidence.structure.query_id))
    hard = hardest_of(session, evidence, leaderboard.board, most=MOST_HARD)
    texts = query_texts(session, [*first, *(one.query_id for one in hard)])
    heavy = leaderboard.answer.concentration
    steps = [] if leaderboard.board.counted.any() else _steps(session, project, evidence)
    return OverviewPage(
        leaderboard=leaderboard,
        shown=score_rows(leaderboard, project.slug),
        heavy_url=_query_url(project, int(evidence.structure.query_id[heavy.place])) if heavy else "",
        narrow=narrow_of(context),
        weighted=_weighted(evidence, leaderboard.board),
        history=history_card(session, evidence, leaderboard, choice, page or page_of(project.slug)),
        coverage=coverage,
        agreement=_agreement(evidence),
        hardest=[(one, texts[one.query_id], _query_url(project, one.query_id)) for one in hard],
        next=_next(
            session, context, [(one, texts[one], _query_url(project, one)) for one in first], left_each
        ),
        left=int(waiting.sum()),
        asked=leaderboard.answer.action == "rate"
        and leaderboard.main is not None
        and is_pair_requested(
            session, evidence, leaderboard.main.first, leaderboard.main.second, context.unratable
        ),
        has_stuck=bool(np.any(unrated_answers(evidence) & ~waiting)),
        revision=evidence.revision,
        board=leaderboard.board,
        steps=steps,
    )


def page_of(slug: str) -> Callable[..., str]:
    """Return what gives the address of a project's overview."""
    return partial(url_for, "dashboard.overview", slug=slug)


def query_texts(session: Session, query_ids: Sequence[int]) -> dict[int, str]:
    """Return the texts of as many queries as have places in the statement, or fewer."""
    return dict(_texts.rows(session, dict(zip(PLACES, cycle(query_ids), strict=False)))) if query_ids else {}


@Prepared
def _texts() -> Select[int, str]:
    return select(Query.id, Query.text).where(Query.id.in_([bindparam(name) for name in PLACES]))


def _query_url(project: Project, query_id: int) -> str:
    return url_for("queries.show", slug=project.slug, query_id=query_id)


def _next(
    session: Session, context: ScoringContext, first: list[tuple[int, str, str]], left_each: Ints
) -> list[NextQuestion]:
    places = context.evidence.structure.query_id.tolist()
    reasons = reasons_to_rate(session, context, [number for number, _text, _url in first])
    return [
        NextQuestion(number, text, url, int(left_each[places.index(number)]), translated(reasons[number]))
        for number, text, url in first
    ]


def _weighted(evidence: Evidence, board: Scoreboard) -> dict[int, float | None]:
    means = weighted_means(evidence, board, np.broadcast_to(board.common, board.counted.shape))
    places = [one.place for one in board.runs]
    return dict(zip(places, means[board.headline], strict=True)) if means else {}


def _agreement(evidence: Evidence) -> float | None:
    many = len(evidence.ledger.annotator) > MOST_FOR_AGREEMENT
    return None if many else agreements_of(evidence).alpha


def _steps(session: Session, project: Project, evidence: Evidence) -> list[SetUpStep]:
    return set_up_steps(
        session, project.id, int(evidence.active_queries().sum()), has_ranker=bool(evidence.current_runs())
    )


@blueprint.get("/p/<slug>/")
@allow(Access.MEMBER)
def overview(slug: str) -> AnyResponse | str:
    """Show the overview; annotators, who have no page with scores, go on to rating."""
    access = current_access()
    if access.role.value == "annotator":
        return redirect(url_for("judging.rate", slug=slug))
    context = current_context()
    switch = switch_of(read_session(), context, request.args)
    if not switch.is_usual and context.board.runs:
        other = other_page(read_session(), access.project, context, switch)
        return render_template("dashboard/other.html", page=other, switch=switch, slug=slug)
    choice = history_choice(request.args)
    page = overview_page(read_session(), access.project, context, choice, person_id=current_person_id())
    return render_template(
        "dashboard/overview.html",
        page=page,
        etag=_etag(choice, page.revision),
        choice=choice,
        switch=switch,
        waiting=owner_tasks(context.evidence),
        slug=slug,
    )


@blueprint.get("/p/<slug>/overview/part")
@allow(Access.READ)
def part(slug: str) -> AnyResponse:
    """Return the part that follows the ledger; nothing new costs a 304 and no arithmetic."""
    choice = history_choice(request.args)

    def render() -> str:
        context = current_context()
        page = overview_page(
            read_session(), current_project(), context, choice, person_id=current_person_id()
        )
        return render_template("dashboard/_overview.html", page=page, slug=slug)

    return fragment(_etag(choice, head_of(read_session(), current_project().id)), render)


def _etag(choice: HistoryChoice, revision: int) -> str:
    """Return the tag of what this person sees: revision, which fixes the settings, build, role, language.

    Who can still rate is no part of the ledger.
    """
    access = current_access()
    parts = (
        access.project.id,
        revision,
        raters_of(read_session(), access.project).key,
        current_build(),
        access.role.value,
        current_language(),
        choice.address(),
    )
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:24]
