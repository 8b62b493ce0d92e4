"""The search for an answer that somebody knows of; what is chosen joins the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, render_template, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import read_session, write_session
from app.models import Project
from app.services.errors import ConflictError, InvalidError
from app.services.questions import add_known_answer, search_documents
from app.web.queries import blueprint
from app.web.queries.changing import LARGEST_ID, query_of_place

if TYPE_CHECKING:
    from werkzeug.wrappers import Response


@blueprint.get("/p/<slug>/questions/<int:query_id>/known")
@allow(Access.OWN)
def known(slug: str, query_id: int) -> str:
    """Search the collection for an answer of this question."""
    query = query_of_place(query_id)
    search = request.args.get("q", "").strip()
    found, more = search_documents(read_session(), query, search)
    return render_template(
        "queries/known.html", query=query, search=search, found=found, more=more, slug=slug
    )


@blueprint.post("/p/<slug>/questions/<int:query_id>/known")
@allow(Access.OWN)
def add_known(slug: str, query_id: int) -> Response:
    """Enter a found answer."""
    query_of_place(query_id)
    wanted = request.form.get("document", default=0, type=int)
    number = wanted if 0 < wanted <= LARGEST_ID else 0
    search = request.form.get("q", "")[:200]
    try:
        with write_session() as session:
            project = session.get_one(Project, current_place().project.id)
            add_known_answer(session, project, query_id, number, actor_id=current_identity_or_404().id)
    except (ConflictError, InvalidError) as error:
        flash(str(error), "error")
        return redirect(url_for("queries.known", slug=slug, query_id=query_id, q=search or None))
    flash("The answer is in the pool now, and waits to be rated like the others.")
    return redirect(url_for("queries.show", slug=slug, query_id=query_id))
