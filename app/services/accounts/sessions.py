"""Sessions: on which devices somebody is signed in, since when, and how each of them ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.person import EndedSession, OpenSession, Person
from app.services.accounts.audit import record
from app.services.accounts.people import end_sessions
from app.services.accounts.sign_in import SESSION_LIFE, session_hash
from app.services.errors import NotFoundError

# In this order: Edge calls itself Chrome as well, and Chrome calls itself Safari.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("HeadlessChrome", "Chrome"),
    ("Safari", "Safari"),
    ("curl", "curl"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def device_of(user_agent: str) -> str:
    """Return browser and system in words, such as "Firefox on Linux"; empty where neither is known."""
    browser = next((name for sign, name in BROWSERS if re.search(rf"\b{sign}/", user_agent)), "")
    system = next((name for sign, name in SYSTEMS if sign in user_agent), "")
    return " on ".join(part for part in (browser, system) if part)


def open_session(session: Session, person: Person, key: str, *, device: str, by: str) -> None:
    """Note a session that begins, and that its person has signed in; `by` says with what.

    Sessions that nobody has used for longer than a cookie lives are forgotten.
    """
    now = now_utc()
    session.execute(delete(OpenSession).where(OpenSession.last_used_at < now - SESSION_LIFE))
    session.execute(
        update(Person)
        .where(Person.id == person.id)
        .values(last_sign_in_at=now)
        .execution_options(synchronize_session=False)
    )
    note_use(
        session,
        session_hash(key),
        Use(person.id, person.session_epoch, device, session.info.get("network", ""), now),
    )
    record(session, AuditKind.SIGNED_IN, person_id=person.id, actor_id=person.id, by=by)


@dataclass(frozen=True)
class Use:
    """A moment at which somebody used a session: on which device, and from where."""

    person_id: int
    epoch: int
    device: str
    network: str
    at: datetime


def note_use(session: Session, key_hash: str, use: Use) -> None:
    """Note that a session was used; one that began before there was a list of them is added to it."""
    used = session.execute(
        update(OpenSession)
        .where(OpenSession.key_hash == key_hash)
        .values(last_used_at=use.at, network=use.network)
        .returning(OpenSession.id)
        .execution_options(synchronize_session=False)
    ).all()
    if not used and _still_works(session, key_hash, use):
        session.add(
            OpenSession(
                key_hash=key_hash,
                person_id=use.person_id,
                device=use.device,
                network=use.network,
                created_at=use.at,
                last_used_at=use.at,
            )
        )
        session.flush()


def _still_works(session: Session, key_hash: str, use: Use) -> bool:
    has_ended = exists().where(EndedSession.key_hash == key_hash)
    is_theirs = exists().where(Person.id == use.person_id, Person.session_epoch == use.epoch)
    return bool(session.scalar(select(is_theirs & ~has_ended)))


def note_uses(session: Session, uses: dict[str, Use]) -> None:
    """Note some uses, by the hashes of their keys."""
    for key_hash, use in uses.items():
        note_use(session, key_hash, use)


def sessions_of(session: Session, person_id: int) -> list[OpenSession]:
    """Return the sessions of a person that still work, the last used first."""
    return list(
        session.scalars(
            select(OpenSession)
            .where(OpenSession.person_id == person_id, OpenSession.last_used_at > now_utc() - SESSION_LIFE)
            .order_by(OpenSession.last_used_at.desc(), OpenSession.id.desc())
        )
    )


def end_session(session: Session, key: str) -> None:
    """End one session for good: a copy of its cookie opens nothing any more."""
    _end(session, session_hash(key))


def end_one_session(session: Session, person_id: int, session_id: int) -> None:
    """End one of a person's sessions, chosen from their list.

    :raise NotFoundError: They have no such session.
    """
    chosen = session.get(OpenSession, session_id)
    if chosen is None or chosen.person_id != person_id:
        raise NotFoundError("There is no such session.")
    _end(session, chosen.key_hash)
    record(session, AuditKind.SESSION_ENDED, person_id=person_id)


def end_every_session(session: Session, person_id: int) -> Person:
    """Sign a person out everywhere, because they or an administrator wish it, and return them."""
    record(session, AuditKind.SESSIONS_ENDED, person_id=person_id)
    return end_sessions(session, person_id)


def _end(session: Session, key_hash: str) -> None:
    session.execute(delete(EndedSession).where(EndedSession.at < now_utc() - SESSION_LIFE))
    session.execute(delete(OpenSession).where(OpenSession.key_hash == key_hash))
    if session.get(EndedSession, key_hash) is None:
        session.add(EndedSession(key_hash=key_hash))
    session.flush()
