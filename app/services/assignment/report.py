"""Which batches were assigned, and in one sentence why: for owners, never for annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.candidate import Candidate
from app.models.event import Event, EventKind
from app.models.person import Person
from app.models.project import Project
from app.models.query import Query
from app.models.ranker import PROBES, Ranker
from app.models.run import Ranking, Run
from app.sentences import Message, message, number_message, together
from app.services.assignment.query_assignments import queries_of, query_assignments_of

WHY = {
    "requested": message("An owner asked for it to be rated first."),
    "finish": message(
        "Every second page has the remaining answers of one question. Questions come in random order."
    ),
    "front": message("One of these answers was near the top of a ranker’s list."),
    "waiting": message("One of its answers has waited longest for a rating, more than 14 days."),
    "random": message("It was picked at random, as this project has chosen."),
    "chosen": message("An owner chose to rate this question now."),
    "check": message(
        "This page held only checks: answers whose grade is known, or that were asked a second time."
    ),
}
PROBED = message("It held answers of a random probe.")
NARROWED = message("An owner chose it for %(name)s under “Who rates what”.")
ARMS: dict[str, Callable[[int], Message]] = {
    "answer": lambda n: number_message("%(num)s first rating", "%(num)s first ratings", n),
    "second": lambda n: number_message("%(num)s further rating", "%(num)s further ratings", n),
    "gold": lambda n: number_message("%(num)s gold answer", "%(num)s gold answers", n),
    "repeat": lambda n: number_message("%(num)s answer asked again", "%(num)s answers asked again", n),
}


@dataclass(frozen=True, kw_only=True)
class AssignedBatch:
    """One batch as it was assigned.

    Attributes
    ----------
    why, answers
        The reason in one sentence, and what its answers were for, of each kind how many.
    """

    batch: int
    query_id: int
    query: str
    person: str
    at: datetime
    why: str
    answers: list[Message]


def assigned_batches(
    session: Session, project_id: int, *, query_id: int | None = None, limit: int = 20
) -> list[AssignedBatch]:
    """Return the last batches of a project, or of one query, newest first."""
    wanted = (
        select(Assignment, Query.text, Person.name)
        .join(Query, Query.id == Assignment.query_id)
        .join(Person, Person.id == Assignment.person_id)
        .where(Assignment.project_id == project_id)
        .order_by(Assignment.id.desc())
        .limit(limit)
    )
    if query_id is not None:
        wanted = wanted.where(Assignment.query_id == query_id)
    rows = session.execute(wanted).all()
    arms = _arms(session, [assignment.id for assignment, _, _ in rows])
    narrowed = _narrowed(session, project_id, [assignment for assignment, _, _ in rows])
    probed = _probed(session, project_id, [assignment for assignment, _, _ in rows])
    return [
        AssignedBatch(
            batch=assignment.batch,
            query_id=assignment.query_id,
            query=text,
            person=name,
            at=assignment.assigned_at,
            why=together(
                message(NARROWED, name=name) if assignment.id in narrowed else "",
                # No ranker puts an answer of a probe near the top.
                "" if assignment.kind == "front" and assignment.id in probed else WHY[assignment.kind],
                PROBED if assignment.id in probed else "",
            ),
            answers=_answers(arms.get(assignment.id, Counter())),
        )
        for assignment, text, name in rows
    ]


def _narrowed(session: Session, project_id: int, assignments: list[Assignment]) -> set[int]:
    """Return which batches have a question that an owner chose for their annotator before they were assigned.

    Only the choice that holds now is stored: of earlier ones nothing is said.
    """
    project = session.get_one(Project, project_id)
    people = {each.person_id for each in assignments}
    given = {
        person: queries_of(session, project, one)
        for person, one in query_assignments_of(project).items()
        if person in people and (one.tags or one.queries)
    }
    if not given:
        return set()
    chosen = (
        select(Event.payload, Event.at)
        .where(Event.project_id == project_id, Event.kind == EventKind.QUERIES_ASSIGNED.value)
        .order_by(Event.revision)
    )
    since = {payload["person_id"]: at for payload, at in session.execute(chosen)}
    return {
        each.id
        for each in assignments
        if each.query_id in given.get(each.person_id, ())
        and each.assigned_at >= since.get(each.person_id, each.assigned_at)
    }


def _probed(session: Session, project_id: int, assignments: list[Assignment]) -> set[int]:
    """Return which batches hold, besides checks, answers of random probes only."""
    lists = (
        select(Ranking.query_id, Ranking.document_ids)
        .join(Run, Run.id == Ranking.run_id)
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(
            Ranker.project_id == project_id,
            Ranker.name == PROBES,
            Ranker.kind == "manual",
            Ranking.query_id.in_({each.query_id for each in assignments}),
        )
    )
    drawn = {
        (query_id, document)
        for query_id, packed in session.execute(lists)
        for document in np.frombuffer(bytes(packed), dtype="<i4").tolist()
    }
    if not drawn:
        return set()
    held = session.execute(
        select(AssignmentCandidate.assignment_id, Candidate.query_id, Candidate.document_id)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .where(
            AssignmentCandidate.assignment_id.in_([each.id for each in assignments]),
            AssignmentCandidate.arm.in_(("answer", "second")),
        )
    ).all()
    others = {number for number, *answer in held if tuple(answer) not in drawn}
    return {number for number, *_ in held} - others


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


def _answers(arms: Counter[str]) -> list[Message]:
    return [words(arms[arm]) for arm, words in ARMS.items() if arms[arm]]
