"""What a comparison of two runs rests on: their scores, and what the unjudged documents could still do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.bounds import Bounds, ndcg_bounds, pair_bounds
from app.scoring.evaluate import evaluate
from app.scoring.lists import Lists, weights_of_items
from app.scoring.means import mean_of
from app.scoring.measures import parse_measure
from app.scoring.priority import Candidates
from app.scoring.priority_estimate import estimated_gains, ndcg_table
from app.services.file_scores.choices import reach_of

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Floats, Ints
    from app.scoring.judged import Judged
    from app.scoring.measures import Asked
    from app.services.file_scores.collection import Collection
    from app.services.file_scores.table import Table


@dataclass(frozen=True)
class Measured:
    """Two runs by one measure.

    Attributes
    ----------
    label
        The measure.
    cutoff
        The rank it reads down to, also where that is below the end of the longest list: ideal lists may
        be longer. None where it reads whole lists; it is not bounded then.
    pair
        The rows of both runs.
    queries
        bool (queries,): those that count for both.
    scores
        float64 (2, those queries).
    lists
        Of both, down to the cutoff; where there is none, as deep as other measures need them.
    judged
        With the union of all runs' lists down to the cutoff, or of their whole lists, as the pool.
    weight_judged
        The mean share of the discounts of what each of both returned, as far down, that is judged.
    popularity
        integers (items,): how many of all runs return each.
    decisive
        bool (queries,): those that count for both or could still do so.
    bounded
        Whether the exact bounds of the difference are known: for nDCG@k with unjudged documents as 0.
    """

    label: str
    cutoff: int | None
    pair: tuple[int, int]
    queries: Flags
    scores: Floats
    lists: Lists
    judged: Judged
    weight_judged: tuple[float, float]
    popularity: Ints
    decisive: Flags
    bounded: bool

    @property
    def differences(self) -> Floats:
        """The score of the second run minus that of the first: float64 (queries that count,)."""
        return np.asarray(self.scores[1] - self.scores[0])

    @property
    def open_documents(self) -> int:
        """The unjudged documents of the pool in decisive queries."""
        return int(self.judged.open_counts[self.decisive].sum())

    @cached_property
    def widths(self) -> tuple[float, float]:
        """The mean width of the bounds of both scores; 0 where they are not known."""
        if not self.bounded or self.cutoff is None:
            return 0.0, 0.0
        found = ndcg_bounds(self.lists, self.judged, self.cutoff)
        first, second = (mean_of(row[self.queries]) or 0.0 for row in found.high - found.low)
        return first, second

    @cached_property
    def _bounds(self) -> Bounds | None:
        if not self.bounded or self.cutoff is None:
            return None
        return pair_bounds(self.lists, self.judged, self.cutoff, np.array([0]), np.array([1]))

    @property
    def mean_bounds(self) -> tuple[float, float] | None:
        """The mean of the exact bounds of the difference."""
        return self._bounds.means(self.queries)[0] if self._bounds else None

    @property
    def certificate(self) -> tuple[float, float] | None:
        """The sums of the lower and of the upper bounds over all decisive queries."""
        if self._bounds is None:
            return None
        low, high = (math.fsum(side[0, self.decisive]) for side in (self._bounds.low, self._bounds.high))
        return low, high

    @property
    def expected(self) -> float | None:
        """The mean difference with an estimate for every unjudged document; None where there is none.

        With nothing unjudged there is nothing to estimate: it is the difference itself, by any measure.
        """
        if not self.judged.open.any():
            return mean_of(self.differences)
        if not self.bounded or self.cutoff is None or self.judged.ruler.ideal != "judged":
            return None
        # The estimate wants its items query by query.
        order = np.argsort(self.judged.query, kind="stable")
        discounts = self.judged.ruler.discounts(self.cutoff)
        candidates = Candidates(
            query=self.judged.query[order],
            weights=weights_of_items(self.lists, discounts.weights, self.judged.absent + 2)[:, order],
            pooled=self.judged.pooled[order],
            current=np.ones(2, dtype=np.bool_),
            popularity=self.popularity[order],
        )
        known = np.where(self.judged.judged, self.judged.gain[: self.judged.absent], np.nan)[order]
        gains = estimated_gains(candidates, known, self.judged.ruler.largest_gain)
        first, second = ndcg_table(candidates, gains, discounts, self.judged.queries)[:, self.queries]
        return mean_of(second - first)


def measured_of(table: Table, asked: Asked, pair: tuple[int, int]) -> Measured:
    """Return two rows of the table by one measure."""
    collection = table.collection
    cutoff = reach_of(asked, collection.ruler.ideal)
    top = table.top if cutoff is None else table.top.cut(cutoff)
    judged = collection.judged_with_all_returned() if cutoff is None else collection.judged(top)
    both = list(pair)
    queries = np.asarray(table.counted[both].all(axis=0))
    covered = table.listed[both].all(axis=0) if judged.ruler.trec else True
    return Measured(
        label=asked.label,
        cutoff=cutoff,
        pair=pair,
        queries=queries,
        scores=table.values[asked.label][both][:, queries],
        lists=Lists(np.ascontiguousarray(top.positions[:, both]), top.lengths[both]),
        judged=judged,
        weight_judged=_weight_judged(collection, judged, cutoff, both, queries),
        popularity=np.bincount(top.positions.ravel(), minlength=judged.absent + 1)[: judged.absent],
        decisive=np.asarray(queries | (covered & judged.undecided)),
        bounded=asked.label in table.bounds,
    )


def _weight_judged(
    collection: Collection, judged: Judged, cutoff: int | None, pair: list[int], queries: Flags
) -> tuple[float, float]:
    """Return the mean weight-judged of two runs down to a cutoff, or over whole lists."""
    deepest = int(collection.lengths.max(initial=1)) if cutoff is None else cutoff
    name = f"weight-judged@{max(deepest, 1)}"
    values = np.ones(collection.lengths.shape)
    for part, lists in collection.parts(cutoff):
        values[:, part] = evaluate([parse_measure(name)], lists, judged, part)[name]
    first, second = (mean_of(values[row, queries]) for row in pair)
    return 1.0 if first is None else first, 1.0 if second is None else second
