"""The paired verdict on two runs: the test, the exact bounds of their difference, and the word.

The files are looked at once, so the one look spends the whole 5%. Several comparisons share it (Holm).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.holm import holm
from app.scoring.intervals import mean_and_deviation, mean_interval
from app.scoring.means import mean_of
from app.scoring.milestones import alpha_of
from app.scoring.seeds import seed_of
from app.scoring.significance import SAME, compare_rankers, unit_of
from app.scoring.verdict import LEAST_QUERIES, PairLook, is_provisional, verdict_of
from app.services.file_scores.choices import compared_of
from app.services.file_scores.measured import Measured, measured_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.measures import Asked
    from app.scoring.significance import PairTests
    from app.scoring.verdict import Verdict
    from app.services.file_scores.table import Table

UNBOUNDED = (-1.0, 1.0)
"""What is known of a difference that nothing bounds: unjudged documents could turn it either way."""


@dataclass(frozen=True)
class Comparison:
    """What may be said about two runs; d = score of `second` minus score of `first`, query by query.

    Attributes
    ----------
    first, second
        Rows of the table.
    measure
        Compared: the first nDCG@k asked for, else the first measure.
    means
        Of both, over the queries that count for both.
    verdict
        The word, who is ahead (1: `second`, -1: `first`), and its numbers.
    p, adjusted
        Of the paired sign-flip test, alone and for all comparisons together; None without a query.
    resamples, exact
        The patterns of signs compared, and whether these are all.
    wins, ties, losses
        Queries on which `second` scores higher, the same, lower.
    bounds
        The mean of the exact bounds of d; None where nothing bounds it.
    open_documents
        Unjudged documents of the pool that could still matter.
    """

    first: int
    second: int
    measure: str
    means: tuple[float | None, float | None]
    verdict: Verdict
    p: float | None
    adjusted: float | None
    resamples: int
    exact: bool
    wins: int
    ties: int
    losses: int
    bounds: tuple[float, float] | None
    open_documents: int

    @property
    def certified(self) -> int:
        """Whose lead no unjudged document can reverse, also where there is none: 1, -1, or 0 for nobody's."""
        low, high = self.verdict.certificate or UNBOUNDED
        return int(low > SAME) - int(high < -SAME)

    @property
    def settled(self) -> int:
        """The same where the word may be said: something is unjudged, and there are queries enough."""
        enough = self.verdict.interval.n >= LEAST_QUERIES
        return self.certified if enough and self.open_documents else 0


def compare_runs(table: Table, asked: Sequence[Asked], pairs: Sequence[tuple[int, int]]) -> list[Comparison]:
    """Return the verdict on each pair of rows."""
    chosen = compared_of(asked)
    used = [measured_of(table, chosen, pair) for pair in pairs]
    tests = [_test(table, one) for one in used]
    alone = np.array([1.0 if test is None else test.raw[0] for test in tests])
    return [
        _comparison(one, test, float(adjusted))
        for one, test, adjusted in zip(used, tests, holm(alone), strict=True)
    ]


def _test(table: Table, used: Measured) -> PairTests | None:
    """Return the sign-flip test, the same for the same files in either order."""
    if not used.differences.size:
        return None
    names = sorted(table.names[row] for row in used.pair)
    seed = seed_of(*map(str, asdict(table.judged.ruler).values()), used.label, *names, len(used.differences))
    return compare_rankers(used.scores, seed=seed)


def _comparison(used: Measured, test: PairTests | None, adjusted: float) -> Comparison:
    difference = used.differences
    first, second = used.pair
    same = SAME * unit_of(used.scores)
    return Comparison(
        first=first,
        second=second,
        measure=used.label,
        means=(mean_of(used.scores[0]), mean_of(used.scores[1])),
        verdict=_verdict(used, test, adjusted),
        p=None if test is None else float(test.raw[0]),
        adjusted=None if test is None else adjusted,
        resamples=0 if test is None else test.resamples,
        exact=test is not None and test.exact,
        wins=int((difference > same).sum()),
        ties=int((np.abs(difference) <= same).sum()),
        losses=int((difference < -same).sum()),
        bounds=used.mean_bounds,
        open_documents=used.open_documents,
    )


def _verdict(used: Measured, test: PairTests | None, adjusted: float) -> Verdict:
    provisional = any(
        is_provisional(weight, width) for weight, width in zip(used.weight_judged, used.widths, strict=True)
    )
    return verdict_of(
        used.differences,
        expected=used.expected,
        certificate=used.certificate,
        unjudged=used.open_documents,
        looks=[] if test is None or len(used.differences) < LEAST_QUERIES else [_look(used, adjusted)],
        walked=len(used.differences),
        provisional=provisional,
    )


def _look(used: Measured, p: float) -> PairLook:
    interval = mean_interval(used.differences, clip=None)
    mean, _ = mean_and_deviation(used.differences)
    return PairLook(
        number=1,
        n=len(used.differences),
        alpha=alpha_of(1, last=True),
        p=p,
        mean=mean,
        low=interval.low,
        high=interval.high,
        bounds=used.mean_bounds or UNBOUNDED,
        weight_judged=used.weight_judged,
        complete=False,
        mean_today=mean,
    )
