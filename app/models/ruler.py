"""Rulers: everything that fixes how a number is computed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc
from app.scoring.choices import CONSENSUS_RULES, DISCOUNTS, GAINS, PROJECT_IDEALS, PROJECT_UNJUDGED


class Ruler(Base):
    """One ruler. It takes effect with its `ruler_set` event; its hash goes with every exported number."""

    __tablename__ = "ruler"
    __table_args__ = (
        Index("ix_ruler_project_id", "project_id"),
        CheckConstraint("k >= 1", name="k_is_positive"),
        CheckConstraint(f"gain IN {GAINS}", name="gain_is_known"),
        CheckConstraint(f"discount IN {DISCOUNTS}", name="discount_is_known"),
        CheckConstraint(f"unjudged IN {PROJECT_UNJUDGED}", name="unjudged_is_known"),
        CheckConstraint(f"consensus IN {CONSENSUS_RULES}", name="consensus_is_known"),
        CheckConstraint(f"ideal IN {PROJECT_IDEALS}", name="ideal_is_known"),
        CheckConstraint("ties IN ('document_descending')", name="ties_is_known"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    scale_low: Mapped[int] = mapped_column(SmallInteger)
    scale_high: Mapped[int] = mapped_column(SmallInteger)
    gain: Mapped[str] = mapped_column(String(12), default="linear")
    discount: Mapped[str] = mapped_column(String(14), default="log2")
    k: Mapped[int] = mapped_column(SmallInteger)
    unjudged: Mapped[str] = mapped_column(String(10), default="open")
    consensus: Mapped[str] = mapped_column(String(10), default="median")
    ideal: Mapped[str] = mapped_column(String(10), default="judged")
    ties: Mapped[str] = mapped_column(String(24), default="document_descending")
    threshold: Mapped[int] = mapped_column(SmallInteger)
    only_blind: Mapped[bool] = mapped_column(default=False)
    # Whether what machines say counts; only a ruler that says so has it in its fingerprint.
    machines: Mapped[bool] = mapped_column(default=False)
    fingerprint: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
