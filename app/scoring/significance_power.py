"""How many queries a difference needs, and which difference today's queries can show.

All of these read today's data. None is a promise: a difference that looks large now tends to shrink.
"""

import math
from dataclasses import dataclass

from app.scoring.intervals import normal_quantile

LEAST_FOR_OWN_DEVIATION = 10
ASSUMED_DEVIATION = 0.25
LEAST_TARGET = 0.05
TOO_MANY = 300
NO_DIFFERENCE = 1e-9
MOST_SPREADS = 1e9
_ALPHA_SIDE = normal_quantile(0.975)
_REACH = _ALPHA_SIDE + normal_quantile(0.80)
_SMALL_SAMPLE = _ALPHA_SIDE**2 / 2


@dataclass(frozen=True)
class Outlook:
    """How far a comparison is from showing a difference, with a power of 80% at the 5% level.

    Attributes
    ----------
    target
        The difference asked about: the present one, or 0.05 where that is smaller.
    more
        Queries still needed to show the target, rounded up to 5; 0 or less: it would have shown by now.
    walked
        Scored queries walked so far.
    deviation
        The standard deviation of paired differences that was used: from the compared rankers' own
        scores from 10 queries on, 0.25 before.
    present
        The absolute difference measured now.
    present_total
        Queries that the present difference would take; ``None`` unless it is below 0.05 and not too
        close to call.
    too_close
        The present difference is 0 or would take more than 300 queries.
    """

    target: float
    more: int
    walked: int
    deviation: float
    present: float
    present_total: int | None
    too_close: bool

    @property
    def would_have_shown(self) -> bool:
        """Whether a difference of the target's size would have shown by now."""
        return self.more <= 0


def questions_needed(difference: float, deviation: float = ASSUMED_DEVIATION) -> int | None:
    """Return the queries that a paired test needs to show a difference; ``None`` if no number would do.

    Formula: ``(z_.975 + z_.80)^2 sd^2 / delta^2 + z_.975^2 / 2``, rounded up: 5% level, power 80%
    (Nagata's form, as in Sakai 2016).

    Parameters
    ----------
    difference
        The mean difference to show; its sign does not matter.
    deviation
        The standard deviation of the paired differences.
    """
    if abs(difference) < NO_DIFFERENCE:
        return None
    # Differences of DCG on wide scales can vary so much that the square would pass the largest number.
    spreads = min(_REACH * deviation / abs(difference), MOST_SPREADS)
    return math.ceil(spreads**2 + _SMALL_SAMPLE)


def detectable_difference(n: int, deviation: float) -> float | None:
    """Return the least difference that n queries would show; ``None`` for fewer than 2 queries.

    Formula: ``(z_.975 + z_.80) * sd / sqrt(n - z_.975^2 / 2)``, the inverse of `questions_needed`.

    Parameters
    ----------
    n
        Queries.
    deviation
        The standard deviation of the paired differences.
    """
    if n < 2:
        return None
    return _REACH * deviation / math.sqrt(n - _SMALL_SAMPLE)


def outlook_of(mean: float, deviation: float | None, *, scored: int, walked: int) -> Outlook:
    """Return how many more queries a pair of rankers needs.

    Parameters
    ----------
    mean, deviation
        Of the paired differences on the comparison set.
    scored
        The number of scored queries in the comparison set: from 10 on their deviation is used.
    walked
        Scored queries walked in the plan's order.
    """
    own = deviation is not None and scored >= LEAST_FOR_OWN_DEVIATION
    used = deviation if own and deviation is not None else ASSUMED_DEVIATION
    present = abs(mean)
    target = max(present, LEAST_TARGET)
    more = (questions_needed(target, used) or 0) - walked
    total = questions_needed(present, used)
    too_close = total is None or (present < LEAST_TARGET and total > TOO_MANY)
    stated = total if present < LEAST_TARGET and not too_close else None
    return Outlook(target, 5 * math.ceil(more / 5), walked, used, present, stated, too_close)
