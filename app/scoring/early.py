"""The early test: evidence that one ranker is better, which may be looked at after every rating.

Looking every day breaks P-values. An e-value does not break: while both rankers are equally good it
multiplies a stake of 1 by factors of mean 1, so it ever reaches 100 in at most 1 case of 100, however often
one looks.
"""

import math

import numpy as np

from app.scoring.arrays import Flags, Floats
from app.scoring.means import exact_sums

LAMBDAS = (1.0, 2.0, 4.0)
EARLY_ALPHA = 0.01


def log_e_values(differences: Floats, counted: Flags | None = None) -> Floats:
    """Return the natural logarithm of the e-value of each pair: float64 (pairs,), 0 without differences.

    Formula: ``e = mean over lambda in {1, 2, 4} and both signs s of prod_q exp(s lambda d_q) /
    cosh(lambda d_q)``. Where the two labels of a query can be exchanged each factor has mean 1, so e is a
    test martingale and ``P(ever e >= 1 / alpha) <= alpha`` (Ville 1939). Equal scores are factors of 1.

    Parameters
    ----------
    differences
        float64 (pairs, n): d = score of one ranker minus score of the other, on each query.
    counted
        bool (pairs, n): the sample of each pair; all queries by default. What is not counted may be NaN.
    """
    used = differences if counted is None else np.where(counted, differences, 0.0)
    size = np.abs(used)
    # log cosh x = x + log1p(exp(-2x)) - log 2, without overflow; an equal score adds 0.
    cosh = [factor * size + np.log1p(np.exp(-2.0 * factor * size)) - math.log(2.0) for factor in LAMBDAS]
    # Summed exactly: the same bits in any order, and whether pairs are read alone or together.
    sums, *of_cosh = np.reshape(exact_sums(np.concatenate([used, *cosh])), (-1, len(used)))
    logs = np.array(
        [
            side * factor * sums - taken
            for factor, taken in zip(LAMBDAS, of_cosh, strict=True)
            for side in (1, -1)
        ]
    )
    most = logs.max(axis=0)
    return np.asarray(most + np.log(np.exp(logs - most).mean(axis=0)))


def early_holds(log_e: float, pairs: int) -> bool:
    """Return whether the early test holds for one pair of a family: ``e >= 100 m``."""
    return log_e >= math.log(pairs / EARLY_ALPHA)
