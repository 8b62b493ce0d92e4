"""The verdict on a pair of runs: data for pages, commands and gates, never a string."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.verdict import samples_of, verdicts_of
from app.services.comparison.families import Family, final_tests, single_tests
from app.services.comparison.missing import Missing, missing_of
from app.services.comparison.pair_sums import bound_sums
from app.services.comparison.samples import queries_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags, Floats
    from app.scoring.verdict import Verdict
    from app.services.comparison.basis import Basis
    from app.services.evidence.structure import RunFact


@dataclass(frozen=True)
class PairVerdict:
    """What may be said about two runs; d = score of `first` minus score of `second`.

    Attributes
    ----------
    rows
        Of the basis: first and second.
    verdict
        The word, who is better (1: `first`, -1: `second`, 0: nobody is named), and its numbers.
    queries
        bool (queries,): the comparison set.
    bounds
        The mean of the exact pair bounds over it; None where nothing can be bounded.
    kept
        Who stays ahead however the missing ratings turn out: 1, -1, or 0 for nobody, or where nothing is
        missing.
    missing
        The unrated answers in the top k of both.
    provisional, complete
        Whether either score is provisional; whether grades are declared complete.
    """

    rows: tuple[int, int]
    first: RunFact
    second: RunFact
    verdict: Verdict
    queries: Flags = field(repr=False)
    bounds: tuple[float, float] | None
    kept: int
    missing: Missing
    provisional: bool
    complete: bool

    @property
    def n(self) -> int:
        """The number of queries in the comparison set."""
        return self.verdict.interval.n

    @property
    def mean(self) -> float | None:
        """The mean difference, None without a query."""
        return self.verdict.interval.mean

    def turned(self) -> PairVerdict:
        """Return the same pair with its two runs exchanged."""
        bounds = None if self.bounds is None else (-self.bounds[1], -self.bounds[0])
        return replace(
            self,
            rows=(self.rows[1], self.rows[0]),
            first=self.second,
            second=self.first,
            verdict=self.verdict.turned(),
            bounds=bounds,
            kept=-self.kept,
        )


def pair_verdicts(
    basis: Basis, pairs: Sequence[tuple[int, int]], family: Family | None = None
) -> list[PairVerdict]:
    """Return the verdict on each pair of rows.

    Parameters
    ----------
    pairs
        (first, second) rows of the basis.
    family
        The pairs that are asked about together, these among them; by default each pair is asked about alone.
    """
    if not pairs:
        return []
    first, second = np.array(pairs).T
    queries = queries_of(basis, pairs)
    final = single_tests(basis, pairs) if family is None else final_tests(basis, family)
    bounds = bound_sums(basis, pairs, queries.compared)
    missing = missing_of(basis, pairs)
    differences = basis.values[first] - basis.values[second]
    verdicts = verdicts_of(
        differences,
        queries.compared,
        samples_of(differences, queries.sampled, queries.finished.tolist()),
        family=1 if family is None else len(family),
        final=[final.get(pair) for pair in pairs],
    )
    return [
        PairVerdict(
            rows=(a, b),
            first=basis.board.runs[a].run,
            second=basis.board.runs[b].run,
            verdict=verdict,
            queries=queries.compared[number],
            bounds=bounds.means[number],
            kept=bounds.kept[number],
            missing=missing[number],
            provisional=basis.provisional[a] or basis.provisional[b],
            complete=basis.complete,
        )
        for number, ((a, b), verdict) in enumerate(zip(pairs, verdicts, strict=True))
    ]


def differences_of(basis: Basis, pair: PairVerdict) -> Floats:
    """Return d on every query of the comparison set, in the order of the evidence: float64 (n,)."""
    first, second = pair.rows
    return np.asarray(basis.values[first, pair.queries] - basis.values[second, pair.queries])
