"""A person's first visit to a project: what the grades mean, a question to practise on, five keys.

Nothing here reaches the ledger. It can be left at once, and taken again at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flask import render_template, request

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import write_session
from app.services.practice import practice_of
from app.services.preferences import keys_of, preferences_of, record_introduced
from app.web.grades import grades_of, language_of
from app.web.judging import blueprint
from app.web.judging.examples import example_question, examples, practice
from app.web.raters import current_annotator, go_on

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

    from app.services.practice import PracticeAnswer

LETTERS = "ABC"


class Tried(NamedTuple):
    """An answer of the practice question, and the grade that somebody gave it; None before they did."""

    letter: str
    answer: PracticeAnswer
    given: int | None

    @property
    def distance(self) -> int | None:
        """How many grades off, or None."""
        return None if self.given is None else abs(self.given - self.answer.grade)


@blueprint.route("/start", methods=["GET", "POST"], endpoint="introduction")
@allow(Access.RATE)
def introduction(slug: str) -> str:
    """Show the grades with examples, and a question to practise on; what is sent gets an answer."""
    del slug
    project = current_place().project
    own, built_in = practice_of(project), practice(project.grades)
    shown = own or built_in
    tried = [
        Tried(letter, answer, _grade_in(f"grade-{letter}", project.grades))
        for letter, answer in zip(LETTERS, shown.answers, strict=True)
    ]
    grades = grades_of(project.grade_words, project.grades)
    theirs = any(grade.example for grade in grades)
    if not theirs:
        grades = [
            grade._replace(example=example)
            for grade, example in zip(grades, examples(project.grades), strict=True)
        ]
    return render_template(
        "judging/introduction.html",
        grades=grades,
        words={grade.grade: grade.word for grade in grades},
        choices=[(grade.grade, grade.word) for grade in grades],
        question=None if theirs else example_question(),
        practice=shown,
        is_own=own is not None,
        content_language=project.options.get("language", ""),
        grades_language=language_of(project.grade_words, project.options.get("language", "")),
        tried=tried,
        sent=request.method == "POST",
        keys=keys_of(preferences_of(current_identity_or_404().preferences)),
    )


@blueprint.post("/start/done", endpoint="introduced")
@allow(Access.RATE)
def introduced(slug: str) -> Response:
    """Remember that this person has seen the introduction, or skips it, and go on to rating."""
    del slug
    annotator = current_annotator()
    with write_session() as session:
        record_introduced(session, annotator.person_id, annotator.project.id)
    return go_on(annotator)


def _grade_in(field: str, grades: range) -> int | None:
    value = request.form.get(field, "")
    return int(value) if value.isascii() and value.isdigit() and int(value) in grades else None
