"""The ranked lists of all rankers and queries, as integers, rank by rank."""

from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Ints
from app.scoring.judged import Judged
from app.scoring.states import NONRELEVANT


@dataclass(frozen=True, eq=False, repr=False)
class Lists:
    """The lists of several runs over the same queries.

    Attributes
    ----------
    positions
        integers (depth, runs, queries), contiguous: at each rank the cell of :class:`Judged` that the
        document is in; ``absent`` where it has none or the list has ended. ``np.intp`` is gathered
        fastest, int32 takes half the memory.
    lengths
        integers (runs, queries): how many documents the run returned, also beyond the depth; 0 where
        it is silent.

    An item occurs once in a list. Looking for repeats would take longer than scoring: who makes lists
    sees to it (:func:`with_repeats_marked`).
    """

    positions: Ints
    lengths: Ints

    @property
    def runs(self) -> int:
        """The number of runs."""
        return int(self.positions.shape[1])

    @property
    def queries(self) -> int:
        """The number of queries."""
        return int(self.positions.shape[2])

    def cut(self, depth: int) -> "Lists":
        """Return the first ranks only; the lengths stay what the runs returned."""
        return Lists(self.positions[:depth], self.lengths)


def condensed(positions: Ints, judged: Judged) -> Ints:
    """Return the lists without their unjudged documents, the others moved up (Sakai 2007).

    Full lists are needed: what was cut off before cannot move up.

    Parameters
    ----------
    positions
        integers (depth, ...), as in :class:`Lists`.
    judged
        Of the same items.

    Returns
    -------
    integers of the same shape
        The judged documents of each list in their order, then ``absent``.
    """
    unjudged = judged.state.take(positions) < NONRELEVANT
    order = np.argsort(unjudged, axis=0, kind="stable")
    kept = np.take_along_axis(positions, order, axis=0)
    gone = np.take_along_axis(unjudged, order, axis=0)
    return np.where(gone, judged.absent, kept)


def with_repeats_marked(positions: Ints, absent: int) -> Ints:
    """Return the positions with later occurrences of an item in a list pointing to ``repeated``.

    Parameters
    ----------
    positions
        integers (depth, ...).
    absent
        The cell of ranks without a known document; the one after it is ``repeated``.
    """
    order = np.argsort(positions, axis=0, kind="stable")
    ordered = np.take_along_axis(positions, order, axis=0)
    again = np.zeros(positions.shape, dtype=np.bool_)
    again[1:] = (ordered[1:] == ordered[:-1]) & (ordered[1:] != absent)
    if not again.any():
        return positions
    marked = np.empty_like(positions)
    np.put_along_axis(marked, order, np.where(again, absent + 1, ordered), axis=0)
    return marked
