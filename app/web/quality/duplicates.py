"""Documents that are alike: looked for, shown, merged or kept apart by the owner, and either taken back."""

from __future__ import annotations

from typing import Any

from flask import Response, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as AnyResponse

from app.http.background import worker
from app.http.languages import current_language, ngettext
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_project, write_project
from app.http.sessions import read_session, write_session
from app.services.collection.duplicates import (
    keep_separate,
    kept_separate,
    merge_documents,
    merges_in_force,
    undo_merge,
    undo_separation,
)
from app.services.collection.near_duplicates import request_search, search_state, similar_page
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.web.arguments import asked_page, id_from
from app.web.quality import blueprint
from app.web.responses import flash_refusals, fragment

SHOWN = 100


@blueprint.get("/p/<slug>/quality/duplicates")
@allow(Access.OWN)
def duplicates(slug: str) -> str:
    """Show the documents that are alike, and the current merges."""
    return render_template("quality/duplicates.html", etag=_etag(), **_values(slug))


@blueprint.get("/p/<slug>/quality/duplicates/part")
@allow(Access.OWN)
def part(slug: str) -> Response:
    """Return what the page shows, for a page that waits for a search."""
    return fragment(_etag(), lambda: render_template("quality/_duplicates.html", **_values(slug)))


@blueprint.post("/p/<slug>/quality/duplicates/search")
@allow(Access.OWN)
def search(slug: str) -> AnyResponse:
    """Look for documents that are nearly the same, in the background."""
    project_id = current_project().id
    with write_session() as session:
        wanted = request_search(session, project_id)
    if wanted:
        worker().compare(project_id)
    return redirect(url_for("quality.duplicates", slug=slug))


@blueprint.post("/p/<slug>/quality/duplicates/merge")
@allow(Access.OWN)
def merge(slug: str) -> AnyResponse:
    """Make the ticked documents one answer."""
    with flash_refusals(ConflictError, InvalidError, NotFoundError):
        with write_project() as (session, project):
            event = merge_documents(session, project, _named("document"), actor_id=current_person_id())
            count = len(event.payload["document_ids"])
        flash(
            ngettext(
                "%(num)s document merged into one answer. You can undo it below.",
                "%(num)s documents merged into one answer. You can undo it below.",
                count,
            )
        )
    return redirect(url_for("quality.duplicates", slug=slug))


@blueprint.post("/p/<slug>/quality/duplicates/apart")
@allow(Access.OWN)
def apart(slug: str) -> AnyResponse:
    """Say that the ticked documents, or all of the group where none is ticked, are not the same."""
    with flash_refusals(ConflictError, InvalidError, NotFoundError):
        with write_project() as (session, project):
            wanted = _named("document") or _named("shown")
            event = keep_separate(session, project, wanted, actor_id=current_person_id())
            count = len(event.payload["document_ids"])
        flash(
            ngettext(
                "%(num)s document marked as not the same. You can undo it below.",
                "%(num)s documents marked as not the same. You can undo it below.",
                count,
            )
        )
    return redirect(url_for("quality.duplicates", slug=slug))


@blueprint.post("/p/<slug>/quality/merges/<int:merge_revision>/undo")
@allow(Access.OWN)
def part_again(slug: str, merge_revision: int) -> AnyResponse:
    """Undo a merge."""
    with flash_refusals(ConflictError):
        with write_project() as (session, project):
            undo_merge(session, project, merge_revision, actor_id=current_person_id())
        flash(_("The merge is undone."))
    return redirect(url_for("quality.duplicates", slug=slug, _anchor="merges-h"))


@blueprint.post("/p/<slug>/quality/apart/<int:apart_revision>/undo")
@allow(Access.OWN)
def not_apart(slug: str, apart_revision: int) -> AnyResponse:
    """Take back that documents are not the same."""
    with flash_refusals(ConflictError):
        with write_project() as (session, project):
            undo_separation(session, project, apart_revision, actor_id=current_person_id())
        flash(_("Undone. If they are alike, they are listed again."))
    return redirect(url_for("quality.duplicates", slug=slug))


def _named(field: str) -> list[int]:
    """Return the documents that a form names."""
    return [number for text in request.form.getlist(field)[:200] if (number := id_from(text))]


def _etag() -> str:
    state = search_state(read_session(), current_project().id)
    if state is None:
        return f"none-{current_language()}"
    return f"{state.state}-{state.done}-{state.total}-{state.at_work}-{current_language()}"


def _values(slug: str) -> dict[str, Any]:
    session, project = read_session(), current_project()
    merges, kept_apart = merges_in_force(session, project.id), kept_separate(session, project.id)
    return {
        "slug": slug,
        "alike": similar_page(session, project.id, page=asked_page()),
        "search": search_state(session, project.id),
        "merges": merges[:SHOWN],
        "merged": len(merges),
        "apart": kept_apart[:SHOWN],
        "kept_apart": len(kept_apart),
        "archived": project.state == "archived",
        "page_url": lambda number: url_for("quality.duplicates", slug=slug, page=number),
    }
