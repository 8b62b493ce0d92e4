"""Who is signed in on this device, and how they like to rate."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify
from flask_wtf.csrf import generate_csrf

from app.api.bodies import choice_of, flag_of, read_object, texts_of
from app.http import Access, allow, write_session
from app.http.permissions import current_identity_or_404
from app.services.accounts.preferences import TAPS, change_preferences

blueprint = Blueprint("api_session", __name__, url_prefix="/api/v1/session")

FLAGS = ("keys", "advance", "single", "marks")


@blueprint.get("")
@allow(Access.SIGNED_IN)
def get_session() -> Response:
    """Return who is signed in, and a token for what they send next."""
    identity = current_identity_or_404()
    return jsonify({"person": identity.public_id, "csrf": generate_csrf()})


@blueprint.patch("/preferences")
@allow(Access.SIGNED_IN)
def patch_preferences() -> Response:
    """Change how one likes to rate: single keys, what moves on by itself, what the page shows."""
    body = read_object(set(), {*FLAGS, "tap", "remap"})
    chosen: dict[str, Any] = {name: flag_of(body, name) for name in FLAGS if name in body}
    if "tap" in body:
        chosen["tap"] = choice_of(body, "tap", TAPS)
    if "remap" in body:
        chosen["remap"] = texts_of(body, "remap")
    identity = current_identity_or_404()
    with write_session() as session:
        return jsonify(change_preferences(session, identity.id, chosen))
