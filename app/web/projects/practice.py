"""The practice question of a project's introduction, written by owners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, render_template, request, url_for

from app.http.permissions import Access, allow, current_place
from app.http.sessions import write_session
from app.models import Project
from app.services.errors import InvalidError
from app.services.practice import ANSWERS, PracticeAnswer, change_practice, practice_of
from app.web.projects import blueprint
from app.web.projects.forms import PracticeForm

if TYPE_CHECKING:
    from werkzeug.wrappers import Response


@blueprint.route("/p/<slug>/practice/edit", methods=["GET", "POST"])
@allow(Access.OWN)
def edit_practice(slug: str) -> Response | str:
    """Write the question that annotators practise on, with three answers."""
    project = current_place().project
    stored = practice_of(project)
    form = PracticeForm(query=stored.query if stored else "")
    answers = _answers_sent(project) if form.is_submitted() else list(stored.answers if stored else ())
    answers += [PracticeAnswer("", project.grades[0], "")] * (ANSWERS - len(answers))
    if form.validate_on_submit():
        try:
            with write_session() as session:
                found = session.get_one(Project, project.id)
                change_practice(session, found, form.query.data or "", answers)
        except InvalidError as error:
            form.query.errors = [error.message]
        else:
            flash("Saved.")
            return redirect(url_for("projects.settings", slug=slug))
    return render_template("projects/practice.html", form=form, answers=answers)


def _answers_sent(project: Project) -> list[PracticeAnswer]:
    found = []
    for number in range(ANSWERS):
        grade = request.form.get(f"grade-{number}", "")
        is_number = grade.isascii() and grade.isdigit()
        found.append(
            PracticeAnswer(
                request.form.get(f"text-{number}", ""),
                int(grade) if is_number and int(grade) in project.grades else project.scale_low,
                request.form.get(f"why-{number}", ""),
            )
        )
    return found
