"""Edit, retire and restore a question; enter known answers."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from app.http.languages import translated
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_project, write_project
from app.http.sessions import read_session
from app.models.query import Query
from app.services.assignment.retiring import retire_questions
from app.services.collection.known_answers import add_known_answer, search_documents
from app.services.collection.queries import edit_query, ratings_given, restore_queries
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.web.arguments import id_from
from app.web.queries import blueprint
from app.web.queries.forms import QuestionForm, fields_of
from app.web.responses import flash_refusals


@blueprint.route("/p/<slug>/questions/<int:query_id>/edit", methods=["GET", "POST"])
@allow(Access.OWN)
def edit(slug: str, query_id: int) -> Response | str:
    """Edit the words, tags and weight of a question; each edit is an event, and earlier words are kept."""
    query = current_query(query_id)
    form = QuestionForm(data=fields_of(query))
    if form.validate_on_submit() and _edit(query_id, form):
        return redirect(url_for("queries.show", slug=slug, query_id=query_id))
    given = ratings_given(read_session(), query)
    return render_template("queries/edit.html", query=query, form=form, given=given, slug=slug)


@blueprint.post("/p/<slug>/questions/<int:query_id>/state")
@allow(Access.OWN)
def turn(slug: str, query_id: int) -> Response:
    """Retire a question, or restore it."""
    name = current_query(query_id).external_id
    turns = {"retire": retire_questions, "restore": restore_queries}
    wanted = request.form.get("turn", "")
    if wanted not in turns:
        raise InvalidError("Say whether the question is to be retired or restored.")
    with flash_refusals(ConflictError):
        with write_project() as (session, project):
            turns[wanted](session, project, [name], actor_id=current_person_id())
        flash(_("The question is retired.") if wanted == "retire" else _("The question is restored."), "good")
    return redirect(url_for("queries.show", slug=slug, query_id=query_id))


def current_query(query_id: int) -> Query:
    """Return a question of the project of this request.

    :raise NotFoundError: the project has no such question.
    """
    query = read_session().get(Query, query_id)
    if query is None or query.project_id != current_project().id:
        raise NotFoundError("There is no such question.")
    return query


def _edit(query_id: int, form: QuestionForm) -> bool:
    """Store the fields that were changed on the form; tell what was refused, if something was."""
    try:
        with write_project() as (session, project):
            query = session.get_one(Query, query_id)
            if form.refuse_overtaken(fields_of(query)):
                return False
            changed = edit_query(session, project, query, form.content, actor_id=current_person_id())
    except ConflictError as error:
        flash(translated(error.message), "error")
        return False
    flash(_("The question is changed.") if changed else _("Nothing was changed."), "good")
    return True


@blueprint.get("/p/<slug>/questions/<int:query_id>/known")
@allow(Access.OWN)
def known(slug: str, query_id: int) -> str:
    """Search the collection for an answer of this question."""
    query = current_query(query_id)
    search = request.args.get("q", "").strip()
    found, more = search_documents(read_session(), query, search)
    return render_template(
        "queries/known.html", query=query, search=search, found=found, more=more, slug=slug
    )


@blueprint.post("/p/<slug>/questions/<int:query_id>/known")
@allow(Access.OWN)
def add_known(slug: str, query_id: int) -> Response:
    """Enter a found answer."""
    current_query(query_id)
    number = id_from(request.form.get("document")) or 0
    back = url_for("queries.known", slug=slug, query_id=query_id, q=request.form.get("q", "")[:200] or None)
    with flash_refusals():
        with write_project() as (session, project):
            add_known_answer(session, project, query_id, number, actor_id=current_person_id())
        flash(_("The answer is in the pool now, and waits to be rated like the others."))
        back = url_for("queries.show", slug=slug, query_id=query_id)
    return redirect(back)
