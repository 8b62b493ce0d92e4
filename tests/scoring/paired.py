"""The paired tests of all rankers of a table, for tests that have no gaps in it."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from app.scoring.significance import FLIPS, compare_pairs


@dataclass(frozen=True)
class PairedTests:
    """What the tests say, pair by pair."""

    pairs: np.ndarray
    raw: np.ndarray
    adjusted: np.ndarray
    resamples: int
    exact: bool


def compare_rankers(scores, *, seed, flips=FLIPS):
    """Return the tests of all pairs of rankers, and the pairs."""
    pairs = np.array(list(combinations(range(len(scores)), 2)))
    found = compare_pairs(scores, np.ones(scores.shape, dtype=bool), pairs, seed=seed, flips=flips)
    return PairedTests(pairs, found.raw, found.adjusted, found.resamples, found.exact)
