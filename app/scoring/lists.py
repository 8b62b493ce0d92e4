"""The ranked lists of all rankers and queries, as integers, rank by rank."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.judged import Judged
from app.scoring.states import NONRELEVANT


@dataclass(frozen=True, eq=False, repr=False)
class Lists:
    """The lists of several runs over the same queries.

    Attributes
    ----------
    positions
        integers (depth, runs, queries), contiguous: at each rank the cell of :class:`Judged` that the
        document stands in; ``absent`` where it has none or the list has ended. ``np.intp`` is gathered
        fastest, int32 takes half the memory.
    lengths
        integers (runs, queries): how many documents the run returned, also beyond the depth; 0 where
        it is silent.

    An item stands once in a list. Looking for repeats would take longer than scoring: who makes lists
    sees to it (:func:`app.scoring.collection.collected` refuses them, ``pool.lists_in`` marks them).
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
        """Return the first ranks only; the lengths stay what the runs returned.

        Parameters
        ----------
        depth
            Ranks to keep.
        """
        return Lists(self.positions[:depth], self.lengths)


def stacked(runs: Sequence[tuple[Ints, Ints]], queries: int) -> Ints:
    """Return the document numbers of several runs, rank by rank.

    Parameters
    ----------
    runs
        For each run its lines in the order that counts: the query, ascending, and the document of each.
    queries
        The number of queries.

    Returns
    -------
    integers (ranks, runs, queries)
        As deep as the longest list; -1 below the end of a list.
    """
    lengths = [np.bincount(query, minlength=queries) for query, _ in runs]
    deepest = max((int(length.max(initial=0)) for length in lengths), default=0)
    documents = np.full((deepest, len(runs), queries), -1, dtype=np.intp)
    for run, ((query, document), length) in enumerate(zip(runs, lengths, strict=True)):
        first = np.cumsum(length) - length
        documents[np.arange(len(query)) - first[query], run, query] = document
    return documents


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


def weights_of_items(lists: Lists, weights: Floats, cells: int) -> Floats:
    """Return what one unit of gain of each item adds to each run's DCG.

    Parameters
    ----------
    lists
        Of one or more runs; each item stands in one query, so each run has one place for it at most.
    weights
        float64 (depth,): c_i, the cutoff being its length.
    cells
        The number of cells of :class:`Judged`, the two extra ones included.

    Returns
    -------
    float64 (runs, cells)
        0 where the run does not return the item within the cutoff; the last two cells are 0 too.
    """
    placed = np.zeros((lists.runs, cells), dtype=np.float64)
    runs = np.arange(lists.runs)[:, None]
    for rank in range(min(len(weights), len(lists.positions))):
        placed[runs, lists.positions[rank]] = weights[rank]
    placed[:, -2:] = 0.0
    return placed
