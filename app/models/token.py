"""Secrets, stored hashed: links that work once, shared views of a project, and the tokens of programs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, LargeBinary, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class Invitation(Base):
    """A link that works once, until it expires or is revoked."""

    __tablename__ = "invitation"
    __table_args__ = (
        CheckConstraint("kind IN ('invite', 'reset', 'set_up')", name="kind_is_known"),
        CheckConstraint("role IN ('owner', 'annotator', 'viewer')", name="role_is_known"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))
    token_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    # An invitation is bound to a project and a role; a reset to a person; the set-up link to neither.
    project_id: Mapped[int | None] = mapped_column(ForeignKey("project.id"))
    role: Mapped[str | None] = mapped_column(String(10))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    # The person who takes the invitation must have this address.
    email: Mapped[str | None] = mapped_column(String(320))
    # For whom it was made, in the maker's words; only owners read it.
    note: Mapped[str] = mapped_column(String(120), default="")
    created_by: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    expires_at: Mapped[datetime] = mapped_column(UtcTime)
    used_at: Mapped[datetime | None] = mapped_column(UtcTime)
    used_by: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    revoked_at: Mapped[datetime | None] = mapped_column(UtcTime)


class SharedLink(Base):
    """A read-only view of a project's scores for those who have the link, until it expires or is taken back.

    It is no invitation: it is used many times, and never gives an account or a role.
    """

    __tablename__ = "shared_link"
    __table_args__ = (Index("ix_shared_link_project_id", "project_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    token_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    # For whom it was made, in the maker's words; only owners read it.
    note: Mapped[str] = mapped_column(String(120), default="")
    created_by: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    expires_at: Mapped[datetime] = mapped_column(UtcTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcTime)
    revoked_by: Mapped[int | None] = mapped_column(ForeignKey("person.id"))


class ApiToken(Base):
    """What a program sends instead of signing in: it may do what its person may, within its scopes.

    Without a person it was made on the command line, and may do what an owner may.
    """

    __tablename__ = "api_token"
    __table_args__ = (
        Index("ix_api_token_person_id", "person_id"),
        Index("ix_api_token_project_id", "project_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    # Its last letters, by which people tell tokens apart.
    ending: Mapped[str] = mapped_column(String(8))
    name: Mapped[str] = mapped_column(String(120))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    # The only project that it reaches; none: every project of its person.
    project_id: Mapped[int | None] = mapped_column(ForeignKey("project.id"))
    # Words of `Scope`, separated by blanks.
    scopes: Mapped[str] = mapped_column(String(120))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    expires_at: Mapped[datetime | None] = mapped_column(UtcTime)
    # Written now and then, not with every request.
    last_used_at: Mapped[datetime | None] = mapped_column(UtcTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcTime)


class ApiReply(Base):
    """What a request with an idempotency key was answered: for a day, it is answered the same again."""

    __tablename__ = "api_reply"
    __table_args__ = (Index("ix_api_reply_at", "at"),)

    token_id: Mapped[int] = mapped_column(ForeignKey("api_token.id"), primary_key=True)
    key_hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    # Of method, address and body: the key of another request is refused.
    request_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    # None while the first request is at work.
    status: Mapped[int | None] = mapped_column(SmallInteger)
    body: Mapped[Any | None] = mapped_column(JSON)
    # Of the header `Location`; empty where there was none.
    location: Mapped[str] = mapped_column(String(500), default="")
    at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
