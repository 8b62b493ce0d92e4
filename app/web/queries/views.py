"""One question: its page and its answers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from flask import Response as FlaskResponse
from flask import flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from app.http.exporting import note_export
from app.http.languages import gettext as _
from app.http.permissions import Access, allow, current_access, current_person_id
from app.http.project import current_evidence, current_project, write_project
from app.http.sessions import read_session
from app.models.person import Role
from app.models.project import Project
from app.scoring.choices import CONSENSUS_CHOICES, DISCOUNT_CHOICES, GAIN_CHOICES, choice_of
from app.services.assignment.checks import GoldChoice, declare_gold, gold_choices
from app.services.assignment.report import AssignedBatch, assigned_batches
from app.services.assignment.requests import answers_to_request
from app.services.collection.queries import earlier_wordings
from app.services.errors import InvalidError
from app.services.evidence.passed import unratable_now
from app.services.evidence.state import Evidence
from app.services.judging.adjudication import requestable_answers
from app.services.pages import Page, page_of
from app.services.projects.words import showing_of
from app.services.scores.question_page import QuestionAnswer, QuestionSheet, question_sheet
from app.services.scores.questions import (
    QuestionRow,
    questions_of,
    state_of,
)
from app.services.scores.scoreboard import Scoreboard, score_runs
from app.web.answer_text import ShownText, shown_text
from app.web.arguments import asked_page, whole_number
from app.web.charts.bars import CoverageGrid, coverage_grid
from app.web.grades import words_of
from app.web.queries import blueprint
from app.web.queries.explaining import explained
from app.web.queries.listing import (
    SHOWN_NAMES,
    by_number,
    columns_of,
    question_list,
    sheet_as_object,
    shown_state,
    wants_retired,
)
from app.web.ranker_colours import ranker_colours
from app.web.responses import attachment

EACH = 50


class AnswersPage(NamedTuple):
    """Some answers, each with its text as it is shown.

    open, textless
        How many answers of the pool are unrated: those that have a text, and those that have none.
    """

    shown: list[tuple[QuestionAnswer, ShownText]]
    open: int
    textless: int
    page: Page


def answers_page(sheet: QuestionSheet, project: Project) -> AnswersPage:
    """Return the page of answers that the address asks for."""
    usual = showing_of(project.options)["answer_format"]
    page = page_of(len(sheet.answers), asked_page("answers"), EACH)
    unrated = [answer for answer in sheet.answers if answer.pooled and answer.low is None]
    return AnswersPage(
        [
            (answer, shown_text(answer.text, is_markdown=(answer.format or usual) == "markdown"))
            for answer in sheet.answers[page.rows]
        ],
        sum(answer.has_text for answer in unrated),
        sum(not answer.has_text for answer in unrated),
        page,
    )


class OwnersView(NamedTuple):
    """The batches of a question, and its answers with what this owner said about each."""

    assigned: list[AssignedBatch]
    answers: list[GoldChoice]


def owners_view(query_id: int) -> OwnersView | None:
    """Return what the owners' part of a question's page shows; None for everybody else."""
    access, session = current_access(), read_session()
    if access.role is not Role.OWNER:
        return None
    return OwnersView(
        assigned_batches(session, access.project.id, query_id=query_id),
        gold_choices(session, access.project.id, query_id, current_person_id()),
    )


@blueprint.post("/p/<slug>/answers/<candidate_id>/gold")
@allow(Access.OWN)
def gold(slug: str, candidate_id: str) -> Response:
    """Call an answer gold, or take that back."""
    grade = request.form.get("grade", "")
    number = whole_number(grade, digits=3)
    if grade and number is None:
        raise InvalidError("Choose the lowest or the highest grade, or “not gold”.")
    with write_project() as (session, project):
        query_id = declare_gold(session, project, candidate_id, number, actor_id=current_person_id())
    flash(_("Saved.") if grade else _("Taken back."))
    return redirect(url_for("queries.show", slug=slug, query_id=query_id, _anchor="gold-h"))


MOST_SQUARES = 120
SQUARES_IN_ROW = 20


@blueprint.get("/p/<slug>/questions")
@allow(Access.READ)
def index(slug: str) -> str:
    """List the questions: searched, filtered, sorted, by pages."""
    evidence, board = _scored()
    rankers = [(one.run.ranker_id, one.run.ranker) for one in board.runs]
    retired = wants_retired(request.args)
    tones = ranker_colours(evidence, board)
    rows = questions_of(read_session(), evidence, board, retired=retired)
    listing = question_list(rows, request.args, rankers, relevant=board.ruler.threshold, k=board.ruler.k)
    complete = board.ruler.unjudged == "complete"
    return render_template(
        "queries/index.html",
        listing=listing,
        columns=columns_of(board, listing.rows, tones),
        names=[name for _, name in rankers],
        tones=tones,
        squares=None if retired else _squares(slug, listing.matching),
        k=board.ruler.k,
        complete=complete,
        any_scored=bool(board.counted.any()),
        shown_states=[
            shown_state(
                row.state, rated=row.rated, judged=row.judged, is_open=row.rated < row.pooled and not complete
            )
            for row in listing.rows
        ],
        state_names=SHOWN_NAMES,
        relevant_from=board.ruler.threshold,
        slug=slug,
        page_url=lambda number: url_for("queries.index", slug=slug, **listing.address(page=number)),
    )


@blueprint.get("/p/<slug>/questions/<int:query_id>")
@allow(Access.READ)
def show(slug: str, query_id: int) -> str:
    """Show one question: the lists side by side, the working of one score, and every answer with its text."""
    project, role = current_project(), current_access().role
    evidence, board = _scored()
    sheet = question_sheet(read_session(), evidence, board, query_id)
    asked = explained(read_session(), evidence, board, sheet, request.args)
    before, after, number, count = _neighbours(evidence, sheet)
    requested, askable = (
        answers_to_request(
            read_session(), evidence, query_id, unratable_now(read_session(), evidence, project)
        )
        if role is Role.OWNER
        else (set(), set())
    )
    is_open = sheet.rated < sheet.pooled and board.ruler.unjudged != "complete"
    state = shown_state(
        state_of(board, sheet.place),
        rated=sheet.rated,
        judged=sheet.rated + sheet.rated_outside,
        is_open=is_open,
    )
    gain_head = choice_of(GAIN_CHOICES, board.ruler.gain).column_head(board.ruler.scale_low)
    return render_template(
        "queries/show.html",
        sheet=sheet,
        board=board,
        asked=asked,
        state=state,
        state_name=SHOWN_NAMES[state],
        counts_unrated=is_open and bool(board.scored[sheet.place]),
        chosen=asked.chosen,
        answers=answers_page(sheet, project),
        answers_url=lambda page: url_for(
            "queries.show", slug=slug, query_id=query_id, answers=page, _anchor="answers"
        ),
        earlier=earlier_wordings(read_session(), sheet.query),
        working=asked.working,
        words=words_of(project.grade_words, project.grades),
        gain_head=gain_head.replace("grade", _("grade")),
        discount_head=choice_of(DISCOUNT_CHOICES, board.ruler.discount).brief,
        consensus_rule=choice_of(CONSENSUS_CHOICES, board.ruler.consensus).meaning,
        before=before,
        after=after,
        number=number,
        count=count,
        referable=requestable_answers(read_session(), project.id, query_id) if role is Role.OWNER else [],
        slug=slug,
        requested=len(requested),
        askable=askable,
        tones=ranker_colours(evidence, board),
        owners=owners_view(query_id),
    )


@blueprint.get("/p/<slug>/questions/<int:query_id>.json")
@allow(Access.READ)
def download(slug: str, query_id: int) -> FlaskResponse:
    """Return one question with its lists and ratings as JSON, in full precision."""
    evidence, board = _scored()
    sheet = question_sheet(read_session(), evidence, board, query_id)
    note_export(f"question {query_id}", "json")
    body = sheet_as_object(current_project(), board, sheet)
    return attachment(body, f"{slug}-question-{query_id}.json", "application/json")


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


def _scored() -> tuple[Evidence, Scoreboard]:
    evidence = current_evidence()
    return evidence, score_runs(evidence, evidence.current_runs())


def _neighbours(evidence: Evidence, sheet: QuestionSheet) -> tuple[int | None, int | None, int, int]:
    """Return the questions before and after, and which of how many this is."""
    structure, are_active = evidence.structure, evidence.active_queries()
    places = sorted(np.flatnonzero(are_active), key=lambda place: by_number(structure.query_name[place]))
    active = structure.query_id[places].tolist()
    if sheet.query.id not in active:
        return None, None, 0, len(active)
    number = active.index(sheet.query.id)
    before = active[number - 1] if number else None
    after = active[number + 1] if number + 1 < len(active) else None
    return before, after, number + 1, len(active)
