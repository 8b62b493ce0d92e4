"""What is known about every item (candidate): its query, its gain, whether it is relevant or judged."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.scoring.arrays import Codes, Flags, Floats, Ints
from app.scoring.consensus import Consensus
from app.scoring.dcg import ideal_dcg
from app.scoring.ruler import ScoringRuler
from app.scoring.states import NONRELEVANT, POOLED, RELEVANT, UNKNOWN, levels_of, states_of

__all__ = ["NONRELEVANT", "POOLED", "RELEVANT", "UNKNOWN", "Judged", "judged_of"]


@dataclass(eq=False, repr=False)
class Judged:
    """The judgments of a project, folded to one value per item, under one ruler. Nobody changes it.

    Arrays "by cell" have one cell per item and two more: ``absent`` (no document at this rank, or one
    that is neither pooled nor judged) and ``repeated`` (a later occurrence of a merged document: worth
    0, and judged).

    Attributes
    ----------
    ruler
        Under which the values are made.
    queries
        Their number; queries are numbered in the byte order of their ids.
    query
        integers (items,): the query of each item.
    pooled
        bool (items,): in the pool of the active runs.
    consensus
        Of every item.
    """

    ruler: ScoringRuler
    queries: int
    query: Ints
    pooled: Flags
    consensus: Consensus

    @property
    def absent(self) -> int:
        """The cell of ranks without a known document; the one after it is ``repeated``."""
        return len(self.query)

    @property
    def repeated(self) -> int:
        """The cell of later occurrences of a merged document."""
        return self.absent + 1

    @property
    def judged(self) -> Flags:
        """Where there is a consensus: bool (items,)."""
        return self.consensus.judged

    @cached_property
    def levelled(self) -> tuple[Ints, Floats]:
        """The level of every cell, and the gain levels of the ruler."""
        return levels_of(self.consensus, self.ruler.gains())

    @property
    def level(self) -> Ints:
        """The number of each cell's gain among ``gain_levels``: small, so that gathering is quick."""
        return self.levelled[0]

    @property
    def gain_levels(self) -> Floats:
        """All gains that a consensus can have, ascending: float64."""
        return self.levelled[1]

    @cached_property
    def gain(self) -> Floats:
        """The gain by cell, 0 where nothing is judged: float64 (items + 2,)."""
        return self.gain_levels.take(self.level)

    @cached_property
    def stop(self) -> Floats:
        """ERR's chance of satisfaction by cell, 0 where nothing is judged: float64 (items + 2,)."""
        return np.append(self.consensus.values(self.ruler.stops()), [0.0, 0.0])

    @cached_property
    def state(self) -> Codes:
        """The state by cell: ``UNKNOWN``, ``POOLED``, ``NONRELEVANT`` or ``RELEVANT``: int8 (items + 2,)."""
        return states_of(self.consensus, self.pooled, self.ruler)

    @cached_property
    def open(self) -> Flags:
        """Which items could still earn a gain: pooled and not judged, none if declared complete."""
        if self.ruler.unjudged == "complete":
            return np.zeros(self.absent, dtype=np.bool_)
        return np.asarray(self.pooled & ~self.judged)

    @cached_property
    def open_cells(self) -> Flags:
        """The same by cell: bool (items + 2,)."""
        return np.append(self.open, [False, False])

    @cached_property
    def open_counts(self) -> Ints:
        """How many items of each query are open: int64 (queries,)."""
        return self._count(self.open)

    @cached_property
    def in_ideal(self) -> Flags:
        """Which items can stand in the ideal list: the judged ones, or of these those in the pool."""
        return np.asarray(self.judged & self.pooled) if self.ruler.ideal == "pool" else self.judged

    @cached_property
    def level_table(self) -> Ints:
        """How many items of each query stand at each of ``gain_levels`` in ideal lists: (queries, levels)."""
        wide, items = len(self.gain_levels), np.flatnonzero(self.in_ideal)
        place = self.query.take(items).astype(np.int64) * wide + self.level.take(items)
        return np.bincount(place, minlength=self.queries * wide).reshape(self.queries, wide)

    @cached_property
    def _ideal_table(self) -> tuple[Ints, Floats]:
        """The same for the levels that occur, and these levels."""
        occurring = self.level_table.any(axis=0)
        return np.ascontiguousarray(self.level_table[:, occurring]), self.gain_levels[occurring]

    @property
    def levels(self) -> Floats:
        """The gains that occur in ideal lists, ascending: float64 (levels,)."""
        return self._ideal_table[1]

    @property
    def level_counts(self) -> Ints:
        """How many items of each query stand at each of ``levels``: int64 (queries, levels)."""
        return self._ideal_table[0]

    @cached_property
    def longest_ideal(self) -> int:
        """The largest number of items in an ideal list."""
        return int(self.level_counts.sum(axis=1).max(initial=0))

    @cached_property
    def relevant_counts(self) -> Ints:
        """R: the judged relevant items of each query, int64 (queries,)."""
        return self._count(self.state[: self.absent] == RELEVANT)

    @cached_property
    def nonrelevant_counts(self) -> Ints:
        """N: the judged non-relevant items of each query, int64 (queries,)."""
        return self._count(self.state[: self.absent] == NONRELEVANT)

    @cached_property
    def scored(self) -> Flags:
        """Which queries have a score: something judged has gain. In trec_eval's way: anything judged."""
        kept = np.ones(len(self.levels), dtype=np.bool_) if self.ruler.trec else self.levels > 0
        return np.asarray(self.level_counts[:, kept].any(axis=1))

    @cached_property
    def undecided(self) -> Flags:
        """Queries without gain so far of which something is open, or nothing pooled yet."""
        if self.ruler.unjudged == "complete":
            return np.zeros(self.queries, dtype=np.bool_)
        return np.asarray(~self.scored & ((self.pooled_counts == 0) | (self.open_counts > 0)))

    @cached_property
    def pooled_counts(self) -> Ints:
        """How many items of each query are in the pool: int64 (queries,)."""
        return self._count(self.pooled)

    @cached_property
    def no_relevant(self) -> Flags:
        """Queries whose pool is fully judged (or declared so) and holds nothing of gain."""
        return np.asarray(~self.scored & ~self.undecided)

    @cached_property
    def answered(self) -> Flags:
        """Queries for which something relevant is known."""
        return np.asarray(self.relevant_counts > 0)

    @cached_property
    def weak(self) -> Flags:
        """Scored queries of which nothing reaches the relevance threshold."""
        return np.asarray(self.scored & ~self.answered)

    def ideal(self, depth: int | None = None) -> Floats:
        """Return the ideal DCG of every query: over its judged documents, cut at ``depth`` if given."""
        if depth not in self.known_ideals:
            wanted = self.longest_ideal if depth is None else min(depth, self.longest_ideal)
            self.known_ideals[depth] = ideal_dcg(self.level_counts, self.levels, self.ruler.discounts(wanted))
        return self.known_ideals[depth]

    @cached_property
    def known_ideals(self) -> dict[int | None, Floats]:
        """The ideals computed so far, by cutoff."""
        return {}

    def _count(self, items: Flags) -> Ints:
        """Return the number of marked items per query."""
        return np.bincount(self.query.take(np.flatnonzero(items)), minlength=self.queries)


def judged_of(
    consensus: Consensus, query: Ints, ruler: ScoringRuler, *, queries: int, pooled: Flags | None = None
) -> Judged:
    """Return the items' values under a ruler.

    Parameters
    ----------
    consensus
        Of every item, grades as columns of the ruler's scale.
    query
        integers (items,).
    ruler
        Its scale, gain, threshold and ideal are used.
    queries
        Their number, with and without items.
    pooled
        bool (items,); without it every item counts as pooled.
    """
    within = np.ones(len(query), dtype=np.bool_) if pooled is None else pooled
    return Judged(ruler, queries, query, within, consensus)
