"""Who is asking: a signed cookie with the person's number and session epoch, checked on every request.

Raising the epoch ends all sessions of a person. Each session has a key of its own besides, so that signing
out ends this one for good: otherwise a copy of the cookie, or an answer on its way, would bring it back.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from flask import g, request, session
from flask.sessions import SecureCookieSessionInterface
from sqlalchemy import bindparam, exists, select

from app.http.sessions import read_session
from app.models import EndedSession, Person
from app.services.signing_in import SESSION_LIFE, end_session, session_hash

if TYPE_CHECKING:
    from flask import Flask
    from flask.sessions import SessionMixin
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from config import Settings


@dataclass(frozen=True)
class Identity:
    """The person behind a request, as plain values that outlive every database session."""

    id: int
    public_id: str
    name: str
    email: str | None
    is_admin: bool
    session_epoch: int
    preferences: dict[str, Any]

    @property
    def initials(self) -> str:
        """Return one or two letters for the round picture."""
        parts = self.name.split()
        return "".join(part[0] for part in (parts[:1] + parts[1:][-1:]) if part).upper() or "?"


class RollingSession(SecureCookieSessionInterface):
    """Renews the cookie with every answer but static files: those are kept by caches that others share."""

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        """Tell whether an answer renews the cookie."""
        return request.endpoint not in {"static", "favicon"} and super().should_set_cookie(app, session)


def install(app: Flask, settings: Settings) -> None:
    """Set the cookie's promises: rolling, http only, and bound to https where the site has it."""
    app.session_interface = RollingSession()
    app.config.update(
        PERMANENT_SESSION_LIFETIME=SESSION_LIFE,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.is_https,
        SESSION_COOKIE_NAME="__Host-touchstone" if settings.is_https else "touchstone",
    )


def current_identity() -> Identity | None:
    """Return who is asking, or None while nobody has signed in."""
    if "identity" not in g:
        g.identity = _find_identity()
    return cast("Identity | None", g.identity)


def sign_in(person: Person) -> None:
    """Start a new session for a person; nothing of the one before survives."""
    session.clear()
    session.permanent = True
    session["person"] = person.id
    session["epoch"] = person.session_epoch
    session["key"] = secrets.token_urlsafe(16)
    g.pop("identity", None)


def sign_out(database_session: Session) -> None:
    """End the session on this device, and every copy of its cookie."""
    key = session.get("key")
    if isinstance(key, str):
        end_session(database_session, key)
    session.clear()
    g.pop("identity", None)


def _find_identity() -> Identity | None:
    number = session.get("person")
    if not isinstance(number, int):
        return None
    values = {
        "number": number,
        "epoch": session.get("epoch"),
        "ended": session_hash(str(session.get("key"))),
    }
    row = read_session().execute(_identity_wanted(), values).one_or_none()
    if row is None:
        return None
    return Identity(**row._mapping)  # noqa: SLF001 - the documented way to a row's names


@cache
def _identity_wanted() -> Select[*tuple[Any, ...]]:
    # Built once: every request asks, and putting the statement together takes longer than running it.
    return select(
        Person.id,
        Person.public_id,
        Person.name,
        Person.email,
        Person.is_admin,
        Person.session_epoch,
        Person.preferences,
    ).where(
        Person.id == bindparam("number"),
        Person.session_epoch == bindparam("epoch"),
        Person.kind == "person",
        Person.erased_at.is_(None),
        ~exists().where(EndedSession.key_hash == bindparam("ended")),
    )
