"""A share of successes with Wilson's interval, which holds at small counts and near 0 and 1."""

import math
from statistics import NormalDist


def wilson_interval(successes: int, trials: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of a proportion.

    Formula: ``(p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)`` (Wilson 1927).

    Parameters
    ----------
    successes, trials
        Of the trials; without any the interval is 0 to 1.
    level
        Between 0 and 1, both excluded.

    Raises
    ------
    ValueError
        There are more successes than trials, or a count is negative.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials are not possible")
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, extra = successes / trials, z * z / trials
    middle = share + extra / 2
    half = z * math.sqrt(share * (1 - share) / trials + extra / (4 * trials))
    return max(0.0, (middle - half) / (1 + extra)), min(1.0, (middle + half) / (1 + extra))
