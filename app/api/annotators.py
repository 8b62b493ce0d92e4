"""Who sends ratings, whether their device means this account, and how many requests they may make."""

from __future__ import annotations

from flask import abort, current_app, request

from app.http.permissions import current_access, current_identity_or_404
from app.http.tokens import RequestLimit
from app.services.errors import TooManyError
from app.services.judging.rating import Annotator

PERSON_HEADER = "X-Touchstone-Person"
EXTENSION = "rating_limit"
# A day of waiting ratings may arrive at once, and ten more each second, for ever.
BURST = 30_000
PER_SECOND = 10.0


def current_annotator() -> Annotator:
    """Return who rates, once it is sure that the device means them and that they keep a human pace.

    :raise TooManyError: More requests than anyone can make.
    :raise Unauthorized: The device sends ratings of another account: they are not this one's.
    """
    identity, place = current_identity_or_404(), current_access()
    meant = request.headers.get(PERSON_HEADER)
    if meant is not None and meant != identity.public_id:
        abort(401)
    limit: RequestLimit = current_app.extensions.setdefault(EXTENSION, RequestLimit(BURST, PER_SECOND))
    if limit.take(identity.id) < 0:
        raise TooManyError(
            "More ratings arrive than anyone can give. Wait a moment; nothing is lost.", retry_after=2
        )
    return Annotator(place.project, identity.id, place.is_blind)
