"""What was worked out about something large, kept as long as that stands in memory: a bounded shelf."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Result = TypeVar("Result")


class Shelf(Generic[Result]):
    """Results that hold for one object and a key, the newest of them; safe between threads.

    Only a weak reference to the object is held, so that a shelf never keeps it in memory. Its number alone
    would not do: Python gives the number of what is gone to something new.
    """

    def __init__(self, most: int) -> None:
        """Hold at most so many results."""
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[weakref.ref[Any], Result]] = OrderedDict()

    def kept_or_made(self, of: object, key: Hashable, make: Callable[[], Result]) -> Result:
        """Return what was made before of this very object and key, or `make()`, which is kept then."""
        place = (id(of), key)
        with self._lock:
            kept = self._kept.get(place)
        if kept is not None and kept[0]() is of:
            return kept[1]
        # Made outside the lock: two that ask at once both work, and nobody waits for another project.
        made = make()
        with self._lock:
            self._kept[place] = (weakref.ref(of), made)
            self._kept.move_to_end(place)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made
