"""Which answers have a rating that counts now, straight from the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select

from app.models import Candidate, Query
from app.services.bulk import batches
from app.services.current_judgments import is_graded

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        .where(Candidate.project_id == project_id, Candidate.in_pool.is_(True))
        .where(Query.retired_revision.is_(None))
    )
    return PoolRated(session.scalar(pooled) or 0, session.scalar(pooled.where(is_graded())) or 0)


def count_rated(session: Session, candidate_ids: Sequence[int]) -> int:
    """Return how many of some answers somebody has graded."""
    graded = select(func.count()).select_from(Candidate).where(is_graded())
    return sum(session.scalar(graded.where(Candidate.id.in_(some))) or 0 for some in batches(candidate_ids))
