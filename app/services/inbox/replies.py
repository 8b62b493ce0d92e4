"""What owners replied, as the annotator who had said something reads it: no name, no ranker, nobody else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select, update

from app.models import Candidate, Document, Handling, Project, Query, now_utc
from app.services.judging.recent import last_batch_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One reply that its annotator has not marked as read; without a title it is about a whole question."""

    slug: str
    project: str
    batch: int | None
    public_id: str | None
    query: str
    title: str
    about: str
    reply: str
    at: datetime


def replies_to(
    session: Session, person_id: int, project_ids: Sequence[int], *, limit: int = 20
) -> list[Reply]:
    """Return the replies that a person has not marked as read, newest first."""
    batch = last_batch_of(Handling)
    rows = session.execute(
        select(
            Project.slug,
            Project.name.label("project"),
            batch.label("batch"),
            Candidate.public_id,
            Query.text.label("query"),
            func.coalesce(func.nullif(Document.title, ""), func.substr(Document.text, 1, 70), "").label(
                "title"
            ),
            Handling.kind.label("about"),
            Handling.reply,
            Handling.replied_at.label("at"),
        )
        .select_from(Handling)
        .join(Project, Project.id == Handling.project_id)
        .join(Query, Query.id == Handling.query_id)
        .outerjoin(Candidate, Candidate.id == Handling.candidate_id)
        .outerjoin(Document, Document.id == Candidate.document_id)
        .where(
            Handling.person_id == person_id,
            Handling.project_id.in_(project_ids),
            Handling.replied_at.is_not(None),
            Handling.seen_at.is_(None),
        )
        .order_by(Handling.replied_at.desc(), Handling.id.desc())
        .limit(limit)
    )
    return [Reply(**row._mapping) for row in rows]  # noqa: SLF001 - the documented way to names


def mark_replies_seen(session: Session, project_id: int, person_id: int) -> None:
    """Remember that a person has read all replies in a project."""
    session.execute(
        update(Handling)
        .where(
            Handling.project_id == project_id,
            Handling.person_id == person_id,
            Handling.replied_at.is_not(None),
            or_(Handling.seen_at.is_(None), Handling.seen_at < Handling.replied_at),
        )
        .values(seen_at=now_utc())
    )
