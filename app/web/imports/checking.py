"""The second step: how the file is read, what is wrong with it, and what importing it would do."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from flask import Response, flash, make_response, redirect, render_template, request, url_for

from app.formats.schema import FORMATS, NAMES
from app.formats.writing import write_table
from app.http.permissions import Access, allow, current_place
from app.services.project_words import ProjectWords
from app.web.imports import blueprint
from app.web.imports.choosing import format_choices
from app.web.imports.presenting import UploadPage, upload_page
from app.web.imports.problems import DECISIONS, rows_of
from app.web.imports.uploads import discard, set_to_work, this_upload

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

    from app.models import Upload

REFRESH_SECONDS = 2


@blueprint.get("/p/<slug>/import/files/<upload_id>")
@allow(Access.OWN)
def show(slug: str, upload_id: str) -> str:
    """Show an upload in whatever state it is."""
    page = _page(upload_id)
    return render_template("imports/upload.html", **_values(slug, page), seconds=REFRESH_SECONDS)


@blueprint.get("/p/<slug>/import/files/<upload_id>/part")
@allow(Access.OWN)
def part(slug: str, upload_id: str) -> AnyResponse:
    """Return what the page shows, for a page that waits; nothing new is a 304."""
    page = _page(upload_id)
    etag = _etag(page.upload)
    if request.if_none_match.contains_weak(etag):
        response = Response(status=304)
    else:
        response = make_response(render_template("imports/_upload.html", **_values(slug, page)))
    response.set_etag(etag)
    response.headers["Cache-Control"] = "private, no-cache"
    return response


@blueprint.post("/p/<slug>/import/files/<upload_id>/check")
@allow(Access.OWN)
def check_again(slug: str, upload_id: str) -> AnyResponse:
    """Check an upload again, read in another way or with other decisions."""
    upload = this_upload(upload_id)
    options = {**upload.options, **_chosen(upload)}
    set_to_work(upload_id, upload, "checked", "checking", options=options)
    return redirect(url_for("imports.show", slug=slug, upload_id=upload_id))


@blueprint.get("/p/<slug>/import/files/<upload_id>/problems.csv")
@allow(Access.OWN)
def problems(slug: str, upload_id: str) -> Response:
    """Return the list of problems as a table for spreadsheets."""
    del slug
    own = ProjectWords.of(current_place().project.wording)
    rows = rows_of(this_upload(upload_id).report.get("problems", []), own)
    cells = [(row.line, row.value, row.reason, row.remedy) for row in rows]
    lines = write_table(("line", "value", "problem", "remedy"), cells, "csv", spreadsheet=True)
    response = Response("".join(lines), mimetype="text/csv")
    response.headers["Content-Disposition"] = 'attachment; filename="problems.csv"'
    return response


@blueprint.post("/p/<slug>/import/files/<upload_id>/cancel")
@allow(Access.OWN)
def cancel(slug: str, upload_id: str) -> AnyResponse:
    """Throw a waiting file away; nothing of it was saved."""
    this_upload(upload_id)
    if discard(upload_id):
        flash("The file is discarded. Nothing was saved.")
    return redirect(url_for("imports.index", slug=slug))


def _page(upload_id: str) -> UploadPage:
    return upload_page(current_place().project, this_upload(upload_id))


def _values(slug: str, page: UploadPage) -> dict[str, Any]:
    formats = format_choices(page.words.kind)
    return {"slug": slug, "page": page, "upload": page.upload, "formats": formats, "etag": _etag(page.upload)}


def _etag(upload: Upload) -> str:
    seen = f"{upload.id} {upload.state} {upload.progress_done} {upload.progress_total}"
    return hashlib.sha256(seen.encode()).hexdigest()[:24]


def _chosen(upload: Upload) -> dict[str, Any]:
    """Return the options that the form holds; anything that the page does not offer is left out."""
    kind: Any = upload.kind
    chosen: dict[str, Any] = {}
    wanted = request.form.get("format")
    if wanted is not None:
        chosen["format"] = wanted if wanted in FORMATS[kind] else None
    if chosen.get("format") == upload.options.get("format"):
        chosen["columns"] = _columns(upload, kind)
    else:
        chosen["columns"] = {}  # the names of another format are others
    for decision in DECISIONS.values():
        value = request.form.get(decision.option)
        if value in dict(decision.choices):
            chosen[decision.option] = value == "yes" if decision.option == "replace" else value
    return chosen


def _columns(upload: Upload, kind: Any) -> dict[str, str]:
    known = upload.report.get("look", {}).get("columns", [])
    named = {ours: request.form.get(f"column-{ours}", "") for ours in NAMES[kind]}
    return {ours: theirs for ours, theirs in named.items() if theirs and theirs in known}
