"""What annotators could not judge, by reason; and an owner's ways to ask them again: all of it, or some."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, distinct, exists, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from app.models.assignment import Assignment
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.event import EventKind
from app.models.judgment import CurrentJudgment, Input, Judgment, Origin, Reason
from app.models.person import Person, PersonKind
from app.models.project import Project
from app.services.assignment.batches import lock_assignment
from app.services.bulk import batches
from app.services.current_judgments import RATING, in_ledger, settles
from app.services.errors import ConflictError
from app.services.ledger import append_judgments, record_event

NAMES = uuid.UUID("3e2f6d0a-5a9e-4f0b-9a55-1d2a8f6c7b42")
CHOSEN = "chosen"


@dataclass(frozen=True)
class PassedOn:
    """What was passed on for one reason: answers and questions, each counted once per person; and people."""

    reason: Reason
    answers: int
    queries: int
    people: int


def passes_on_query() -> ColumnElement[bool]:
    """Return whether an assignment says that its annotator cannot judge the whole question.

    That is over once they have rated every answer since, or said of each one that it cannot be judged.
    """
    unrated = unrated_of_query(Assignment.query_id, Assignment.person_id).correlate(Assignment)
    rated_since = (
        select(Judgment.revision)
        .join(Candidate, Candidate.id == Judgment.candidate_id)
        .where(
            Candidate.query_id == Assignment.query_id,
            Judgment.annotator_id == Assignment.person_id,
            Judgment.role != Origin.ADJUDICATION,
            Judgment.received_at > Assignment.lease_end,  # it ended when they said so
        )
        .correlate(Assignment)
    )
    return and_(Assignment.declined.is_not(None), or_(unrated.exists(), ~rated_since.exists()))


def unrated_of_query(query_id: Any, person_id: Any) -> Select[int]:
    """Return the answers of a question that a person could rate and has said nothing about, by any batch."""
    own = aliased(CurrentJudgment)
    is_settled = exists().where(
        own.candidate_id == Candidate.id,
        own.annotator_id == person_id,
        own.kind != Origin.ADJUDICATION,
        settles(own),
    )
    return (
        select(Candidate.id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Candidate.query_id == query_id,
            Candidate.in_pool,
            Document.content_hash.is_not(None),
            ~is_settled.correlate_except(own),
        )
    )


def passed_on(session: Session, project_id: int) -> list[PassedOn]:
    """Return what annotators cannot judge at present, by reason."""
    found = []
    for reason in Reason:
        if reason is Reason.CLEARED:
            continue
        answers = session.execute(_passed_answers(project_id, CurrentJudgment.reason == reason)).all()
        queries = session.execute(
            select(func.count(), func.count(distinct(Assignment.person_id))).where(
                *_declined(project_id), _is_for(reason)
            )
        ).one()
        people = {row.annotator_id for row in answers}
        if answers or queries[0]:
            found.append(PassedOn(reason, len(answers), queries[0], max(len(people), queries[1])))
    return found


def release_passed_on(
    session: Session, project: Project, reason: Reason, *, actor_id: int | None = None
) -> tuple[int, int]:
    """Let what was passed on for a reason be given to the same people again; return answers and questions.

    Each "can't judge" of an answer is cleared by a newer row; the ledger keeps both.

    :raise ConflictError: Nothing is passed on for this reason.
    """
    lock_assignment(session, project.id)
    rows = session.execute(_passed_answers(project.id, CurrentJudgment.reason == reason)).all()
    queries = _take_back(session, project.id, _is_for(reason))
    if not rows and not queries:
        raise ConflictError("No answer is marked “can’t judge” for this reason.", code="nothing_passed_on")
    _clear(session, project.id, rows, reason=reason.name.lower(), actor_id=actor_id)
    return len(rows), queries


def release_chosen(
    session: Session, project: Project, *, revisions: Sequence[int], assignments: Sequence[int], actor_id: int
) -> int:
    """Do the same for some of it, where it still counts, and return of how many answers and questions.

    Parameters
    ----------
    revisions
        Of the judgments that say so.
    assignments
        Batches whose whole question was passed on.
    """
    lock_assignment(session, project.id)
    rows = [
        row
        for some in batches(revisions)
        for row in session.execute(_passed_answers(project.id, CurrentJudgment.revision.in_(some)))
    ]
    queries = sum(_take_back(session, project.id, Assignment.id.in_(some)) for some in batches(assignments))
    if rows or queries:
        _clear(session, project.id, rows, reason=CHOSEN, actor_id=actor_id)
    return len(rows) + queries


def _passed_answers(project_id: int, which: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    """Return those of some judgments that say "can't judge" at present. Only people are asked again."""
    return (
        select(
            Judgment.project_id,
            Judgment.revision,
            Judgment.candidate_id,
            Judgment.annotator_id,
            Judgment.place,
            Judgment.length,
            Judgment.batch,
            Judgment.guideline_version,
            Judgment.role,
            Judgment.blind,
        )
        .select_from(CurrentJudgment)
        .join(Judgment, in_ledger(CurrentJudgment))
        .join(Person, Person.id == CurrentJudgment.annotator_id)
        .where(
            CurrentJudgment.project_id == project_id,
            which,
            CurrentJudgment.kind == RATING,
            CurrentJudgment.grade.is_(None),
            CurrentJudgment.reason != Reason.CLEARED,
            Person.kind == PersonKind.PERSON.value,
        )
        .order_by(Judgment.revision)
    )


def _declined(project_id: int) -> tuple[ColumnElement[bool], ...]:
    """Return what makes a batch one whose whole question a person passed on."""
    people = select(Person.id).where(Person.kind == PersonKind.PERSON.value)
    return (
        Assignment.project_id == project_id,
        passes_on_query(),
        Assignment.person_id.in_(people),
    )


def _is_for(reason: Reason) -> ColumnElement[bool]:
    return Assignment.declined == reason.name.lower()


def _take_back(session: Session, project_id: int, which: ColumnElement[bool]) -> int:
    """Let the questions of some batches be given to the same people again, and return how many there are."""
    done = session.execute(
        update(Assignment)
        .where(*_declined(project_id), which)
        .values(declined=None)
        .returning(Assignment.id)
        .execution_options(synchronize_session=False)
    )
    return len(done.all())


def _clear(
    session: Session, project_id: int, rows: Sequence[Row[Any]], *, reason: str, actor_id: int | None
) -> None:
    """Clear what some judgments say, and write down that it was done."""
    if rows:
        append_judgments(session, project_id, _clearing(rows), len(rows))
    payload = {"reason": reason, "count": len(rows)}
    record_event(session, project_id, EventKind.DECLINES_RELEASED, payload, actor_id=actor_id)


def _clearing(rows: Sequence[Row[Any]]) -> Iterator[dict[str, Any]]:
    now = now_utc()
    for row in rows:
        facts = dict(row._mapping)  # noqa: SLF001 - the documented way to a row's names
        old = f"{facts.pop('project_id')} {facts.pop('revision')}"
        yield {
            **facts,
            "grade": None,
            "reason": Reason.CLEARED,
            "input": Input.FORM,
            "client_uuid": uuid.uuid5(NAMES, old).bytes,
            "judged_at": now,
            "received_at": now,
        }
