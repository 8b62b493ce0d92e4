"""Projects, their guidelines, and the two counters that are taken last in a transaction."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    LargeBinary,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc

PAPER_TEMPLATE = "papers"  # what `options` holds as its template in projects that rank papers


class Project(Base):
    """A set of questions, the answers of some rankers, and the people who rate them."""

    __tablename__ = "project"
    __table_args__ = (
        CheckConstraint("scale_low < scale_high", name="scale_has_two_grades"),
        CheckConstraint("pool_depth >= 1 AND overlap >= 1", name="depth_and_overlap_are_positive"),
        CheckConstraint("state IN ('open', 'paused', 'closed', 'archived')", name="state_is_known"),
        CheckConstraint("share_twice >= 0 AND share_twice <= 1", name="share_twice_is_a_share"),
        # The number of a purged project must not come back: caches in other processes still know it.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(80), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    headline: Mapped[str] = mapped_column(String(300), default="")
    scale_low: Mapped[int] = mapped_column(SmallInteger)
    scale_high: Mapped[int] = mapped_column(SmallInteger)
    # One {"word", "meaning"} for each grade, lowest first. Words move no score.
    grade_words: Mapped[list[dict[str, str]]] = mapped_column(JSON)
    # What the project calls its things: {"query": "target paper", "document": "recommended paper"}.
    wording: Mapped[dict[str, str]] = mapped_column(JSON, default=dict)
    pool_depth: Mapped[int] = mapped_column(SmallInteger)
    overlap: Mapped[int] = mapped_column(SmallInteger, default=1)
    share_twice: Mapped[float] = mapped_column(default=0.0)
    shuffle_secret: Mapped[bytes] = mapped_column(LargeBinary(32), default=lambda: secrets.token_bytes(32))
    state: Mapped[str] = mapped_column(String(10), default="open")
    is_demo: Mapped[bool] = mapped_column(default=False)
    # Further switches of a project (quality settings, ...): names and defaults live in services.projects.
    options: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    # While the project is written step by step, the numbers of the people who were made for it; then null.
    # Until then its short name is one that no address can have, and nobody has a role in it.
    importing: Mapped[list[int] | None] = mapped_column(JSON(none_as_null=True))

    @classmethod
    def is_complete(cls) -> ColumnElement[bool]:
        """Return what leaves out projects that are still being imported: for every list of projects."""
        return cls.importing.is_(None)

    @property
    def has_abstracts(self) -> bool:
        """Whether the intents of its queries are the abstracts of papers."""
        return self.options.get("template") == PAPER_TEMPLATE

    @property
    def grades(self) -> range:
        """Return the grades of the scale, lowest first."""
        return range(self.scale_low, self.scale_high + 1)


class LedgerHead(Base):
    """The project's revision counter, alone in its row: it is updated by every rating."""

    __tablename__ = "ledger_head"

    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"), primary_key=True, autoincrement=False)
    revision: Mapped[int] = mapped_column(BigInteger, default=0)


class BatchHead(Base):
    """The next odd and the next even number of a batch; taking one serialises assignment in a project."""

    __tablename__ = "batch_head"

    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"), primary_key=True, autoincrement=False)
    odd: Mapped[int] = mapped_column(default=1)
    even: Mapped[int] = mapped_column(default=2)


class Guideline(Base):
    """One version of a project's guidelines, in Markdown."""

    __tablename__ = "guideline"
    __table_args__ = (UniqueConstraint("project_id", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    version: Mapped[int]
    markdown: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    author_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))


class Purge(Base):
    """A project being purged: the one flag that the ledger's triggers yield to."""

    __tablename__ = "purge"

    project_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
