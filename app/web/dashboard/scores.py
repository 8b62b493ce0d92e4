"""The page of all scores, and the printed report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from flask import render_template, request, url_for

from app.http.permissions import Access, allow
from app.http.project import current_project
from app.http.sessions import close_read_session, database, read_session
from app.models.base import now_utc
from app.models.person import PersonKind
from app.models.project import Project
from app.services.evidence.store import evidence_of
from app.services.scores.context import scoring_context
from app.services.scores.coverage import Contributor, Coverage, contributors_of
from app.services.scores.leaderboard import Leaderboard
from app.services.scoring_settings import ScoringSettings
from app.web.charts.line_chart import LineChart
from app.web.dashboard import blueprint
from app.web.dashboard.history_card import HistoryCard
from app.web.dashboard.page import overview_page
from app.web.dashboard.score_rows import ScoreRows
from app.web.dashboard.timescale import choice_from

# The scores of a project without anybody's name: all that a shared page or a report can show.


MOST_EVENTS = 8


@dataclass(frozen=True)
class Scores:
    """What is shown, at which revision, measured with which settings, and when it was asked for.

    `raters` counts who rated, by kind: people, simulated, imported; `seeing` the ratings of people who could
    see rankers. `excluded` counts the questions that take part in no score: without an answer of any use,
    and not yet known.
    """

    project: Project
    standing: Leaderboard
    shown: ScoreRows
    history: HistoryCard
    coverage: Coverage
    raters: dict[str, int]
    seeing: int
    hardest: list[tuple[str, str, float | None]]
    excluded: tuple[int, int]
    ruler: ScoringSettings
    revision: int
    at: datetime

    @property
    def printed_charts(self) -> list[LineChart]:
        """The chart, wide and narrow: without its events where a sheet has no room to tell them."""
        both = [self.history.chart.wide, self.history.chart.narrow]
        return both if self.tells_events else [replace(one, events=[], bubbles=[]) for one in both]

    @property
    def tells_events(self) -> bool:
        """Whether the events of the chart fit on one sheet with it."""
        return len(self.history.chart.events) <= MOST_EVENTS


def scores_of(project: Project, page: Callable[..., str]) -> Scores:
    """Return the scores of a project as the address asks for them; nothing is written, no test is taken."""
    # Not that of the request: a shared link has none.
    close_read_session()
    context = scoring_context(evidence_of(database(), project.id))
    found = overview_page(read_session(), project, context, choice_from(request.args), page)
    board = found.board
    contributors = contributors_of(read_session(), context.evidence, board.judged.pooled)
    return Scores(
        project=project,
        standing=found.standing,
        shown=found.shown,
        history=found.history,
        coverage=found.coverage,
        raters=_raters(contributors),
        seeing=sum(one.could_see_rankers for one in contributors),
        hardest=[(text, one.reason, one.best) for one, text, _ in found.hardest],
        excluded=(int(board.no_relevant.sum()), int(board.unjudged.sum())),
        ruler=board.ruler,
        revision=found.revision,
        at=now_utc(),
    )


def _raters(contributors: list[Contributor]) -> dict[str, int]:
    counts = Counter(one.kind for one in contributors if one.rated or one.outside)
    return {kind.value: counts[kind.value] for kind in PersonKind}


# The report of a project: its scores on one sheet of paper.


@blueprint.get("/p/<slug>/report")
@allow(Access.READ)
def report(slug: str) -> str:
    """Show the report."""
    here = partial(url_for, "dashboard.overview", slug=slug)
    return render_template("dashboard/report.html", scores=scores_of(current_project(), here), back=here())
