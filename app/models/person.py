"""People and their roles. Personal data lives in `person` alone; the ledger knows only its number."""

from __future__ import annotations

import secrets
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class Role(StrEnum):
    """What a person may do in one project."""

    OWNER = "owner"
    ANNOTATOR = "annotator"
    VIEWER = "viewer"


class PersonKind(StrEnum):
    """What an annotator is: somebody who signs in, a file, a simulation, or a machine.

    What machines say counts only where the ruler says so.
    """

    PERSON = "person"
    IMPORTED = "imported"
    SIMULATED = "simulated"
    MACHINE = "machine"


class Person(Base):
    """Somebody who signs in, or a source of ratings that cannot (`kind` tells)."""

    __tablename__ = "person"
    __table_args__ = (
        CheckConstraint("kind IN ('person', 'imported', 'simulated', 'machine')", name="kind_is_known"),
        CheckConstraint("kind = 'person' OR password_hash IS NULL", name="only_people_sign_in"),
        # A number that was somebody's must not become somebody else's: signed cookies hold it.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(32), unique=True, default=lambda: secrets.token_urlsafe(16))
    kind: Mapped[str] = mapped_column(String(10), default=PersonKind.PERSON)
    name: Mapped[str] = mapped_column(String(200))
    # Lower case and trimmed, so that one mailbox is one account.
    email: Mapped[str | None] = mapped_column(String(320), unique=True)
    password_hash: Mapped[str | None] = mapped_column(String(255))
    is_admin: Mapped[bool] = mapped_column(default=False)
    # Checked on every request; raising it signs the person out everywhere.
    session_epoch: Mapped[int] = mapped_column(default=0)
    # Rating keys, auto-advance, guidelines last seen: {"keys": false, ...}.
    preferences: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    erased_at: Mapped[datetime | None] = mapped_column(UtcTime)
    # While it is set nobody signs in to the account; everything it gave stays.
    disabled_at: Mapped[datetime | None] = mapped_column(UtcTime)
    last_sign_in_at: Mapped[datetime | None] = mapped_column(UtcTime)


class Membership(Base):
    """One person's role in one project; without a role the person has left it."""

    __tablename__ = "membership"
    __table_args__ = (
        CheckConstraint("role IN ('owner', 'annotator', 'viewer')", name="role_is_known"),
        Index("ix_membership_project_id", "project_id"),
    )

    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"), primary_key=True)
    role: Mapped[str | None] = mapped_column(String(10))
    # Anybody who was ever owner or viewer here could see rankers; it is never taken back.
    saw_rankers: Mapped[bool] = mapped_column(default=False)
    # Named by an owner to decide about disputed answers; owners always may.
    adjudicates: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)


class UnconfirmedPassword(Base):
    """The password was set by a link that somebody else made, and nobody has confirmed whose hands held it.

    Until then what the person rates is stored as not blind.

    Attributes
    ----------
    since
        When the first such link was used; a device that signed in before is the person's own.
    earlier_hash
        The password of before the first link: who knows it is the person.
    """

    __tablename__ = "unconfirmed_password"

    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True, autoincrement=False)
    since: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    earlier_hash: Mapped[str | None] = mapped_column(String(255))


class SignInFailure(Base):
    """A wrong password, counted for all processes: for which account, and from which network or device."""

    __tablename__ = "sign_in_failure"
    __table_args__ = (
        Index("ix_sign_in_failure_account_at", "account", "at"),
        Index("ix_sign_in_failure_source_at", "source", "at"),
        Index("ix_sign_in_failure_at", "at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    account: Mapped[str] = mapped_column(String(64))
    source: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)


class EndedSession(Base):
    """A session that was signed out: its signed cookie would live on, so its key is remembered, hashed."""

    __tablename__ = "ended_session"
    __table_args__ = (Index("ix_ended_session_at", "at"),)

    key_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)


class Erasure(Base):
    """A person who was erased: the record of it, and while it is open what lets texts of events be rewritten.

    It is open within the transaction that erases, and never when that is committed.
    """

    __tablename__ = "erasure"

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), unique=True)
    # Who erased them; nobody where it was done on the command line.
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    # The events whose texts named them: [[project, revision], ...].
    events: Mapped[list[list[int]]] = mapped_column(JSON, default=list)
    is_open: Mapped[bool] = mapped_column(default=False)
    # When the files of the database were rewritten since; until then free space may hold their name.
    cleaned_at: Mapped[datetime | None] = mapped_column(UtcTime)


class OpenSession(Base):
    """A session on one device, for the list that people read; whether it still works tells `EndedSession`."""

    __tablename__ = "open_session"
    __table_args__ = (
        Index("ix_open_session_person_id", "person_id"),
        Index("ix_open_session_last_used_at", "last_used_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    key_hash: Mapped[str] = mapped_column(String(64), unique=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    # Browser and system in words, never the whole header.
    device: Mapped[str] = mapped_column(String(80), default="")
    network: Mapped[str] = mapped_column(String(64), default="")
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    last_used_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)


class OrganisationIdentity(Base):
    """Who an account is at the organisation's provider: its subject there never changes, an address may."""

    __tablename__ = "organisation_identity"

    issuer: Mapped[str] = mapped_column(String(500), primary_key=True)
    subject: Mapped[str] = mapped_column(String(255), primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    linked_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
