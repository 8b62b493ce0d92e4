"""Requests: what an owner asked to be rated before everything else."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class Request(Base):
    """A question, an answer, or the top of two versions, to be rated first.

    Of these three exactly one is named. Which answers it asks for follows from the ledger at its revision.
    """

    __tablename__ = "request"
    __table_args__ = (
        Index("ix_request_project_id", "project_id"),
        CheckConstraint(
            "CASE WHEN query_id IS NULL THEN 0 ELSE 1 END"
            " + CASE WHEN candidate_id IS NULL THEN 0 ELSE 1 END"
            " + CASE WHEN first_run_id IS NULL THEN 0 ELSE 1 END = 1",
            name="target_is_one",
        ),
        CheckConstraint("(first_run_id IS NULL) = (second_run_id IS NULL)", name="runs_are_two"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    query_id: Mapped[int | None] = mapped_column(ForeignKey("query.id"))
    candidate_id: Mapped[int | None] = mapped_column(ForeignKey("candidate.id"))
    first_run_id: Mapped[int | None] = mapped_column(ForeignKey("run.id"))
    second_run_id: Mapped[int | None] = mapped_column(ForeignKey("run.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    # Of the event that says so.
    revision: Mapped[int] = mapped_column(BigInteger)
    # How many answers it asked for.
    answers: Mapped[int]
    withdrawn_revision: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
