"""What owners did about the flags, notes and "can't judge" of annotators: rows beside the ledger."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class RemarkResolution(Base):
    """The reply to a remark, and whether it is resolved; without a candidate it is about a question."""

    __tablename__ = "remark_resolution"
    __table_args__ = (
        Index("ix_remark_resolution_project_id_person_id", "project_id", "person_id"),
        CheckConstraint("kind IN ('flag', 'note', 'pass')", name="kind_is_known"),
        CheckConstraint("state IN ('open', 'resolved')", name="state_is_known"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    kind: Mapped[str] = mapped_column(String(4))
    # Whose remark it is.
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    query_id: Mapped[int] = mapped_column(ForeignKey("query.id"))
    candidate_id: Mapped[int | None] = mapped_column(ForeignKey("candidate.id"))
    # The moment of the remark that was handled: a later one on the same answer is open again.
    said_at: Mapped[datetime] = mapped_column(UtcTime)
    state: Mapped[str] = mapped_column(String(8), default="open")
    reply: Mapped[str] = mapped_column(Text, default="")
    replied_at: Mapped[datetime | None] = mapped_column(UtcTime)
    # When the annotator said that they have read the reply.
    seen_at: Mapped[datetime | None] = mapped_column(UtcTime)
    actor_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
