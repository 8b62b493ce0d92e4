"""Agreement of two annotators."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from app.scoring.agreement import Ratings
from app.scoring.arrays import Floats, Ints

LEAST_SHARED = 50
_UNRATED = -1


@dataclass(frozen=True)
class PairKappa:
    """Quadratic kappa of two annotators.

    Attributes
    ----------
    first, second
        The annotators' numbers.
    shared
        Items that both rated.
    kappa
        ``None`` under 50 shared items, or where neither rating varies.
    """

    first: int
    second: int
    shared: int
    kappa: float | None


def pair_kappas(ratings: Ratings) -> list[PairKappa]:
    """Return the quadratic kappa of every two annotators who share an item."""
    annotators, grades = _grades_of_shared(ratings)
    found = []
    for a, b in combinations(range(len(annotators)), 2):
        both = (grades[a] != _UNRATED) & (grades[b] != _UNRATED)
        shared = int(np.count_nonzero(both))
        if shared:
            table = np.bincount(
                grades[a][both] * ratings.levels + grades[b][both], minlength=ratings.levels**2
            )
            kappa = quadratic_kappa(table.reshape(ratings.levels, -1)) if shared >= LEAST_SHARED else None
            found.append(PairKappa(int(annotators[a]), int(annotators[b]), shared, kappa))
    return found


def quadratic_kappa(table: Ints) -> float | None:
    """Return Cohen's kappa with quadratic weights; ``None`` where chance leaves no room to disagree.

    Formula: ``1 - sum w O / sum w E``, w = (i - j)^2 / (L - 1)^2, O the joint counts, E those that
    the margins alone would give (Cohen 1968).

    Parameters
    ----------
    table
        integers (levels, levels): items with grade i from one annotator and j from the other.
    """
    levels = np.arange(len(table), dtype=np.float64)
    weights = np.square(levels[:, None] - levels[None, :])
    expected: Floats = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(int(table.sum()), 1)
    chance = float((weights * expected).sum())
    return 1.0 - float((weights * table).sum()) / chance if chance > 0 else None


def _grades_of_shared(ratings: Ratings) -> tuple[Ints, Ints]:
    """Return the annotators, and their grades (annotators, items) of the items with two ratings."""
    item, annotator = ratings.item[ratings.shared], ratings.annotator[ratings.shared]
    items, columns = np.unique(item, return_inverse=True)
    annotators, rows = np.unique(annotator, return_inverse=True)
    grades = np.full((len(annotators), len(items)), _UNRATED, dtype=np.int64)
    grades[rows, columns] = ratings.grade[ratings.shared]
    return annotators, grades
