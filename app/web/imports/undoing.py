"""Undo an import: what would be lost is said first, and nothing that was rated is ever deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, render_template, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import read_session, write_session
from app.models import EventKind, Project
from app.services.errors import NotFoundError
from app.services.undoing import list_imports, preview_undo, undo_import
from app.web.imports import blueprint
from app.web.imports.problems import plain

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

    from app.services.undoing import ImportFact

UNDONE = {
    EventKind.QUERIES_ADDED: "The import is undone. Questions removed: {count}.",
    EventKind.DOCUMENTS_ADDED: "The import is undone. Answers removed: {count}.",
    EventKind.JUDGMENTS_IMPORTED: "The import is undone. Ratings cleared: {count}.",
    EventKind.RUN_PUBLISHED: "The run is withdrawn. It can be restored at any time.",
}


@blueprint.get("/p/<slug>/import/undo/<int:revision>")
@allow(Access.OWN)
def undo(slug: str, revision: int) -> str:
    """Say what undoing an import would take away."""
    session, project = read_session(), current_place().project
    fact, preview = _import_at(revision), preview_undo(session, project, revision)
    is_run = fact.kind is EventKind.RUN_PUBLISHED
    say = (
        str if is_run else plain
    )  # what is said of a run holds its ranker's name, which is nobody's to reword
    return render_template(
        "imports/undo.html",
        slug=slug,
        fact=fact,
        what=say(fact.what),
        sentence=say(preview.sentence),
        can_undo=preview.count > 0,
        is_run=is_run,
    )


@blueprint.post("/p/<slug>/import/undo/<int:revision>")
@allow(Access.OWN)
def undo_now(slug: str, revision: int) -> AnyResponse:
    """Undo an import."""
    fact = _import_at(revision)
    with write_session() as session:
        project = session.get_one(Project, current_place().project.id)
        done = undo_import(session, project, revision, actor_id=current_identity_or_404().id)
    flash(UNDONE[fact.kind].format(count=f"{done.count:,}"))
    return redirect(url_for("imports.index", slug=slug))


def _import_at(revision: int) -> ImportFact:
    imports = list_imports(read_session(), current_place().project)
    found = next((fact for fact in imports if fact.revision == revision), None)
    if found is None:
        raise NotFoundError("There is no such import.")
    return found
