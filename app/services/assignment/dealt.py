"""Which batches were dealt, and in one sentence why: for owners, never for annotators."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from app.models import Assignment, AssignmentCandidate, Person, Query
from app.services.wording import counted

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

WHY = {
    "depth": "Its answers are those that some ranker puts nearest to the top.",
    "race": "Some ranker puts an answer of it near the top, above all where rankers disagree and the race is "
    "not settled.",
    "milestone": "It is one of the questions that bring the next test of the comparison nearer; among "
    "them it has the answer that matters most.",
    "waiting": "One of its answers had waited longest for a rating, more than 14 days.",
    "chosen": "An owner asked for this question; its answers were chosen as ever.",
    "check": "It holds checks only: answers whose grade is known, or that were asked a second time.",
}
ARMS = {
    "uniform": "picked at random",
    "waiting": "waiting longest",
    "opened": "begun by somebody else",
    "priority": "by priority",
    "gold": "gold",
    "repeat": "asked again",
}


@dataclass(frozen=True, kw_only=True)
class Dealt:
    """One batch as it was dealt.

    Attributes
    ----------
    why, answers
        The reason in one sentence, and how its answers came into it.
    """

    batch: int
    query_id: int
    query: str
    person: str
    at: datetime
    why: str
    answers: str


def dealt_batches(
    session: Session, project_id: int, *, query_id: int | None = None, limit: int = 20
) -> list[Dealt]:
    """Return the last batches of a project, or of one query, newest first."""
    wanted = (
        select(Assignment, Query.text, Person.name)
        .join(Query, Query.id == Assignment.query_id)
        .join(Person, Person.id == Assignment.person_id)
        .where(Assignment.project_id == project_id)
        .order_by(Assignment.batch.desc())
        .limit(limit)
    )
    if query_id is not None:
        wanted = wanted.where(Assignment.query_id == query_id)
    rows = session.execute(wanted).all()
    arms = _arms(session, [assignment.id for assignment, _, _ in rows])
    return [
        Dealt(
            batch=assignment.batch,
            query_id=assignment.query_id,
            query=text,
            person=name,
            at=assignment.dealt_at,
            why=why(assignment.kind, assignment.drawable, assignment.share),
            answers=_answers(arms.get(assignment.id, Counter())),
        )
        for assignment, text, name in rows
    ]


def why(kind: str, drawable: int | None = None, share: float | None = None, *, alone: bool = False) -> str:
    """Return in one sentence why a question was dealt; `alone` where there is one ranker, or none."""
    if kind == "race" and alone:
        return "It has an unrated answer near the top of a list."
    if kind == "drawn" and drawable is not None and share is not None:
        mine = round(share * drawable)
        return f"It was drawn by lot: {mine} of the {counted(drawable, 'answer')} in the draw were its own."
    return WHY.get(kind, "It was drawn by lot.")


def _arms(session: Session, assignments: list[int]) -> dict[int, Counter[str]]:
    rows = session.execute(
        select(AssignmentCandidate.assignment_id, AssignmentCandidate.arm, func.count())
        .where(AssignmentCandidate.assignment_id.in_(assignments))
        .group_by(AssignmentCandidate.assignment_id, AssignmentCandidate.arm)
    )
    found: dict[int, Counter[str]] = {}
    for assignment_id, arm, count in rows:
        found.setdefault(assignment_id, Counter())[arm] = count
    return found


def _answers(arms: Counter[str]) -> str:
    parts = [f"{arms[arm]} {words}" for arm, words in ARMS.items() if arms[arm]]
    return f"{counted(arms.total(), 'answer')}: {', '.join(parts)}"
