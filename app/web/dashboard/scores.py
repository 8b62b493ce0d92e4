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
from app.services.scores.context import context_for_members
from app.services.scores.coverage import Contributor, contributors_of
from app.web.charts.line_chart import LineChart
from app.web.dashboard import blueprint
from app.web.dashboard.page import OverviewPage, overview_page
from app.web.dashboard.timescale import history_choice

MOST_EVENTS = 8


@dataclass(frozen=True)
class ShownScores:
    """What is shown, and when it was asked for.

    `raters` counts who rated, by kind: people, simulated, imported; `seeing` the ratings of people who could
    see rankers.
    """

    project: Project
    page: OverviewPage
    raters: dict[str, int]
    seeing: int
    at: datetime

    @property
    def printed_charts(self) -> list[LineChart]:
        """The chart, wide and narrow: without its events where a sheet has no room to tell them."""
        both = [self.page.history.chart.wide, self.page.history.chart.narrow]
        return both if self.tells_events else [replace(one, events=[], bubbles=[]) for one in both]

    @property
    def tells_events(self) -> bool:
        """Whether the events of the chart fit on one sheet with it."""
        return len(self.page.history.chart.events) <= MOST_EVENTS


def scores_of(project: Project, address: Callable[..., str]) -> ShownScores:
    """Return the scores of a project as the address asks for them; nothing is written, no test is taken."""
    # Not that of the request: a shared link has none.
    close_read_session()
    evidence = evidence_of(database(), project.id)
    context = context_for_members(read_session(), evidence, project)
    page = overview_page(read_session(), project, context, history_choice(request.args), address)
    contributors = contributors_of(read_session(), context.evidence, context.evidence.active_pool())
    return ShownScores(
        project=project,
        page=page,
        raters=_raters(contributors),
        seeing=sum(one.could_see_rankers for one in contributors),
        at=now_utc(),
    )


def _raters(contributors: list[Contributor]) -> dict[str, int]:
    counts = Counter(one.kind for one in contributors if one.rated or one.outside)
    return {kind.value: counts[kind.value] for kind in PersonKind}


@blueprint.get("/p/<slug>/report")
@allow(Access.READ)
def report(slug: str) -> str:
    """Show the report."""
    here = partial(url_for, "dashboard.overview", slug=slug)
    return render_template("dashboard/report.html", scores=scores_of(current_project(), here), back=here())
