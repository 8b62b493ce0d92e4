"""P-values of several tests together."""

import numpy as np

from app.scoring.arrays import Floats


def holm(p: Floats) -> Floats:
    """Return P-values adjusted for their number by Holm's step-down method (Holm 1979).

    Formula: in ascending order ``max over j <= i of (m - j + 1) * p_(j)``, at most 1.

    Parameters
    ----------
    p
        float64 (m,): each of one test alone.

    Returns
    -------
    float64 (m,), in the order given
    """
    order = np.argsort(p, kind="stable")
    steps = np.arange(len(p), 0, -1) * p[order]
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted
