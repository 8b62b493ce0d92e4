"""The page about what to rate next, and what can be done from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, render_template, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import close_read_session, database, read_session
from app.jobs.dealing import deal_question
from app.jobs.settings import change_settings
from app.services.errors import ConflictError, InvalidError
from app.services.evidence import evidence_of
from app.services.project_settings import SettingChanges
from app.services.wording import counted
from app.web.next_answers import blueprint
from app.web.next_answers.page import asked_from, next_page

if TYPE_CHECKING:
    from werkzeug.wrappers import Response


@blueprint.get("/p/<slug>/next")
@allow(Access.READ)
def index(slug: str) -> str:
    """Show what was asked for, what comes next, and what finishing costs."""
    project = current_place().project
    # The snapshot is closed before the arithmetic: a long reader costs everybody who writes.
    close_read_session()
    evidence = evidence_of(database(), project.id)
    asked = asked_from(request.args, project)
    page = next_page(read_session(), project, evidence, current_identity_or_404().id, asked)
    return render_template("next_answers/index.html", page=page, slug=slug)


@blueprint.post("/p/<slug>/next/rate")
@allow(Access.OWN)
def rate(slug: str) -> Response:
    """Take the answers of one question to rate now, and go to them."""
    query = request.form.get("query", "")
    if not (query.isascii() and query.isdigit() and len(query) < 19):
        raise InvalidError("Choose one of the questions of the list.")
    project_id, person_id = current_place().project.id, current_identity_or_404().id
    close_read_session()
    batch = deal_question(database(), project_id, person_id, int(query))
    if batch is None:
        flash("That question has nothing left for you. Here is what comes next.", "warn")
        return redirect(url_for("next_answers.index", slug=slug))
    return redirect(url_for("judging.batch", slug=slug, batch=batch))


@blueprint.post("/p/<slug>/next/finishing")
@allow(Access.OWN)
def apply(slug: str) -> Response:
    """Save another depth and overlap."""
    project = current_place().project
    wanted = asked_from(request.form, project)
    changes = SettingChanges(
        pool_depth=wanted.depth if wanted.depth != project.pool_depth else None,
        overlap=wanted.overlap if wanted.overlap != project.overlap else None,
    )
    address = url_for(
        "next_answers.index", slug=slug, depth=wanted.depth, overlap=wanted.overlap, _anchor="price-h"
    )
    close_read_session()
    try:
        change_settings(database(), project.id, changes, actor_id=current_identity_or_404().id)
    except (InvalidError, ConflictError) as error:
        flash(error.message, "warn")
        return redirect(address)
    flash(f"Saved: depth {wanted.depth}, {counted(wanted.overlap, 'rating')} per answer.")
    return redirect(address)
