"""From numbers of the database to places in an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.scoring.arrays import Ints

ROOMY, SPARSE = 1 << 20, 8
"""Cells that a table of numbers may have at least, and how many for each number that it holds."""


class Lookup:
    """Where each of some distinct numbers stands.

    A table with a cell for every number in between is quicker than a search; it is used while it stays
    small.
    """

    def __init__(self, numbers: Ints) -> None:
        self._numbers = numbers
        self._least = int(numbers.min(initial=0)) if len(numbers) else 0
        span = int(numbers.max(initial=-1)) - self._least + 1
        self._table: Ints | None = None
        self._order: Ints = np.zeros(0, dtype=np.int64)
        if span <= ROOMY + SPARSE * len(numbers):
            self._table = np.full(span + 1, -1, dtype=np.int32)
            self._table[numbers - self._least] = np.arange(len(numbers), dtype=np.int32)
        else:
            self._order = np.argsort(numbers, kind="stable")

    def places(self, wanted: Ints) -> Ints:
        """Return the place of each wanted number, -1 for unknown ones: int32."""
        if self._table is None:
            return self._searched(wanted)
        # What lies outside reads the last cell of the table, which is always empty.
        place = wanted.astype(np.int64) - self._least
        place[(place < 0) | (place >= len(self._table))] = -1
        return self._table.take(place)

    def _searched(self, wanted: Ints) -> Ints:
        found = np.searchsorted(self._numbers, wanted, sorter=self._order)
        place = self._order.take(np.minimum(found, len(self._order) - 1))
        return np.where(self._numbers.take(place) == wanted, place, -1).astype(np.int32)
