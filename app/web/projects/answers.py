"""What an answer shows: which fields of the imported files, in which order, and its image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO
from zipfile import BadZipFile, ZipFile

from flask import Response as FileResponse
from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response
from wtforms.fields import SelectChoice

from app.formats.errors import visible
from app.http.background import worker
from app.http.languages import later as _l
from app.http.languages import ngettext, translated, written_number
from app.http.limits import takes_upload
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_project, write_project
from app.http.receiving import has_arrived
from app.http.sessions import read_session, settings
from app.models import Project
from app.services.collection.answer_fields import (
    AnswerFields,
    change_fields,
    fields_found,
    fields_naming_rankers,
)
from app.services.collection.files import refuse_archived
from app.services.collection.pictures import (
    LARGEST,
    await_pictures,
    count_pictures,
    file_name_of,
    get_picture,
    keep_picture,
    remove_pictures,
)
from app.services.errors import InvalidError
from app.web.projects import blueprint
from app.web.projects.forms import LINES, AnswerFieldsForm

LONGEST_EXAMPLE = 40
ZIP = b"PK\x03\x04"
# What one upload may hold, and how many refused files are named.
MOST_FILES = 20_000
NAMED = 5
NOTHING = {"title": _l("The title"), "link": _l("The address (url)"), "alt": _l("The title of the answer")}


@blueprint.route("/p/<slug>/settings/answers", methods=["GET", "POST"])
@allow(Access.OWN)
def answers(slug: str) -> Response | str:
    """Show which fields annotators see of an answer, and change it."""
    project = current_project()
    found = fields_found(read_session(), project.id)
    form = _form(project, found)
    if form.validate_on_submit() and _change(form):
        flash(_("Saved. Annotators see it from the next page on."))
        return redirect(url_for("projects.answers", slug=slug))
    chosen = AnswerFields.of(project.options)
    return render_template(
        "projects/answers.html",
        form=form,
        found=found,
        lines=[form[name] for name in LINES if form[name].data or name in _offered(chosen)],
        betraying=fields_naming_rankers(read_session(), project.id, chosen.names),
        pictures=count_pictures(read_session(), project) if chosen.image else None,
        hosts=sorted(settings().image_hosts),
        slug=slug,
    )


@blueprint.get("/p/<slug>/images/<picture_id>")
@allow(Access.MEMBER)
def picture(slug: str, picture_id: str) -> FileResponse:
    """Return an image of an answer; nothing about it, not even its name, comes from outside."""
    del slug
    media_type, content = get_picture(read_session(), current_project().id, picture_id)
    return FileResponse(content, mimetype=media_type)


@blueprint.post("/p/<slug>/settings/answers/fetch")
@allow(Access.OWN)
def fetch_pictures(slug: str) -> Response:
    """Fetch the images that answers name from the hosts that the operator allows."""
    with write_project() as (session, project):
        refuse_archived(project)
        waiting = await_pictures(session, project, settings().image_hosts)
    if waiting:
        worker().fetch(current_project().id)
        flash(
            ngettext(
                "%(num)s image being fetched. Reload this page to see how far it is.",
                "%(num)s images being fetched. Reload this page to see how far it is.",
                waiting,
            )
        )
    else:
        flash(_("No image waits to be fetched from an allowed host."))
    return redirect(url_for("projects.answers", slug=slug, _anchor="images"))


@blueprint.post("/p/<slug>/settings/answers/upload")
@allow(Access.OWN)
@takes_upload
def upload_pictures(slug: str) -> Response:
    """Keep uploaded images, or those of a zip file, under their file names."""
    refuse_archived(current_project())
    kept, refused = 0, []
    try:
        for name, content in _files():
            try:
                with write_project() as (session, project):
                    keep_picture(session, project.id, name, content)
                kept += 1
            except InvalidError as error:
                refused.append(f"{visible(name)}: {translated(error.message)}")
    except BadZipFile:
        refused.append(_("the zip file is damaged"))
    finally:
        has_arrived()
    flash(ngettext("%(num)s image saved.", "%(num)s images saved.", kept))
    if refused:
        named, more = "; ".join(refused[:NAMED]), len(refused) - NAMED
        flash(
            _("Not saved: %(named)s and %(n)s more.", named=named, n=written_number(more))
            if more > 0
            else _("Not saved: %(named)s.", named=named),
            "warn",
        )
    return redirect(url_for("projects.answers", slug=slug, _anchor="images"))


@blueprint.post("/p/<slug>/settings/answers/remove")
@allow(Access.OWN)
def remove_all_pictures(slug: str) -> Response:
    """Delete all images of the project."""
    with write_project() as (session, project):
        gone = remove_pictures(session, project.id)
    flash(ngettext("%(num)s image deleted.", "%(num)s images deleted.", gone))
    return redirect(url_for("projects.answers", slug=slug, _anchor="images"))


def _files() -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each uploaded file and of those in a zip; of a large one, a byte too much."""
    for storage in request.files.getlist("images")[:MOST_FILES]:
        storage.stream.seek(0)
        head = storage.stream.read(len(ZIP))
        storage.stream.seek(0)
        if head == ZIP:
            yield from _files_of(storage.stream)
        elif storage.filename:
            yield file_name_of(storage.filename), storage.stream.read(LARGEST + 1)


def _files_of(stream: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    with ZipFile(stream) as packed:
        for entry in packed.infolist()[:MOST_FILES]:
            name = file_name_of(entry.filename)
            # Folders, and what systems put beside the files.
            if entry.is_dir() or name.startswith(".") or entry.filename.startswith("__MACOSX/"):
                continue
            with packed.open(entry) as file:
                yield name, file.read(LARGEST + 1)


def _offered(chosen: AnswerFields) -> tuple[str, ...]:
    """Return the lines that are offered: those in use, and three more."""
    return LINES[: len(chosen.lines) + 3]


def _form(project: Project, found: dict[str, str]) -> AnswerFieldsForm:
    chosen = AnswerFields.of(project.options)
    lines = dict(zip(LINES, chosen.lines, strict=False))
    values = {"title": chosen.title, "link": chosen.link, "image": chosen.image, "alt": chosen.alt}
    form = AnswerFieldsForm(data={**values, **lines})
    names = dict.fromkeys((*found, *chosen.names, *filter(None, [chosen.image])))
    choices = [SelectChoice(name, _label(name, found.get(name, ""))) for name in names]
    for name in (*values, *LINES):
        form[name].choices = [SelectChoice("", NOTHING.get(name, _("Nothing"))), *choices]
    return form


def _label(name: str, example: str) -> str:
    short = example if len(example) <= LONGEST_EXAMPLE else example[:LONGEST_EXAMPLE].rstrip() + "…"
    return _("%(name)s (such as: %(example)s)", name=name, example=short) if short else name


def _change(form: AnswerFieldsForm) -> bool:
    fields = AnswerFields(
        title=form.title.data or "",
        lines=tuple(filter(None, (form[name].data for name in LINES))),
        link=form.link.data or "",
        image=form.image.data or "",
        alt=form.alt.data or "",
    )
    try:
        with write_project() as (session, project):
            change_fields(session, project, fields, actor_id=current_person_id())
    except InvalidError as error:
        form[error.code if error.code in form else LINES[0]].errors = [translated(error.message)]
        return False
    return True
