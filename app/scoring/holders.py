"""Which lists hold an item: what has to be scored again when its grade changes."""

import numpy as np

from app.scoring.arrays import Flags, Ints

FEW = 32
"""One list in this many."""


class Holders:
    """The lists that hold each item, found without looking through all of them."""

    def __init__(self, positions: Ints, items: int) -> None:
        """Sort the places of all lists by the item there.

        Parameters
        ----------
        positions
            integers (depth, lists): the item at each rank; ``items`` and above where there is none.
        items
            Their number.
        """
        depth, self._lists = positions.shape
        places = depth * self._lists
        # One number made of item and place: sorting it is several times quicker than a sort with places.
        keys = np.sort(positions.ravel().astype(np.int64) * max(places, 1) + np.arange(places))
        item = keys // max(places, 1)
        self._list = (keys % max(self._lists, 1)).astype(np.int32)
        self._first = np.searchsorted(item, np.arange(items + 1))

    def of(self, items: Ints) -> Ints:
        """Return the lists that hold at least one of some items, ascending.

        Parameters
        ----------
        items
            integers, each once.
        """
        first = self._first[items]
        length = self._first[items + 1] - first
        shift = np.repeat(first - (np.cumsum(length) - length), length)
        lists = self._list[shift + np.arange(len(shift))]
        # Few are quicker sorted than marked among all.
        return np.unique(lists) if len(lists) < self._lists // FEW else np.flatnonzero(self._marked(lists))

    def _marked(self, lists: Ints) -> Flags:
        """Return a flag for every list."""
        marked = np.zeros(self._lists, dtype=np.bool_)
        marked[lists] = True
        return marked
