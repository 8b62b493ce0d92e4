"""Runs: one version of a ranker, immutable, as packed rankings."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class Run(Base):
    """One version of a ranker. Unpublished until its last transaction; withdrawn and restored by events."""

    __tablename__ = "run"
    __table_args__ = (
        UniqueConstraint("ranker_id", "version"),
        Index("ix_run_project_id", "project_id"),
        CheckConstraint("state IN ('unpublished', 'published', 'withdrawn')", name="state_is_known"),
        CheckConstraint("state = 'unpublished' OR revision IS NOT NULL", name="published_has_a_revision"),
        # Events go on naming a version that was deleted: its number is given to no other.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    ranker_id: Mapped[int] = mapped_column(ForeignKey("ranker.id"))
    version: Mapped[str] = mapped_column(String(100))
    tag: Mapped[str] = mapped_column(String(512), default="")
    note: Mapped[str] = mapped_column(String(300), default="")
    file_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    state: Mapped[str] = mapped_column(String(12), default="unpublished")
    # The revision at which it was published: queries added later are no test of it.
    revision: Mapped[int | None] = mapped_column(BigInteger)
    registered_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    # What was said at the import: {"lines", "queries", "tied_lines", "rank_disagreements", ...}.
    stats: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)


class Ranking(Base):
    """The list of one run for one query: document ids as int32, scores as float64, little-endian.

    `scores` is the last column, so that reading the ids alone never touches its pages.
    """

    __tablename__ = "ranking"
    __table_args__ = (UniqueConstraint("run_id", "query_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id"))
    query_id: Mapped[int] = mapped_column(ForeignKey("query.id"))
    document_ids: Mapped[bytes] = mapped_column(LargeBinary)
    scores: Mapped[bytes | None] = mapped_column(LargeBinary)
