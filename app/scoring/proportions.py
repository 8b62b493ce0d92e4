"""Shares of successes: Wilson's interval, which holds at small counts and near 0 and 1; an exact bound."""

import math
from statistics import NormalDist

LEVEL = 0.95


def highest_share(found: int, trials: int) -> float:
    """Return the largest share under which so few successes, or fewer, are not rarer than 1 - LEVEL.

    Formula: the p of ``P(X <= found; trials, p) = 1 - LEVEL`` (Clopper & Pearson 1934, one-sided); without
    a success that is ``1 - (1 - LEVEL)^(1 / trials)``. Without trials it is 1.

    Raises
    ------
    ValueError
        There are more successes than trials, or a count is negative.
    """
    if not 0 <= found <= trials:
        raise ValueError(f"{found} successes in {trials} trials are not possible")
    if found == trials:
        return 1.0
    if found == 0:
        return 1.0 - float((1.0 - LEVEL) ** (1.0 / trials))
    low, high = found / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(found, trials, middle) > 1.0 - LEVEL:
            low = middle
        else:
            high = middle
    return high


def _at_most(found: int, trials: int, share: float) -> float:
    """Return the chance of at most a number of successes."""
    return math.fsum(
        math.exp(
            math.lgamma(trials + 1)
            - math.lgamma(count + 1)
            - math.lgamma(trials - count + 1)
            + count * math.log(share)
            + (trials - count) * math.log1p(-share)
        )
        for count in range(found + 1)
    )


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a proportion.

    Formula: ``(p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)`` (Wilson 1927).

    Parameters
    ----------
    successes, trials
        Of the trials; without any the interval is 0 to 1.

    Raises
    ------
    ValueError
        There are more successes than trials, or a count is negative.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials are not possible")
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
    share, extra = successes / trials, z * z / trials
    middle = share + extra / 2
    half = z * math.sqrt(share * (1 - share) / trials + extra / (4 * trials))
    return max(0.0, (middle - half) / (1 + extra)), min(1.0, (middle + half) / (1 + extra))
