"""What a comparison of two runs rests on: their scores, and what the unjudged documents could still do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.bounds import Bounds, ndcg_bounds, pair_bounds
from app.scoring.evaluate import evaluate
from app.scoring.lists import Lists
from app.scoring.means import mean_of
from app.scoring.measures import parse_measure
from app.scoring.seeds import seed_of
from app.services.file_scores.choices import reach_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags, Floats, Ints
    from app.scoring.judged import Judged
    from app.scoring.measures import Asked
    from app.services.file_scores.collection import Collection
    from app.services.file_scores.table import Table


@dataclass(frozen=True)
class Shares:
    """How much is judged of what two runs returned.

    Attributes
    ----------
    plain, weighed
        The mean share of the documents, and of their discounts, of each run.
    closed
        bool (queries,): those where neither returned an unjudged document.
    """

    plain: tuple[float, float]
    weighed: tuple[float, float]
    closed: Flags


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
    shares
        How much of what both returned, as far down, is judged.
    judged_about
        bool (queries,): those of the qrels that both cover.
    drawn
        integers (queries,): all queries in an order that a hash of their ids gives.
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
    shares: Shares
    judged_about: Flags
    drawn: Ints
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

    @property
    def finished(self) -> bool:
        """Whether all that both returned is judged, in the queries that the qrels are about."""
        return not (self.judged_about & ~self.shares.closed).any()

    @property
    def sampled(self) -> Flags:
        """The queries that a verdict is read from, of those that count: bool (queries that count,).

        They come before the first one of which something is unjudged, in the drawn order: whatever runs have
        found already, its beginning is a random sample.
        """
        waiting = (self.judged_about & ~self.shares.closed)[self.drawn]
        before = np.zeros(len(self.drawn), dtype=np.bool_)
        before[self.drawn[: int(waiting.argmax()) if waiting.any() else len(waiting)]] = True
        return before[self.queries]

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
        shares=_shares_of(collection, judged, cutoff, both, queries),
        judged_about=np.asarray(covered & collection.in_qrels),
        drawn=_drawn(collection.query_ids),
        decisive=np.asarray(queries | (covered & judged.undecided)),
        bounded=asked.label in table.bounds,
    )


def _drawn(query_ids: Sequence[str]) -> Ints:
    """Return the places of all queries by a hash of their ids."""
    keys = [seed_of(one) for one in query_ids]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)


def _shares_of(
    collection: Collection, judged: Judged, cutoff: int | None, pair: list[int], queries: Flags
) -> Shares:
    """Return how much is judged of what two runs return down to a cutoff, or of their whole lists."""
    deepest = max(int(collection.lengths.max(initial=1)) if cutoff is None else cutoff, 1)
    names = [f"{name}@{deepest}" for name in ("judged", "weight-judged")]
    values = {name: np.ones(collection.lengths.shape) for name in names}
    for part, lists in collection.parts(cutoff):
        found = evaluate([parse_measure(name) for name in names], lists, judged, part)
        for name in names:
            values[name][:, part] = found[name]
    plain, weighed = (values[name][pair] for name in names)
    closed = ((plain == 1.0) | (collection.lengths[pair] == 0)).all(axis=0)
    means = [mean_of(row[queries]) for values in (plain, weighed) for row in values]
    first, second, *weights = [1.0 if mean is None else mean for mean in means]
    return Shares((first, second), (weights[0], weights[1]), closed)
