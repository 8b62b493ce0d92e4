"""Answers that need not be sent again: each has an ETag, and one that is known already is not made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from flask import Response, current_app, jsonify, request

from app.http.assets import current_build
from app.http.permissions import current_access


def answer_once(revision: int, make: Callable[[], dict[str, Any]]) -> Response:
    """Return what a ledger says at a revision; 304 without making it, if the caller has it already."""
    state = f"{current_access().project.id} {revision} {current_build()} {request.full_path}"
    tag = hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    response = current_app.response_class(status=304) if tag in request.if_none_match else jsonify(make())
    return kept(response, tag)


def answer(found: dict[str, Any]) -> Response:
    """Return a JSON object with the ETag of its bytes; 304 if the caller has it already."""
    response = jsonify(found)
    kept(response, hashlib.sha256(response.get_data()).hexdigest()[:32])
    response.make_conditional(request)
    return response


def kept(response: Response, tag: str) -> Response:
    """Let the caller keep an answer, asking each time whether it still holds."""
    response.set_etag(tag)
    response.headers["Cache-Control"] = "private, no-cache"
    return response
