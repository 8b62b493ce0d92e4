"""All runs and judgments as the engine's arrays.

The lists of a part stand side by side, as deep as its longest. So that one list of a hundred thousand
documents does not make every other as deep, queries are parted where that would take much memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.scoring.consensus import from_grades
from app.scoring.judged import judged_of
from app.scoring.lists import Lists
from app.services.file_scores.joining import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.scoring.arrays import Flags, Ints
    from app.scoring.judged import Judged
    from app.services.file_scores.ranked import RankedRun
    from app.services.file_scores.reading import ReadFiles

ROOMY = 1 << 22
WASTE = 4


class Collection:
    """The runs and judgments of all files over the same queries and items.

    Attributes
    ----------
    query_ids
        All query ids, in the order of their bytes.
    lengths
        int64 (runs, queries): documents returned.
    in_qrels
        bool (queries,): the qrels have a line of the query.
    ruler
        Under which all is scored.
    """

    def __init__(self, files: ReadFiles) -> None:
        self.ruler = files.ruler
        self.query_ids = sorted(files.queries)
        row = np.empty(len(self.query_ids), dtype=np.int64)
        row[[files.queries[one] for one in self.query_ids]] = np.arange(len(self.query_ids))
        self.in_qrels = np.zeros(len(self.query_ids), dtype=np.bool_)
        self.in_qrels[row[files.query]] = True
        self._rows = [row[run.query] for run in files.runs]
        self._own_lengths = [run.lengths for run in files.runs]
        self.lengths = np.zeros((len(files.runs), len(self.query_ids)), dtype=np.int64)
        for number, run in enumerate(files.runs):
            self.lengths[number, self._rows[number]] = run.lengths
        self._lines = len(files.query)
        query, self._items = _with_pool_items(files.runs, self._lines)
        self._query = row[np.append(files.query, query)]
        # Those without a grade stand below the scale.
        grade = np.append(files.grade, np.full(len(query), self.ruler.lowest - 1))
        self._consensus = from_grades(grade - self.ruler.lowest)

    def judged(self, top: Lists) -> Judged:
        """Return what is known about every item, the pool being the union of these lists."""
        pooled = np.zeros(len(self._query) + 1, dtype=np.bool_)
        for ranked in top.positions:
            pooled[ranked] = True
        return self._judged(pooled[:-1])

    def judged_with_all_returned(self) -> Judged:
        """Return the same with every document of every run in the pool; those read from files, that is."""
        pooled = np.zeros(len(self._query), dtype=np.bool_)
        for item in self._items:
            pooled[item[item >= 0]] = True
        return self._judged(pooled)

    def judged_as_trec_eval(self) -> Judged:
        """Return the same with the lines of the qrels as the pool: a negative grade means not judged."""
        return self._judged(np.arange(len(self._query)) < self._lines)

    def lists(self, depth: int, queries: Ints | None = None) -> Lists:
        """Return the lists of all queries, or of some, cut at a depth."""
        chosen = np.arange(len(self.query_ids)) if queries is None else queries
        column = np.full(len(self.query_ids), -1, dtype=np.int64)
        column[chosen] = np.arange(len(chosen))
        positions = np.full((depth, len(self._items), len(chosen)), len(self._query), dtype=np.intp)
        for number, item in enumerate(self._items):
            self._place(positions[:, number], number, item, column)
        return Lists(positions, self.lengths[:, chosen])

    def parts(self, depth: int | None) -> Iterator[tuple[Ints, Lists]]:
        """Yield all queries, at once or in parts, with their lists down to a depth or whole."""
        longest = self.lengths.max(axis=0, initial=0)
        wanted = longest if depth is None else np.minimum(longest, depth)
        for queries in _of_like_length(wanted, len(self._items)):
            yield queries, self.lists(int(wanted[queries].max(initial=0)), queries)

    def _judged(self, pooled: Flags) -> Judged:
        number = len(self.query_ids)
        return judged_of(self._consensus, self._query, self.ruler, queries=number, pooled=pooled)

    def _place(self, positions: Ints, run: int, item: Ints, column: Ints) -> None:
        """Put the items of one run where they stand: positions (depth, queries), filled with ``absent``."""
        lengths = self._own_lengths[run]
        first = np.cumsum(lengths) - lengths
        # Most lines are neither judged nor pooled: what follows is for the others.
        there = np.flatnonzero(item >= 0)
        mine = np.searchsorted(first, there, side="right") - 1
        rank, chosen = there - first.take(mine), column[self._rows[run]].take(mine)
        kept = np.flatnonzero((rank < len(positions)) & (chosen >= 0))
        positions[rank.take(kept), chosen.take(kept)] = item.take(there.take(kept))


def _with_pool_items(runs: list[RankedRun], first: int) -> tuple[Ints, list[Ints]]:
    """Return the query number of each unjudged pool item, and the items of every run with them in place.

    Parameters
    ----------
    first
        The number of the first such item: the judged ones stand before.
    """
    number, query = numbered([run.unjudged.keys for run in runs], [run.unjudged.documents for run in runs])
    numbers = np.split(number + first, np.cumsum([len(run.unjudged.lines) for run in runs])[:-1])
    items = []
    for run, mine in zip(runs, numbers, strict=True):
        item = run.item.copy()
        item[run.unjudged.lines] = mine
        items.append(item)
    return query, items


def _of_like_length(lengths: Ints, runs: int) -> list[Ints]:
    """Return the queries in parts: all in one where that takes little memory, else by length."""
    cells = int(lengths.max(initial=0)) * len(lengths)
    if cells * runs <= ROOMY or cells <= WASTE * int(lengths.sum()):
        return [np.arange(len(lengths))]
    # Each part is at most twice as deep as its shortest list.
    size = np.frexp(lengths)[1]
    return [np.flatnonzero(size == one) for one in np.unique(size)]
