"""The verdict on a pair of runs: data for pages, commands and gates, never a string."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.verdict import verdict_from
from app.services.comparison.looks import held_looks, looks_under
from app.services.comparison.pair_sums import sums_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags, Floats
    from app.scoring.verdict import Verdict
    from app.services.comparison.basis import Basis
    from app.services.comparison.looks import HeldLook
    from app.services.comparison.pair_sums import PairSums
    from app.services.comparison.walking import PlanState
    from app.services.evidence.structure import RunFact


@dataclass(frozen=True)
class PairVerdict:
    """What may be said about two runs; d = score of `first` minus score of `second`.

    Attributes
    ----------
    rows
        Of the basis: first and second.
    verdict
        The word, who is ahead (1: `first`, -1: `second`, 0: nobody is named), and its numbers.
    queries
        bool (queries,): the comparison set.
    bounds
        The mean of the exact pair bounds over it; None where nothing can be bounded.
    open_items
        The unjudged items of the queries that the certificate reads.
    looks
        Every look at the pair under the present ruler.
    planned
        Whether the present plan compares the two.
    """

    rows: tuple[int, int]
    first: RunFact
    second: RunFact
    verdict: Verdict
    queries: Flags = field(repr=False)
    bounds: tuple[float, float] | None
    open_items: int
    looks: tuple[HeldLook, ...]
    planned: bool

    @property
    def n(self) -> int:
        """The number of queries in the comparison set."""
        return self.verdict.interval.n

    @property
    def mean(self) -> float | None:
        """The mean difference, None without a query."""
        return self.verdict.interval.mean

    @property
    def held(self) -> HeldLook | None:
        """The look that made the verdict sure."""
        return next((held for held in reversed(self.looks) if held.look is self.verdict.look), None)


def pair_verdicts(
    basis: Basis,
    pairs: Sequence[tuple[int, int]],
    *,
    state: PlanState | None = None,
    queries: Flags | None = None,
) -> list[PairVerdict]:
    """Return the verdict on each pair of rows.

    Parameters
    ----------
    pairs
        (first, second) rows of the basis.
    state
        The present plan.
    queries
        bool (queries,): the comparison set; by default the scored queries that both cover.
    """
    if not pairs:
        return []
    taken = looks_under(basis.evidence, basis.board.ruler)
    sums = sums_of(basis, pairs, queries)
    return [
        _verdict(basis, pair, state, sums, number, looks=tuple(held_looks(basis, taken, *pair)))
        for number, pair in enumerate(pairs)
    ]


def differences_of(basis: Basis, first: int, second: int, queries: Flags | None = None) -> Floats:
    """Return d on every query of the comparison set, in the order of the evidence: float64 (n,)."""
    counted = basis.board.counted
    chosen = queries if queries is not None else counted[first] & counted[second]
    return np.asarray(basis.values[first, chosen] - basis.values[second, chosen])


def _verdict(
    basis: Basis,
    rows: tuple[int, int],
    state: PlanState | None,
    sums: PairSums,
    number: int,
    *,
    looks: tuple[HeldLook, ...],
) -> PairVerdict:
    first, second = rows
    runs = basis.board.runs
    planned = state is not None and state.plan.compares(runs[first].run.id, runs[second].run.id)
    interval = sums.intervals[number]
    verdict = verdict_from(
        interval,
        sums.deviations[number],
        expected=sums.expected[number],
        certificate=sums.certificates[number],
        unjudged=sums.open_items[number],
        looks=[held.look for held in looks],
        walked=state.walk.n if state is not None and planned else interval.n,
        provisional=basis.provisional[first] or basis.provisional[second],
        complete=basis.complete,
    )
    return PairVerdict(
        rows=rows,
        first=runs[first].run,
        second=runs[second].run,
        verdict=verdict,
        queries=sums.chosen[number],
        bounds=sums.bounds[number],
        open_items=sums.open_items[number],
        looks=looks,
        planned=planned,
    )
