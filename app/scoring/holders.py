"""Which lists hold an item: what has to be scored again when its grade changes."""

import numpy as np

from app.scoring.arrays import Ints

FEW = 32
"""One in this many."""


def distinct(numbers: Ints, below: int) -> Ints:
    """Return which of the numbers from 0 to ``below`` occur, ascending."""
    # Few are quicker sorted than marked among all.
    if len(numbers) < below // FEW:
        return np.unique(numbers)
    marked = np.zeros(below, dtype=np.bool_)
    marked[numbers] = True
    return np.flatnonzero(marked)


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
        depth, lists = positions.shape
        places = depth * lists
        # One number made of item and place: sorting it is several times quicker than a sort with places.
        keys = np.sort(positions.ravel().astype(np.int64) * max(places, 1) + np.arange(places))
        item = keys // max(places, 1)
        self._list = (keys % max(lists, 1)).astype(np.int32)
        self._first = np.searchsorted(item, np.arange(items + 1))

    def of(self, items: Ints) -> Ints:
        """Return the lists that hold each of some items, item by item: a list that holds two comes twice.

        Parameters
        ----------
        items
            integers, each once.
        """
        first = self._first[items]
        length = self._first[items + 1] - first
        shift = np.repeat(first - (np.cumsum(length) - length), length)
        return np.asarray(self._list[shift + np.arange(len(shift))])
