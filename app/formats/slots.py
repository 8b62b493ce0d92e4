"""Numbers found again by hashes, in arrays: as many as a file has lines must not fill the memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np

_FIRST_SLOTS = 1 << 10
_AT_ONCE = 1 << 14


class Slots:
    """The hash of each number 0, 1, 2 and so on, and which numbers have a hash.

    A number is in the first slot that was free from where its hash points. Slots hold numbers plus one; one
    with 0 is free.
    """

    def __init__(self) -> None:
        self._hashes = array("q")
        self._slots = array("i", [0]) * _FIRST_SLOTS

    def __len__(self) -> int:
        return len(self._hashes)

    def with_hash(self, hashed: int) -> Iterator[int]:
        """Yield the numbers that have a hash, a whole number of 64 bits."""
        slots, hashes = self._slots, self._hashes
        last = len(slots) - 1
        slot = hashed & last
        while number := slots[slot]:
            if hashes[number - 1] == hashed:
                yield number - 1
            slot = (slot + 1) & last

    def add(self, hashed: int) -> int:
        """Return the next number, which has this hash."""
        slots, last = self._slots, len(self._slots) - 1
        slot = hashed & last
        while slots[slot]:
            slot = (slot + 1) & last
        self._hashes.append(hashed)
        number = slots[slot] = len(self._hashes)
        if 4 * number > 3 * len(slots):
            self._grow()
        return number - 1

    def _grow(self) -> None:
        size = 2 * len(self._slots)
        self._slots = array("i")  # let go before the larger one is there
        self._slots = array("i", [0]) * size
        slots, hashes = np.frombuffer(self._slots, np.intc), np.frombuffer(self._hashes, np.int64)
        for first in range(0, len(hashes), _AT_ONCE):
            slot = hashes[first : first + _AT_ONCE] & (size - 1)
            number = np.arange(first + 1, first + 1 + len(slot), dtype=np.intc)
            while len(number):
                is_free = slots[slot] == 0
                slots[slot[is_free]] = number[is_free]
                # Of several numbers that want one slot the last has it.
                is_left = slots[slot] != number
                slot, number = (slot[is_left] + 1) & (size - 1), number[is_left]
