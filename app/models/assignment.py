"""Assignments: a batch of answers of one query, leased to one annotator."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, SmallInteger, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class Assignment(Base):
    """One batch, numbered per project when assigned. Its lease keeps others from the same answers."""

    __tablename__ = "assignment"
    __table_args__ = (
        UniqueConstraint("project_id", "batch"),
        Index("ix_assignment_person_id_project_id", "person_id", "project_id"),
        Index("ix_assignment_project_id_state_lease_end", "project_id", "state", "lease_end"),
        CheckConstraint("state IN ('open', 'done', 'parked', 'released')", name="state_is_known"),
        CheckConstraint(
            "kind IN ('requested', 'finish', 'front', 'waiting', 'random', 'check', 'chosen')",
            name="kind_is_known",
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    query_id: Mapped[int] = mapped_column(ForeignKey("query.id"))
    batch: Mapped[int]
    # Why this query was chosen; shown to owners only.
    kind: Mapped[str] = mapped_column(String(12), default="front")
    state: Mapped[str] = mapped_column(String(10), default="open")
    assigned_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    # Still to come in a released batch: it had been left for later when its question was declined.
    lease_end: Mapped[datetime] = mapped_column(UtcTime)
    # With "can't judge this question": the reason, as in a judgment.
    declined: Mapped[str | None] = mapped_column(String(12))


class AssignmentCandidate(Base):
    """One answer of a batch, and what for."""

    __tablename__ = "assignment_candidate"
    __table_args__ = (
        Index("ix_assignment_candidate_candidate_id", "candidate_id"),
        CheckConstraint("arm IN ('answer', 'second', 'repeat', 'gold')", name="arm_is_known"),
    )

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    candidate_id: Mapped[int] = mapped_column(ForeignKey("candidate.id"), primary_key=True)
    # Its place in the annotator's own keyed order, 1 = first.
    place: Mapped[int] = mapped_column(SmallInteger)
    arm: Mapped[str] = mapped_column(String(10), default="answer")
