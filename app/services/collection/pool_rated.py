"""How much of a pool is rated already, and which of its answers have no text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.query import Query
from app.scoring.arrays import Flags, Ints
from app.services.bulk import batches, read_columns
from app.services.current_judgments import is_graded


def without_text(session: Session, project_id: int, document: Ints) -> Flags:
    """Return which of some documents have no text; one that is not stored yet has none."""
    mine = Document.project_id == project_id
    (empty,) = read_columns(
        session, select(Document.id).where(mine, Document.content_hash.is_(None)), [np.int64]
    )
    newest = session.scalar(select(func.max(Document.id)).where(mine)) or 0
    return np.isin(document, empty) | (document > newest)


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


def rated_among(session: Session, candidate_ids: Sequence[int]) -> list[int]:
    """Return which of some answers somebody has graded."""
    graded = select(Candidate.id).where(is_graded())
    return [
        number
        for some in batches(candidate_ids)
        for number in session.scalars(graded.where(Candidate.id.in_(some)))
    ]
