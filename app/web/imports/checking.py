"""A file from its choice to its check."""

from __future__ import annotations

import hashlib
from typing import Any

from flask import Response, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as AnyResponse
from wtforms.fields import SelectChoice

from app.formats.encoding import ENCODINGS
from app.formats.recognise import is_opaque
from app.formats.schema import FORMATS, Kind
from app.formats.writing import write_table
from app.http.languages import current_language, ngettext, translated
from app.http.limits import takes_upload
from app.http.permissions import Access, allow, current_identity_or_404, current_person_id
from app.http.project import current_project
from app.http.receiving import ReceivedFile, received, refuse_full_disk, written
from app.http.sessions import close_read_session, read_session, settings, write_session
from app.jobs.uploads.looking import Chosen, looks_of
from app.models.upload import Upload
from app.services.collection.files import ImportFile, refuse_archived
from app.services.collection.import_undo import has_import
from app.services.collection.queries import pasted_file
from app.services.errors import InvalidError, NotFoundError
from app.services.projects.templates import find_sample, samples_for
from app.services.projects.words import ProjectWords
from app.services.uploads import (
    AT_WORK,
    has_changed,
    open_uploads,
    refuse_beyond_share,
    turn_upload,
    uploads_together,
    waiting_uploads,
)
from app.web.imports import blueprint
from app.web.imports.columns import chosen_columns
from app.web.imports.forms import FileForm, PasteForm
from app.web.imports.kinds import FORMAT_NAMES, KINDS, KindWords, kind_or_404
from app.web.imports.naming import default_names, is_named_in_file
from app.web.imports.preview import UploadPage, has_version_before, upload_page, verdict_of
from app.web.imports.problems import DECISIONS, rows_of
from app.web.imports.rating_tables import chosen_grades, grade_choices
from app.web.imports.uploads import (
    discard,
    discard_own,
    display_name,
    leave_out,
    set_to_work,
    take_in,
    this_upload,
)
from app.web.responses import attachment, fragment


@blueprint.route("/p/<slug>/import/<kind>", methods=["GET", "POST"])
@allow(Access.OWN)
@takes_upload
def choose(slug: str, kind: str) -> AnyResponse | str:
    """Show what a file of this kind looks like, and take one."""
    words = kind_or_404(kind)
    form = _file_form(words.kind)
    if form.validate_on_submit():
        refuse_archived(current_project())
        storage = form.file.data
        name = display_name(storage.filename)
        instead = request.args.get("instead", "")
        file, options = received(storage), {"format": form.format.data or None, **_place_of(instead)}
        if options["format"] is None and not is_opaque(file.look()):
            options |= _guessed(file, words.kind, name)
        upload_id = take_in(file, words.kind, name, options)
        discard(instead)
        return redirect(url_for("imports.show", slug=slug, upload_id=upload_id))
    if current_project().state == "archived":
        # That page says why nothing is imported.
        return redirect(url_for("imports.index", slug=slug))
    return _page(slug, words, form, PasteForm(formdata=None))


@blueprint.post("/p/<slug>/import/queries/paste")
@allow(Access.OWN)
def paste(slug: str) -> AnyResponse | str:
    """Take pasted questions as a file, which is checked like any other."""
    form = PasteForm()
    refuse_archived(current_project())
    if form.validate():
        try:
            file = pasted_file(read_session(), current_project(), form.text.data)
        except InvalidError as error:
            form.text.errors = [translated(error.message)]
        else:
            assert isinstance(file.content, bytes)
            size = len(file.content)
            refuse_full_disk(settings().uploads_path, size)
            refuse_beyond_share(read_session(), current_person_id(), coming=1, size=size)
            close_read_session()
            stored = written(settings().uploads_path, file.content)
            upload_id = take_in(stored, "queries", file.name, {"format": file.format, "pasted": True})
            stored.close()
            return redirect(url_for("imports.show", slug=slug, upload_id=upload_id))
    return _page(slug, KINDS["queries"], _file_form("queries"), form)


@blueprint.get("/p/<slug>/import/samples/<name>")
@allow(Access.OWN)
def sample(slug: str, name: str) -> Response:
    """Return a small file to look at, fill in and try.

    :raise NotFoundError: There is no sample of this name.
    """
    del slug
    found = find_sample(current_project(), name)
    if found is None:
        raise NotFoundError("There is no such sample.")
    return attachment(found.text, found.name, "text/plain")


def format_choices(kind: Kind) -> list[SelectChoice]:
    """Return the formats of a kind for a select, after "guess it"."""
    names = {
        **FORMAT_NAMES,
        "trec": _("TREC run (6 columns)") if kind == "run" else _("TREC ratings (qrels)"),
    }
    known = [SelectChoice(each, names[each]) for each in FORMATS[kind]]
    return [SelectChoice("", _("Guess from the file")), *known]


def _file_form(kind: Kind) -> FileForm:
    form = FileForm()
    form.format.choices = format_choices(kind)
    return form


def _place_of(upload_id: str) -> dict[str, Any]:
    """Return what a corrected file takes over from the one before it: the files it was chosen with."""
    try:
        options = this_upload(upload_id).options
    except NotFoundError:
        return {}
    return {name: options[name] for name in ("group", *SHARED) if name in options}


def _guessed(file: ReceivedFile, kind: Kind, name: str) -> dict[str, Any]:
    """Return which column is which and why, where names of columns do not tell it and their values do."""
    chosen = Chosen(ImportFile(content=file.look(), name=name), kind)
    (look,) = looks_of(read_session(), current_project(), [chosen])
    guessed, reason = look.options["guessed"], look.options["reason"]
    return {"columns": guessed[kind], "guessed": guessed, "reason": reason} if kind in guessed else {}


def _page(slug: str, words: KindWords, form: FileForm, paste_form: PasteForm) -> str:
    return render_template(
        "imports/choose.html",
        slug=slug,
        words=words,
        form=form,
        paste=paste_form,
        samples=samples_for(current_project(), words.kind),
        formats=FORMAT_NAMES,
        largest=settings().max_upload_mb,
    )


REFRESH_SECONDS = 2
SHARED = ("unknown_queries", "unknown_documents")
"""What is decided for files that were chosen together."""


@blueprint.get("/p/<slug>/import/files/<upload_id>")
@allow(Access.OWN)
def show(slug: str, upload_id: str) -> str:
    """Show an upload in whatever state it is."""
    page = _checking_page(upload_id)
    return render_template("imports/upload.html", **_values(slug, page), seconds=REFRESH_SECONDS)


@blueprint.get("/p/<slug>/import/files/<upload_id>/part")
@allow(Access.OWN)
def part(slug: str, upload_id: str) -> AnyResponse:
    """Return what the page shows, for a page that waits; nothing new is a 304."""
    page = _checking_page(upload_id)
    return fragment(
        _etag(page.upload), lambda: render_template("imports/_upload.html", **_values(slug, page))
    )


@blueprint.post("/p/<slug>/import/files/<upload_id>/check")
@allow(Access.OWN)
def check_again(slug: str, upload_id: str) -> AnyResponse:
    """Check an upload again, read in another way or with other decisions."""
    upload = this_upload(upload_id)
    chosen = _chosen(upload)
    _decide_for_others(upload, {name: chosen[name] for name in SHARED if chosen.get(name)})
    set_to_work(upload_id, upload, "checked", "checking", options={**upload.options, **chosen})
    return redirect(url_for("imports.show", slug=slug, upload_id=upload_id))


@blueprint.get("/p/<slug>/import/files/<upload_id>/problems.csv")
@allow(Access.OWN)
def problems(slug: str, upload_id: str) -> Response:
    """Return the list of problems as a table for spreadsheets."""
    del slug
    own = ProjectWords.of(current_project().wording)
    rows = rows_of(this_upload(upload_id).report.get("problems", []), own)
    names = ("file", "line", "value", "problem", "remedy")
    cells = [(row.member, row.line, row.value, row.reason, row.remedy) for row in rows]
    first = 0 if any(row.member for row in rows) else 1
    lines = write_table(names[first:], (each[first:] for each in cells), "csv")
    return attachment("".join(lines), "problems.csv", "text/csv")


@blueprint.post("/p/<slug>/import/files/<upload_id>/cancel")
@allow(Access.OWN)
def cancel(slug: str, upload_id: str) -> AnyResponse:
    """Throw a file away, also while it is imported; nothing was saved."""
    upload = this_upload(upload_id)
    if not leave_out(upload):
        flash(_("This file was imported before you cancelled it."))
        return redirect(url_for("imports.show", slug=slug, upload_id=upload_id))
    flash(_("The upload is cancelled. Nothing was saved."))
    if (upload.state in AT_WORK or "together" in request.form) and _together(upload):
        return redirect(url_for("imports.together", slug=slug, group=upload.options["group"]))
    return redirect(url_for("imports.index", slug=slug))


@blueprint.post("/p/<slug>/import/discard")
@allow(Access.OWN)
def discard_all(slug: str) -> AnyResponse:
    """Throw away all files that wait here, or everywhere; none that is imported just now."""
    here = None if "everywhere" in request.form else current_project().id
    waiting = waiting_uploads(read_session(), current_identity_or_404().id, here)
    discarded = sum(discard_own(each) for each in waiting)
    flash(
        ngettext(
            "%(num)s upload is discarded. Nothing was saved.",
            "%(num)s uploads are discarded. Nothing was saved.",
            discarded,
        )
    )
    return redirect(url_for("imports.index", slug=slug))


def _others(upload: Upload) -> list[Upload]:
    """Return the files chosen together with one that are not imported yet."""
    return [each for each in _together(upload) if each.state != "done"]


def _together(upload: Upload) -> list[Upload]:
    """Return the files chosen together with one."""
    if "group" not in upload.options:
        return []
    mine = (upload.project_id, upload.person_id, upload.options["group"])
    return [each for each in uploads_together(read_session(), *mine) if each.id != upload.id]


def _waiting(upload: Upload) -> list[Upload]:
    """Return all other files of the same person that this project waits for, whatever they came with."""
    mine = open_uploads(read_session(), upload.project_id, current_identity_or_404().id)
    return [each for each in mine if each.id != upload.id]


def _decide_for_others(upload: Upload, decided: dict[str, Any]) -> None:
    """Let a decision hold for the files, chosen together with one, whose check has not begun."""
    if decided and (waiting := [each for each in _others(upload) if each.state == "waiting"]):
        with write_session() as session:
            for each in waiting:
                turn_upload(session, each.id, ["waiting"], "waiting", options={**each.options, **decided})


def _checking_page(upload_id: str) -> UploadPage:
    return upload_page(current_project(), this_upload(upload_id))


def _values(slug: str, page: UploadPage) -> dict[str, Any]:
    project, upload = current_project(), page.upload
    is_named = page.can_go_on and page.words.named
    label, names = default_names(project, upload) if is_named else ("", {})
    return {
        "slug": slug,
        "label": label,
        "names": names,
        "is_named": is_named_in_file(upload),
        "verdict": verdict_of([upload]),
        "others": _others(upload),
        "waiting": _waiting(upload),
        "shared": SHARED,
        "has_version_before": has_version_before(page.done),
        "has_undo": _has_undo(page),
        "is_outdated": _is_outdated(page),
        "page": page,
        "upload": page.upload,
        "formats": format_choices(page.words.kind),
        "grade_choices": grade_choices(project),
        "etag": _etag(page.upload),
    }


def _is_outdated(page: UploadPage) -> bool:
    """Return whether the project has changed since a file with problems was checked: it may go in now.

    What could not be read is not checked against the project.
    """
    upload = page.upload
    if upload.state != "checked" or page.can_go_on or not page.was_read or upload.checked_revision is None:
        return False
    return has_changed(read_session(), upload.project_id, upload.checked_revision)


def _has_undo(page: UploadPage) -> bool:
    """Return whether an import can be undone; one that changed nothing, or only replaced, cannot."""
    revision: int | None = page.done.get("revision")
    if revision is None or page.done.get("already"):
        return False
    return has_import(read_session(), current_project(), revision)


def _etag(upload: Upload) -> str:
    seen = f"{upload.id} {upload.state} {upload.progress_done} {upload.progress_total} {current_language()}"
    return hashlib.sha256(seen.encode()).hexdigest()[:24]


def _chosen(upload: Upload) -> dict[str, Any]:
    """Return the options that the form holds; anything that the page does not offer is left out."""
    kind: Any = upload.kind
    chosen: dict[str, Any] = {}
    wanted = request.form.get("format")
    if wanted is not None:
        chosen["format"] = wanted if wanted in FORMATS[kind] else None
    encoding = request.form.get("encoding")
    if encoding is not None:
        chosen["encoding"] = encoding if encoding in ENCODINGS else None
    if chosen.get("format") == upload.options.get("format"):
        columns = chosen_columns(upload)
        chosen["columns"] = dict(upload.options.get("columns") or {}) if columns is None else columns
    else:
        chosen["columns"] = {}  # the names of another format are others
    if upload.report.get("grades"):
        is_same = chosen.get("format") == upload.options.get("format")
        chosen["grades"] = _grades(upload, chosen["columns"]) if is_same else {}
    for decision in DECISIONS.values():
        value = request.form.get(decision.option)
        if value in dict(decision.choices):
            chosen[decision.option] = value == "yes" if value in {"", "yes"} else value
    return chosen


def _grades(upload: Upload, columns: dict[str, str]) -> dict[str, int | None]:
    """Return what each value of the file was said to be; nothing if they are read as they are written."""
    found = upload.report.get("look", {}).get("fields", {}).get("grade")
    if columns.get("grade", found) != found:
        return {}  # the values of another column are others
    values = [row["said"] for row in upload.report.get("grades", [])]
    form = {each: request.form.get(f"grade-{each}", "") for each in values}
    return chosen_grades(current_project(), values, form)
