"""Tokens in place of a session: `Authorization: Bearer` under /api/, where cookies then count for nothing.

Other sites cannot make a browser send this header, so no CSRF token is asked for, and none may read answers.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any, cast

from flask import Flask, Request, Response, current_app, g, request
from sqlalchemy import ColumnElement, or_
from sqlalchemy import bindparam as parameter

from app.http.sessions import database, settings
from app.http.uses import Uses
from app.models import ApiToken, now_utc
from app.models.base import UtcTime
from app.services.accounts.secrets import token_hash
from app.services.accounts.tokens import Scope, is_api_token, note_use
from app.services.errors import TooManyError

# The last use of a token is written this often at most.
NOTED_SECONDS = 60.0
BURST, PER_SECOND = 3_000, 50.0
REMEMBERED = 10_000
USES, LIMIT = "token_uses", "token_limit"


@dataclass(frozen=True)
class Token:
    """The token of a request. Without a person it was made on the command line."""

    id: int
    name: str
    person_id: int | None
    project_id: int | None
    scopes: frozenset[str]

    def may(self, scopes: frozenset[Scope]) -> bool:
        """Return whether one of these scopes is among its own; managing includes all."""
        return Scope.MANAGE in self.scopes or bool(self.scopes & scopes)


# The columns of a `Token`, in its order.
TOKEN = (ApiToken.id, ApiToken.name, ApiToken.person_id, ApiToken.project_id, ApiToken.scopes)


def bearer_text() -> str | None:
    """Return what this request sends in place of a session; None where it sends nothing of the kind."""
    return bearer_in(request.headers.get("Authorization", "")) if is_bearer(request) else None


def is_bearer(request: Request) -> bool:
    """Return whether a request counts by its token, whatever cookies come with it."""
    header = request.environ.get("HTTP_AUTHORIZATION")
    return header is not None and request.path.startswith("/api/") and bearer_in(header) is not None


def bearer_in(header: str) -> str | None:
    """Return the token of a header; None if it is of another kind."""
    kind, _, text = header.partition(" ")
    return text.strip() if kind.lower() == "bearer" else None


def current_token() -> Token | None:
    """Return the token of this request, once it is known who is asking; None for a session."""
    return cast("Token | None", g.get("token"))


def token_parameters() -> dict[str, Any] | None:
    """Return what `is_working_token` compares; None for a text that no token of this site can be."""
    text = bearer_text() or ""
    if not is_api_token(text, settings().secret_key):
        return None
    return {"token": token_hash(text), "now": now_utc()}


def is_working_token() -> tuple[ColumnElement[bool], ...]:
    """Return what makes a row of `ApiToken` the one that is sent: neither revoked nor expired."""
    return (
        ApiToken.token_hash == parameter("token"),
        ApiToken.revoked_at.is_(None),
        or_(ApiToken.expires_at.is_(None), ApiToken.expires_at > parameter("now", type_=UtcTime)),
    )


def remember_token(row: tuple[Any, ...]) -> Token:
    """Return the token of a row that begins with `TOKEN`, for the rest of this request; its use is noted."""
    number, name, person_id, project_id, scopes = row[: len(TOKEN)]
    token = Token(number, name, person_id, project_id, frozenset(scopes.split()))
    g.token = token
    uses: Uses = current_app.extensions.setdefault(USES, Uses(note_use, NOTED_SECONDS))
    if uses.is_due(token.id):
        uses.note(database(), token.id, now_utc(), at_once=not settings().testing)
    limit: RequestLimit = current_app.extensions.setdefault(LIMIT, RequestLimit(BURST, PER_SECOND))
    g.requests_left = limit.take(token.id)
    return token


@dataclass
class RequestLimit:
    """A generous limit for each of many, in this process: nobody meets it, an endless script does.

    Attributes
    ----------
    burst, per_second
        How many requests may come at once, and how many more each second.
    """

    burst: float
    per_second: float
    _left: dict[int, tuple[float, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, number: int) -> float:
        """Count one request, and return how many are left: less than 0 where there was none."""
        now = time.monotonic()
        with self._lock:
            if len(self._left) > REMEMBERED:
                self._left.clear()
            left, then = self._left.get(number, (self.burst, now))
            left = min(self.burst, left + (now - then) * self.per_second)
            self._left[number] = (max(left - 1, 0.0), now)
        return left - 1


def check_limit() -> None:
    """Refuse a token's request where too many came just before.

    :raise TooManyError: This one is beyond the limit.
    """
    if g.get("requests_left", 0.0) < 0:
        raise TooManyError(
            f"This token has sent more than {BURST:,} requests in a short time. Wait a second, and send at "
            f"most {PER_SECOND:.0f} a second.",
            retry_after=1,
        )


def install(app: Flask) -> None:
    """Say on each answer to a token how many more requests it may send at once."""

    @app.after_request
    def set_headers(response: Response) -> Response:
        left = g.get("requests_left")
        if left is not None:
            response.headers["RateLimit-Limit"] = str(BURST)
            response.headers["RateLimit-Remaining"] = str(max(0, int(left)))
            response.headers["RateLimit-Reset"] = str(round((BURST - max(left, 0)) / PER_SECOND))
        return response
