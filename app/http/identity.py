"""Who is asking: a signed cookie with the person's number and session epoch, checked on every request.

Raising the epoch ends all sessions of a person. Each session has a key of its own besides, so that signing
out ends this one for good: otherwise a copy of the cookie, or an answer on its way, would bring it back.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from flask import Flask, Request, current_app, g, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature
from sqlalchemy import ColumnElement, Row, Select, bindparam, exists, select
from sqlalchemy.orm import Session

from app.http.devices import remember_device
from app.http.organisation import mark_of_proxy
from app.http.sessions import ask, database
from app.http.sessions import settings as current_settings
from app.http.tokens import TOKEN, bearer_text, is_bearer, is_working_token, remember_token, token_parameters
from app.http.uses import Uses
from app.models import ApiToken, AuditKind, EndedSession, Person, now_utc
from app.services.accounts.audit import record
from app.services.accounts.confirming import find_unconfirmed
from app.services.accounts.sessions import Use, device_of, end_session, note_uses, open_session
from app.services.accounts.sign_in import SESSION_LIFE, network_of, session_hash
from app.services.prepared import Prepared
from config import Settings

# Seconds.
RENEWED_AFTER = 3600
NOTED_SECONDS = 600.0
# Cookies, of half a kilobyte.
CHECKED = 5_000
USES = "session_uses"
# A session that the organisation's provider began ends after so long: then it tells the groups of today.
PROVIDER_SECONDS = 86_400
# In the cookie: what the proxy said, and when the provider did.
BOUNDS = BY_PROXY, BY_PROVIDER = "proxy", "provider"


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
    def actor_id(self) -> int | None:
        """The number that is written beside what they do; None for a token of the command line."""
        return self.id or None

    @property
    def initials(self) -> str:
        """Return one or two letters for the round picture."""
        parts = self.name.split()
        return "".join(part[0] for part in (parts[:1] + parts[1:][-1:]) if part).upper() or "?"


# The columns of an `Identity`, in its order.
IDENTITY = (
    Person.id,
    Person.public_id,
    Person.name,
    Person.email,
    Person.is_admin,
    Person.session_epoch,
    Person.preferences,
)


class CookieSession(SecureCookieSession):
    """A session that knows when its cookie was written."""

    written_at: datetime | None = None


class RollingSession(SecureCookieSessionInterface):
    """Renews the cookie with every page.

    Not with static files, which are kept by caches that others share; and with what scripts send only once
    an hour: signing it again would be a good part of the work of saving a rating.
    """

    session_class = CookieSession

    def __init__(self) -> None:
        # What cookies of late hold, and when they were written: checking a signature again would be a tenth
        # of the work of saving a rating.
        self._checked: dict[str, tuple[dict[str, Any], datetime]] = {}

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Return the session of a cookie that is signed and not too old, or else an empty one."""
        if is_bearer(request):
            return CookieSession()
        text = request.cookies.get(self.get_cookie_name(app))
        if not text:
            return CookieSession()
        try:
            held, written_at = self._checked.get(text) or self._check(app, text)
        except BadSignature:
            return CookieSession()
        # One from the future was written before the clock was set back, or by a machine whose clock is ahead.
        if time.time() - written_at.timestamp() > SESSION_LIFE.total_seconds():
            return CookieSession()
        opened = CookieSession(held)
        opened.written_at = written_at
        return opened

    def _check(self, app: Flask, text: str) -> tuple[dict[str, Any], datetime]:
        signer = self.get_signing_serializer(app)
        assert signer is not None
        found: tuple[dict[str, Any], datetime] = signer.loads(text, return_timestamp=True)
        if len(self._checked) >= CHECKED:
            self._checked.clear()
        # Only what a request cannot change: lists would be shared.
        if all(isinstance(value, str | int) for value in found[0].values()):
            self._checked[text] = found
        return found

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        """Return whether an answer renews the cookie."""
        if request.endpoint in {"static", "favicon"}:
            return False
        return super().should_set_cookie(app, session) and not (_is_sent_by_script() and _is_young(session))


def _is_sent_by_script() -> bool:
    return request.path.startswith("/api/")


def _is_young(session: SessionMixin) -> bool:
    if session.modified or not isinstance(session, CookieSession) or session.written_at is None:
        return False
    return 0 <= time.time() - session.written_at.timestamp() < RENEWED_AFTER


def install(app: Flask, settings: Settings) -> None:
    """Set the cookie's promises: rolling, http only, and bound to https where the site has it."""
    app.session_interface = RollingSession()
    app.config.update(
        PERMANENT_SESSION_LIFETIME=SESSION_LIFE,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.is_https,
        SESSION_COOKIE_NAME=f"{settings.cookie_prefix}touchstone",
        APPLICATION_ROOT=settings.cookie_path,
    )


def current_identity() -> Identity | None:
    """Return who is asking, or None while nobody has signed in."""
    if "identity" not in g:
        g.identity = _find_identity()
    return cast("Identity | None", g.identity)


def sign_in(database_session: Session, person: Person, by: str) -> None:
    """Start a new session for a person; nothing of the one before survives. `by` says with what."""
    key = secrets.token_urlsafe(16)
    # What goes on after signing out everywhere else is still the proxy's, or the provider's.
    kept = {name: session[name] for name in BOUNDS if by == "session" and name in session}
    session.clear()
    session.update(kept)
    session.permanent = True
    session["person"] = person.id
    session["epoch"] = person.session_epoch
    session["key"] = key
    open_session(database_session, person, key, device=device_of(request.user_agent.string), by=by)
    remember_device(person, is_own=find_unconfirmed(database_session, person.id) is None)
    g.pop("identity", None)


def sign_out(database_session: Session) -> None:
    """End the session on this device, and every copy of its cookie."""
    key = session.get("key")
    if isinstance(key, str):
        end_session(database_session, key)
        if (actor := database_session.info.get("actor")) is not None:
            record(database_session, AuditKind.SIGNED_OUT, person_id=actor)
    session.clear()
    g.pop("identity", None)


def remember_identity(row: Row[*tuple[Any, ...]]) -> Identity:
    """Return the person of a row that begins with `IDENTITY`, and remember them for this request."""
    identity = Identity(*row[: len(IDENTITY)])
    g.identity = identity
    _note_use(identity)
    return identity


def _note_use(identity: Identity) -> None:
    """Note that the session of this request is in use; it is written later, by a thread of its own."""
    key_hash = current_session_hash()
    uses: Uses = current_app.extensions.setdefault(USES, Uses(note_uses, NOTED_SECONDS))
    if key_hash is not None and uses.is_due(key_hash):
        device, network = device_of(request.user_agent.string), network_of(request.remote_addr or "").key
        use = Use(identity.id, identity.session_epoch, device, network, now_utc())
        uses.note(database(), key_hash, use, at_once=not current_settings().testing)


def current_session_hash() -> str | None:
    """Return what is stored of the key of this request's session; None without one."""
    key = session.get("key")
    return session_hash(key) if isinstance(key, str) else None


def identity_parameters() -> dict[str, Any] | None:
    """Return what `is_current_session` compares: person, epoch and key of the cookie, or None without one."""
    number = session.get("person")
    if not isinstance(number, int) or not _is_named_by_proxy() or not _is_fresh():
        return None
    key_hash = session_hash(str(session.get("key")))
    return {"number": number, "epoch": session.get("epoch"), "ended": key_hash}


def _is_named_by_proxy() -> bool:
    """Return whether the proxy still says what it said when the session began; others are not asked for."""
    named = session.get(BY_PROXY)
    return named is None or mark_of_proxy() == named


def _is_fresh() -> bool:
    """Return whether a session that the provider began is new enough: it decides again who somebody is."""
    began = session.get(BY_PROVIDER)
    return began is None or 0 <= time.time() - began < PROVIDER_SECONDS


def is_current_session() -> tuple[ColumnElement[bool], ...]:
    """Return what makes a row of `Person` the one who asks: nobody erased or disabled, no ended session."""
    return (
        Person.id == bindparam("number"),
        Person.session_epoch == bindparam("epoch"),
        Person.kind == "person",
        Person.erased_at.is_(None),
        Person.disabled_at.is_(None),
        ~exists().where(EndedSession.key_hash == bindparam("ended")),
    )


def identity_of_token(row: Row[*tuple[Any, ...]]) -> Identity | None:
    """Return who a row that begins with `TOKEN` and `IDENTITY` acts for, and remember both for this request.

    Whom a token without a person acts for is nobody in particular: whoever runs the site.
    """
    token = remember_token(tuple(row))
    person = row[len(TOKEN) : len(TOKEN) + len(IDENTITY)]
    if token.person_id is None:
        identity = Identity(0, "", token.name, None, token.project_id is None, 0, {})
    elif person[0] is None:
        return None  # erased
    else:
        identity = Identity(*person)
        if token.project_id is not None:
            # What reaches one project administers no site.
            identity = replace(identity, is_admin=False)
    g.identity = identity
    return identity


def _find_identity() -> Identity | None:
    if bearer_text() is not None:
        return _find_identity_of_token()
    values = identity_parameters()
    if values is None:
        return None
    row = ask(_identity_query, values)
    return None if row is None else remember_identity(row)


def _find_identity_of_token() -> Identity | None:
    values = token_parameters()
    if values is None:
        return None
    row = ask(_token_query, values)
    return None if row is None else identity_of_token(row)


def person_of_token() -> ColumnElement[bool]:
    """Return what joins a token with the person whom it acts for."""
    is_theirs = Person.id == ApiToken.person_id
    return is_theirs & Person.erased_at.is_(None) & Person.disabled_at.is_(None)


@Prepared
def _token_query() -> Select[*tuple[Any, ...]]:
    wanted = select(*TOKEN, *IDENTITY).select_from(ApiToken)
    return wanted.outerjoin(Person, person_of_token()).where(*is_working_token())


@Prepared
def _identity_query() -> Select[*tuple[Any, ...]]:
    return select(*IDENTITY).where(*is_current_session())
