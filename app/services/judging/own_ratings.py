"""All of a person's own ratings and flags, to look over and to change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Label, and_, case, exists, func, literal, or_, select
from sqlalchemy.orm import Session, aliased

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import CurrentJudgment, Flag, Input, Judgment, JudgmentNote, Origin, Reason
from app.models.query import Query
from app.models.remark_resolution import RemarkResolution
from app.services.assignment.passes import passes_on_query
from app.services.current_judgments import in_ledger, settles

EACH = 30


def given_at(judgment: type[Judgment]) -> Label[datetime]:
    """Return when a judgment was given, as people are told: by the server's clock.

    A device's may be years off; both are kept. A file says its own times.
    """
    is_from_file = judgment.input == Input.FILE
    return case((is_from_file, judgment.judged_at), else_=judgment.received_at).label("judged_at")


@dataclass(frozen=True, kw_only=True)
class OwnAnswer:
    """One answer as its annotator rated it; `batch` is where it can be changed, None where nowhere."""

    batch: int | None
    candidate_id: int
    query_id: int
    public_id: str
    query: str
    title: str
    grade: int | None
    reason: str | None
    note: str
    flagged: bool
    judged_at: datetime


@dataclass(frozen=True)
class OwnRatings:
    """One page of them, how many match, and how many pages that makes."""

    answers: list[OwnAnswer]
    total: int
    page: int
    pages: int


def own_ratings(
    session: Session,
    project_id: int,
    person_id: int,
    *,
    search: str = "",
    show: str = "",
    page: int = 1,
    each: int = EACH,
) -> OwnRatings:
    """Return one page of a person's ratings, newest first; a page beyond the last is the last.

    Parameters
    ----------
    search
        Occurs in the question, the answer or the note, in any case.
    show
        A grade as a number, `pass`, `flag`, `note`, or nothing for everything.
    """
    own = aliased(Judgment)
    meant = and_(*_meant(own, project_id, person_id, search, show))
    total = session.scalar(_from(select(func.count()), own).where(meant)) or 0
    pages = max(1, -(-total // each))
    page = min(max(page, 1), pages)
    columns = (
        _batch(own).label("batch"),
        Candidate.id.label("candidate_id"),
        Candidate.query_id,
        Candidate.public_id,
        Query.text.label("query"),
        func.coalesce(func.nullif(Document.title, ""), func.substr(Document.text, 1, 90)).label("title"),
        own.grade,
        own.reason,
        func.coalesce(JudgmentNote.text, "").label("note"),
        _is_flagged(own).label("flagged"),
        given_at(own),
    )
    wanted = _from(select(*columns), own).where(meant).order_by(CurrentJudgment.revision.desc())
    rows = session.execute(wanted.limit(each).offset((page - 1) * each))
    return OwnRatings([_answer(dict(row._mapping)) for row in rows], total, page, pages)  # noqa: SLF001


def _answer(facts: dict[str, Any]) -> OwnAnswer:
    reason = facts.pop("reason")
    return OwnAnswer(
        reason=reason.name.lower() if reason else None, flagged=bool(facts.pop("flagged")), **facts
    )


def _from(statement: Any, own: type[Judgment]) -> Any:
    return (
        statement.select_from(CurrentJudgment)
        .join(own, in_ledger(CurrentJudgment, own))
        .join(Candidate, Candidate.id == own.candidate_id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .outerjoin(
            JudgmentNote,
            and_(
                JudgmentNote.candidate_id == own.candidate_id, JudgmentNote.annotator_id == own.annotator_id
            ),
        )
    )


def _own(project_id: int, person_id: int) -> list[ColumnElement[bool]]:
    """Return what makes a current judgment one of a person's own ratings."""
    return [
        CurrentJudgment.project_id == project_id,
        CurrentJudgment.annotator_id == person_id,
        # Checks are among them: to annotators they are answers like any other.
        CurrentJudgment.kind != Origin.ADJUDICATION,
        settles(CurrentJudgment),
    ]


def _meant(
    own: type[Judgment], project_id: int, person_id: int, search: str, show: str
) -> list[ColumnElement[bool]]:
    clauses = _own(project_id, person_id)
    if search:
        texts = (Query.text, Document.title, Document.text, JudgmentNote.text)
        clauses.append(or_(*(text.icontains(search, autoescape=True) for text in texts)))
    if show == "pass":
        clauses.append(own.grade.is_(None))
    elif show == "flag":
        clauses.append(_is_flagged(own))
    elif show == "note":
        clauses.append(JudgmentNote.id.is_not(None))
    elif show:
        clauses.append(own.grade == int(show))
    return clauses


def _is_flagged(own: type[Judgment]) -> ColumnElement[bool]:
    return (
        exists()
        .where(
            Flag.candidate_id == own.candidate_id,
            Flag.person_id == own.annotator_id,
            Flag.state == "open",
        )
        .correlate_except(Flag)
    )


def _batch(own: type[Judgment]) -> Any:
    """Return the batch in which an answer was rated, or else the last one in which it was."""
    last = func.max(Assignment.batch)
    batch = (
        select(func.coalesce(last.filter(Assignment.batch == own.batch), last))
        .join(AssignmentCandidate, AssignmentCandidate.assignment_id == Assignment.id)
        .where(
            Assignment.project_id == own.project_id,
            Assignment.person_id == own.annotator_id,
            AssignmentCandidate.candidate_id == own.candidate_id,
        )
    )
    return batch.correlate(own).scalar_subquery()


LAST_RATINGS = 10


@dataclass(frozen=True, kw_only=True)
class RecentRating:
    """One of a person's last ratings, to look over and to change."""

    batch: int
    place: int
    public_id: str
    query: str
    title: str
    text: str
    grade: int | None
    reason: str | None
    judged_at: datetime


def last_ratings(
    session: Session, project_id: int, person_id: int, *, limit: int = LAST_RATINGS
) -> list[RecentRating]:
    """Return a person's newest current ratings, newest first."""
    own = aliased(Judgment)
    columns = (
        own.batch,
        own.place,
        Candidate.public_id,
        Query.text.label("query"),
        Document.title,
        Document.text,
        own.grade,
        own.reason,
        given_at(own),
    )
    wanted = _from(select(*columns), own).where(*_own(project_id, person_id))
    rows = session.execute(wanted.order_by(CurrentJudgment.revision.desc()).limit(limit))
    return [_recent(dict(row._mapping)) for row in rows]  # noqa: SLF001 - the documented way to names


def _recent(facts: dict[str, object]) -> RecentRating:
    reason = facts.pop("reason")
    name = reason.name.lower() if isinstance(reason, Reason) else None
    return RecentRating(reason=name, **facts)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Remarked:
    """An answer, or without a public id a whole question, that a person has flagged or written a note on."""

    batch: int
    public_id: str | None
    query: str
    title: str
    is_rated: bool
    note: str = ""


MOST_FLAGGED = 50
# What an answer is called in a list of remarks.
SHOWN = func.coalesce(func.nullif(Document.title, ""), func.substr(Document.text, 1, 70))


def flagged_by(
    session: Session, project_id: int, person_id: int, *, limit: int | None = MOST_FLAGGED
) -> list[Remarked]:
    """Return what a person's open flags are on, newest first, with the batch in which it last was."""
    rated = exists().where(CurrentJudgment.candidate_id == Flag.candidate_id, *_own(project_id, person_id))
    batch = batch_of(Flag)
    rows = session.execute(
        select(
            batch.label("batch"),
            Candidate.public_id,
            Query.text.label("query"),
            func.coalesce(SHOWN, "").label("title"),
            rated.correlate(Flag).label("is_rated"),
        )
        .select_from(Flag)
        .join(Query, Query.id == Flag.query_id)
        .outerjoin(Candidate, Candidate.id == Flag.candidate_id)
        .outerjoin(Document, Document.id == Candidate.document_id)
        .where(
            Flag.project_id == project_id,
            Flag.person_id == person_id,
            Flag.state == "open",
            batch.is_not(None),
        )
        .order_by(Flag.id.desc())
        .limit(limit)
    )
    return [Remarked(**row._mapping) for row in rows]  # noqa: SLF001 - the documented way to names


def passed_questions(session: Session, project_id: int, person_id: int) -> list[Remarked]:
    """Return the whole questions that a person cannot judge, newest first, with the last batch of each."""
    batch = func.max(Assignment.batch)
    rows = session.execute(
        select(batch, Query.text)
        .join(Query, Query.id == Assignment.query_id)
        .where(
            Assignment.project_id == project_id,
            Assignment.person_id == person_id,
            passes_on_query(),
        )
        .group_by(Query.id, Query.text)
        .order_by(batch.desc())
    )
    return [Remarked(batch=last, public_id=None, query=text, title="", is_rated=False) for last, text in rows]


def noted_unrated(session: Session, project_id: int, person_id: int) -> list[Remarked]:
    """Return the answers on which a person has written a note and no rating, the newest note first."""
    rated = exists().where(
        CurrentJudgment.candidate_id == JudgmentNote.candidate_id, *_own(project_id, person_id)
    )
    batch = (
        select(func.max(Assignment.batch))
        .where(
            Assignment.project_id == project_id,
            Assignment.person_id == person_id,
            _holds(JudgmentNote.candidate_id),
        )
        .correlate(JudgmentNote)
        .scalar_subquery()
    )
    rows = session.execute(
        select(
            batch.label("batch"),
            Candidate.public_id,
            Query.text.label("query"),
            SHOWN.label("title"),
            literal(value=False).label("is_rated"),
            JudgmentNote.text.label("note"),
        )
        .select_from(JudgmentNote)
        .join(Candidate, Candidate.id == JudgmentNote.candidate_id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            JudgmentNote.project_id == project_id,
            JudgmentNote.annotator_id == person_id,
            ~rated.correlate(JudgmentNote),
            batch.is_not(None),
        )
        .order_by(JudgmentNote.updated_at.desc(), JudgmentNote.id.desc())
    )
    return [Remarked(**row._mapping) for row in rows]  # noqa: SLF001 - the documented way to names


def batch_of(remark: type[Flag | RemarkResolution]) -> Any:
    """Return the batch to open for a statement's row, as a scalar subquery.

    It is the last one in which its author had the answer; of a whole question the first, which they saw.
    """
    first, last = func.min(Assignment.batch), func.max(Assignment.batch)
    return (
        select(case((remark.candidate_id.is_(None), first), else_=last))
        .where(
            Assignment.project_id == remark.project_id,
            Assignment.person_id == remark.person_id,
            Assignment.query_id == remark.query_id,
            or_(remark.candidate_id.is_(None), _holds(remark.candidate_id)),
        )
        .correlate(remark)
        .scalar_subquery()
    )


def _holds(candidate_id: Any) -> ColumnElement[bool]:
    return (
        exists()
        .where(
            AssignmentCandidate.assignment_id == Assignment.id,
            AssignmentCandidate.candidate_id == candidate_id,
        )
        .correlate_except(AssignmentCandidate)
    )
