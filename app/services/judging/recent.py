"""A person's last ratings and their flags, to look over and to change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import exists, func, or_, select
from sqlalchemy.orm import aliased

from app.models import (
    Assignment,
    AssignmentCandidate,
    Candidate,
    CurrentJudgment,
    Document,
    Flag,
    Handling,
    Judgment,
    Origin,
    Query,
    Reason,
)
from app.services.current_judgments import in_ledger, settles

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

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
    rows = session.execute(
        select(
            own.batch,
            own.place,
            Candidate.public_id,
            Query.text.label("query"),
            Document.title,
            Document.text,
            own.grade,
            own.reason,
            own.judged_at,
        )
        .select_from(CurrentJudgment)
        .join(own, in_ledger(CurrentJudgment, own))
        .join(Candidate, Candidate.id == own.candidate_id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            CurrentJudgment.project_id == project_id,
            CurrentJudgment.annotator_id == person_id,
            settles(CurrentJudgment),
            # Checks are among them: to whoever rates they are answers like any other.
            CurrentJudgment.kind != Origin.ADJUDICATION,
        )
        .order_by(CurrentJudgment.revision.desc())
        .limit(limit)
    )
    return [_recent(dict(row._mapping)) for row in rows]  # noqa: SLF001 - the documented way to names


def _recent(facts: dict[str, object]) -> RecentRating:
    reason = facts.pop("reason")
    name = reason.name.lower() if isinstance(reason, Reason) else None
    return RecentRating(reason=name, **facts)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Flagged:
    """An answer, or without a public id a whole question, that a person has flagged."""

    batch: int
    public_id: str | None
    query: str
    title: str


def flagged_by(session: Session, project_id: int, person_id: int, *, limit: int = 50) -> list[Flagged]:
    """Return what a person's open flags are on, newest first, with the batch in which it was last dealt."""
    dealt = last_batch_of(Flag)
    shown = func.coalesce(func.nullif(Document.title, ""), func.substr(Document.text, 1, 70))
    rows = session.execute(
        select(
            dealt.label("batch"),
            Candidate.public_id,
            Query.text.label("query"),
            func.coalesce(shown, "").label("title"),
        )
        .select_from(Flag)
        .join(Query, Query.id == Flag.query_id)
        .outerjoin(Candidate, Candidate.id == Flag.candidate_id)
        .outerjoin(Document, Document.id == Candidate.document_id)
        .where(
            Flag.project_id == project_id,
            Flag.person_id == person_id,
            Flag.state == "open",
            dealt.is_not(None),
        )
        .order_by(Flag.id.desc())
        .limit(limit)
    )
    return [Flagged(**row._mapping) for row in rows]  # noqa: SLF001 - the documented way to names


def last_batch_of(said: type[Flag | Handling]) -> Any:
    """Return the last batch in which a statement's row was dealt to whoever said it, as a scalar subquery."""
    return (
        select(func.max(Assignment.batch))
        .where(
            Assignment.project_id == said.project_id,
            Assignment.person_id == said.person_id,
            Assignment.query_id == said.query_id,
            or_(said.candidate_id.is_(None), _holds(said.candidate_id)),
        )
        .correlate(said)
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
