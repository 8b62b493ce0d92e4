"""Judgments, append-only: a new grade, an undo, a clear, a "can't judge" are new rows."""

from __future__ import annotations

from datetime import datetime
from enum import IntEnum

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, Coded, UtcTime, now_utc


class Reason(IntEnum):
    """Why a judgment holds no grade."""

    CLEARED = 1
    UNCLEAR = 2
    UNREADABLE = 3
    EXPERTISE = 4
    LANGUAGE = 5
    HARMFUL = 6
    OTHER = 7


class Origin(IntEnum):
    """Why a judgment was asked for (column `role`): repeats and gold never move a score.

    What a machine says was asked of nobody: it moves a score only where the ruler counts machines.
    """

    PLANNED = 1
    EXTRA = 2
    ADJUDICATION = 3
    REPEAT = 4
    GOLD = 5
    MACHINE = 6


class Input(IntEnum):
    """How a judgment was given."""

    KEY = 1
    MOUSE = 2
    TOUCH = 3
    FORM = 4
    FILE = 5


class Judgment(Base):
    """One annotator's grade for one candidate at one time. Never updated, never deleted: triggers see to it.

    The place at which the answer was shown is data, never a key.
    """

    __tablename__ = "judgment"
    __table_args__ = (
        UniqueConstraint("annotator_id", "client_uuid"),
        Index("ix_judgment_candidate_id_annotator_id", "candidate_id", "annotator_id"),
        Index("ix_judgment_project_id_annotator_id", "project_id", "annotator_id", "revision"),
        CheckConstraint("(grade IS NULL) <> (reason IS NULL)", name="grade_or_reason"),
        CheckConstraint("grade IS NULL OR grade BETWEEN 0 AND 5", name="grade_in_range"),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"), primary_key=True, autoincrement=False)
    revision: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    candidate_id: Mapped[int] = mapped_column(ForeignKey("candidate.id"))
    annotator_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    grade: Mapped[int | None] = mapped_column(SmallInteger)
    reason: Mapped[Reason | None] = mapped_column(Coded(Reason))
    place: Mapped[int] = mapped_column(SmallInteger, default=0)
    length: Mapped[int] = mapped_column(SmallInteger, default=0)
    batch: Mapped[int] = mapped_column(default=0)
    client_uuid: Mapped[bytes] = mapped_column(LargeBinary(16))
    # When the person did it by their own clock, and when it arrived by ours. Order is by revision alone.
    judged_at: Mapped[datetime] = mapped_column(UtcTime)
    received_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    active_ms: Mapped[int] = mapped_column(default=0)
    input: Mapped[Input] = mapped_column(Coded(Input))
    guideline_version: Mapped[int] = mapped_column(SmallInteger, default=0)
    role: Mapped[Origin] = mapped_column(Coded(Origin), default=Origin.PLANNED)
    # False for anyone who could see rankers in this project.
    blind: Mapped[bool] = mapped_column(default=True)


class CurrentJudgment(Base):
    """What an annotator says now about a candidate: a projection that `db rebuild` forms from the ledger.

    `services.current_judgments` writes it; what everybody reads about *now* is read here. Everything else
    about the judgment is in the ledger, at its revision.

    Attributes
    ----------
    kind
        0 for the ratings that count, otherwise the role: a check, a decision and what a machine says hold
        beside them, each for itself.
    """

    __tablename__ = "current_judgment"
    __table_args__ = (
        Index("ix_current_judgment_annotator_id_project_id", "annotator_id", "project_id", "revision"),
        # Few rows hold no grade, and lists of them are read without looking at all others.
        Index(
            "ix_current_judgment_project_id_reason",
            "project_id",
            "reason",
            sqlite_where=text("reason IS NOT NULL"),
            postgresql_where=text("reason IS NOT NULL"),
        ),
        {"sqlite_with_rowid": False},
    )

    candidate_id: Mapped[int] = mapped_column(ForeignKey("candidate.id"), primary_key=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True)
    kind: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    revision: Mapped[int] = mapped_column(BigInteger)
    grade: Mapped[int | None] = mapped_column(SmallInteger)
    reason: Mapped[Reason | None] = mapped_column(Coded(Reason))
    role: Mapped[Origin] = mapped_column(Coded(Origin))


class JudgmentNote(Base):
    """Free text beside the ledger, so that it can be erased."""

    __tablename__ = "judgment_note"
    __table_args__ = (UniqueConstraint("candidate_id", "annotator_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    candidate_id: Mapped[int] = mapped_column(ForeignKey("candidate.id"))
    annotator_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    text: Mapped[str] = mapped_column(Text)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)


class Disclosure(Base):
    """An annotator was told what others gave for an answer that they had graded: their grade stays as it is.

    `revision` is the ledger's newest one at that moment; told of a text before its edit counts no more.
    """

    __tablename__ = "disclosure"
    __table_args__ = (UniqueConstraint("candidate_id", "person_id", "revision"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    candidate_id: Mapped[int] = mapped_column(ForeignKey("candidate.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    revision: Mapped[int] = mapped_column(BigInteger)
    told_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)


class Flag(Base):
    """Something an annotator wants an owner to look at: an answer, or a whole question."""

    __tablename__ = "flag"
    __table_args__ = (
        Index("ix_flag_project_id_state", "project_id", "state"),
        CheckConstraint("state IN ('open', 'withdrawn', 'resolved')", name="state_is_known"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    query_id: Mapped[int] = mapped_column(ForeignKey("query.id"))
    candidate_id: Mapped[int | None] = mapped_column(ForeignKey("candidate.id"))
    text: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(String(10), default="open")
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
