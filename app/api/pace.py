"""A generous limit for each annotator: a person never meets it, an endless script does."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from app.services.errors import TooManyError

# A day of waiting ratings may arrive at once, and ten more each second, for ever.
BURST = 30_000
PER_SECOND = 10.0
REMEMBERED = 10_000


@dataclass
class Pace:
    """A bucket of requests for each person, in this process.

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

        Raises
        ------
        TooManyError
            This person has none left for the moment.
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
