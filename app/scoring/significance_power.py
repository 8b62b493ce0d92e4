"""How many queries a difference needs, and which difference today's queries can show.

All of these read today's data. None is a promise: a difference that looks large now tends to shrink.
"""

import math

from app.scoring.intervals import normal_quantile

LEAST_FOR_OWN_DEVIATION = 10
ASSUMED_DEVIATION = 0.25
LEAST_TARGET = 0.05
TOO_MANY = 300
NO_DIFFERENCE = 1e-9
MOST_SPREADS = 1e9
_ALPHA_SIDE = normal_quantile(0.98)
_REACH = _ALPHA_SIDE + normal_quantile(0.80)
_SMALL_SAMPLE = _ALPHA_SIDE**2 / 2


def questions_needed(difference: float, deviation: float = ASSUMED_DEVIATION) -> int | None:
    """Return the queries that a paired test needs to show a difference; ``None`` if no number would do.

    Formula: ``(z_.98 + z_.80)^2 sd^2 / delta^2 + z_.98^2 / 2``, rounded up: 4% level of the final
    test, power 80% (Nagata's form, as in Sakai 2016).

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
    """Return the least difference that n queries would show; ``None`` for fewer than 3 queries.

    Formula: ``(z_.98 + z_.80) * sd / sqrt(n - z_.98^2 / 2)``, the inverse of `questions_needed`.
    """
    if n <= _SMALL_SAMPLE:
        return None
    return _REACH * deviation / math.sqrt(n - _SMALL_SAMPLE)


def questions_to_add(mean: float, deviation: float, n: int) -> int | None:
    """Return about how many more queries would show a gap of 5 points, or the present one where it is larger.

    Formula: ``n(max(|mean|, .05)) - n``, rounded up to 5. A reading of today's data, never a promise.

    Parameters
    ----------
    mean, deviation
        Of the paired differences on the comparison set.
    n
        The number of its queries: from 10 on their deviation is used.

    Returns
    -------
    ``None`` where that many should have shown it already, or where it takes more than 300.
    """
    used = deviation if n >= LEAST_FOR_OWN_DEVIATION else ASSUMED_DEVIATION
    needed = questions_needed(max(abs(mean), LEAST_TARGET), used) or 0
    more = 5 * math.ceil((needed - n) / 5)
    return more if 0 < more <= TOO_MANY else None
