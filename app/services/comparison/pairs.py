"""The verdict on a pair of runs: data for pages, commands and gates, never a string."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.means import mean_of
from app.scoring.verdict import verdict_of
from app.services.comparison.kept_bounds import pair_bounds_of
from app.services.comparison.looks import held_looks, looks_under

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags, Floats
    from app.scoring.verdict import Verdict
    from app.services.comparison.basis import Basis
    from app.services.comparison.looks import HeldLook
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
    bounds = pair_bounds_of(basis, pairs) if basis.bounded and pairs else None
    taken = looks_under(basis.evidence, basis.board.ruler)
    return [
        _verdict(
            basis,
            pair,
            state,
            _comparison_set(basis, *pair, queries),
            looks=tuple(held_looks(basis, taken, *pair)),
            bounds=None if bounds is None else (bounds.low[number], bounds.high[number]),
        )
        for number, pair in enumerate(pairs)
    ]


def differences_of(basis: Basis, first: int, second: int, queries: Flags | None = None) -> Floats:
    """Return d on every query of the comparison set, in the order of the evidence: float64 (n,)."""
    chosen = _comparison_set(basis, first, second, queries)
    return np.asarray(basis.values[first, chosen] - basis.values[second, chosen])


def _comparison_set(basis: Basis, first: int, second: int, queries: Flags | None) -> Flags:
    counted = basis.board.counted
    return queries if queries is not None else np.asarray(counted[first] & counted[second])


def _verdict(
    basis: Basis,
    rows: tuple[int, int],
    state: PlanState | None,
    chosen: Flags,
    *,
    looks: tuple[HeldLook, ...],
    bounds: tuple[Floats, Floats] | None,
) -> PairVerdict:
    first, second = rows
    runs = basis.board.runs
    decisive = np.asarray(basis.covered[first] & basis.covered[second] & basis.possible)
    open_items = int(basis.board.judged.open_counts[decisive].sum())
    planned = state is not None and state.plan.compares(runs[first].run.id, runs[second].run.id)
    verdict = verdict_of(
        differences_of(basis, first, second, chosen),
        expected=_expected(basis, rows, chosen),
        certificate=None if bounds is None else _sums(bounds, decisive),
        unjudged=open_items,
        looks=[held.look for held in looks],
        walked=state.walk.n if state is not None and planned else int(chosen.sum()),
        provisional=basis.provisional[first] or basis.provisional[second],
        complete=basis.complete,
    )
    return PairVerdict(
        rows=rows,
        first=runs[first].run,
        second=runs[second].run,
        verdict=verdict,
        queries=chosen,
        bounds=None if bounds is None else _means(bounds, chosen),
        open_items=open_items,
        looks=looks,
        planned=planned,
    )


def _expected(basis: Basis, rows: tuple[int, int], chosen: Flags) -> float | None:
    if basis.expected is None:
        return None
    return mean_of(basis.expected[rows[0], chosen] - basis.expected[rows[1], chosen])


def _sums(bounds: tuple[Floats, Floats], queries: Flags) -> tuple[float, float]:
    low, high = (math.fsum(side[queries].tolist()) for side in bounds)
    return low, high


def _means(bounds: tuple[Floats, Floats], queries: Flags) -> tuple[float, float] | None:
    low, high = (mean_of(side[queries]) for side in bounds)
    return None if low is None or high is None else (low, high)
