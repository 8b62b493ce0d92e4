"""Signing in: tries are counted for all processes, passwords compared, and sessions that ended stay ended."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select

from app.models import EndedSession, SignInAttempt, now_utc
from app.services.errors import TooManyError
from app.services.passwords import matches
from app.services.people import plain_email

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Person

WINDOW = timedelta(minutes=15)
PER_ACCOUNT = 8
PER_ADDRESS = 40
# No cookie is accepted for longer without being renewed.
SESSION_LIFE = timedelta(days=30)


def check_throttle(session: Session, email: str, address: str, *, counted: bool = False) -> None:
    """Refuse another try after too many that failed.

    Parameters
    ----------
    counted
        This try is recorded already, so it does not count against itself.

    Raises
    ------
    TooManyError
        Of this account or this address, within the last quarter of an hour.
    """
    since = now_utc() - WINDOW
    for column, key, most in (
        (SignInAttempt.account, _hashed(plain_email(email)), PER_ACCOUNT),
        (SignInAttempt.address, _hashed(address), PER_ADDRESS),
    ):
        wanted = (
            select(func.count()).select_from(SignInAttempt).where(column == key, SignInAttempt.at > since)
        )
        if (session.scalar(wanted) or 0) >= most + counted:
            raise TooManyError(
                "Too many failed tries. Wait a quarter of an hour, or ask an owner for a reset link.",
                retry_after=int(WINDOW.total_seconds()),
            )


def record_try(session: Session, email: str, address: str) -> None:
    """Count a try, hashed: the table holds neither mail nor network addresses. Old ones go.

    It is counted before the password is compared, or fifty tries at once would all pass the throttle.
    """
    session.execute(delete(SignInAttempt).where(SignInAttempt.at < now_utc() - WINDOW))
    session.add(SignInAttempt(account=_hashed(plain_email(email)), address=_hashed(address)))
    session.flush()


def forget_tries(session: Session, email: str) -> None:
    """Forget the tries of an account that has signed in."""
    session.execute(delete(SignInAttempt).where(SignInAttempt.account == _hashed(plain_email(email))))


def check_password(person: Person | None, password: str) -> bool:
    """Tell whether a password is right; for an unknown account it takes as long and is always wrong."""
    usable = person is not None and person.erased_at is None
    return matches(person.password_hash if person is not None and usable else None, password)


def end_session(session: Session, key: str) -> None:
    """End one session for good: a copy of its cookie opens nothing any more."""
    session.execute(delete(EndedSession).where(EndedSession.at < now_utc() - SESSION_LIFE))
    if session.get(EndedSession, session_hash(key)) is None:
        session.add(EndedSession(key_hash=session_hash(key)))
    session.flush()


def session_hash(key: str) -> str:
    """Return what is stored of a session's key."""
    return _hashed(key)


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
