"""Queries: the questions that people ask and rankers answer."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, CheckConstraint, Float, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base


class Query(Base):
    """One question; its external id is an opaque string, exactly as imported."""

    __tablename__ = "query"
    __table_args__ = (
        UniqueConstraint("project_id", "external_id"),
        CheckConstraint(
            "retired_revision IS NULL OR retired_revision >= added_revision", name="retired_later"
        ),
        CheckConstraint("weight > 0", name="weight_positive"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    external_id: Mapped[str] = mapped_column(String(512))
    text: Mapped[str] = mapped_column(Text)
    intent: Mapped[str] = mapped_column(Text, default="")
    tags: Mapped[list[str]] = mapped_column(JSON, default=list)
    # What it counts in a weighted mean; the score itself is the plain mean.
    weight: Mapped[float] = mapped_column(Float, default=1.0)
    # A run covers the queries that were active when it was registered: these two say which.
    added_revision: Mapped[int] = mapped_column(BigInteger)
    retired_revision: Mapped[int | None] = mapped_column(BigInteger)
