"""Who asks for something about rating, and whether their device means this account."""

from __future__ import annotations

from flask import abort, current_app, request

from app.api.pace import Pace
from app.http.permissions import current_access, current_identity_or_404
from app.models import Role
from app.services.judging.rating import Annotator

PERSON_HEADER = "X-Touchstone-Person"
EXTENSION = "rating_pace"


def current_annotator() -> Annotator:
    """Return who rates, once it is sure that the device means them and that they keep a human pace.

    Raises
    ------
    TooManyError
        More requests than anyone can make.
    Unauthorized
        The device sends ratings of another account: they are not this one's.
    """
    identity, place = current_identity_or_404(), current_access()
    meant = request.headers.get(PERSON_HEADER)
    if meant is not None and meant != identity.public_id:
        abort(401)
    _pace().check(identity.id)
    blind = place.role is Role.ANNOTATOR and not place.saw_rankers
    return Annotator(place.project, identity.id, blind)


def _pace() -> Pace:
    pace: Pace = current_app.extensions.setdefault(EXTENSION, Pace())
    return pace
