"""Sign-in: password hashes, and failures that are counted for all processes."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, replace
from datetime import timedelta
from ipaddress import IPv4Address, IPv6Network, ip_address, ip_network
from math import ceil

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.person import Person, SignInFailure
from app.sentences import message
from app.services.accounts.audit import record
from app.services.accounts.people import plain_email
from app.services.errors import InvalidError, TooManyError

# Password hashes: argon2id with the parameters of the contract, never more than two at a time.

SHORTEST = 10
LONGEST = 500
# A hundred and forty people who come at once take a few seconds; nobody's browser waits for longer than this.
WAIT_SECONDS = 20.0
FULL = message("Many people are signing in. Try again in a few seconds.")

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
# Two hash and the others wait their turn: hashing on all processors would stop everybody's ratings.
_places = threading.BoundedSemaphore(2)
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
            message("Choose a password of at least %(count)s characters.", count=SHORTEST)
            if len(password) < SHORTEST
            else message("Choose a password of at most %(count)s characters.", count=LONGEST)
        )
        raise InvalidError(reason, code="password_length")
    with _Place():
        return _hasher.hash(password)


def matches(password_hash: str | None, password: str) -> bool:
    """Return whether a password belongs to a hash; without a hash it takes as long and is always wrong."""
    with _Place():
        try:
            return _hasher.verify(password_hash or _nobody, password[:LONGEST]) and password_hash is not None
        except (VerificationError, InvalidHashError):
            return False


class _Place:
    """One of the two places at the hasher; who waits too long for it is asked to try later."""

    def __enter__(self) -> None:
        if not _places.acquire(timeout=WAIT_SECONDS):
            raise TooManyError(FULL, retry_after=5)

    def __exit__(self, *_error: object) -> None:
        _places.release()


# Signing in: failures are counted for all processes, and passwords compared.


WINDOW = timedelta(days=1)
# No cookie is accepted for longer without being renewed.
SESSION_LIFE = timedelta(days=30)


@dataclass(frozen=True)
class Limit:
    """How failures of the last day slow the next try down; it never locks anything.

    Parameters
    ----------
    free
        So many cost no wait.
    first, longest
        Seconds to wait after the next one, doubled with each more, up to the longest.
    """

    free: int
    first: int
    longest: int

    def pause(self, failures: int) -> int:
        """Return how many seconds must lie between the last failure and the next try."""
        return min(self.first << min(failures - self.free, 20), self.longest) if failures >= self.free else 0


# Of one account, from one network or one known device: about a hundred guesses a day.
PER_SOURCE = Limit(free=8, first=60, longest=900)
# Of one account, from all networks together. Networks that have not failed there today pass by most of it,
# so that somebody on a new device gets in while others guess.
PER_ACCOUNT = Limit(free=100, first=1, longest=60)
PER_ACCOUNT_FROM_NEW = replace(PER_ACCOUNT, longest=5)
# There is no limit for a network alone: whoever failed often enough would keep all others of it out.


@dataclass(frozen=True)
class SignInSource:
    """Where a try comes from: a device that the account has signed in from before, or else a network."""

    key: str
    is_device: bool = False


TRANSLATED = IPv6Network("64:ff9b::/96")


def network_of(address: str) -> SignInSource:
    """Return the network of an address: of IPv6 the first 48 bits, as a subscriber has billions of addresses.

    An address of IPv4 that is written as one of IPv6 (by a listening socket for both, or by a translator of
    addresses) is itself.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return SignInSource(address)
    if isinstance(parsed, IPv4Address):
        return SignInSource(str(parsed))
    inner = IPv4Address(int(parsed) & 0xFFFF_FFFF) if parsed in TRANSLATED else parsed.ipv4_mapped
    return SignInSource(str(inner or ip_network((parsed, 48), strict=False)))


def check_throttle(session: Session, email: str, source: SignInSource) -> None:
    """Refuse another try so soon after so many that failed; an unknown account is treated like a known one.

    Raises
    ------
    TooManyError
        It says in how many seconds the next try is heard.
    """
    account = SignInFailure.account == _hashed(plain_email(email))
    from_here = SignInFailure.source == _hashed(source.key)
    failures, wait = _failures(session, PER_SOURCE, account, from_here)
    if not source.is_device:
        of_account = PER_ACCOUNT if failures else PER_ACCOUNT_FROM_NEW
        wait = max(wait, _failures(session, of_account, account)[1])
    if wait > 0:
        raise TooManyError(
            "Too many failed tries. Wait a little, or ask an administrator of this site for a password link.",
            retry_after=wait,
        )


def _failures(session: Session, limit: Limit, *which: ColumnElement[bool]) -> tuple[int, int]:
    """Return how many there were within a day, and how many seconds are still to wait because of them."""
    now = now_utc()
    count, last = session.execute(
        select(func.count(), func.max(SignInFailure.at)).where(*which, SignInFailure.at > now - WINDOW)
    ).one()
    return count, ceil(limit.pause(count) - (now - last).total_seconds()) if last else 0


def record_failure(
    session: Session, email: str, source: SignInSource, *, person_id: int | None = None
) -> None:
    """Count a try that failed, hashed: the table holds neither mail nor network addresses. Old ones go."""
    now = now_utc()
    session.execute(delete(SignInFailure).where(SignInFailure.at < now - WINDOW))
    session.add(SignInFailure(account=_hashed(plain_email(email)), source=_hashed(source.key), at=now))
    # Who typed an address without an account may have typed a password in its place: it is not kept.
    record(session, AuditKind.SIGN_IN_FAILED, person_id=person_id)


def forget_failures(session: Session, email: str, source: SignInSource | None = None) -> None:
    """Forget the failures of an account, from one source only where one is named.

    Who signs in does not forgive what others have tried elsewhere; a new password does.
    """
    which = [] if source is None else [SignInFailure.source == _hashed(source.key)]
    session.execute(delete(SignInFailure).where(SignInFailure.account == _hashed(plain_email(email)), *which))


def check_password(person: Person | None, password: str) -> bool:
    """Return whether a password is right; for an unknown account it takes as long and is always wrong."""
    usable = person is not None and person.erased_at is None and person.disabled_at is None
    return matches(person.password_hash if person is not None and usable else None, password)


def session_hash(key: str) -> str:
    """Return what is stored of a session's key."""
    return _hashed(key)


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
