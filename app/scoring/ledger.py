"""The ledger as arrays: who graded what in which order, and what each rating changed."""

from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Ints

NO_GRADE = -1


@dataclass(frozen=True)
class Changes:
    """What each rating changed about the grades that count, in revision order.

    Attributes
    ----------
    item
        integers (changes,).
    old, new
        integers (changes,): the columns (grade - lowest) of the grade that went and of the one that
        came; -1 for none.
    """

    item: Ints
    old: Ints
    new: Ints

    def __len__(self) -> int:
        return len(self.item)

    def upto(self, changes: int) -> "Changes":
        """Return the first changes only.

        Parameters
        ----------
        changes
            Their number.
        """
        return Changes(self.item[:changes], self.old[:changes], self.new[:changes])

    def between(self, first: int, last: int) -> "Changes":
        """Return the changes number ``first`` to ``last``, the last not included.

        Parameters
        ----------
        first, last
            Numbers from 0.
        """
        return Changes(self.item[first:last], self.old[first:last], self.new[first:last])


def changes_of(item: Ints, annotator: Ints, column: Ints) -> Changes:
    """Return what each rating changed: the latest grade of an annotator for an item replaces the one before.

    Parameters
    ----------
    item, annotator, column
        integers (ratings,) in revision order; column -1 takes a grade back without giving another.
    """
    # This sort keeps the order of time among equal ones.
    order = np.lexsort((annotator, item))
    same = (item[order][1:] == item[order][:-1]) & (annotator[order][1:] == annotator[order][:-1])
    old = np.full(len(item), NO_GRADE, dtype=np.int64)
    old[order[1:][same]] = column[order[:-1][same]]
    return Changes(item, old, column)
