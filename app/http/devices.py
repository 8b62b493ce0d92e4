"""Devices that have signed in before: wrong passwords typed elsewhere do not slow them down.

The cookie holds a key drawn at random and the accounts that have signed in here, each with the moment since
when, signed. It opens nothing: a password is asked for as ever, and this device's own failures are counted
under its key. But it proves that somebody signed in here before a password link was used.
"""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime

from flask import Response, after_this_request, current_app, request
from itsdangerous import BadSignature, URLSafeTimedSerializer

from app.http.sessions import settings
from app.models import Person
from app.services.accounts.sign_in import SignInSource, network_of

# Seconds; browsers keep no cookie for longer.
LIFE = 400 * 86_400
# Accounts of one device, the latest last.
MOST = 10
# Later than any link: a device that cannot prove anything.
NEVER = 2**37


def source_of_try(person: Person | None) -> SignInSource:
    """Return where a try at an account comes from: this device, if the account has signed in here before."""
    key, people = _device()
    if person is not None and person.id in people:
        return SignInSource(f"device {key}", is_device=True)
    return network_of(request.remote_addr or "")


def signed_in_here() -> dict[int, datetime]:
    """Return which accounts have signed in on this device, and since when it is sure that it was they."""
    return {number: datetime.fromtimestamp(since, UTC) for number, since in _device()[1].items()}


def remember_device(person: Person, *, is_own: bool) -> None:
    """Add an account that has just signed in to the cookie of this device, the latest last.

    Where it is not sure whose hands signed in (`is_own` false), that proves nothing; an earlier moment stays.
    """
    key, people = _device()
    since = people.pop(person.id, NEVER)
    people[person.id] = int(time.time()) if is_own and since == NEVER else since
    kept = list(people.items())[-MOST:]

    @after_this_request
    def send_cookie(response: Response) -> Response:
        response.set_cookie(
            _name(),
            _signer().dumps([key, kept]),
            LIFE,
            path=settings().cookie_path,
            secure=settings().is_https,
            httponly=True,
            samesite="Lax",
        )
        return response


def _device() -> tuple[str, dict[int, int]]:
    text = request.cookies.get(_name(), "")
    try:
        (key, kept), signed_at = _signer().loads(text, max_age=LIFE, return_timestamp=True)
    except BadSignature:
        return secrets.token_urlsafe(16), {}
    # Version 1.0.0 wrote numbers alone: they had signed in when the cookie was written.
    usual = int(signed_at.timestamp())
    return key, dict((entry[0], entry[1]) if isinstance(entry, list) else (entry, usual) for entry in kept)


def _name() -> str:
    return f"{settings().cookie_prefix}touchstone-device"


def _signer() -> URLSafeTimedSerializer:
    # The salt keeps it apart from the session: neither cookie is worth anything in the place of the other.
    return URLSafeTimedSerializer(str(current_app.secret_key), salt="device")
