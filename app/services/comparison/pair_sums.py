"""What missing ratings could do to the gap of many pairs of runs, worked out for all of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.means import exact_sums
from app.scoring.verdict import SAME
from app.services.comparison.kept_bounds import pair_bounds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags
    from app.services.comparison.basis import Basis

    Ends = tuple[float, float] | None


@dataclass(frozen=True)
class BoundSums:
    """One entry per pair; d = score of the first row minus score of the second.

    Attributes
    ----------
    means
        The mean of the exact pair bounds over the comparison set; None where nothing can be bounded.
    kept
        Who stays ahead however missing ratings turn out, by the sum over scored and undecided queries
        (EVALUATION.md section 1.4): 1, -1, or 0 for nobody, or where nothing is missing.
    """

    means: list[Ends]
    kept: list[int]


def bound_sums(basis: Basis, pairs: Sequence[tuple[int, int]], compared: Flags) -> BoundSums:
    """Return what missing ratings could do to some pairs of rows.

    Parameters
    ----------
    compared
        bool (pairs, queries): the comparison sets.
    """
    if not basis.bounded:
        return BoundSums([None] * len(pairs), [0] * len(pairs))
    first, second = np.array(pairs).T
    bounds = pair_bounds_of(basis, pairs)
    decisive = basis.covered[first] & basis.covered[second] & basis.possible
    low, high = (exact_sums(np.where(decisive, side, 0.0)) for side in (bounds.low, bounds.high))
    missing = decisive @ basis.board.judged.open_counts
    kept = [
        0 if not some else 1 if least > SAME else -1 if most < -SAME else 0
        for some, least, most in zip(missing.tolist(), low, high, strict=True)
    ]
    return BoundSums(list(bounds.means(compared)), kept)
