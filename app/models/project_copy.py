"""Copies of projects that were asked for on a page: made in the background, one at a time of a project."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc
from app.models.upload import Said


class ProjectCopy(Base):
    """The last copy of a project that was asked for, how far it is, and in its report why it failed."""

    __tablename__ = "project_copy"
    __table_args__ = (
        CheckConstraint("state IN ('waiting', 'copying', 'done', 'failed')", name="state_is_known"),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"), primary_key=True, autoincrement=False)
    slug: Mapped[str] = mapped_column(String(80))
    name: Mapped[str] = mapped_column(String(200))
    with_ratings: Mapped[bool]
    # Who asked for it, and from where: for the audit trail of the copy.
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    network: Mapped[str | None] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(8), default="waiting")
    attempts: Mapped[int] = mapped_column(SmallInteger, default=0)
    # In rows, each of which is read and then written.
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    report: Mapped[dict[str, Any]] = mapped_column(Said, default=dict)
    asked_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
