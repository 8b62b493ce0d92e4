"""Who is signed in on this device, and how they like to rate."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify
from flask_wtf.csrf import generate_csrf

from app.api.bodies import flag_of, read_object, texts_of
from app.http import Access, allow, write_session
from app.http.permissions import current_identity_or_404
from app.services.accounts.preferences import change_preferences

blueprint = Blueprint("api_session", __name__, url_prefix="/api/v1/session")


@blueprint.get("")
@allow(Access.SIGNED_IN)
def get_session() -> Response:
    """Return who is signed in, and a token for what they send next."""
    identity = current_identity_or_404()
    return jsonify({"person": identity.public_id, "csrf": generate_csrf()})


@blueprint.patch("/preferences")
@allow(Access.SIGNED_IN)
def patch_preferences() -> Response:
    """Change how one likes to rate: single keys on or off, which they are, moving on by itself or not."""
    body = read_object(set(), {"keys", "advance", "remap"})
    chosen: dict[str, Any] = {name: flag_of(body, name) for name in body if name != "remap"}
    if "remap" in body:
        chosen["remap"] = texts_of(body, "remap")
    identity = current_identity_or_404()
    with write_session() as session:
        return jsonify(change_preferences(session, identity.id, chosen))
