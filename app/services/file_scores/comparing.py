"""The paired verdict on two runs: the test, the exact bounds of their difference, and the word.

Every comparison that was asked for is one of a family: its P is adjusted for all of them (Holm).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.holm import holm
from app.scoring.means import mean_of
from app.scoring.seeds import seed_of
from app.scoring.significance import SAME, compare_rankers, unit_of
from app.scoring.significance_power import LEAST_TARGET
from app.scoring.verdict import is_provisional, may_be_final, sample_of, verdict_of
from app.services.file_scores.choices import compared_of
from app.services.file_scores.measured import Measured, measured_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.intervals import MeanInterval
    from app.scoring.measures import Asked
    from app.scoring.significance import PairTests
    from app.scoring.verdict import Verdict
    from app.services.file_scores.table import Table

UNBOUNDED = (-1.0, 1.0)
"""What is known of a difference that nothing bounds: unjudged documents could turn it either way."""
LEAST_LARGEST = 1e-4
"""Scores whose largest lies from here to 1 are tested as they are, others as shares of their size."""


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
    certificate
        The sums of the exact bounds over all queries that count or could still do so.
    provisional
        Whether either score is: too much of what it rests on is unjudged.
    open_documents
        Unjudged documents of the pool that could still matter.
    target
        The difference that `to_add` more queries would show.
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
    certificate: tuple[float, float] | None
    provisional: bool
    open_documents: int
    target: float

    @property
    def certified(self) -> int:
        """Whose lead no unjudged document can reverse, also where there is none: 1, -1, or 0 for nobody's."""
        low, high = self.certificate or UNBOUNDED
        return int(low > SAME) - int(high < -SAME)

    @property
    def kept(self) -> int:
        """The same where something is unjudged: only then it is worth a note."""
        return self.certified if self.open_documents else 0


def compare_runs(table: Table, asked: Sequence[Asked], pairs: Sequence[tuple[int, int]]) -> list[Comparison]:
    """Return the verdict on each pair of rows."""
    chosen = compared_of(asked)
    used = [measured_of(table, chosen, pair) for pair in pairs]
    tests = [_test(table, one) for one in used]
    alone = np.array([1.0 if test is None else test.raw[0] for test in tests])
    return [
        _comparison(one, test, float(adjusted), len(pairs))
        for one, test, adjusted in zip(used, tests, holm(alone), strict=True)
    ]


def _test(table: Table, used: Measured) -> PairTests | None:
    """Return the sign-flip test, the same for the same files in either order."""
    if not used.differences.size:
        return None
    names = sorted(table.names[row] for row in used.pair)
    seed = seed_of(*map(str, asdict(table.judged.ruler).values()), used.label, *names, len(used.differences))
    return compare_rankers(used.scores, seed=seed)


def _comparison(used: Measured, test: PairTests | None, adjusted: float, family: int) -> Comparison:
    difference = used.differences
    first, second = used.pair
    same = SAME * unit_of(used.scores)
    return Comparison(
        first=first,
        second=second,
        measure=used.label,
        means=(mean_of(used.scores[0]), mean_of(used.scores[1])),
        verdict=_verdict(used, adjusted, family),
        p=None if test is None else float(test.raw[0]),
        adjusted=None if test is None else adjusted,
        resamples=0 if test is None else test.resamples,
        exact=test is not None and test.exact,
        wins=int((difference > same).sum()),
        ties=int((np.abs(difference) <= same).sum()),
        losses=int((difference < -same).sum()),
        bounds=used.mean_bounds,
        certificate=used.certificate,
        provisional=any(map(is_provisional, used.shares.weighed, used.widths)),
        open_documents=used.open_documents,
        target=max(abs(mean_of(difference) or 0.0), LEAST_TARGET * _unit(used)),
    )


def _verdict(used: Measured, adjusted: float, family: int) -> Verdict:
    """Return the word and its numbers, which are of the size of the scores."""
    unit = _unit(used)
    differences = used.differences / unit
    finished = used.finished
    ready = may_be_final(len(differences), used.shares.plain, finished=finished, complete=False)
    found = verdict_of(
        differences,
        sample_of(differences[used.sampled], finished=finished),
        family=family,
        final=adjusted if ready else None,
    )
    mean = found.sample.mean
    return replace(
        found,
        interval=_times(found.interval, unit),
        deviation=found.deviation * unit,
        sample=replace(found.sample, mean=None if mean is None else mean * unit),
    )


def _unit(used: Measured) -> float:
    """Return what scores are parted by for the tests: 1, unless their measure is of another size."""
    largest = float(np.abs(used.scores).max(initial=0.0))
    return 1.0 if not largest or LEAST_LARGEST <= largest <= 1 else unit_of(used.scores)


def _times(interval: MeanInterval, unit: float) -> MeanInterval:
    """Return an interval in another unit."""

    def times(value: float | None) -> float | None:
        return None if value is None else value * unit

    return replace(
        interval,
        mean=times(interval.mean),
        half_width=times(interval.half_width),
        low=times(interval.low),
        high=times(interval.high),
    )
