"""When sessions and tokens were last used: written by a thread of its own, never within a request."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.database import Database

log = logging.getLogger(__name__)
# A use is written this late at the latest.
LATER_SECONDS = 1.0
REMEMBERED = 10_000


@dataclass
class Uses:
    """Uses of many things of one kind.

    Attributes
    ----------
    write_down
        What writes the uses of some of them, by their keys.
    every_seconds
        How often a use of the same one is written at most.
    """

    write_down: Callable[[Session, dict[Any, Any]], None]
    every_seconds: float
    _waiting: dict[Any, Any] = field(default_factory=dict)
    _noted: dict[Any, float] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def is_due(self, key: Any) -> bool:
        """Return whether a use just now is worth writing, and take it as written."""
        now = time.monotonic()
        with self._guard:
            if now - self._noted.get(key, -self.every_seconds) < self.every_seconds:
                return False
            if len(self._noted) > REMEMBERED:
                self._noted.clear()
            self._noted[key] = now
            return True

    def note(self, database: Database, key: Any, use: Any, *, at_once: bool = True) -> None:
        """Remember a use that is due."""
        with self._guard:
            self._waiting[key] = use
            is_first = len(self._waiting) == 1
        if is_first and at_once:
            timer = threading.Timer(LATER_SECONDS, self.write, (database,))
            timer.daemon = True
            timer.start()

    def write(self, database: Database) -> None:
        """Write down what waits."""
        with self._guard:
            uses, self._waiting = self._waiting, {}
        try:
            with database.write() as session:
                self.write_down(session, uses)
        except SQLAlchemyError:
            # It is for people to read: the next use is written again.
            log.warning("when sessions or tokens were last used could not be written")
