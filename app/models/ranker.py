"""Rankers: the systems that order documents."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, SmallInteger, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc

PROBES = "Random probe"
"""The manual ranker whose runs hold answers that were drawn by chance."""
PROBE_KEY = "probe"
"""Where the stats of such a run tell of its probe: one probe may take several runs."""


class Ranker(Base):
    """One system; its versions are runs."""

    __tablename__ = "ranker"
    __table_args__ = (
        UniqueConstraint("project_id", "name"),
        CheckConstraint("kind IN ('system', 'manual')", name="kind_is_known"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    name: Mapped[str] = mapped_column(String(200))
    # A manual run holds answers that people knew of; it is pooled, but takes part in no comparison.
    kind: Mapped[str] = mapped_column(String(10), default="system")
    # 1, 2, 3, ... in order of arrival, never reassigned: shape and colour on every page, up to eight rankers.
    mark: Mapped[int] = mapped_column(SmallInteger)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
