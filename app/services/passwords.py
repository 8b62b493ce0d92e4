"""Password hashes: argon2id with the parameters of the contract, never more than two at a time."""

from __future__ import annotations

import threading

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.services.errors import InvalidError, TooManyError
from app.services.sentences import said

SHORTEST = 10
LONGEST = 500
WAIT_SECONDS = 10.0
FULL = "Many people are signing in. Try again in a few seconds."

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
# Fifty people who sign in at once must not stop everybody else's ratings: two hash, a few wait, and the
# others come back later, because whoever waits holds a thread of the server.
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
    if len(password) < SHORTEST:
        reason = said("Choose a password of at least %(count)s characters.", count=SHORTEST)
        raise InvalidError(reason, code="password_length")
    if len(password) > LONGEST:
        reason = said("Choose a password of at most %(count)s characters.", count=LONGEST)
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
