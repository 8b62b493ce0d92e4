"""Beside the ledger: what an owner sent to adjudication, and what an adjudicator noted and looked at.

The decision itself is a judgment, with the role `Origin.ADJUDICATION`.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class AdjudicationRequest(Base):
    """An answer that an owner sent to adjudication; a decision after `revision` settles it."""

    __tablename__ = "adjudication_request"
    __table_args__ = (Index("ix_adjudication_request_project_id", "project_id"),)

    candidate_id: Mapped[int] = mapped_column(
        ForeignKey("candidate.id"), primary_key=True, autoincrement=False
    )
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    # The head of the ledger when it was sent.
    revision: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)


class AdjudicationView(Base):
    """One adjudicator and one answer: a note, which can be erased, and when they looked at the ratings."""

    __tablename__ = "adjudication_view"
    __table_args__ = (Index("ix_adjudication_view_project_id", "project_id"),)

    candidate_id: Mapped[int] = mapped_column(
        ForeignKey("candidate.id"), primary_key=True, autoincrement=False
    )
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True, autoincrement=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    note: Mapped[str] = mapped_column(Text, default="")
    # Never taken back: seen is seen.
    shown_at: Mapped[datetime | None] = mapped_column(UtcTime)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
