"""Adjudication: who decides, what they are told, and how a decision enters the ledger."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.models.adjudication import AdjudicationRequest, AdjudicationView
from app.models.assignment import Assignment
from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import CurrentJudgment, Judgment, JudgmentNote, Origin, Reason
from app.models.person import Membership, Person
from app.models.project import Project
from app.models.query import Query
from app.sentences import message
from app.services.accounts.audit import record
from app.services.assignment.wanted import can_be_shown
from app.services.bulk import lock_project
from app.services.current_judgments import RATING, in_ledger, settles
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.judging.rating import Annotator, OwnRating, Rating, find_by_id, get_rated_candidate
from app.services.judging.recording import append_rows, check_rating, row_of
from app.services.ledger import head_of

LONGEST_NOTE = 2000


@dataclass(frozen=True)
class AnnotatorGrade:
    """What one annotator says about an answer: a grade, or a reason why there is none.

    `name` and `note` are for owners; to others who adjudicate both are empty. `whole`: the reason is about
    the whole question.
    """

    name: str
    grade: int | None
    reason: str | None
    note: str
    whole: bool = False


def grades_given(
    session: Session, candidate_ids: Collection[int], *, with_names: bool
) -> dict[int, tuple[AnnotatorGrade, ...]]:
    """Return what annotators say now about some answers, by candidate; lowest grades first."""
    rows = session.execute(
        select(
            CurrentJudgment.candidate_id,
            Person.id,
            Person.name,
            CurrentJudgment.grade,
            CurrentJudgment.reason,
            JudgmentNote.text.label("note"),
        )
        .join(Person, Person.id == CurrentJudgment.annotator_id)
        .outerjoin(
            JudgmentNote,
            (JudgmentNote.candidate_id == CurrentJudgment.candidate_id)
            & (JudgmentNote.annotator_id == CurrentJudgment.annotator_id),
        )
        .where(
            CurrentJudgment.candidate_id.in_(candidate_ids),
            CurrentJudgment.kind == RATING,
            settles(CurrentJudgment),
        )
        .order_by(CurrentJudgment.candidate_id, CurrentJudgment.grade, CurrentJudgment.reason, Person.name)
    )
    found: dict[int, tuple[AnnotatorGrade, ...]] = {}
    said: set[tuple[int, int]] = set()
    for candidate_id, person_id, name, grade, reason, note in rows:
        words = (name, note or "") if with_names else ("", "")
        annotator_grade = AnnotatorGrade(words[0], grade, reason.name.lower() if reason else None, words[1])
        found[candidate_id] = (*found.get(candidate_id, ()), annotator_grade)
        said.add((candidate_id, person_id))
    for candidate_id, person_id, name, reason in session.execute(_declined(candidate_ids)):
        if (candidate_id, person_id) not in said:
            declined = AnnotatorGrade(name if with_names else "", None, reason, "", whole=True)
            found[candidate_id] = (*found.get(candidate_id, ()), declined)
    return found


def _declined(candidate_ids: Collection[int]) -> Select[*tuple[Any, ...]]:
    """Return who cannot judge the whole question of some answers, and why."""
    return (
        select(Candidate.id, Person.id, Person.name, func.max(Assignment.declined))
        .join(Assignment, Assignment.query_id == Candidate.query_id)
        .join(Person, Person.id == Assignment.person_id)
        .where(Candidate.id.in_(candidate_ids), Assignment.declined.is_not(None))
        .group_by(Candidate.id, Person.id, Person.name)
        .order_by(Candidate.id, Person.name)
    )


def show_ratings(session: Session, adjudicator: Annotator, public_id: str) -> None:
    """Record that an adjudicator looks at the ratings of an answer; the first time counts.

    :raise NotFoundError: There is no such answer in this project.
    """
    view = _view_of(session, adjudicator, public_id)
    if view.shown_at is None:
        view.shown_at = view.updated_at = now_utc()
    session.flush()


def write_note_on(session: Session, adjudicator: Annotator, public_id: str, text: str) -> str:
    """Keep an adjudicator's note on an answer and return it; an empty one takes the note away.

    :raise NotFoundError: There is no such answer in this project.
    :raise InvalidError: It is too long.
    """
    text = text.strip()
    if len(text) > LONGEST_NOTE:
        raise InvalidError(
            message(
                "A note holds %(most)s characters; this one has %(length)s.",
                most=LONGEST_NOTE,
                length=len(text),
            ),
            code="too_long",
        )
    view = _view_of(session, adjudicator, public_id)
    view.note, view.updated_at = text, now_utc()
    session.flush()
    return text


def candidate_of(session: Session, project_id: int, public_id: str) -> Candidate:
    """Return an answer of a project.

    :raise NotFoundError: There is no such answer in this project.
    """
    found = session.scalar(
        select(Candidate).where(Candidate.public_id == public_id, Candidate.project_id == project_id)
    )
    if found is None:
        raise NotFoundError("There is no such answer in this project.")
    return found


def _view_of(session: Session, adjudicator: Annotator, public_id: str) -> AdjudicationView:
    candidate = candidate_of(session, adjudicator.project.id, public_id)
    # Two windows of one person take turns.
    person = select(Person.id).where(Person.id == adjudicator.person_id)
    session.execute(person.with_for_update(key_share=True))
    view = session.get(AdjudicationView, (candidate.id, adjudicator.person_id))
    if view is None:
        view = AdjudicationView(
            candidate_id=candidate.id, person_id=adjudicator.person_id, project_id=candidate.project_id
        )
        session.add(view)
    return view


class RecordedDecision(NamedTuple):
    """A decision as it is stored; `is_new` is False where it was there before."""

    rating: OwnRating
    is_new: bool


def record_decision(
    session: Session, adjudicator: Annotator, public_id: str, rating: Rating
) -> RecordedDecision:
    """Append a decision to the ledger: a grade, or "cleared" where one is taken back.

    The same decision sent again is returned as stored. `rating.base` is the id of the newest decision that
    the adjudicator saw, no matter who made it.

    :raise NotFoundError: There is no such answer in this project.
    :raise InvalidError: The grade is off the scale, or a reason is given: what one cannot judge is left in
        the queue.
    :raise ConflictError: The id was used before (`id_reused`), somebody else decided meanwhile
        (`changed_elsewhere`, with the `current` one), or the project is archived (`rating_closed`).
    """
    check_rating(adjudicator.project, rating)
    if rating.reason not in {None, Reason.CLEARED}:
        raise InvalidError(
            "A decision is a grade. To decide later, leave the answer where it is.", code="reason"
        )
    shown = get_rated_candidate(session, adjudicator.project.id, adjudicator.person_id, public_id)
    stored = find_by_id(session, adjudicator.person_id, rating.id)
    if stored is not None:
        if not stored.says_the_same(rating, shown.id) or stored.role is not Origin.ADJUDICATION:
            raise ConflictError("This id belongs to another rating.", code="id_reused")
        return RecordedDecision(stored, is_new=False)
    # Two adjudicators take turns: the second one sees what the first one decided.
    project = lock_project(session, adjudicator.project.id)
    _check_open(project)
    _check_base(find_decision(session, shown.id), rating)
    row = row_of(adjudicator, shown, rating, role=Origin.ADJUDICATION)
    (own,) = append_rows(session, adjudicator.project.id, [row])
    return RecordedDecision(own, is_new=True)


def take_back_decision(session: Session, adjudicator: Annotator, public_id: str, rating: Rating) -> None:
    """Take back whatever was decided about an answer, so that it waits again.

    :raise NotFoundError: There is no such answer in this project.
    :raise ConflictError: Nothing is decided about it (`nothing_left`), or the project is archived.
    """
    candidate = candidate_of(session, adjudicator.project.id, public_id)
    newest = find_decision(session, candidate.id)
    if newest is None or newest.grade is None:
        raise ConflictError("Nothing is decided about this answer any more.", code="nothing_left")
    base = UUID(bytes=newest.client_uuid)
    record_decision(
        session, adjudicator, public_id, replace(rating, grade=None, reason=Reason.CLEARED, base=base)
    )


def find_decision(session: Session, candidate_id: int) -> Judgment | None:
    """Return the newest decision about the present text of an answer, also where it takes one back."""
    return session.scalar(
        select(Judgment)
        .join(CurrentJudgment, in_ledger(CurrentJudgment))
        .where(CurrentJudgment.candidate_id == candidate_id, CurrentJudgment.kind == Origin.ADJUDICATION)
        .order_by(CurrentJudgment.revision.desc())
        .limit(1)
    )


def _check_open(project: Project) -> None:
    if project.state == "archived":
        raise ConflictError(
            "The project is archived: nothing is decided in it any more.", code="rating_closed"
        )


def _check_base(newest: Judgment | None, rating: Rating) -> None:
    if rating.base == (None if newest is None else UUID(bytes=newest.client_uuid)):
        return
    facts = None
    if newest is not None:
        reason = newest.reason.name.lower() if newest.reason else None
        facts = {"id": str(UUID(bytes=newest.client_uuid)), "grade": newest.grade, "reason": reason}
    raise ConflictError("Someone else has decided this answer.", code="changed_elsewhere", current=facts)


def name_adjudicator(session: Session, project_id: int, person_id: int, *, named: bool) -> None:
    """Let a member adjudicate, or no more; what they have decided stays.

    :raise NotFoundError: The person has no role there.
    """
    membership = session.get(Membership, (person_id, project_id))
    if membership is None or membership.role is None:
        raise NotFoundError("This person has no role in the project.")
    membership.adjudicates = named
    what = [f"decides on answers: {'yes' if named else 'no'}"]
    record(session, AuditKind.SETTINGS_CHANGED, person_id=person_id, project_id=project_id, what=what)


def request_adjudication(session: Session, project: Project, public_id: str, *, actor_id: int) -> None:
    """Send an answer to adjudication; sent again after a decision, it waits again.

    :raise NotFoundError: There is no such answer in this project.
    :raise InvalidError: It has no text, or its question is retired: nobody could judge it.
    :raise ConflictError: The project is archived (`rating_closed`).
    """
    _check_open(project)
    lock_project(session, project.id)
    candidate_id = candidate_of(session, project.id, public_id).id
    shown = session.scalar(
        select(Candidate.id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.id == candidate_id, *can_be_shown())
    )
    if shown is None:
        raise InvalidError("This answer has no text, or its question is retired: nobody could judge it.")
    head = head_of(session, project.id)
    request = session.get(AdjudicationRequest, candidate_id)
    if request is None:
        request = AdjudicationRequest(candidate_id=candidate_id, project_id=project.id)
        session.add(request)
    request.person_id, request.revision, request.created_at = actor_id, head, now_utc()
    session.flush()


def withdraw_adjudication_request(session: Session, project: Project, public_id: str) -> None:
    """Take an answer out of the queue that was sent there; its ratings may keep it in.

    :raise NotFoundError: There is no such answer in this project.
    """
    request = session.get(AdjudicationRequest, candidate_of(session, project.id, public_id).id)
    if request is not None:
        session.delete(request)
    session.flush()


@dataclass(frozen=True)
class RequestableAnswer:
    """One answer of a question that can be sent, and whether it was."""

    public_id: str
    title: str
    sent: bool


def requestable_answers(session: Session, project_id: int, query_id: int) -> list[RequestableAnswer]:
    """Return the answers of an active question that somebody could judge, pooled or judged."""
    rows = session.execute(
        select(
            Candidate.public_id,
            Document.title,
            func.substr(Document.text, 1, 80),
            AdjudicationRequest.candidate_id,
        )
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .outerjoin(AdjudicationRequest, AdjudicationRequest.candidate_id == Candidate.id)
        .where(Candidate.project_id == project_id, Candidate.query_id == query_id, *can_be_shown())
        .order_by(Document.title, Document.id)
    )
    return [RequestableAnswer(name, title or text, sent is not None) for name, title, text, sent in rows]
