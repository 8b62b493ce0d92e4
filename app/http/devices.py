"""Devices that have signed in before: wrong passwords typed elsewhere do not slow them down.

The cookie holds a key drawn at random and the numbers of the accounts that have signed in here, signed. It
opens nothing: a password is asked for as ever, and this device's own failures are counted under its key.
"""

from __future__ import annotations

import secrets

from flask import Response, after_this_request, current_app, request
from itsdangerous import BadSignature, URLSafeTimedSerializer

from app.http.sessions import settings
from app.models import Person
from app.services.accounts.sign_in import Source, network_of

# Seconds; browsers keep no cookie for longer.
LIFE = 400 * 86_400
# Accounts of one device, the latest last.
MOST = 10


def source_of_try(person: Person | None) -> Source:
    """Return where a try at an account comes from: this device, if the account has signed in here before."""
    key, people = _device()
    if person is not None and person.id in people:
        return Source(f"device {key}", is_device=True)
    return network_of(request.remote_addr or "")


def remember_device(person: Person) -> None:
    """Add an account that has just signed in to the cookie of this device."""
    key, people = _device()
    people = [*(number for number in people if number != person.id), person.id][-MOST:]

    @after_this_request
    def send_cookie(response: Response) -> Response:
        response.set_cookie(
            _name(),
            _signer().dumps([key, people]),
            LIFE,
            path=settings().cookie_path,
            secure=settings().is_https,
            httponly=True,
            samesite="Lax",
        )
        return response


def _device() -> tuple[str, list[int]]:
    try:
        key, people = _signer().loads(request.cookies.get(_name(), ""), max_age=LIFE)
    except BadSignature:
        return secrets.token_urlsafe(16), []
    return key, people


def _name() -> str:
    return f"{settings().cookie_prefix}touchstone-device"


def _signer() -> URLSafeTimedSerializer:
    # The salt keeps it apart from the session: neither cookie is worth anything in the place of the other.
    return URLSafeTimedSerializer(str(current_app.secret_key), salt="device")
