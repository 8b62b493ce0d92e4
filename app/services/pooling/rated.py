"""How much of the pool has a rating that counts now, straight from the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import exists, func, select

from app.models import Candidate, Document, Judgment, Query
from app.services.current_judgments import current

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


class PoolRated(NamedTuple):
    """Answers in the pool, and those of them that somebody has graded."""

    pooled: int
    rated: int


def pool_rated(session: Session, project_id: int) -> PoolRated:
    """Return how many answers of active queries are in the pool, and how many of them are rated."""
    pooled = (
        select(func.count())
        .select_from(Candidate)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.project_id == project_id, Candidate.in_pool.is_(True))
        .where(Query.retired_revision.is_(None))
    )
    graded = exists().where(
        Judgment.candidate_id == Candidate.id, Judgment.grade.is_not(None), current(Judgment)
    )
    return PoolRated(session.scalar(pooled) or 0, session.scalar(pooled.where(graded)) or 0)
