"""One block of lists, and what several measures need of it, computed once."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from app.scoring.arrays import Codes, Flags, Floats, Ints
from app.scoring.dcg import dcg_of_levels
from app.scoring.judged import Judged
from app.scoring.lists import condensed
from app.scoring.states import NONRELEVANT, POOLED, RELEVANT

LOOPED = 16
"""Up to this depth adding rank by rank is quicker than picking out the judged cells first."""


class Cells(NamedTuple):
    """Some places of a block, rank by rank.

    Attributes
    ----------
    flat, rank, column
        intp (cells,): the place in the flattened (depth, columns) block, its rank from 0, its column.
    """

    flat: Ints
    rank: Ints
    column: Ints

    def within(self, depth: int | None) -> "Cells":
        """Return those of the first ``depth`` ranks.

        Parameters
        ----------
        depth
            The ranks to keep; None for all.
        """
        if depth is None:
            return self
        last = int(np.searchsorted(self.rank, depth))
        return Cells(self.flat[:last], self.rank[:last], self.column[:last])


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationMatrix:
    """A block of lists side by side: one column is one list of one run.

    Attributes
    ----------
    positions
        integers (depth, columns), as in :class:`app.scoring.lists.Lists`.
    lengths
        integers (columns,): what was returned.
    query
        integers (columns,): the query of each column.
    judged
        What is known about the items.
    """

    positions: Ints
    lengths: Ints
    query: Ints
    judged: Judged

    @property
    def depth(self) -> int:
        """The number of ranks."""
        return len(self.positions)

    @property
    def columns(self) -> int:
        """The number of lists."""
        return len(self.query)

    @cached_property
    def state(self) -> Codes:
        """The state of the document at every rank: int8 (depth, columns)."""
        return self.judged.state.take(self.positions)

    @cached_property
    def relevant(self) -> Flags:
        """Where a relevant document is: bool (depth, columns)."""
        return np.asarray(self.state == RELEVANT)

    @cached_property
    def hits(self) -> Ints:
        """Relevant documents at this rank and above: whole numbers (depth, columns)."""
        return _counted_downwards(self.relevant)

    @cached_property
    def nonrelevant_hits(self) -> Ints:
        """Judged non-relevant documents at this rank and above: whole numbers (depth, columns)."""
        return _counted_downwards(self.state == NONRELEVANT)

    @cached_property
    def pooled_hits(self) -> Ints:
        """Pooled, unjudged documents at this rank and above: whole numbers (depth, columns)."""
        return _counted_downwards(self.state == POOLED)

    @cached_property
    def judged_cells(self) -> Cells:
        """The places that hold a judged document."""
        return self._cells(np.flatnonzero(self.state >= NONRELEVANT))

    @cached_property
    def relevant_cells(self) -> Cells:
        """The places that hold a relevant document."""
        judged = self.judged_cells.flat
        return self._cells(judged[self.relevant.ravel().take(judged)])

    @cached_property
    def condensed(self) -> "EvaluationMatrix":
        """The same lists without their unjudged documents."""
        kept = condensed(self.positions, self.judged)
        left = np.count_nonzero(kept != self.judged.absent, axis=0)
        return EvaluationMatrix(kept, left, self.query, self.judged)

    def hits_at(self, depth: int) -> Ints:
        """Return the relevant documents among the first ``depth`` ranks: (columns,)."""
        if min(depth, self.depth) < 1:
            return np.zeros(self.columns, dtype=np.int32)
        return np.asarray(self.hits[min(depth, self.depth) - 1])

    def summed(self, cells: Cells, amounts: Floats) -> Floats:
        """Return the sum of the amounts at some places of every column, added in rank order.

        Parameters
        ----------
        cells
            Rank by rank.
        amounts
            float64 (cells,).
        """
        sums = np.bincount(cells.column, weights=amounts, minlength=self.columns)
        return sums.astype(np.float64, copy=False)

    def _cells(self, flat: Ints) -> Cells:
        """Return ascending flat places with their rank and column, without dividing each of them."""
        starts = np.searchsorted(flat, np.arange(self.depth + 1) * self.columns)
        rank = np.repeat(np.arange(self.depth), np.diff(starts))
        return Cells(flat, rank, flat - rank * self.columns)

    def dcg(self, depth: int | None) -> Floats:
        """Return the DCG of every column, cut at ``depth`` if given.

        Formula: ``sum over ranks i of gain_i * c_i``, added in rank order.

        Parameters
        ----------
        depth
            The cutoff; None for the whole list.
        """
        wanted = self.depth if depth is None else min(depth, self.depth)
        discounts = self.judged.ruler.discounts(wanted)
        if wanted <= LOOPED:
            return dcg_of_levels(self.positions, self.judged.level, self.judged.gain_levels, discounts)
        cells = self.judged_cells.within(wanted)
        gain = self.judged.gain.take(self.positions.ravel().take(cells.flat))
        return self.summed(cells, discounts.contributions_at(gain, cells.rank))

    def ideal(self, depth: int | None) -> Floats:
        """Return the ideal DCG of every column under the ruler's scope.

        Parameters
        ----------
        depth
            The cutoff; None for the whole list.

        Raises
        ------
        ValueError
            The ideal is a list of highest grades, and nothing says where it ends.
        """
        scope = self.judged.ruler.ideal
        if scope == "returned":
            return self.returned_ideal(depth)
        if scope == "maximum":
            if depth is None:
                raise ValueError("a list of nothing but the highest grade has no end: a cutoff is needed")
            return np.full(self.columns, self.maximum(depth))
        return self.judged.ideal(depth).take(self.query)

    def returned_ideal(self, depth: int | None) -> Floats:
        """Return the DCG of each list's own gains in descending order.

        Parameters
        ----------
        depth
            The cutoff; None for the whole list.
        """
        gains = np.sort(self.judged.gain.take(self.positions), axis=0)[::-1]
        wanted = self.depth if depth is None else min(depth, self.depth)
        discounts = self.judged.ruler.discounts(wanted)
        total = np.zeros(self.columns, dtype=np.float64)
        for rank in range(wanted):
            total += discounts.contribution(gains[rank], rank)
        return total

    def maximum(self, depth: int) -> float:
        """Return the DCG of a list of nothing but the highest grade.

        Formula: ``Gmax * sum over ranks i <= k of c_i``.
        """
        return self.judged.ruler.largest_dcg(depth)


def _counted_downwards(marked: Flags) -> Ints:
    """Return how many cells are marked from the top of each column down to each rank."""
    counted: Ints = marked.astype(np.uint8 if len(marked) < 256 else np.int32)
    for rank in range(1, len(counted)):
        counted[rank] += counted[rank - 1]
    return counted
