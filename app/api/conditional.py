"""Answers that need not be sent again: each has an ETag, and one that is known already is not made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from flask import Response, current_app, jsonify, request

from app.http.assets import current_build
from app.http.permissions import current_access


def answer_once(revision: int, make: Callable[[], dict[str, Any]], *, besides: str = "") -> Response:
    """Return what a ledger says at a revision; 304 without making it, if the caller has it already.

    Parameters
    ----------
    besides
        What the answer depends on beside the ledger.
    """
    tag = tag_at(revision, besides)
    if is_known(tag):
        return kept(current_app.response_class(status=304), tag)
    response = kept(jsonify(make()), tag)
    response.make_conditional(request)
    return response


def tag_at(revision: int, besides: str = "") -> str:
    """Return the tag of what this address says at a revision of its project's ledger."""
    state = f"{current_access().project.id} {revision} {besides} {current_build()} {request.full_path}"
    return hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def is_known(tag: str) -> bool:
    """Return whether the caller has an answer with this tag; a proxy that packs answers makes tags weak."""
    tags = request.if_none_match
    # Whether `*` holds is known only once there is an answer.
    return not tags.star_tag and tags.contains_weak(tag)


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
