"""What annotators read before they rate: guidelines, examples, the practice question.

Built-in examples stand in until an owner has written better ones for the project. Nothing of a person's first
visit reaches the ledger; it can be left at once, and taken again at any time.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from flask import render_template, request
from flask_babel import gettext as _
from markupsafe import Markup
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from app.http.languages import use_usual_words
from app.http.permissions import Access, allow, current_access, current_identity_or_404
from app.http.sessions import database, read_session, write_session
from app.models.person import Role
from app.services.accounts.preferences import (
    keys_of,
    preferences_of,
    record_guidelines_seen,
    record_introduced,
)
from app.services.assignment.progress import progress_of
from app.services.evidence.store import evidence_of
from app.services.projects.practice import Practice, PracticeAnswer, practice_of
from app.services.projects.projects import find_guideline
from app.web.answer_text import render_markdown
from app.web.grades import are_usual, grades_of, language_of
from app.web.judging import blueprint
from app.web.raters import current_annotator, go_on


def example_question() -> str:
    """Return the question that the built-in examples answer."""
    return str(_("How do I get a stuck ring off my finger?"))


def examples(grades: range) -> list[str]:
    """Return one answer to it for each grade, lowest first."""
    nothing = _("Gold rings keep their value better than silver ones.")
    little = _("Fingers swell in the heat and in the evening; most people know that from summer days.")
    mostly = _("Use soap or oil and turn the ring while you pull.")
    best = _(
        "Hold your hand up for a few minutes, cool it under water, put soap or oil on the finger, then turn "
        "the ring off slowly. If the finger turns blue or numb, go to a doctor: they can cut the ring off."
    )
    if len(grades) == 4:
        return [nothing, little, mostly, best]
    fair = _("Cold water helps the swelling to go down.")
    return [nothing, little, fair, mostly, best]


def practice(grades: range) -> Practice:
    """Return a question and three answers: the lowest grade, the second best, and the highest."""
    low, *_others, second, high = grades
    return Practice(
        _("How do I remove candle wax from a tablecloth?"),
        (
            PracticeAnswer(
                _("Let the wax harden and scrape it off with a blunt knife."),
                second,
                _("A right first step, but the stain in the cloth stays: something is missing."),
            ),
            PracticeAnswer(
                _("Close the curtains on summer days, and the room stays cool."),
                low,
                _("It is about neither wax nor tablecloths: it does not help with this question."),
            ),
            PracticeAnswer(
                _(
                    "Let the wax harden and scrape it off. Put kitchen paper under and over the spot and "
                    "iron it warm, with fresh paper, until no more wax comes out. Then wash it as usual."
                ),
                high,
                _("Complete and in the right order: nobody has to look any further."),
            ),
        ),
    )


@dataclass(frozen=True)
class GuidelinesView:
    """A version of the guidelines as it is shown; `changes` are lines that came (+) and went (-)."""

    version: int
    at: datetime
    html: Markup
    changes: tuple[tuple[str, str], ...]


@blueprint.get("/guidelines", endpoint="guidelines")
@allow(Access.RATE)
def guidelines(slug: str) -> str:
    """Show what each grade means, and the guidelines: without a question, and without scripts."""
    del slug
    project, identity = current_access().project, current_identity_or_404()
    seen = preferences_of(identity.preferences)["guidelines"].get(str(project.id))
    shown = guidelines_view(read_session(), project.id, seen=seen)
    remember_guidelines(identity.id, project.id, shown, seen=seen)
    return render_template(
        "judging/guidelines.html",
        guidelines=shown,
        grades=grades_of(project.grade_words, project.grades),
        content_language=project.options.get("language", ""),
        grades_language=language_of(project.grade_words, project.options.get("language", "")),
    )


def remember_guidelines(
    person_id: int, project_id: int, shown: GuidelinesView | None, *, seen: int | None
) -> None:
    """Remember which version a person has before their eyes, unless it is the one that they have seen."""
    if shown is not None and shown.version != seen:
        with write_session() as session:
            record_guidelines_seen(session, person_id, project_id, shown.version)


def guidelines_view(session: Session, project_id: int, *, seen: int | None) -> GuidelinesView | None:
    """Return the guidelines in force, with what changed since version `seen`; None without any."""
    guideline = find_guideline(session, project_id)
    if guideline is None:
        return None
    changes: tuple[tuple[str, str], ...] = ()
    if seen is not None and 0 < seen < guideline.version:
        before = find_guideline(session, project_id, version=seen)
        changes = changed_lines(before.markdown if before else "", guideline.markdown)
    return GuidelinesView(
        guideline.version, guideline.created_at, render_markdown(guideline.markdown), changes
    )


def changed_lines(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Return the lines that came (`+`) and went (`-`), in the order of the text; empty lines left out."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return tuple((line[0], line[2:]) for line in lines if line[0] in "+-" and line[2:].strip())


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
    project = current_access().project
    own = practice_of(project)
    grades = grades_of(project.grade_words, project.grades)
    # The built-in examples answer a question of their own: other meanings of the grades do not fit them.
    built_in_examples = are_usual(project.grade_words) and not any(grade.example for grade in grades)
    if own is None or built_in_examples:
        use_usual_words()
    shown = own or practice(project.grades)
    tried = [
        Tried(letter, answer, _grade_in(f"grade-{letter}", project.grades))
        for letter, answer in zip(LETTERS, shown.answers, strict=True)
    ]
    if built_in_examples:
        grades = [
            grade._replace(example=example)
            for grade, example in zip(grades, examples(project.grades), strict=True)
        ]
    return render_template(
        "judging/introduction.html",
        grades=grades,
        words={grade.grade: grade.word for grade in grades},
        choices=[(grade.grade, grade.word) for grade in grades],
        question=example_question() if built_in_examples else None,
        practice=shown,
        is_own=own is not None,
        has_guidelines=find_guideline(read_session(), project.id) is not None,
        content_language=project.options.get("language", ""),
        grades_language=language_of(project.grade_words, project.options.get("language", "")),
        tried=tried,
        sent=request.method == "POST",
        is_left=_is_left(),
        keys=keys_of(preferences_of(current_identity_or_404().preferences)),
    )


def _is_left() -> bool:
    """Return whether whoever reads this has something to rate now."""
    access, person = current_access(), current_identity_or_404()
    project = access.project
    if project.state != "open":
        return False
    evidence = evidence_of(database(), project.id)
    decides = access.role is Role.OWNER
    progress = progress_of(read_session(), project.id, person.id, evidence=evidence, decides=decides)
    return progress.waiting > 0


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
