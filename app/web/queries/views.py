"""The list of questions, and the page of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response, render_template, request, url_for

from app.http.permissions import Access, allow, current_place
from app.http.sessions import close_read_session, database, read_session
from app.models import Role
from app.services.adjudication import referable_of
from app.services.corpus import earlier_wordings
from app.services.evaluation import Scoreboard, score_runs
from app.services.evidence import Evidence, evidence_of
from app.services.questions import (
    QuestionSheet,
    gain_beyond,
    missed_names,
    question_sheet,
    questions_of,
    state_of,
)
from app.web.charts import CoverageGrid, coverage_grid
from app.web.queries import blueprint
from app.web.queries.answering import answers_page
from app.web.queries.columns import columns_of
from app.web.queries.explaining import explained
from app.web.queries.listing import SORTS, listing_of, sort_of, wants_retired
from app.web.queries.owners import owners_view
from app.web.queries.presenting import sheet_as_object
from app.web.tones import tones_of

if TYPE_CHECKING:
    from app.models import Project
    from app.services.questions import QuestionRow

MOST_SQUARES = 120
SQUARES_IN_ROW = 20


@blueprint.get("/p/<slug>/questions")
@allow(Access.READ)
def index(slug: str) -> str:
    """List the questions: searched, filtered, sorted, by pages."""
    project = current_place().project
    evidence, board = _scored(project)
    rankers = [(one.run.ranker_id, one.run.ranker) for one in board.runs]
    deeper, retired = sort_of(request.args) == "beyond", wants_retired(request.args)
    tones = tones_of(evidence, board)
    rows = questions_of(read_session(), evidence, board, retired=retired)
    listing = listing_of(
        rows, request.args, rankers, gain_beyond(read_session(), evidence, board) if deeper else None
    )
    return render_template(
        "queries/index.html",
        listing=listing,
        columns=columns_of(board, listing.rows, tones),
        names=[name for _, name in rankers],
        tones=tones,
        squares=None if retired else _squares(slug, listing.matching),
        sorts=SORTS,
        k=board.ruler.k,
        slug=slug,
        page_url=lambda number: url_for("queries.index", slug=slug, **listing.address(page=number)),
    )


@blueprint.get("/p/<slug>/questions/<int:query_id>")
@allow(Access.READ)
def show(slug: str, query_id: int) -> str:
    """Show one question: the lists side by side, the working of one score, and every answer with its text."""
    project, role = current_place().project, current_place().role
    evidence, board = _scored(project)
    sheet = question_sheet(read_session(), evidence, board, query_id)
    asked = explained(read_session(), evidence, board, sheet, request.args)
    before, after, number, count = _neighbours(evidence, sheet)
    return render_template(
        "queries/show.html",
        sheet=sheet,
        board=board,
        asked=asked,
        state=state_of(board, sheet.place),
        missed=missed_names(evidence, board, sheet.place),
        chosen=asked.chosen,
        answers=answers_page(sheet, project, request.args),
        answers_url=lambda page: url_for(
            "queries.show", slug=slug, query_id=query_id, answers=page, _anchor="answers"
        ),
        earlier=earlier_wordings(read_session(), sheet.query),
        working=asked.working,
        before=before,
        after=after,
        number=number,
        count=count,
        referable=referable_of(read_session(), project.id, query_id) if role is Role.OWNER else [],
        slug=slug,
        tones=tones_of(evidence, board),
        owners=owners_view(query_id),
    )


@blueprint.get("/p/<slug>/questions/<int:query_id>.json")
@allow(Access.READ)
def download(slug: str, query_id: int) -> Response:
    """Return one question with its lists and ratings as JSON, in full precision."""
    project = current_place().project
    evidence, board = _scored(project)
    sheet = question_sheet(read_session(), evidence, board, query_id)
    response = Response(sheet_as_object(project, board, sheet), mimetype="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="{slug}-question-{query_id}.json"'
    return response


def _squares(slug: str, rows: list[QuestionRow]) -> CoverageGrid:
    few = len(rows) <= MOST_SQUARES
    return coverage_grid(
        [row.rated for row in rows],
        [row.pooled for row in rows],
        [(row.text, url_for("queries.show", slug=slug, query_id=row.query_id)) for row in rows]
        if few
        else (),
        columns=SQUARES_IN_ROW,
        most=MOST_SQUARES,
        list_url=url_for("queries.index", slug=slug, state="unrated", sort="name"),
    )


def _scored(project: Project) -> tuple[Evidence, Scoreboard]:
    close_read_session()
    evidence = evidence_of(database(), project.id)
    return evidence, score_runs(evidence, evidence.current_runs())


def _neighbours(evidence: Evidence, sheet: QuestionSheet) -> tuple[int | None, int | None, int, int]:
    """Return the questions before and after, and which of how many this is."""
    active = evidence.structure.query_id[evidence.active_queries()].tolist()
    if sheet.query.id not in active:
        return None, None, 0, len(active)
    number = active.index(sheet.query.id)
    before = active[number - 1] if number else None
    after = active[number + 1] if number + 1 < len(active) else None
    return before, after, number + 1, len(active)
