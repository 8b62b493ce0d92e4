"""The ledger folded in one step, for tests that fold it otherwise."""

import numpy as np

from app.scoring.consensus import NONE
from app.scoring.live import Changes


def counts_of(changes, items, grades):
    """Return how many annotators hold each item at each grade after the changes: int64 (items, grades)."""
    size = items * grades
    came = np.bincount((changes.item * grades + changes.new)[changes.new >= 0], minlength=size)
    went = np.bincount((changes.item * grades + changes.old)[changes.old >= 0], minlength=size)
    return (came - went).reshape(items, grades)


def changes_of(item, annotator, column):
    """Return what each rating changed: the latest grade of an annotator for an item replaces the one before."""
    # This sort keeps the order of time among equal ones.
    order = np.lexsort((annotator, item))
    same = (item[order][1:] == item[order][:-1]) & (annotator[order][1:] == annotator[order][:-1])
    old = np.full(len(item), NONE, dtype=np.int64)
    old[order[1:][same]] = column[order[:-1][same]]
    return Changes(item, old, column)


def part(changes, first, last):
    """Return the changes number `first` to `last`, the last not included."""
    return Changes(changes.item[first:last], changes.old[first:last], changes.new[first:last])
