"""Several files chosen together: what each is, and their import one after the other."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any, cast

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from app.formats.inflate import PACKED
from app.formats.recognise import is_opaque, kind_of
from app.formats.schema import Kind
from app.http.background import worker
from app.http.languages import current_language
from app.http.limits import MEGABYTE, takes_upload
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_project
from app.http.receiving import ReceivedFile, received
from app.http.sessions import read_session, settings, write_session
from app.jobs.uploads.looking import Chosen, look_as, looks_of, was_read
from app.jobs.uploads.opening import OPENS, chosen_before
from app.models import Upload
from app.services.collection.files import ImportFile, refuse_archived
from app.services.errors import NotFoundError
from app.services.projects.projects import contents_of
from app.services.uploads import (
    AT_WORK,
    MOST_BYTES,
    begin_next,
    ids_instead,
    names_left_out,
    refuse_beyond_share,
    turn_upload,
    uploads_together,
)
from app.web.imports import blueprint
from app.web.imports.columns import chosen_columns
from app.web.imports.forms import FilesForm
from app.web.imports.kinds import KINDS
from app.web.imports.overview import index_page, price_now
from app.web.imports.preview import upload_page, verdict_of
from app.web.imports.problems import DECISIONS
from app.web.imports.rating_tables import chosen_grades, grade_choices
from app.web.imports.uploads import discard, display_name, leave_out, take_in, wait_a_moment
from app.web.responses import fragment

REFRESH_SECONDS = 2
LEAVE = "leave"
NAMING_IDS = {"run", "judgments"}
"""Kinds of files that name questions and answers of others."""
UNKNOWN_IDS = (DECISIONS["unknown-query"], DECISIONS["unknown-document"])


@blueprint.post("/p/<slug>/import")
@allow(Access.OWN)
@takes_upload
def several(slug: str) -> AnyResponse | str:
    """Take files of any kind; a single one is checked at once."""
    form = FilesForm()
    refuse_archived(current_project())
    if not form.validate():
        return index_page(slug, form)
    files = [(received(each), display_name(each.filename)) for each in form.files.data]
    total, most = sum(file.size for file, _ in files), max(MOST_BYTES, settings().max_upload_mb * MEGABYTE)
    session, project_id = read_session(), current_project().id
    old = ids_instead(session, current_person_id(), project_id, request.args.get("instead", ""))
    refuse_beyond_share(session, current_person_id(), coming=len(files), size=total, instead=old, most=most)
    for upload_id in old:
        discard(upload_id)
    group = secrets.token_urlsafe(12)
    opaque = [(file, name) for file, name in files if is_opaque(file.look())]
    plain = [each for each in files if each not in opaque]
    chosen = [_chosen(file, name) for file, name in plain]
    looks = looks_of(session, current_project(), chosen)
    if len(files) == 1 and looks and (kind := looks[0].kind) and not looks[0].options["guessed"]:
        file, name = plain[0]
        upload_id = take_in(file, kind, name, {})
        return redirect(url_for("imports.show", slug=slug, upload_id=upload_id))
    for (file, name), look in zip(plain, looks, strict=True):
        take_in(file, look.kind or "queries", name, {"group": group, **look.options}, look.report, waits=True)
    # Last, because what they hold may tell what the others are.
    for file, name in opaque:
        take_in(file, "queries", name, {"group": group, OPENS: True, "told": ""})
    return redirect(url_for("imports.together", slug=slug, group=group))


def _chosen(file: ReceivedFile, name: str) -> Chosen:
    path = file.look()
    size = 0 if file.head.startswith(PACKED) else file.size
    return Chosen(ImportFile(content=path, name=name), kind_of(path, name), size)


@blueprint.route("/p/<slug>/import/together/<group>", methods=["GET", "POST"])
@allow(Access.OWN)
def together(slug: str, group: str) -> AnyResponse | str:
    """Show what each file is and how far it is, and begin to import them."""
    uploads = _uploads(group)
    if request.method == "POST":
        _begin(uploads)
        return redirect(url_for("imports.together", slug=slug, group=group))
    return render_template("imports/together.html", **_values(slug, group, uploads), seconds=REFRESH_SECONDS)


@blueprint.get("/p/<slug>/import/together/<group>/part")
@allow(Access.OWN)
def together_part(slug: str, group: str) -> AnyResponse:
    """Return what the page shows, for a page that waits; nothing new is a 304."""
    uploads = _uploads(group)
    return fragment(
        _etag(uploads), lambda: render_template("imports/_together.html", **_values(slug, group, uploads))
    )


def _uploads(group: str) -> list[Upload]:
    found = uploads_together(read_session(), current_project().id, current_person_id(), group)
    if not found:
        raise NotFoundError("These files are no longer here: choose them again.", code="upload_gone")
    return found


def _begin(uploads: list[Upload]) -> None:
    """Let each file be what was chosen, and begin with the first."""
    if any(each.state in AT_WORK for each in uploads):
        return
    waiting = [each for each in uploads if each.state == "waiting"]
    chosen = {
        each.id: request.form.get(f"kind-{each.id}", "") if was_read(each) else LEAVE for each in waiting
    }
    if unclear := [each for each in waiting if chosen[each.id] not in {*KINDS, LEAVE}]:
        flash(_("Choose what %(name)s is.", name=unclear[0].file_name))
        return
    for each in waiting:
        if chosen[each.id] == LEAVE:
            leave_out(each)
    kept = [each for each in waiting if chosen[each.id] != LEAVE]
    if untold := _look_again(kept, chosen):
        flash(_("Check what the columns of %(name)s will be, then import.", name=untold[0]))
        return
    with write_session() as session:
        for each in _fresh(session, kept):
            turn_upload(session, each.id, ["waiting"], "waiting", options=_options_of(each))
        first = begin_next(session, uploads[0])
    if first is not None:
        worker().take(first.id, "checking")
        mine = (first.project_id, first.person_id, first.options["group"])
        wait_a_moment(
            lambda session: not any(each.state in AT_WORK for each in uploads_together(session, *mine))
        )


def _look_again(uploads: list[Upload], kinds: dict[str, str]) -> list[str]:
    """Let files be what was chosen; return the names of those whose columns nobody has seen as such."""
    folder, project = settings().uploads_path, current_project()
    other = [each for each in uploads if kinds[each.id] != each.kind or each.options.get("unsure")]
    looks = []
    for each in other:
        kind, guessed = cast("Kind", kinds[each.id]), each.options.get("guessed") or {}
        reason = each.options.get("reason", "") if kind in guessed else ""
        looks.append(
            look_as(read_session(), project, chosen_before(each, folder), kind, guessed, reason=reason)
        )
    with write_session() as session:
        for each, look in zip(other, looks, strict=True):
            values = {"kind": look.kind, "options": each.options | look.options, "report": look.report}
            turn_upload(session, each.id, ["waiting"], "waiting", **values)
    return [each.file_name for each, look in zip(other, looks, strict=True) if not look.is_told]


def _options_of(upload: Upload) -> dict[str, Any]:
    """Return the options of a file with what was chosen on the page."""
    options, fields = {**upload.options, "goes_on": True}, upload.report.get("look", {}).get("fields", {})
    columns = chosen_columns(upload, f"column-{upload.id}-")
    # What was chosen before the import stopped may be chosen otherwise now.
    if columns is not None and (columns != fields or "columns" in options):
        options["columns"] = columns
    if upload.kind in NAMING_IDS:
        options |= _decided()
    # The values of another column are others.
    is_seen = columns is None or columns.get("grade") == fields.get("grade")
    if upload.kind == "judgments" and is_seen and upload.options.get("grades_seen"):
        options["grades"] = _grades(upload)
    return options


def _fresh(session: Session, uploads: list[Upload]) -> list[Upload]:
    found = (session.get(Upload, each.id) for each in uploads)
    return [each for each in found if each is not None]


def _decided() -> dict[str, str]:
    """Return what was decided about ids that the project does not have."""
    given = {each.option: request.form.get(each.option, "") for each in UNKNOWN_IDS}
    return {
        each.option: given[each.option] for each in UNKNOWN_IDS if given[each.option] in dict(each.choices)
    }


def _grades(upload: Upload) -> dict[str, int | None]:
    values = [row["said"] for row in upload.options.get("grades_seen", [])]
    form = {each: request.form.get(f"grade-{upload.id}-{place}", "") for place, each in enumerate(values)}
    return chosen_grades(current_project(), values, form)


def _suggested(uploads: list[Upload]) -> dict[str, str]:
    """Return what was decided for unknown ids; before that, to add answers where there are none to choose."""
    comes = any(each.kind == "documents" or each.options.get("unsure") for each in uploads)
    has_answers = comes or contents_of(read_session(), current_project().id).documents
    suggested = {"unknown_queries": "reject", "unknown_documents": "reject" if has_answers else "add"}
    chosen = {name: each.options[name] for each in uploads for name in suggested if name in each.options}
    return suggested | chosen


def _values(slug: str, group: str, uploads: list[Upload]) -> dict[str, Any]:
    project = current_project()
    states = {each.state for each in uploads}
    unread = [each for each in uploads if each.state == "waiting" and not was_read(each)]
    is_at_work = not states.isdisjoint(AT_WORK)
    is_done = states == {"done"}
    # After the last file: before it, each price is one that the next file changes.
    is_priced = is_done and any(each.kind in NAMING_IDS for each in uploads)
    return {
        "slug": slug,
        "group": group,
        # What is to rate because of one file changes with the next: the price after the last one tells it.
        "pages": [upload_page(project, each, is_priced=each.state != "done") for each in uploads],
        "kinds": list(KINDS.values()),
        "leave": LEAVE,
        "decisions": UNKNOWN_IDS if any(each.kind in NAMING_IDS for each in uploads) else (),
        "suggested": _suggested(uploads),
        "grade_choices": grade_choices(project),
        "is_at_work": is_at_work,
        "is_opening": any(OPENS in each.options for each in uploads),
        "is_done": is_done,
        "left_out": names_left_out(read_session(), project.id, current_person_id(), group) if is_done else [],
        "price": price_now(read_session(), project) if is_priced else "",
        "unread": len(unread),
        "can_begin": any(each.state == "waiting" and each not in unread for each in uploads)
        and not is_at_work,
        "verdict": verdict_of(uploads),
        "etag": _etag(uploads),
    }


def _etag(uploads: list[Upload]) -> str:
    seen = " ".join(f"{each.id} {each.state} {each.progress_done} {each.kind}" for each in uploads)
    return hashlib.sha256(f"{seen} {current_language()}".encode()).hexdigest()[:24]
