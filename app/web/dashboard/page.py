"""What the overview shows, as plain values for its template."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from flask import url_for
from sqlalchemy import bindparam, select

from app.models import Query, now_utc
from app.services.annotators import rated_of
from app.services.evaluation import weighted_means
from app.services.next_answers import first_questions, reason_to_rate
from app.services.overview import (
    Coverage,
    HardQuestion,
    Leaderboard,
    Narrow,
    SetUpStep,
    coverage_of,
    hardest_of,
    leaderboard_of,
    narrow_of,
    set_up_steps,
)
from app.web.dashboard.history_card import HistoryCard, history_card
from app.web.dashboard.score_rows import ScoreRows, score_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.services.comparison import Basis
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence
    from app.web.dashboard.choice import Choice

MOST_NEXT = 2
MOST_HARD = 2
MOST_FOR_AGREEMENT = 5_000
FEW = 8
# Built once, with a fixed number of places: a list of any length is written out again for each query.
TEXTS_OF_FEW = select(Query.id, Query.text).where(Query.id.in_([bindparam(f"q{n}") for n in range(FEW)]))
TEXTS = select(Query.id, Query.text).where(Query.id.in_(bindparam("queries", expanding=True)))


@dataclass(frozen=True)
class NextQuestion:
    """A question with answers that nobody has rated, and why they matter."""

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
    steps
        The checklist of a project without a ranker.
    """

    standing: Leaderboard
    shown: ScoreRows
    heavy_url: str
    narrow: Narrow | None
    weighted: dict[int, float | None]
    history: HistoryCard
    coverage: Coverage
    agreement: float | None
    hardest: list[tuple[HardQuestion, str, str]]
    next: list[NextQuestion]
    revision: int
    board: Scoreboard
    steps: list[SetUpStep]

    @property
    def rated(self) -> int:
        """How many of a hundred answers of the pool are rated: 100 only when all are."""
        return self.coverage.rated * 100 // max(self.coverage.pooled, 1)


def overview_page(
    session: Session,
    project: Project,
    basis: Basis,
    choice: Choice,
    page: Callable[..., str] | None = None,
) -> OverviewPage:
    """Return what the overview of a project shows; `page` gives its address where it stands elsewhere."""
    evidence = basis.evidence
    standing = leaderboard_of(evidence, basis)
    coverage = coverage_of(evidence, standing.board.judged)
    first = first_questions(session, evidence, project, now_utc(), most=MOST_NEXT)
    hard = hardest_of(session, evidence, standing.board, most=MOST_HARD)
    texts = query_texts(session, [*first, *(one.query_id for one in hard)])
    heavy = standing.answer.concentration
    steps = [] if standing.rankers else _steps(session, project, evidence)
    return OverviewPage(
        standing=standing,
        shown=score_rows(standing, project.slug),
        heavy_url=_query_url(project, int(evidence.structure.query_id[heavy.place])) if heavy else "",
        narrow=narrow_of(basis),
        weighted=_weighted(session, project, standing.board),
        history=history_card(session, evidence, standing, choice, page or page_of(project.slug)),
        coverage=coverage,
        agreement=_agreement(session, evidence),
        hardest=[(one, texts[one.query_id], _query_url(project, one.query_id)) for one in hard],
        next=_next(project, evidence, first, texts, coverage),
        revision=evidence.revision,
        board=standing.board,
        steps=steps,
    )


def page_of(slug: str) -> Callable[..., str]:
    """Return what gives the address of a project's overview."""
    return partial(url_for, "dashboard.overview", slug=slug)


def query_texts(session: Session, query_ids: Sequence[int]) -> dict[int, str]:
    """Return the texts of a few queries."""
    if 0 < len(query_ids) <= FEW:
        places = {f"q{n}": query_ids[min(n, len(query_ids) - 1)] for n in range(FEW)}
        return {row.id: row.text for row in session.execute(TEXTS_OF_FEW, places)}
    return {row.id: row.text for row in session.execute(TEXTS, {"queries": [*query_ids]})}


def _query_url(project: Project, query_id: int) -> str:
    return url_for("queries.show", slug=project.slug, query_id=query_id)


def _next(
    project: Project, evidence: Evidence, first: list[int], texts: dict[int, str], coverage: Coverage
) -> list[NextQuestion]:
    places = evidence.structure.query_id.tolist()
    found = []
    for number in first:
        at = coverage.questions.index(number)
        missing = coverage.pooled_each[at] - coverage.rated_each[at]
        reason = reason_to_rate(evidence, places.index(number))
        found.append(NextQuestion(number, texts[number], _query_url(project, number), missing, reason))
    return found


def _weighted(session: Session, project: Project, board: Scoreboard) -> dict[int, float | None]:
    means = weighted_means(session, project.id, board, np.broadcast_to(board.common, board.counted.shape))
    places = [one.place for one in board.runs]
    return dict(zip(places, means[board.headline], strict=True)) if means else {}


def _agreement(session: Session, evidence: Evidence) -> float | None:
    many = len(evidence.ledger.annotator) > MOST_FOR_AGREEMENT
    return None if many else rated_of(session, evidence).alpha


def _steps(session: Session, project: Project, evidence: Evidence) -> list[SetUpStep]:
    return set_up_steps(session, project.id, int(evidence.active_queries().sum()), has_ranker=False)
