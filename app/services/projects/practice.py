"""The practice question of a project's introduction: written by an owner, counted nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.project import Project
from app.services.accounts.audit import record
from app.services.errors import InvalidError

ANSWERS = 3
LONGEST_TEXT = 2000


@dataclass(frozen=True)
class PracticeAnswer:
    """An answer to practise on: the grade it deserves, and why."""

    text: str
    grade: int
    why: str


@dataclass(frozen=True)
class Practice:
    """A question with three answers of three different grades."""

    query: str
    answers: tuple[PracticeAnswer, ...]


def practice_of(project: Project) -> Practice | None:
    """Return the owner's own practice question, or None."""
    stored: dict[str, Any] | None = project.options.get("practice")
    if not stored:
        return None
    return Practice(stored["query"], tuple(PracticeAnswer(**answer) for answer in stored["answers"]))


def stored_practice(practice: Practice) -> dict[str, Any]:
    """Return a practice question as a project's options hold it."""
    return {"query": practice.query, "answers": [asdict(answer) for answer in practice.answers]}


def change_practice(
    session: Session, project: Project, query: str, answers: Sequence[PracticeAnswer]
) -> None:
    """Set the practice question; without a question and answers, the built-in one serves again.

    :raise InvalidError: Something is missing, or the grades are not three of the scale's.
    """
    query = query.strip()[:LONGEST_TEXT]
    kept = [
        PracticeAnswer(answer.text.strip()[:LONGEST_TEXT], answer.grade, answer.why.strip()[:LONGEST_TEXT])
        for answer in answers
    ]
    options = {name: value for name, value in project.options.items() if name != "practice"}
    if query or any(answer.text or answer.why for answer in kept):
        if not query or len(kept) != ANSWERS or not all(answer.text and answer.why for answer in kept):
            raise InvalidError(
                "A practice question needs a question, and “Text” and “Why” for each of the "
                "three answers. Fill in what is missing, or leave everything empty.",
                code="missing",
            )
        if len({answer.grade for answer in kept} & set(project.grades)) != ANSWERS:
            raise InvalidError(
                "Give the three answers three different grades of the scale.",
                code="grades",
            )
        options["practice"] = stored_practice(Practice(query, tuple(kept)))
    project.options = options
    record(session, AuditKind.SETTINGS_CHANGED, project_id=project.id, what=["practice"])
