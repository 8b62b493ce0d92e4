"""The third step: a name for what is in the file; then all of it goes in, or nothing."""

from __future__ import annotations

import json
from typing import Any

from flask import redirect, render_template, request, url_for
from flask_babel import gettext as _
from sqlalchemy import select
from werkzeug.wrappers import Response as AnyResponse
from wtforms.fields import SelectChoice

from app.http.languages import translated
from app.http.permissions import Access, allow
from app.http.project import current_project
from app.http.sessions import read_session
from app.jobs.uploads.work import run_options_of
from app.models import PersonKind, Project, Ranker, Upload
from app.services.collection.judgment_files import default_annotator
from app.services.collection.judgment_import import find_source, kind_of_source
from app.services.collection.run_files import check_names, next_version, taken_versions
from app.services.collection.telling_sources import count_naming_documents
from app.services.errors import ConflictError, InvalidError
from app.services.uploads import has_changed
from app.web.imports import blueprint
from app.web.imports.forms import NEW, RatingsForm, RunForm
from app.web.imports.preview import remark_on_names, upload_page
from app.web.imports.uploads import set_to_work, this_upload

FIELDS = {"ranker": "name", "version": "version", "version_taken": "version", "note": "note"}


@blueprint.route("/p/<slug>/import/files/<upload_id>/name", methods=["GET", "POST"])
@allow(Access.OWN)
def name(slug: str, upload_id: str) -> AnyResponse | str:
    """Ask for a name, and import."""
    project, upload = current_project(), this_upload(upload_id)
    page = upload_page(project, upload)
    if not page.can_go_on or not page.words.named:
        return redirect(url_for("imports.show", slug=slug, upload_id=upload_id))
    form = _run_form(project, upload) if upload.kind == "run" else _ratings_form(upload)
    warning = warned = ""
    if form.validate_on_submit() and (named := _named(project, upload, form)) is not None:
        warning, warned = _warning_of(project, upload, named), json.dumps(named)
        if not warning or request.form.get("warned") == warned:
            return _import(slug, upload, named)
    return render_template(
        "imports/name.html",
        slug=slug,
        page=page,
        upload=upload,
        form=form,
        is_named=is_named_in_file(upload),
        warning=warning,
        warned=warned,
    )


def _warning_of(project: Project, upload: Upload, named: dict[str, Any]) -> str:
    """Return what is wrong with the name of a run that the check did not know; nothing where all is well."""
    if upload.kind != "run":
        return ""
    checked = run_options_of(upload.options)
    if (named["ranker"], named["version"]) == (checked.ranker, checked.version or ""):
        return ""
    naming = count_naming_documents(read_session(), project, named["ranker"], named["version"])
    return remark_on_names(naming) if naming else ""


@blueprint.post("/p/<slug>/import/files/<upload_id>/import")
@allow(Access.OWN)
def confirm(slug: str, upload_id: str) -> AnyResponse:
    """Import a file that needs no name."""
    upload = this_upload(upload_id)
    page = upload_page(current_project(), upload)
    if not page.can_go_on or page.words.named:
        return redirect(url_for("imports.show", slug=slug, upload_id=upload_id))
    return _import(slug, upload, {})


def _import(slug: str, upload: Upload, named: dict[str, Any]) -> AnyResponse:
    """Set an upload to work; if the project has changed since the check, it is checked again instead."""
    options = {**upload.options, **named}
    if has_changed(read_session(), upload.project_id, upload.checked_revision):
        changed = {**options, "changed": True}
        set_to_work(upload.id, upload, "checked", "checking", options=changed)
    else:
        set_to_work(upload.id, upload, "checked", "importing", options=options)
    return redirect(url_for("imports.show", slug=slug, upload_id=upload.id))


def _run_form(project: Project, upload: Upload) -> RunForm:
    names = list(
        read_session().scalars(
            select(Ranker.name)
            .where(Ranker.project_id == project.id, Ranker.kind == "system")
            .order_by(Ranker.mark)
        )
    )
    options = upload.options
    suggested = options.get("ranker") or options.get("suggested") or ""
    version = options.get("version") or options.get("suggested_version") or ""
    form = RunForm(
        data={
            "ranker": suggested if suggested in names else NEW,
            "name": "" if suggested in names else suggested,
            "version": version,
            "note": options.get("note") or "",
        }
    )
    form.ranker.choices = [
        *(SelectChoice(each, each) for each in names),
        SelectChoice(NEW, _("A new ranker")),
    ]
    return form


def default_names(project: Project, upload: Upload) -> tuple[str, dict[str, str]]:
    """Return under which name a file would go in, and the form's fields that say so; nothing for none.

    Of a ranker that has the same file already there is none: nothing would go in.
    """
    if upload.kind == "judgments":
        ratings = _ratings_form(upload)
        machine = {"machine": "y"} if ratings.machine.data else {}
        return str(ratings.annotator.data), {"annotator": str(ratings.annotator.data), **machine}
    form = _run_form(project, upload)
    if not form.chosen or form.chosen == upload.report.get("known", {}).get("ranker"):
        return "", {}
    version = form.version.data or next_version(taken_versions(read_session(), project, form.chosen))
    names = ("ranker", "name", "version", "note")
    return f"{form.chosen} {version}", {name: str(form[name].data or "") for name in names}


def is_named_in_file(upload: Upload) -> bool:
    """Return whether each rating that a file brings names its annotator: another name would be unused."""
    names = (upload.report.get("counts") or {}).get("annotators") or ()
    return bool(names) and _suggested_annotator(upload) not in names


def _suggested_annotator(upload: Upload) -> str:
    return upload.options.get("annotator") or default_annotator(upload.file_name)


def _ratings_form(upload: Upload) -> RatingsForm:
    suggested = _suggested_annotator(upload)
    known = find_source(read_session(), upload.project_id, suggested, PersonKind.MACHINE)
    # What was said of a file stays where the project changed meanwhile and it is checked again.
    is_machine = known is not None or "machine" in request.args or upload.options.get("kind") == "machine"
    return RatingsForm(data={"annotator": suggested, "machine": is_machine})


def _named(project: Project, upload: Upload, form: RunForm | RatingsForm) -> dict[str, Any] | None:
    """Return the options that a form names; None, with the reason at its field, if they cannot be."""
    if isinstance(form, RatingsForm):
        return _named_ratings(project, form)
    named = {
        "ranker": form.chosen,
        "version": (form.version.data or "").strip(),
        "note": (form.note.data or "").strip(),
    }
    if not named["ranker"]:
        form.name.errors = [_("Give the new ranker a name.")]
        return None
    try:
        check_names(read_session(), project, run_options_of({**upload.options, **named}))
    except (InvalidError, ConflictError) as error:
        form[FIELDS.get(error.code, "name")].errors = [translated(error.message)]
        return None
    return named


def _named_ratings(project: Project, form: RatingsForm) -> dict[str, Any] | None:
    name = form.annotator.data.strip()
    kind = "machine" if form.machine.data else "imported"
    try:
        kind_of_source(read_session(), project.id, name, kind)
    except InvalidError as error:
        form.annotator.errors = [translated(error.message)]
        return None
    return {"annotator": name, "kind": kind}
