"""The first step: a file is chosen, or questions are pasted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response, redirect, render_template, request, url_for
from wtforms.fields import SelectChoice

from app.formats.schema import FORMATS
from app.http.limits import takes_upload
from app.http.permissions import Access, allow, current_place
from app.http.receiving import received, written
from app.http.sessions import close_read_session, read_session, settings
from app.services.corpus import pasted_file
from app.services.errors import InvalidError, NotFoundError
from app.services.project_words import ProjectWords
from app.services.template_samples import find_sample, samples_for
from app.web.imports import blueprint
from app.web.imports.forms import FileForm, PasteForm
from app.web.imports.kinds import FORMAT_NAMES, KINDS, kind_or_404
from app.web.imports.uploads import discard, display_name, take_in

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

    from app.formats.schema import Kind
    from app.web.imports.kinds import KindWords


@blueprint.route("/p/<slug>/import/<kind>", methods=["GET", "POST"])
@allow(Access.OWN)
@takes_upload
def choose(slug: str, kind: str) -> AnyResponse | str:
    """Show what a file of this kind looks like, and take one."""
    words = kind_or_404(kind)
    form = _file_form(words.kind)
    if form.validate_on_submit():
        storage = form.file.data
        name = display_name(storage.filename)
        options = {"format": form.format.data or None}
        upload_id = take_in(received(storage), words.kind, name, options)
        discard(request.args.get("instead", ""))
        return redirect(url_for("imports.show", slug=slug, upload_id=upload_id))
    return _page(slug, words, form, PasteForm(formdata=None))


@blueprint.post("/p/<slug>/import/queries/paste")
@allow(Access.OWN)
def paste(slug: str) -> AnyResponse | str:
    """Take pasted questions as a file, which is checked like any other."""
    form = PasteForm()
    if form.validate():
        try:
            file = pasted_file(read_session(), current_place().project, form.text.data)
        except InvalidError as error:
            form.text.errors = [error.message]
        else:
            assert isinstance(file.content, bytes)
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

    Raises
    ------
    NotFoundError
        There is no sample of this name.
    """
    del slug
    found = find_sample(current_place().project, name)
    if found is None:
        raise NotFoundError("There is no such sample.")
    response = Response(found.text, mimetype="text/plain")
    response.headers["Content-Disposition"] = f'attachment; filename="{found.name}"'
    return response


def format_choices(kind: Kind) -> list[SelectChoice]:
    """Return the formats of a kind for a select, after "guess it"."""
    names = {**FORMAT_NAMES, "trec": "TREC run (6 columns)" if kind == "run" else "TREC ratings (qrels)"}
    known = [SelectChoice(each, names[each]) for each in FORMATS[kind]]
    return [SelectChoice("", "Example"), *known]


def _file_form(kind: Kind) -> FileForm:
    form = FileForm()
    form.format.choices = format_choices(kind)
    return form


def _page(slug: str, words: KindWords, form: FileForm, paste_form: PasteForm) -> str:
    own = ProjectWords.of(current_place().project.wording)
    paste_form.text.label.text = own.reworded(paste_form.text.label.text)
    return render_template(
        "imports/choose.html",
        slug=slug,
        words=words,
        form=form,
        paste=paste_form,
        samples=samples_for(current_place().project, words.kind),
        formats=FORMAT_NAMES,
        largest=settings().max_upload_mb,
    )
