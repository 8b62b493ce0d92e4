"""Guidelines and the practice question, as owners write them."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from app.http.languages import translated
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_project, write_project
from app.http.sessions import read_session
from app.models.project import Project
from app.services.errors import InvalidError
from app.services.projects.practice import ANSWERS, PracticeAnswer, change_practice, practice_of
from app.services.projects.projects import change_guidelines, find_guideline
from app.web.arguments import whole_number
from app.web.grades import words_of
from app.web.projects import blueprint
from app.web.projects.forms import GuidelinesForm, PracticeForm


@blueprint.route("/p/<slug>/guidelines/edit", methods=["GET", "POST"])
@allow(Access.OWN)
def edit_guidelines(slug: str) -> Response | str:
    """Write a new version of the guidelines."""
    present = find_guideline(read_session(), current_project().id)
    form = GuidelinesForm(markdown=present.markdown if present else "")
    if form.validate_on_submit():
        text = form.markdown.data.replace("\r\n", "\n")
        with write_project() as (session, project):
            version = change_guidelines(session, project, text, actor_id=current_person_id())
        if version == 1:
            flash(_("The guidelines are saved."))
        else:
            flash(
                _(
                    "The guidelines are saved as version %(number)s. Annotators see what changed.",
                    number=version,
                )
            )
        return redirect(url_for("projects.settings", slug=slug))
    return render_template("projects/guidelines.html", form=form, present=present)


@blueprint.route("/p/<slug>/practice/edit", methods=["GET", "POST"])
@allow(Access.OWN)
def edit_practice(slug: str) -> Response | str:
    """Write the question that annotators practise on, with three answers."""
    project = current_project()
    stored = practice_of(project)
    form = PracticeForm(query=stored.query if stored else "")
    answers = _answers_sent(project) if form.is_submitted() else list(stored.answers if stored else ())
    answers += [PracticeAnswer("", project.grades[0], "")] * (ANSWERS - len(answers))
    refused = ""
    if form.validate_on_submit():
        try:
            with write_project() as (session, stored_project):
                change_practice(session, stored_project, form.query.data or "", answers)
        except InvalidError as error:
            refused, form.form_errors = error.code, [translated(error.message)]
            if refused == "missing" and not (form.query.data or "").strip():
                form.query.errors = [_("The question is empty.")]
        else:
            flash(_("Saved."))
            return redirect(url_for("projects.settings", slug=slug))
    return render_template(
        "projects/practice.html",
        form=form,
        answers=answers,
        refused=refused,
        words=words_of(project.grade_words, project.grades),
    )


def _answers_sent(project: Project) -> list[PracticeAnswer]:
    def answer(number: int) -> PracticeAnswer:
        grade = whole_number(request.form.get(f"grade-{number}"))
        return PracticeAnswer(
            request.form.get(f"text-{number}", ""),
            grade if grade is not None and grade in project.grades else project.scale_low,
            request.form.get(f"why-{number}", ""),
        )

    return [answer(number) for number in range(ANSWERS)]
