"""Who sends ratings, whether their device means this account, and how many requests they may make."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from flask import abort, current_app, request

from app.http.permissions import current_access, current_identity_or_404
from app.models import Role
from app.services.errors import TooManyError
from app.services.judging.rating import Annotator

PERSON_HEADER = "X-Touchstone-Person"
EXTENSION = "rating_limit"
# A day of waiting ratings may arrive at once, and ten more each second, for ever.
BURST = 30_000
PER_SECOND = 10.0
REMEMBERED = 10_000


@dataclass
class RequestLimit:
    """A generous limit for each person, in this process: nobody meets it, an endless script does.

    Attributes
    ----------
    burst, per_second
        How many requests may come at once, and how many more each second.
    """

    burst: float = BURST
    per_second: float = PER_SECOND
    _left: dict[int, tuple[float, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self, person_id: int) -> None:
        """Count one request.

        :raise TooManyError: This person has none left for the moment.
        """
        now = time.monotonic()
        with self._lock:
            if len(self._left) > REMEMBERED:
                self._left.clear()
            left, then = self._left.get(person_id, (self.burst, now))
            left = min(self.burst, left + (now - then) * self.per_second)
            self._left[person_id] = (max(left - 1, 0.0), now)
        if left < 1:
            raise TooManyError(
                "More ratings arrive than anyone can give. Wait a moment; nothing is lost.", retry_after=2
            )


def current_annotator() -> Annotator:
    """Return who rates, once it is sure that the device means them and that they keep a human pace.

    :raise TooManyError: More requests than anyone can make.
    :raise Unauthorized: The device sends ratings of another account: they are not this one's.
    """
    identity, place = current_identity_or_404(), current_access()
    meant = request.headers.get(PERSON_HEADER)
    if meant is not None and meant != identity.public_id:
        abort(401)
    limit: RequestLimit = current_app.extensions.setdefault(EXTENSION, RequestLimit())
    limit.check(identity.id)
    blind = place.role is Role.ANNOTATOR and not place.saw_rankers
    return Annotator(place.project, identity.id, blind)
