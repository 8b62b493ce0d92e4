"""The scores of a project without anybody's name: all that a shared page or a report can show."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flask import request

from app.http.sessions import close_read_session, database, read_session
from app.models import PersonKind, now_utc
from app.services.comparison import basis_of
from app.services.evidence import evidence_of
from app.services.overview import contributors_of
from app.web.dashboard.choice import choice_from
from app.web.dashboard.page import overview_page

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from app.models import Project
    from app.services.overview import Contributor, Coverage, Leaderboard
    from app.services.rulers import RulerValues
    from app.web.charts import LineChart
    from app.web.dashboard.history_card import HistoryCard
    from app.web.dashboard.score_rows import ScoreRows

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
    ruler: RulerValues
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
    # The snapshot is closed before the arithmetic: a long reader costs everybody who writes.
    close_read_session()
    basis = basis_of(evidence_of(database(), project.id))
    found = overview_page(read_session(), project, basis, choice_from(request.args), page)
    board = found.board
    contributors = contributors_of(read_session(), basis.evidence, board.judged.pooled)
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
