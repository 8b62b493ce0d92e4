"""The list of questions, and the page of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response, render_template, request, url_for

from app.http.permissions import Access, allow, current_place
from app.http.sessions import close_read_session, database, read_session
from app.services.evaluation import Scoreboard, score_runs
from app.services.evidence import Evidence, evidence_of
from app.services.questions import QuestionSheet, RankedList, question_sheet, questions_of, working_for
from app.web.queries import blueprint
from app.web.queries.listing import FILTERS, SORTS, listing_of
from app.web.queries.presenting import sheet_as_object

if TYPE_CHECKING:
    from app.models import Project


@blueprint.get("/p/<slug>/questions")
@allow(Access.READ)
def index(slug: str) -> str:
    """List the questions: searched, filtered, sorted, by pages."""
    project = current_place().project
    evidence, board = _scored(project)
    listing = listing_of(questions_of(read_session(), evidence, board), request.args)
    return render_template(
        "queries/index.html",
        listing=listing,
        filters=FILTERS,
        sorts=SORTS,
        slug=slug,
        page_url=lambda number: url_for("queries.index", slug=slug, **listing.address(page=number)),
    )


@blueprint.get("/p/<slug>/questions/<int:query_id>")
@allow(Access.READ)
def show(slug: str, query_id: int) -> str:
    """Show one question: the lists side by side, and the working of one score."""
    project = current_place().project
    evidence, board = _scored(project)
    sheet = question_sheet(read_session(), evidence, board, query_id)
    chosen = _chosen(sheet)
    before, after, number, count = _neighbours(evidence, sheet)
    return render_template(
        "queries/show.html",
        sheet=sheet,
        board=board,
        chosen=chosen,
        working=working_for(evidence, board, sheet, chosen) if chosen and chosen.covered else None,
        before=before,
        after=after,
        number=number,
        count=count,
        slug=slug,
    )


@blueprint.get("/p/<slug>/questions/<int:query_id>.json")
@allow(Access.READ)
def download(slug: str, query_id: int) -> Response:
    """Return one question with its lists and ratings as JSON, in full precision."""
    evidence, board = _scored(current_place().project)
    sheet = question_sheet(read_session(), evidence, board, query_id)
    response = Response(sheet_as_object(slug, board, sheet), mimetype="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="{slug}-question-{query_id}.json"'
    return response


def _scored(project: Project) -> tuple[Evidence, Scoreboard]:
    close_read_session()
    evidence = evidence_of(database(), project.id)
    return evidence, score_runs(evidence, evidence.current_runs())


def _chosen(sheet: QuestionSheet) -> RankedList | None:
    wanted = request.args.get("ranker", "")
    named = [one for one in sheet.lists if str(one.run.ranker_id) == wanted]
    ordered = sorted(sheet.lists, key=lambda one: -(one.score if one.score is not None else -1.0))
    return next(iter(named or ordered), None)


def _neighbours(evidence: Evidence, sheet: QuestionSheet) -> tuple[int | None, int | None, int, int]:
    """Return the questions before and after, and which of how many this is."""
    active = evidence.structure.query_id[evidence.active_queries()].tolist()
    if sheet.query.id not in active:
        return None, None, 0, len(active)
    number = active.index(sheet.query.id)
    before = active[number - 1] if number else None
    after = active[number + 1] if number + 1 < len(active) else None
    return before, after, number + 1, len(active)
