"""The ledger folded to one revision after the other: what was scored, kept up instead of scored again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.ledger import Changes
from app.scoring.live import Live
from app.scoring.replay import Stage
from app.services.evidence.state import counts_under
from app.services.rulers import scoring_ruler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.scoring.arrays import Flags, Floats, Ints
    from app.services.evidence import Evidence
    from app.services.rulers import RulerValues


@dataclass(frozen=True)
class Fold:
    """Scores of some runs at one revision; the arrays are good until the next fold is asked for.

    Attributes
    ----------
    values, judged
        float64 (runs, queries): nDCG@k, NaN where a query has no score, and judged@k.
    scored
        bool (queries,): whether active or not.
    low, high
        float64 (runs, queries): the exact bounds, where they were asked for.
    """

    revision: int
    ruler: RulerValues
    values: Floats
    judged: Floats
    scored: Flags
    low: Floats | None = None
    high: Floats | None = None


def folds(
    evidence: Evidence, runs: Sequence[int], revisions: Sequence[int], *, bounded: bool = False
) -> Iterator[Fold]:
    """Return the scores of some runs at ascending revisions, each under the ruler of its moment.

    They have the bits of `score_runs` at the same revision.
    """
    keeper: _Keeper | None = None
    for revision in revisions:
        ruler = evidence.ruler_at(revision)
        if ruler.ideal == "returned":
            # An ideal over each list itself is for worked examples; it has no history.
            yield _nothing(evidence, runs, ruler, revision)
            continue
        then = evidence.at(revision)
        if keeper is None or keeper.ruler != ruler or keeper.evidence is not then:
            keeper = _Keeper(then, runs, ruler, revision, bounded=bounded)
        else:
            keeper.move_to(revision)
        yield keeper.fold(revision)


class _Keeper:
    """Keeps the scores of some runs under one ruler, and under the same merges, up with the ledger."""

    def __init__(
        self, evidence: Evidence, runs: Sequence[int], ruler: RulerValues, revision: int, *, bounded: bool
    ) -> None:
        self.evidence, self.ruler = evidence, ruler
        # Without bounds the pool matters only to an ideal over it.
        self._bounded, self._pools = bounded, bounded or ruler.ideal == "pool"
        self._pool_of = self._pool_at(revision)
        self._changes = evidence.changes(only_blind=ruler.only_blind, machines=ruler.machines)
        self._decisions = evidence.decisions(only_blind=ruler.only_blind)
        self._live = Live(self._stage(runs, revision), len(evidence.structure.query_id))
        self._low, self._high = np.zeros_like(self._live.values), np.zeros_like(self._live.values)
        self._at = self._changes.until(revision)
        self._decided = 0
        self._live.fold(counts_under(evidence, ruler, revision))
        self._decide(revision)
        if bounded:
            self._bound(np.arange(len(evidence.structure.query_id)))

    def move_to(self, revision: int) -> None:
        """Take in what happened up to a later revision."""
        until = self._changes.until(revision)
        here = slice(self._at, until)
        changes = Changes(self._changes.cell[here], self._changes.old[here], self._changes.new[here])
        touched = [self._live.apply(changes), self._decide(revision)]
        self._at = until
        if self._pools and (pool := self._pool_at(revision)) != self._pool_of:
            self._pool_of = pool
            touched.append(self._live.pool(self.evidence.pooled(revision)))
        if self._bounded:
            self._bound(np.unique(np.concatenate(touched)))

    def fold(self, revision: int) -> Fold:
        """Return the scores as they are now."""
        live = self._live
        low, high = (self._low, self._high) if self._bounded else (None, None)
        return Fold(revision, self.ruler, live.values, live.judged_shares, live.scored, low, high)

    def _stage(self, runs: Sequence[int], revision: int) -> Stage:
        return Stage(
            lists=self.evidence.lists(runs, self.ruler.k),
            query=self.evidence.structure.query,
            ruler=scoring_ruler(self.ruler),
            cutoff=self.ruler.k,
            rule=self.ruler.consensus,  # type: ignore[arg-type]
            pooled=self.evidence.pooled(revision) if self._pools else None,
        )

    def _pool_at(self, revision: int) -> tuple[int, tuple[int, ...]] | None:
        """Return what the pool of a moment is made of."""
        if not self._pools:
            return None
        return self.evidence.depth_at(revision), tuple(self.evidence.active_runs(revision))

    def _decide(self, revision: int) -> Ints:
        """Take in the adjudications up to a revision, and return the queries they touched."""
        until = int(np.searchsorted(self._decisions.revision, revision, side="right"))
        here = slice(self._decided, until)
        self._decided = until
        cells: Ints = self._decisions.cell[here]
        return self._live.decide(cells, self._decisions.column[here]) if len(cells) else cells

    def _bound(self, queries: Ints) -> None:
        if len(queries):
            self._low[:, queries], self._high[:, queries] = self._live.bounds(queries)


def _nothing(evidence: Evidence, runs: Sequence[int], ruler: RulerValues, revision: int) -> Fold:
    none = np.full((len(runs), len(evidence.structure.query_id)), np.nan)
    return Fold(revision, ruler, none, none, np.zeros(none.shape[1], dtype=np.bool_))
