"""Sign-in: password hashes, and tries that are counted for all processes."""

from __future__ import annotations

import hashlib
import threading
from datetime import timedelta

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.models.base import now_utc
from app.models.person import EndedSession, Person, SignInAttempt
from app.services.accounts.people import plain_email
from app.services.errors import InvalidError, TooManyError
from app.services.sentences import said

# Password hashes: argon2id with the parameters of the contract, never more than two at a time.

SHORTEST = 10
LONGEST = 500
WAIT_SECONDS = 10.0
FULL = "Many people are signing in. Try again in a few seconds."

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
# Fifty people who sign in at once must not stop everybody else's ratings: two hash, a few wait, and the
# others come back later, because a request that waits holds a thread of the server.
_places = threading.BoundedSemaphore(2)
_queue = threading.BoundedSemaphore(8)
# Verified for unknown accounts, so that known and unknown ones take the same time.
_nobody = "$argon2id$v=19$m=19456,t=2,p=1$eZS+VjvjIGIEDQogo3lKZw$kgTwvYDPebMp/AFou1BjO6NF+zxnKz9eoMdK7w+Eomk"


def hash_password(password: str) -> str:
    """Return the hash to store.

    Raises
    ------
    InvalidError
        The password is too short or too long.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        reason = (
            said("Choose a password of at least %(count)s characters.", count=SHORTEST)
            if len(password) < SHORTEST
            else said("Choose a password of at most %(count)s characters.", count=LONGEST)
        )
        raise InvalidError(reason, code="password_length")
    with _Place():
        return _hasher.hash(password)


def matches(password_hash: str | None, password: str) -> bool:
    """Tell whether a password belongs to a hash; without a hash it takes as long and is always wrong."""
    with _Place():
        try:
            return _hasher.verify(password_hash or _nobody, password[:LONGEST]) and password_hash is not None
        except (VerificationError, InvalidHashError):
            return False


class _Place:
    """One of the two places at the hasher; who finds the queue full, or waits too long, comes back later."""

    def __enter__(self) -> None:
        if not _queue.acquire(blocking=False):
            raise TooManyError(FULL, retry_after=2)
        if not _places.acquire(timeout=WAIT_SECONDS):
            _queue.release()
            raise TooManyError(FULL, retry_after=5)

    def __exit__(self, *_error: object) -> None:
        _places.release()
        _queue.release()


# Signing in: tries are counted for all processes, passwords compared, and sessions that ended stay ended.


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
