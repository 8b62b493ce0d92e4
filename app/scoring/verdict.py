"""What may be said about a pair of rankers: one of five words, with every number behind it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.scoring.arrays import Floats
from app.scoring.intervals import MeanInterval, interval_from, mean_and_deviation
from app.scoring.milestones import READY
from app.scoring.significance_power import Outlook, outlook_of

Word = Literal["too early", "sure", "settled", "leaning", "not sure yet"]
Tag = Literal["provisional", "grades declared complete"]

LEAST_QUERIES = 10
WIDEST_BOUNDS = 0.05
_SAME = 1e-12


@dataclass(frozen=True)
class PairLook:
    """What one look said about one pair, on the queries walked then; d = score of B minus score of A.

    Attributes
    ----------
    number, n, alpha
        Of the look: see `milestones.Look`.
    p
        Adjusted for the number of pairs.
    mean, low, high
        Of d, with its 95% interval for this pair alone; the ends are ``None`` below 8 queries.
    bounds
        The mean of the pair bounds over the look's queries: lower and upper.
    weight_judged
        Of A and of B, over the look's queries.
    complete
        Grades were declared complete.
    mean_today
        The mean of d over the same queries with today's grades.
    """

    number: int
    n: int
    alpha: float
    p: float
    mean: float
    low: float | None
    high: float | None
    bounds: tuple[float, float]
    weight_judged: tuple[float, float]
    complete: bool
    mean_today: float

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return (self.low is not None and self.low > 0) or (self.high is not None and self.high < 0)

    @property
    def sign_kept(self) -> bool:
        """Whether missing ratings could not turn the sign, or too few are missing to matter."""
        if self.complete or min(self.weight_judged) >= READY:
            return True
        return self.bounds[0] > 0 if self.mean > 0 else self.bounds[1] < 0

    @property
    def is_sure(self) -> bool:
        """Whether the claim was earned at this look and still has its sign with today's grades."""
        earned = self.p <= self.alpha and self.excludes_zero and self.sign_kept
        return earned and self.mean * self.mean_today > 0


@dataclass(frozen=True)
class Verdict:
    """The word about a pair, and the numbers that it opens.

    Attributes
    ----------
    word
        The first of the five that holds.
    ahead
        1: B is ahead of A; -1: A is ahead of B; 0: the word names nobody.
    tags
        What stands beside the word.
    interval
        Mean of d on the comparison set, its 95% interval for this pair alone, and n.
    error
        The standard error of that mean; ``None`` without a query.
    expected
        The mean difference by the smoothed estimate; ``None`` under grades declared complete.
    certificate
        The sums of the lower and of the upper pair bounds over scored and undecided queries.
    look
        The look that made it sure; ``None`` for the other words.
    outlook
        How many more questions it takes; ``None`` without a query.
    """

    word: Word
    ahead: int
    tags: tuple[Tag, ...]
    interval: MeanInterval
    error: float | None
    expected: float | None
    certificate: tuple[float, float] | None
    look: PairLook | None
    outlook: Outlook | None


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
    return not complete and (weight_judged < READY or bound_width > WIDEST_BOUNDS)


def verdict_of(
    differences: Sequence[float] | Floats,
    *,
    expected: float | None = None,
    certificate: tuple[float, float] | None = None,
    unjudged: int = 0,
    looks: Sequence[PairLook] = (),
    walked: int = 0,
    provisional: bool = False,
    complete: bool = False,
) -> Verdict:
    """Return what may be said about rankers A and B.

    Parameters
    ----------
    differences
        (n,): d = score of B minus score of A on every query of the comparison set.
    expected
        The mean of d by the smoothed estimate of unjudged items.
    certificate
        The sums of lower and upper pair bounds over the scored and undecided queries both cover.
    unjudged
        The number of unjudged items in those queries: without any there is nothing to settle.
    looks
        The looks of their plan, oldest first.
    walked
        The scored queries walked in their plan.
    provisional
        Whether either score is.
    complete
        Whether grades are declared complete.
    """
    mean, deviation = mean_and_deviation(differences) if len(differences) else (None, 0.0)
    return verdict_from(
        interval_from(mean, deviation, len(differences), clip=None),
        deviation,
        expected=expected,
        certificate=certificate,
        unjudged=unjudged,
        looks=looks,
        walked=walked,
        provisional=provisional,
        complete=complete,
    )


def verdict_from(
    interval: MeanInterval,
    deviation: float,
    *,
    expected: float | None = None,
    certificate: tuple[float, float] | None = None,
    unjudged: int = 0,
    looks: Sequence[PairLook] = (),
    walked: int = 0,
    provisional: bool = False,
    complete: bool = False,
) -> Verdict:
    """Return what `verdict_of` does, from the unclipped interval and the deviation of the differences.

    Parameters
    ----------
    interval, deviation
        Of d: see `intervals.interval_from`, not clipped; the rest as for `verdict_of`.
    """
    tags = _tags(provisional=provisional, complete=complete)
    mean = interval.mean
    if mean is None:
        return Verdict("too early", 0, tags, interval, None, expected, certificate, None, None)
    error = deviation / math.sqrt(interval.n)
    outlook = outlook_of(mean, deviation, scored=interval.n, walked=walked)
    sure = next((look for look in reversed(looks) if look.is_sure), None)
    settled = 0 if complete or not unjudged else _settled(certificate)
    leaning = _leaning(mean, error, mean if complete else expected)
    word, ahead = _first_that_holds(interval.n, sure, settled, leaning)
    look = sure if word == "sure" else None
    return Verdict(word, ahead, tags, interval, error, expected, certificate, look, outlook)


def _first_that_holds(n: int, sure: PairLook | None, settled: int, leaning: int) -> tuple[Word, int]:
    """Return the first word that holds, and who is ahead."""
    if n < LEAST_QUERIES:
        return "too early", 0
    if sure is not None:
        return "sure", _sign(sure.mean)
    if settled:
        return "settled", settled
    return ("leaning", leaning) if leaning else ("not sure yet", 0)


def _tags(*, provisional: bool, complete: bool) -> tuple[Tag, ...]:
    """Return the tags; declared grades cannot be provisional."""
    if complete:
        return ("grades declared complete",)
    return ("provisional",) if provisional else ()


def _settled(certificate: tuple[float, float] | None) -> int:
    """Return who stays ahead however the unjudged items turn out, 0 for nobody."""
    if certificate is None:
        return 0
    lower, upper = certificate
    # Sums that should cancel may leave a rounding error, which certifies nothing.
    return 1 if lower > _SAME else -1 if upper < -_SAME else 0


def _leaning(mean: float, error: float, expected: float | None) -> int:
    """Return who is ahead by a standard error with the estimate agreeing, 0 for nobody."""
    agrees = expected is not None and _sign(expected) == _sign(mean)
    return _sign(mean) if abs(mean) >= error and agrees else 0


def _sign(value: float) -> int:
    """Return 1, 0 or -1."""
    return (value > 0) - (value < 0)
