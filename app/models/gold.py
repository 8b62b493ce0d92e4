"""Gold answers: their grade is known, and they tell how well an annotator rates."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, SmallInteger
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class Gold(Base):
    """What one owner says a candidate's grade is beyond doubt. It is no judgment and moves no score."""

    __tablename__ = "gold"
    __table_args__ = (Index("ix_gold_project_id", "project_id"),)

    candidate_id: Mapped[int] = mapped_column(
        ForeignKey("candidate.id"), primary_key=True, autoincrement=False
    )
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True, autoincrement=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    grade: Mapped[int] = mapped_column(SmallInteger)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
