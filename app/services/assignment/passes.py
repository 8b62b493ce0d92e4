"""What annotators could not judge, by reason; and an owner's ways to ask them again: all of it, or some."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, exists, or_, select, update
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
from app.services.assignment.eligibility import assignment_request, read_eligibility
from app.services.bulk import batches
from app.services.collection.files import refuse_archived
from app.services.current_judgments import RATING, in_ledger, settles
from app.services.errors import ConflictError
from app.services.ledger import append_judgments, record_event

NAMES = uuid.UUID("3e2f6d0a-5a9e-4f0b-9a55-1d2a8f6c7b42")
CHOSEN = "chosen"
# Whether an answer wants more ratings depends on nobody in particular.
NOBODY = 0


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


def passed_on(session: Session, project: Project) -> list[PassedOn]:
    """Return what annotators cannot judge at present and can be asked again, by reason."""
    found = []
    for reason in Reason:
        if reason is Reason.CLEARED:
            continue
        answers, _ = _askable_answers(session, project, CurrentJudgment.reason == reason)
        queries, _ = _askable_queries(session, project, _is_for(reason))
        people = ({row.annotator_id for row in answers}, {row.person_id for row in queries})
        if answers or queries:
            found.append(PassedOn(reason, len(answers), len(queries), max(map(len, people))))
    return found


def release_passed_on(
    session: Session, project: Project, reason: Reason, *, actor_id: int | None = None
) -> tuple[int, int]:
    """Let what was passed on for a reason be given to the same people again; return answers and questions.

    Each "can't judge" of an answer is cleared by a newer row; the ledger keeps both. What would be assigned
    to nobody stays as it is.

    :raise ConflictError: Nothing that can be asked again is passed on for this reason, or the project is
        archived.
    """
    refuse_archived(project)
    lock_assignment(session, project.id)
    rows, _ = _askable_answers(session, project, CurrentJudgment.reason == reason)
    queries, _ = _askable_queries(session, project, _is_for(reason))
    if not rows and not queries:
        raise ConflictError("No answer is marked “can’t judge” for this reason.", code="nothing_passed_on")
    _take_back(session, queries)
    _clear(session, project.id, rows, reason=reason.name.lower(), actor_id=actor_id)
    return len(rows), len(queries)


@dataclass(frozen=True)
class AskedAgain:
    """What was asked again, and what was not.

    Attributes
    ----------
    answers, queries, people
        How many answers and whole questions were asked again, and of how many people.
    refused
        How often somebody was not asked again, by why: the answer is ``decided``, has been ``rated`` often
        enough or is ``gone`` from what is rated; a whole question has no answer left to rate (``query``); or
        there is ``nobody`` to ask.
    """

    answers: int
    queries: int
    people: int
    refused: Counter[str]


def release_chosen(
    session: Session, project: Project, *, revisions: Sequence[int], assignments: Sequence[int], actor_id: int
) -> AskedAgain:
    """Do the same for some of it, where it still counts.

    Parameters
    ----------
    revisions
        Of the judgments that say so.
    assignments
        Batches whose whole question was passed on.

    :raise ConflictError: The project is archived.
    """
    refuse_archived(project)
    lock_assignment(session, project.id)
    rows: list[Row[Any]] = []
    queries: list[Row[Any]] = []
    refused: Counter[str] = Counter()
    for some in batches(revisions):
        asked, why = _askable_answers(session, project, CurrentJudgment.revision.in_(some))
        rows, refused = rows + asked, refused + why
    for some in batches(assignments):
        asked, why = _askable_queries(session, project, Assignment.id.in_(some))
        queries, refused = queries + asked, refused + why
    nobody = len(revisions) + len(assignments) - len(rows) - len(queries) - refused.total()
    _take_back(session, queries)
    if rows or queries:
        _clear(session, project.id, rows, reason=CHOSEN, actor_id=actor_id)
    return AskedAgain(
        answers=len({row.candidate_id for row in rows}),
        queries=len({row.query_id for row in queries}),
        people=len({row.annotator_id for row in rows} | {row.person_id for row in queries}),
        refused=refused + Counter(nobody=nobody),
    )


def _askable_answers(
    session: Session, project: Project, which: ColumnElement[bool]
) -> tuple[list[Row[Any]], Counter[str]]:
    """Return those of some judgments that can be asked again, and how many cannot, by why."""
    rows = session.execute(_passed_answers(project.id, which)).all()
    why = _not_assigned(session, project, [row.candidate_id for row in rows])
    asked = [row for row in rows if row.candidate_id not in why]
    return asked, Counter(why[row.candidate_id] for row in rows if row.candidate_id in why)


def _askable_queries(
    session: Session, project: Project, which: ColumnElement[bool]
) -> tuple[list[Row[Any]], Counter[str]]:
    """Do the same for batches whose whole question was passed on: an answer of it must be left to rate."""
    statement: Select[*tuple[Any, ...]] = select(Assignment.id, Assignment.query_id, Assignment.person_id)
    rows = session.execute(statement.where(*_declined(project.id), which)).all()
    unrated = unrated_of_query(Assignment.query_id, Assignment.person_id).correlate(Assignment)
    left: dict[int, list[int]] = {row.id: [] for row in rows}
    for some in batches(rows):
        numbers = [row.id for row in some]
        for batch, candidate in session.execute(
            select(Assignment.id, Candidate.id)
            .join(Candidate, Candidate.query_id == Assignment.query_id)
            .where(Assignment.id.in_(numbers), Candidate.id.in_(unrated))
        ):
            left[batch].append(candidate)
    why = _not_assigned(session, project, [one for answers in left.values() for one in answers])
    asked = [row for row in rows if any(one not in why for one in left[row.id])]
    return asked, Counter(query=len(rows) - len(asked))


def _not_assigned(session: Session, project: Project, candidate_ids: Sequence[int]) -> dict[int, str]:
    """Return which of some answers are assigned to nobody any more, and why: see `AskedAgain`."""
    request, found = assignment_request(session, project, NOBODY, now_utc()), {}
    for some in batches(sorted(set(candidate_ids))):
        facts, eligibility = read_eligibility(session, request, "id", some)
        for fact, wanted in zip(facts, eligibility.wanted.tolist(), strict=True):
            if fact.decision is not None:
                found[fact.candidate_id] = "decided"
            elif not (fact.shown and fact.pooled):
                found[fact.candidate_id] = "gone"
            elif fact.ratings >= wanted:
                found[fact.candidate_id] = "rated"
    return found


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


def _take_back(session: Session, rows: Sequence[Row[Any]]) -> None:
    """Let the questions of some batches be given to the same people again."""
    for some in batches(rows):
        session.execute(
            update(Assignment)
            .where(Assignment.id.in_([row.id for row in some]))
            .values(declined=None)
            .execution_options(synchronize_session=False)
        )


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
