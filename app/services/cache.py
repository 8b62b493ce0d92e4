"""What was computed about something large, kept as long as that is in memory, within a bound."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class Cache(Generic[Result]):
    """Results that hold for one object and a key, those used last; safe between threads.

    Only a weak reference to the object is held, so that a cache never keeps it in memory. Its number alone
    would not do: Python gives the number of what is gone to something new.
    """

    def __init__(self, most: int) -> None:
        """Hold at most `most` results."""
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[weakref.ref[Any], Result]] = OrderedDict()

    def get_or_make(self, of: object, key: Hashable, make: Callable[[], Result]) -> Result:
        """Return what was made before of this very object and key, or `make()`, which is kept then."""
        found = self._found(of, key)
        if found is not None:
            return found[1]
        # Made outside the lock: two that ask at once both work, and nobody waits for another project.
        made = make()
        self.put(of, key, made)
        return made

    def get(self, of: object, key: Hashable) -> Result | None:
        """Return what is kept of this very object and key; None without anything."""
        found = self._found(of, key)
        return None if found is None else found[1]

    def _found(self, of: object, key: Hashable) -> tuple[weakref.ref[Any], Result] | None:
        place = (id(of), key)
        with self._lock:
            found = self._kept.get(place)
            if found is None or found[0]() is not of:
                return None
            self._kept.move_to_end(place)
        return found

    def put(self, of: object, key: Hashable, result: Result) -> None:
        """Keep a result in place of an older one; where there are too many, the least recently used goes."""
        place = (id(of), key)
        with self._lock:
            self._kept[place] = (weakref.ref(of), result)
            self._kept.move_to_end(place)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Keep nothing any more."""
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        """Return how many results are kept."""
        return len(self._kept)
