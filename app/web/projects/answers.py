"""What an answer shows: which fields of the imported files, in which order, as an owner chooses."""

from __future__ import annotations

from flask import flash, redirect, render_template, url_for
from werkzeug.wrappers import Response
from wtforms.fields import SelectChoice

from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_project, write_project
from app.http.sessions import read_session
from app.models import Project
from app.services.collection.answer_fields import (
    AnswerFields,
    change_fields,
    fields_found,
    fields_naming_rankers,
)
from app.services.errors import InvalidError
from app.web.projects import blueprint
from app.web.projects.forms import LINES, AnswerFieldsForm

LONGEST_EXAMPLE = 40
NOTHING = {"title": "The title", "link": "The address (url)", "alt": "The title of the answer"}


@blueprint.route("/p/<slug>/settings/answers", methods=["GET", "POST"])
@allow(Access.OWN)
def answers(slug: str) -> Response | str:
    """Show which fields annotators see of an answer, and change it."""
    project = current_project()
    found = fields_found(read_session(), project.id)
    form = _form(project, found)
    if form.validate_on_submit() and _change(form):
        flash("Saved. Annotators see it from the next page on.")
        return redirect(url_for("projects.answers", slug=slug))
    chosen = AnswerFields.of(project.options)
    return render_template(
        "projects/answers.html",
        form=form,
        found=found,
        lines=[form[name] for name in LINES if form[name].data or name in _offered(chosen)],
        betraying=fields_naming_rankers(read_session(), project.id, chosen.names),
        slug=slug,
    )


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
        form[name].choices = [SelectChoice("", NOTHING.get(name, "Nothing")), *choices]
    return form


def _label(name: str, example: str) -> str:
    short = example if len(example) <= LONGEST_EXAMPLE else example[:LONGEST_EXAMPLE].rstrip() + "…"
    return f"{name} (such as: {short})" if short else name


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
        form[error.code if error.code in form else LINES[0]].errors = [error.message]
        return False
    return True
