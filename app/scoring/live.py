"""nDCG of every run on every query, updated rating by rating.

Only the lists that hold an item of another grade are scored again, when somebody asks for them, and they are
scored in full: no score is ever added to, so nothing drifts, and the state has the bits of scoring everything
from scratch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.bounds import Block, run_bounds
from app.scoring.bounds_arrays import query_table
from app.scoring.choices import ConsensusRule
from app.scoring.consensus import NONE, column_kind, consensus_of
from app.scoring.dcg import dcg, ideal_dcg, ndcg
from app.scoring.holders import Holders, distinct
from app.scoring.lists import Lists
from app.scoring.means import means_of
from app.scoring.ruler import ScoringRuler


@dataclass(frozen=True)
class Stage:
    """What stays the same while the ledger grows.

    Attributes
    ----------
    lists
        Of the runs, at least as deep as the cutoff.
    query
        integers (items,): the query of each item.
    ruler, cutoff, rule
        How a score is computed: the ideal is over all judged documents, or over those in the pool.
    covered
        bool (runs, queries): the queries whose score enters a run's mean; all if not given.
    pooled
        bool (items,): needed where the ideal is over the pool.
    """

    lists: Lists
    query: Ints
    ruler: ScoringRuler
    cutoff: int
    rule: ConsensusRule = "median"
    covered: Flags | None = None
    pooled: Flags | None = None

    def __post_init__(self) -> None:
        if self.ruler.ideal not in {"judged", "pool"}:
            raise ValueError(f"scores are kept up under the ideal judged or pool, not {self.ruler.ideal}")
        if self.ruler.unjudged == "condensed":
            raise ValueError("scores are kept up with unjudged documents in their places, not condensed")


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


class Live:
    """The present scores of a project.

    Attributes
    ----------
    gain
        float64 by cell, as in ``Judged``.
    """

    def __init__(self, stage: Stage, queries: int) -> None:
        """Start from an empty ledger."""
        self.stage = stage
        items, shape = len(stage.query), (stage.lists.runs, queries)
        everything = np.ones(items, dtype=np.bool_)
        self._discounts = stage.ruler.discounts(stage.cutoff)
        cut = stage.lists.positions[: stage.cutoff]
        self._ranked: Ints = np.ascontiguousarray(cut.reshape(len(cut), stage.lists.runs * queries))
        self._holders = Holders(self._ranked, items)
        self._counts: Ints = np.zeros((items, len(stage.ruler.gains())), dtype=np.int32)
        self._decided: Ints = np.full(items, NONE, dtype=column_kind(len(stage.ruler.gains())))
        self._levels: Floats = np.zeros(0)
        self._level_counts: Ints = np.zeros((queries, 0), dtype=np.int64)
        self._judged: Flags = ~everything
        self._pooled: Flags = everything if stage.pooled is None else stage.pooled
        self._open: Flags = np.append(self._openable, [False, False])
        self._open_counts: Ints = np.bincount(stage.query[self._openable], minlength=queries)
        self._reached: Floats = np.zeros(shape)
        self._stale: Flags = np.zeros(shape, dtype=np.bool_)
        self._ideal: Floats = np.zeros(queries)
        # A repeat of a merged answer is seen whatever is rated. An empty list is as one answer that is.
        returned = np.minimum(stage.lists.lengths, stage.cutoff)
        repeats = np.count_nonzero(self._ranked > items, axis=0).reshape(shape)
        self._seen: Ints = np.where(returned > 0, repeats, 1).astype(np.int32)
        self._returned: Floats = np.maximum(returned, 1).astype(np.float64)
        self.gain: Floats = np.zeros(items + 2)

    @property
    def scored(self) -> Flags:
        """Which queries have something judged of gain: bool (queries,)."""
        useful = self._level_counts[:, self._levels > 0]
        return np.asarray(useful.any(axis=1))

    @property
    def values(self) -> Floats:
        """The nDCG of every run on every query: float64 (runs, queries), NaN where it is undefined."""
        return self.values_of(range(self.stage.lists.runs))

    def values_of(self, runs: Sequence[int]) -> Floats:
        """Return the nDCG of some runs: float64 (runs asked for, queries), NaN where it is undefined."""
        rows = self._rows_of(runs)
        wanted = np.zeros_like(self._stale)
        wanted[rows] = self._stale[rows]
        lists = np.flatnonzero(wanted)
        self._reached.reshape(-1)[lists] = dcg(self._ranked.take(lists, axis=1), self.gain, self._discounts)
        self._stale[rows] = False
        return ndcg(self._reached[rows], self._ideal)

    def judged_shares_of(self, runs: Sequence[int]) -> Floats:
        """Return judged@k of every list of some runs: float64 (runs, queries), 1 for an empty one."""
        rows = self._rows_of(runs)
        return np.asarray(self._seen[rows] / self._returned[rows])

    def apply(self, changes: Changes) -> Ints:
        """Take some changes in and return the queries that they move, ascending."""
        grades = self._counts.shape[1]
        flat = self._counts.reshape(-1)
        for column, sign in ((changes.new, 1), (changes.old, -1)):
            given = column >= 0
            # Of the kind of the counts: any other number is converted for each change, 40 times as slowly.
            np.add.at(flat, changes.item[given] * np.int64(grades) + column[given], np.int32(sign))
        return self._regraded(distinct(changes.item, len(self._counts)))

    def fold(self, counts: Ints) -> Ints:
        """Take in what many changes came to, (items, grades), and return the queries that they move.

        Parameters
        ----------
        counts
            integers (items, grades): what is added to the ratings held so far.
        """
        self._counts += counts
        return self._regraded(np.flatnonzero(counts.any(axis=1)))

    def decide(self, items: Ints, columns: Ints) -> Ints:
        """Let an adjudicator decide some items alone (column -1: no more); return the queries moved.

        Parameters
        ----------
        items
            integers, each once.
        columns
            integers (items,): the grade chosen for each.
        """
        self._decided[items] = columns
        return self._regraded(np.unique(items))

    def pool(self, pooled: Flags) -> Ints:
        """Change the pool: bool (items,). Return the queries it touched, ascending.

        Parameters
        ----------
        pooled
            bool (items,): the whole new pool.
        """
        items = np.flatnonzero(pooled != self._pooled)
        judged = self._judged[items]
        self._count_levels(items, self.gain[items], judged, -1)
        self._pooled = pooled
        self._count_levels(items, self.gain[items], judged, 1)
        self._reopen(items)
        return self._with_new_ideals(items)

    def means(self) -> list[float | None]:
        """Return the mean of every run over the scored queries it covers, exactly summed."""
        covered = self.stage.covered
        return means_of(self.values, self.scored if covered is None else self.scored & covered)

    def bounds(self, queries: Ints) -> tuple[Floats, Floats]:
        """Return the exact bounds of some queries: two float64 arrays (runs, queries asked for).

        Parameters
        ----------
        queries
            integers: which.
        """
        table = query_table(
            self._level_counts[queries],
            self._levels,
            self._open_counts[queries],
            self._discounts,
            self.stage.ruler.largest_gain,
        )
        rows = np.arange(len(queries))
        positions = np.ascontiguousarray(self.stage.lists.positions[: self.stage.cutoff, :, queries])
        return run_bounds(Block(positions, self.gain, self._open, rows, table, self._discounts))

    @property
    def _openable(self) -> Flags:
        """Which items could earn a gain if they were judged."""
        complete = self.stage.ruler.unjudged == "complete"
        return np.zeros_like(self._pooled) if complete else self._pooled

    def _rows_of(self, runs: Sequence[int]) -> list[int] | slice:
        """Return what takes some runs out of an array; where they are all, nothing is copied."""
        return slice(None) if [*runs] == [*range(len(self._stale))] else [*runs]

    def _regraded(self, items: Ints) -> Ints:
        """Form the consensus of some items again, and return the queries of those for which it is another."""
        consensus = consensus_of(self._counts[items], self.stage.rule, self._decided[items])
        gain, judged = consensus.values(self.stage.ruler.gains()), consensus.judged
        moved = (gain != self.gain[items]) | (judged != self._judged[items])
        items, gain, judged = items[moved], gain[moved], judged[moved]
        self._count_levels(items, self.gain[items], self._judged[items], -1)
        self._count_levels(items, gain, judged, 1)
        self._count_seen(items, judged)
        self.gain[items], self._judged[items] = gain, judged
        self._stale.reshape(-1)[self._holders.of(items)] = True
        self._reopen(items)
        return self._with_new_ideals(items)

    def _reopen(self, items: Ints) -> None:
        """Count again which of some items are unjudged and could earn a gain."""
        opened = self._openable[items] & ~self._judged[items]
        change = opened.astype(np.int64) - self._open[items]
        np.add.at(self._open_counts, self.stage.query[items], change)
        self._open[items] = opened

    def _count_seen(self, items: Ints, judged: Flags) -> None:
        """Count in or out what lists hold of the items that are judged now, or are judged no more."""
        was, seen = self._judged[items], self._seen.reshape(-1)
        np.add.at(seen, self._holders.of(items[judged & ~was]), np.int32(1))
        np.add.at(seen, self._holders.of(items[was & ~judged]), np.int32(-1))

    def _count_levels(self, items: Ints, gain: Floats, judged: Flags, sign: int) -> None:
        """Count judged items in or out at the level of their gain."""
        kept = judged & self._pooled[items] if self.stage.ruler.ideal == "pool" else judged
        level = self._levels_of(gain[kept])
        # In place: one judgment must not cost a look at all queries.
        places = self.stage.query[items][kept] * np.int64(self._level_counts.shape[1]) + level
        np.add.at(self._level_counts.reshape(-1), places, sign)

    def _levels_of(self, gain: Floats) -> Ints:
        """Return the number of each gain among the levels; gains that are new become levels."""
        level = np.searchsorted(self._levels, gain)
        fresh = np.append(self._levels, np.nan).take(level) != gain
        if not fresh.any():
            return level
        added = np.unique(gain[fresh])
        places = np.searchsorted(self._levels, added)
        self._levels = np.insert(self._levels, places, added)
        self._level_counts = np.ascontiguousarray(np.insert(self._level_counts, places, 0, axis=1))
        return np.searchsorted(self._levels, gain)

    def _with_new_ideals(self, items: Ints) -> Ints:
        """Form the ideals of the queries of some items again, and return these queries, ascending."""
        queries = distinct(self.stage.query[items], len(self._ideal))
        self._ideal[queries] = ideal_dcg(self._level_counts[queries], self._levels, self._discounts)
        return queries
