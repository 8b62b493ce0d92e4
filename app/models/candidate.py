"""Candidates: query-document pairs that are pooled or judged."""

from __future__ import annotations

import secrets
from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, SmallInteger, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


def random_public_id() -> str:
    """Return an id that says nothing: sequential ids betray the ranker that brought the answer."""
    return secrets.token_urlsafe(12)


class Candidate(Base):
    """A query with one of its documents. Only those in the pool are assigned; all judged ones form the ideal.

    `in_pool` and `best_rank` are projections of the active runs and the depth; `services.pooling`
    writes them, and can form them again from the rankings at any time.
    """

    __tablename__ = "candidate"
    __table_args__ = (
        UniqueConstraint("project_id", "query_id", "document_id"),
        Index("ix_candidate_query_id", "query_id"),
        Index("ix_candidate_document_id", "document_id"),
        # The order in which answers are assigned: a reader of the first one stops there.
        Index("ix_candidate_assignment", "project_id", "in_pool", "best_rank", "query_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(16), unique=True, default=random_public_id)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    query_id: Mapped[int] = mapped_column(ForeignKey("query.id"))
    document_id: Mapped[int] = mapped_column(ForeignKey("document.id"))
    in_pool: Mapped[bool] = mapped_column(default=False)
    # The best place (1 = first) at which an active run returns it within the depth; 0 outside the pool.
    best_rank: Mapped[int] = mapped_column(SmallInteger, default=0)
    pooled_revision: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
