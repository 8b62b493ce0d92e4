"""Requests that a program may send again: with the same `Idempotency-Key` they are done once, for a day."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from flask import Response, current_app, g, json, request
from sqlalchemy import delete

from app.api.bodies import BodyError
from app.api.pushes import arrived
from app.formats.errors import visible
from app.http.errors import problem
from app.http.limits import WHOLE
from app.http.sessions import write_session
from app.http.tokens import current_token
from app.models import ApiReply, now_utc

HEADER = "Idempotency-Key"
ATTRIBUTE = "once"
LONGEST = 200
KEPT = timedelta(days=1)
# Whoever began so long ago has been stopped half way.
ABANDONED = timedelta(minutes=2)

View = Callable[..., Response]


def once(view: View) -> View:
    """Let a view answer a key that it knows with what it answered then; put it below all other decorators."""

    @wraps(view)
    def answered(**values: str) -> Response:
        key, token = request.headers.get(HEADER), current_token()
        if key is None or token is None:
            return view(**values)
        if not 1 <= len(key) <= LONGEST or not key.isprintable():
            raise BodyError(
                f"{HEADER} is {visible(key)!r}, not a text of 1 to {LONGEST} characters.",
                code="bad_value",
                field=HEADER,
                value=visible(key),
                remedy="Make a new UUID for each request, and send it again with that request alone.",
            )
        key_hash = hashlib.sha256(key.encode()).digest()
        known = _begin(token.id, key_hash, _request_hash())
        if known is not None:
            return known
        try:
            response = view(**values)
        except Exception:
            _forget(token.id, key_hash)
            raise
        _remember(token.id, key_hash, response)
        return response

    setattr(answered, ATTRIBUTE, True)
    return answered


def _request_hash() -> bytes:
    """Return what tells this request from others: its address and its body, which is received for it."""
    view = current_app.view_functions[request.endpoint or ""]
    if getattr(view, WHOLE, False):
        g.arrived = arrived()
        body = g.arrived.sha256
    else:
        body = hashlib.sha256(request.get_data()).digest()
    address = f"{request.method} {request.full_path}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(address + b"\0" + body).digest()


def _begin(token_id: int, key_hash: bytes, request_hash: bytes) -> Response | None:
    """Return the answer to a key that is known; None for a new one, which is now at work."""
    now = now_utc()
    with write_session() as session:
        session.execute(delete(ApiReply).where(ApiReply.at < now - KEPT))
        row = session.get(ApiReply, (token_id, key_hash))
        if row is not None and row.status is None and row.at < now - ABANDONED:
            session.delete(row)
            session.flush()
            row = None
        if row is None:
            session.add(ApiReply(token_id=token_id, key_hash=key_hash, request_hash=request_hash, at=now))
            return None
    if row.request_hash != request_hash:
        return problem(
            422,
            "idempotency_key",
            "This idempotency key was sent with another request: make a new one.",
            field=HEADER,
            value=visible(request.headers[HEADER]),
            remedy="Make a new UUID for each request.",
        )
    if row.status is None:
        response = problem(
            409,
            "at_work",
            "The first request with this idempotency key is still at work.",
            field=HEADER,
            value=visible(request.headers[HEADER]),
            remedy="Send this one again in a moment: it is answered as soon as the first one is.",
        )
        response.headers["Retry-After"] = "2"
        return response
    response = current_app.response_class(json.dumps(row.body), status=row.status)
    response.content_type = "application/json" if row.status < 400 else "application/problem+json"
    response.headers["Idempotency-Replayed"] = "true"
    if row.location:
        response.headers["Location"] = row.location
    return response


def _forget(token_id: int, key_hash: bytes) -> None:
    with write_session() as session:
        session.execute(delete(ApiReply).where(ApiReply.token_id == token_id, ApiReply.key_hash == key_hash))


def _remember(token_id: int, key_hash: bytes, response: Response) -> None:
    with write_session() as session:
        row = session.get_one(ApiReply, (token_id, key_hash))
        row.status, row.body = response.status_code, response.get_json()
        row.location = response.headers.get("Location", "")
