"""Which grades need a note, and the quick reasons that annotators can choose from."""

from __future__ import annotations

from flask import flash, redirect, render_template, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response
from wtforms.fields import SelectChoice

from app.http.languages import translated
from app.http.permissions import Access, allow
from app.http.project import current_project, write_project
from app.services.errors import InvalidError
from app.services.projects.notes import change_note_rule, note_rule_of
from app.web.grades import words_of
from app.web.projects import blueprint
from app.web.projects.forms import NotesForm


@blueprint.route("/p/<slug>/settings/notes", methods=["GET", "POST"])
@allow(Access.OWN)
def notes(slug: str) -> Response | str:
    """Show which grades need a note, and change it."""
    project = current_project()
    rule = note_rule_of(project)
    form = NotesForm(data={"grades": list(rule.grades), "reasons": "\n".join(rule.reasons)})
    form.grades.choices = [
        SelectChoice(grade, f"{grade}: {word}")
        for grade, word in words_of(project.grade_words, project.grades).items()
    ]
    if form.validate_on_submit():
        try:
            with write_project() as (session, stored):
                lines = (form.reasons.data or "").splitlines()
                change_note_rule(session, stored, form.grades.data or [], lines)
        except InvalidError as error:
            form[error.code].errors = [translated(error.message)]
        else:
            flash(_("Saved. It applies from the next rating on."))
            return redirect(url_for("projects.notes", slug=slug))
    return render_template("projects/notes.html", form=form, slug=slug)
