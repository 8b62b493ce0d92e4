"""Near-duplicate documents, as the last search found them: a cache that any search makes again."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, Float, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class NearDuplicateSearch(Base):
    """The last search of a project, and how far it is."""

    __tablename__ = "near_duplicate_search"
    __table_args__ = (
        CheckConstraint("state IN ('waiting', 'running', 'done', 'failed')", name="state_is_known"),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"), primary_key=True, autoincrement=False)
    state: Mapped[str] = mapped_column(String(8), default="waiting")
    # The newest event that added, edited or removed documents: what was found is of these texts.
    revision: Mapped[int] = mapped_column(BigInteger, default=0)
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)


class NearDuplicate(Base):
    """Two documents whose texts are nearly the same: the share of their shingles that both have."""

    __tablename__ = "near_duplicate"
    __table_args__ = (Index("ix_near_duplicate_project_id", "project_id"),)

    document_id: Mapped[int] = mapped_column(ForeignKey("document.id"), primary_key=True)
    other_id: Mapped[int] = mapped_column(ForeignKey("document.id"), primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    share: Mapped[float] = mapped_column(Float)
