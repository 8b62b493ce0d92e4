"""Kendall's tau between two orders of the same rankers."""

import numpy as np

from app.scoring.arrays import Floats
from app.scoring.means import SAME


def kendall_tau(truth: Floats, estimate: Floats, *, gap: float = 0.0) -> float | None:
    """Return Kendall's tau of an estimated order against the true one.

    Formula: (concordant - discordant) / pairs untied in the truth; a pair tied in the estimate counts 0.

    Parameters
    ----------
    truth, estimate
        float64 (rankers,): scores.
    gap
        Only pairs whose true scores differ by at least this much are counted: tau over near-ties
        measures noise.

    Returns
    -------
    float or None
        ``None`` where no pair counts.
    """
    true, found = _signs(truth), _signs(estimate)
    apart = np.abs(truth[:, None] - truth[None, :]) >= gap - SAME
    counted = (true != 0) & apart
    pairs = np.count_nonzero(counted)
    return float((true * found)[counted].sum() / pairs) if pairs else None


def _signs(scores: Floats) -> Floats:
    """Return 1, -1 or 0 of every pair of scores: rounding makes no order."""
    difference = scores[:, None] - scores[None, :]
    return np.where(np.abs(difference) <= SAME, 0.0, np.sign(difference))
