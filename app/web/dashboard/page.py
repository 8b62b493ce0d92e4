"""What the overview shows, as plain values for its template."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from flask import url_for
from sqlalchemy import bindparam, select

from app.models import Query, now_utc
from app.services.next_answers import first_questions
from app.services.overview import (
    Contributor,
    Coverage,
    Entry,
    HardQuestion,
    Leaderboard,
    Narrow,
    contributors_of,
    coverage_of,
    hardest_of,
    leaderboard_of,
    narrow_of,
)
from app.web.charts import Axis, CoverageGrid, Streak, coverage_grid, score_axis, streak
from app.web.dashboard.history_card import HistoryCard, history_card

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.services.comparison import Basis
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence
    from app.web.dashboard.choice import Choice

MOST_ROWS = 8
MOST_NEXT = 3
MOST_SQUARES = 120
FEW = 8
# Built once, with a fixed number of places: a list of any length is written out anew at every asking.
TEXTS_OF_FEW = select(Query.id, Query.text).where(Query.id.in_([bindparam(f"q{n}") for n in range(FEW)]))
TEXTS = select(Query.id, Query.text).where(Query.id.in_(bindparam("queries", expanding=True)))


@dataclass(frozen=True)
class NextQuestion:
    """A question with answers that nobody has rated."""

    query_id: int
    text: str
    url: str
    missing: int


@dataclass(frozen=True)
class OverviewPage:
    """Everything the template needs; it asks nobody anything."""

    standing: Leaderboard
    narrow: Narrow | None
    rows: list[tuple[Entry, Streak | None]]
    axis: Axis
    history: HistoryCard
    coverage: Coverage
    grid: CoverageGrid
    contributors: list[Contributor]
    hardest: list[tuple[HardQuestion, str, str]]
    next: list[NextQuestion]
    revision: int
    board: Scoreboard
    steps: list[tuple[str, bool, str]]


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
    axis = score_axis(_ends(standing))
    first = first_questions(session, evidence, project, now_utc(), most=MOST_NEXT)
    hard = hardest_of(session, evidence, standing.board)
    texts = query_texts(session, [*first, *(one.query_id for one in hard)])
    return OverviewPage(
        standing=standing,
        narrow=narrow_of(basis),
        rows=[(ranker, _streak(ranker, axis)) for ranker in standing.rankers],
        axis=axis,
        history=history_card(session, evidence, standing, choice, page or page_of(project.slug)),
        coverage=coverage,
        grid=_grid(session, project, coverage),
        contributors=contributors_of(session, evidence, standing.board.judged.pooled),
        hardest=[(one, texts[one.query_id], _query_url(project, one.query_id)) for one in hard],
        next=_next(project, first, texts, coverage),
        revision=evidence.revision,
        board=standing.board,
        steps=_steps(project, evidence, coverage, standing),
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


def _ends(standing: Leaderboard) -> list[float | None]:
    values: list[float | None] = []
    for ranker in standing.rankers:
        values += [
            None if end is None else end * 100
            for end in (ranker.score, ranker.interval.low, ranker.interval.high)
        ]
    return values


def _streak(ranker: Entry, axis: Axis) -> Streak | None:
    if ranker.score is None:
        return None
    low, high = ranker.interval.low, ranker.interval.high
    return streak(
        ranker.score * 100, None if low is None else low * 100, None if high is None else high * 100, axis
    )


def _grid(session: Session, project: Project, coverage: Coverage) -> CoverageGrid:
    # Beyond so many questions no square has a name and an address of its own: neither is looked up.
    few = len(coverage.questions) <= MOST_SQUARES
    texts = query_texts(session, coverage.questions) if few else {}
    return coverage_grid(
        coverage.rated_each,
        coverage.pooled_each,
        [(texts[number], _query_url(project, number)) for number in coverage.questions] if few else (),
        most=MOST_SQUARES,
        list_url=url_for("queries.index", slug=project.slug),
    )


def _next(
    project: Project, first: list[int], texts: dict[int, str], coverage: Coverage
) -> list[NextQuestion]:
    places = [coverage.questions.index(number) for number in first]
    return [
        NextQuestion(
            number,
            texts[number],
            _query_url(project, number),
            coverage.pooled_each[place] - coverage.rated_each[place],
        )
        for number, place in zip(first, places, strict=True)
    ]


def _steps(
    project: Project, evidence: Evidence, coverage: Coverage, standing: Leaderboard
) -> list[tuple[str, bool, str]]:
    """Return the set-up checklist until the first score: what, whether it is done, where to do it."""
    structure: Any = evidence.structure
    imports = url_for("imports.index", slug=project.slug)
    return [
        ("Bring in the questions", len(structure.query_id) > 0, imports),
        ("Bring in the answers", structure.cells > 0 or coverage.pooled > 0, imports),
        ("Import the results of one ranker", bool(standing.rankers), imports),
        (
            "Rate until 10 questions are scored",
            not standing.early,
            url_for("judging.rate", slug=project.slug),
        ),
    ]
