"""Ask for something to be rated first, from any page that shows it; and take that back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import close_read_session, database, write_session
from app.models import Project
from app.services.assignment import request_answer, request_pair, request_question, withdraw_request
from app.services.errors import ConflictError, InvalidError
from app.services.evidence import evidence_of
from app.services.wording import counted
from app.web.next_answers import blueprint
from app.web.raters import current_annotator, go_on
from app.web.targets import local_target

if TYPE_CHECKING:
    from sqlalchemy.orm import Session
    from werkzeug.wrappers import Response

    from app.services.evidence import Evidence


@blueprint.post("/p/<slug>/next/requests", endpoint="ask")
@allow(Access.OWN)
def ask(slug: str) -> Response:
    """Ask for a question, an answer or what two versions need to be rated first, and go back or rate it."""
    starting = request.form.get("start") == "y"
    project_id = current_place().project.id
    close_read_session()
    evidence = evidence_of(database(), project_id)
    try:
        with write_session() as session:
            count = _ask(session, session.get_one(Project, project_id), evidence)
        flash(f"{counted(count, 'answer')} will be rated first.", "good")
    except ConflictError as error:
        if not (starting and error.code == "requested"):
            flash(error.message, "warn")
    return go_on(current_annotator()) if starting else _back(slug)


@blueprint.post("/p/<slug>/next/requests/<int:request_id>/withdraw", endpoint="withdraw")
@allow(Access.OWN)
def withdraw(slug: str, request_id: int) -> Response:
    """Take a request back."""
    with write_session() as session:
        project = session.get_one(Project, current_place().project.id)
        withdraw_request(session, project, request_id, actor_id=current_identity_or_404().id)
    flash("Request withdrawn. Ratings that are given stay.")
    return _back(slug)


def _ask(session: Session, project: Project, evidence: Evidence) -> int:
    form, me = request.form, current_identity_or_404().id
    if form.get("answer"):
        return request_answer(session, project, form["answer"], evidence=evidence, actor_id=me)
    if form.get("query"):
        return request_question(session, project, _number(form["query"]), evidence=evidence, actor_id=me)
    runs = [_number(one) for one in form.getlist("run")]
    if len(runs) != 2:
        raise InvalidError("Say what is to be rated first: a question, an answer, or two versions.")
    return request_pair(session, project, (runs[0], runs[1]), evidence=evidence, actor_id=me)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidError("Say what is to be rated first: a question, an answer, or two versions.")
    return int(text)


def _back(slug: str) -> Response:
    return redirect(local_target(request.form.get("next"), url_for("next_answers.index", slug=slug)))
