"""What may be said about a pair of rankers: one of five words, with every number behind it.

Two doubts are kept apart. Luck of the queries is tested here; missing judgments are bounded elsewhere
(`app.scoring.bounds`) and stand as a note beside the word.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.early import early_holds, log_e_values
from app.scoring.intervals import MeanInterval, interval_from, means_and_deviations, t_cdf
from app.scoring.means import SAME, exact_sums
from app.scoring.significance_power import questions_to_add

Word = Literal["too early", "not sure yet", "too close to call", "probably better", "sure"]

LEAST_QUERIES = 10
LEAST_JUDGED = 0.95
FINAL_ALPHA = 0.04
PROBABLY_ALPHA = 0.10
CLOSE = 0.05
WIDEST_BOUNDS = 0.05
MOST_LOG = 700.0


@dataclass(frozen=True)
class PairSample:
    """The queries that the verdict on a pair is read from.

    They are the scored queries of the comparison set, in the drawn order of the project, before the first one
    that is not closed; d = score of B minus score of A.

    Attributes
    ----------
    n, mean
        Their number, and the mean of d; ``None`` without a query.
    p
        Of the paired t test on them alone; ``None`` below 2 queries.
    log_e
        The natural logarithm of the e-value of the early test.
    finished
        Whether every query that both cover is closed: then the sample is the comparison set.
    judged
        The lower of both mean judged@k on them. A closed query may hold answers that cannot be judged, and
        those count as not relevant: below `LEAST_JUDGED` nothing is concluded from the sample.
    """

    n: int
    mean: float | None
    p: float | None
    log_e: float
    finished: bool
    judged: float = 1.0

    @property
    def e_value(self) -> float:
        """The e-value of the early test; infinite where it passes the largest number."""
        return math.exp(self.log_e) if self.log_e < MOST_LOG else math.inf


@dataclass(frozen=True)
class Verdict:
    """The word about rankers A and B, and the numbers that it opens; d = score of B minus score of A.

    Attributes
    ----------
    word
        The first of the five that holds.
    ahead
        1: the word says that B is better; -1: that A is; 0: the word names nobody.
    interval
        Mean of d on the comparison set, its 95% interval for this pair alone, and n.
    deviation
        Of d on the comparison set.
    sample
        What the tests read.
    family
        The number of pairs that were asked about together.
    final
        The P of the final test, adjusted for the family; ``None`` where it was not made: the pair is not
        finished, or has too few queries or judgments.
    early
        Whether the early test holds.
    concentration
        The share of the gap that the most favourable query holds; ``None`` without a gap.
    to_add
        About how many more queries would show a gap of 5 points; ``None`` where no number helps.
    """

    word: Word
    ahead: int
    interval: MeanInterval
    deviation: float
    sample: PairSample
    family: int
    final: float | None
    early: bool
    concentration: float | None
    to_add: int | None

    @property
    def leads(self) -> int:
        """Who has the higher mean, whatever the word: 1 for B, -1 for A, 0 for nobody."""
        return sign_of(self.interval.mean or 0.0)

    def turned(self) -> "Verdict":
        """Return the same verdict with A and B exchanged."""
        low, high = self.interval.low, self.interval.high
        interval = replace(
            self.interval,
            mean=None if self.interval.mean is None else -self.interval.mean,
            low=None if high is None else -high,
            high=None if low is None else -low,
        )
        sample = replace(self.sample, mean=None if self.sample.mean is None else -self.sample.mean)
        return replace(self, ahead=-self.ahead, interval=interval, sample=sample)


@dataclass(frozen=True)
class PairQueries:
    """The queries that the verdicts on some pairs are read from.

    Attributes
    ----------
    compared
        bool (pairs, queries): the comparison set, the queries that count for both.
    sampled
        bool (pairs, queries): of these the ones before the first query, in drawn order, that both cover and
        that is not closed.
    finished
        bool (pairs,): every query that both cover is closed.
    """

    compared: Flags
    sampled: Flags
    finished: Flags


def pair_queries(
    counted: Flags, covered: Flags, closed: Flags, pairs: Sequence[tuple[int, int]], place: Ints
) -> PairQueries:
    """Return the queries that the verdicts on some pairs of runs are read from.

    Parameters
    ----------
    counted, covered, closed
        bool (runs, queries): which count for a run, which could, and of which all that is read is judged.
    place
        integers (queries,): the place of each in the drawn order, which makes its beginning a random sample.
    """
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    compared = counted[first] & counted[second]
    waiting = covered[first] & covered[second] & ~(closed[first] & closed[second])
    drawn = np.where(waiting, place, len(place))
    ends = drawn.min(axis=1, initial=len(place))[:, None]
    finished = ~waiting.any(axis=1)
    return PairQueries(compared, compared & (place < ends), np.asarray(finished))


def is_provisional(weight_judged: float, bound_width: float, *, complete: bool = False) -> bool:
    """Return whether a score is provisional: too much of what it rests on is missing.

    Parameters
    ----------
    weight_judged
        Its mean weight-judged@k.
    bound_width
        The mean width of its exact bounds.
    complete
        Grades are declared complete: then no score is.
    """
    return not complete and (weight_judged < LEAST_JUDGED or bound_width > WIDEST_BOUNDS)


def may_be_final(n: int, judged: tuple[float, float], *, finished: bool, complete: bool) -> bool:
    """Return whether a pair takes part in the final test.

    Parameters
    ----------
    n
        The queries of the comparison set.
    judged
        The mean judged@k of both, over these queries.
    finished
        Whether every query that both cover is closed.
    complete
        Whether grades are declared complete: then nothing is missing.
    """
    return n >= LEAST_QUERIES and finished and (complete or min(judged) >= LEAST_JUDGED)


def samples_of(
    differences: Floats, sampled: Flags, finished: Sequence[bool], judged: Sequence[float] | None = None
) -> list[PairSample]:
    """Return what the tests read from the sample of each pair.

    Parameters
    ----------
    differences
        float64 (pairs, n): d = score of B minus score of A; NaN where it is not sampled is fine.
    sampled
        bool (pairs, n): the sample of each pair.
    finished, judged
        (pairs,): see `PairSample`; by default all is judged.
    """
    some = sampled.any(axis=0)
    if not some.any():
        return [PairSample(0, None, None, 0.0, bool(done)) for done in finished]
    differences, sampled = differences[:, some], sampled[:, some]
    numbers = np.count_nonzero(sampled, axis=1).tolist()
    means, deviations = (side.tolist() for side in means_and_deviations(differences, sampled))
    logs = log_e_values(differences, sampled).tolist()
    return [
        PairSample(n, mean, paired_p(mean, deviation, n), log_e, bool(done), share)
        if n
        else PairSample(0, None, None, 0.0, bool(done))
        for n, mean, deviation, log_e, done, share in zip(
            numbers, means, deviations, logs, finished, judged or [1.0] * len(finished), strict=True
        )
    ]


def paired_p(mean: float, deviation: float, n: int) -> float | None:
    """Return the two-sided P of the paired t test; ``None`` below 2 differences."""
    if n < 2:
        return None
    if abs(mean) <= SAME:
        return 1.0
    error = deviation / math.sqrt(n)
    return 0.0 if error <= SAME * abs(mean) else 2.0 * (1.0 - t_cdf(abs(mean) / error, n - 1))


def verdicts_of(
    differences: Floats,
    compared: Flags,
    samples: Sequence[PairSample],
    *,
    family: int,
    final: Sequence[float | None],
) -> list[Verdict]:
    """Return what may be said about each pair of rankers A and B.

    Parameters
    ----------
    differences
        float64 (pairs, n): d = score of B minus score of A; NaN where it is not compared is fine.
    compared
        bool (pairs, n): the comparison set of each pair.
    samples
        Of each pair.
    family
        The number of pairs that are asked about together.
    final
        The P of the final test of each pair, adjusted for the family, where it was made (`may_be_final`).
    """
    used = np.where(compared, differences, 0.0)
    numbers = np.count_nonzero(compared, axis=1).tolist()
    means, deviations = (side.tolist() for side in means_and_deviations(used, compared))
    shares = _concentrations(used, compared, numbers)
    found = []
    for n, average, deviation, share, sample, p in zip(
        numbers, means, deviations, shares, samples, final, strict=True
    ):
        mean = average if n else None
        interval = interval_from(mean, deviation, n, clip=None)
        early = sample.n > 0 and sample.judged >= LEAST_JUDGED and early_holds(sample.log_e, family)
        word = _word(interval, paired_p(average, deviation, n), sample, p, early=early)
        names = word in {"sure", "probably better"}
        found.append(
            Verdict(
                word=word,
                ahead=sign_of(sample.mean or 0.0) if names else 0,
                interval=interval,
                deviation=deviation,
                sample=sample,
                family=family,
                final=p,
                early=early,
                concentration=share,
                to_add=None if mean is None else questions_to_add(mean, deviation, n),
            )
        )
    return found


def _concentrations(differences: Floats, compared: Flags, numbers: Sequence[int]) -> list[float | None]:
    """Return the share of each gap that the most favourable query holds: ``max(sign d_q) / |sum d|``.

    It may exceed 1: then the others take from the gap. ``None`` where there is no gap. d is 0 where it is not
    compared.
    """
    highest = np.where(compared, differences, -np.inf).max(axis=1, initial=-np.inf).tolist()
    lowest = np.where(compared, differences, np.inf).min(axis=1, initial=np.inf).tolist()
    return [
        None if abs(total) <= SAME * max(1, n) else (high if total > 0 else -low) / abs(total)
        for total, n, high, low in zip(exact_sums(differences), numbers, highest, lowest, strict=True)
    ]


def sign_of(value: float) -> int:
    """Return 1, 0 or -1; what rounding leaves of equal means is 0."""
    return (value > SAME) - (value < -SAME)


def _word(
    interval: MeanInterval, overall_p: float | None, sample: PairSample, final: float | None, *, early: bool
) -> Word:
    """Return the first word that holds.

    What the sample says must hold on all that is compared as well (`overall_p`: the paired t test there).
    Else a verdict would contradict the interval beside it, and be taken back once all is rated.
    """
    if interval.mean is None or overall_p is None or interval.n < LEAST_QUERIES:
        return "too early"
    side = sign_of(sample.mean or 0.0)
    agrees = side != 0 and side == sign_of(interval.mean)
    low, high = interval.low, interval.high
    is_clear = low is not None and high is not None and (low > 0 or high < 0)
    if agrees and is_clear and (early or (final is not None and final <= FINAL_ALPHA)):
        return "sure"
    if sample.judged < LEAST_JUDGED:
        return "not sure yet"
    is_likely = max(overall_p, 1.0 if sample.p is None else sample.p) <= PROBABLY_ALPHA
    if agrees and sample.n >= LEAST_QUERIES and is_likely:
        return "probably better"
    if sample.finished and low is not None and high is not None and low >= -CLOSE and high <= CLOSE:
        return "too close to call"
    return "not sure yet"
