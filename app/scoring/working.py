"""One list at a time, in plain Python: the readable form of DCG, and the steps a page shows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.scoring.discounts import Discounts


@dataclass(frozen=True)
class Step:
    """One line of the working of a DCG."""

    rank: int
    grade: float | None
    """The consensus grade (a midpoint between two grades is possible), or ``None``: not rated."""
    gain: float
    discount: float
    contribution: float
    cumulated: float


@dataclass(frozen=True)
class Working:
    """How one nDCG comes about."""

    steps: list[Step]
    ideal_steps: list[Step]
    dcg: float
    ideal: float
    ndcg: float | None
    """``None`` where the ideal is 0: the query has no score."""


def steps_of(grades: Sequence[float | None], gains: Sequence[float], discounts: Discounts) -> list[Step]:
    """Return rank, grade, gain, discount, contribution and running sum of each rank of a list.

    Parameters
    ----------
    grades, gains
        The list in rank order; an unjudged document has grade ``None`` and gain 0.
    discounts
        To the cutoff.
    """
    steps: list[Step] = []
    cumulated = 0.0
    for rank, contribution in enumerate(_contributions_of(gains, discounts)):
        cumulated += contribution
        weight = float(discounts.weights[rank])
        steps.append(Step(rank + 1, grades[rank], float(gains[rank]), weight, contribution, cumulated))
    return steps


def working_of(
    grades: Sequence[float | None],
    gains: Sequence[float],
    judged: Sequence[tuple[float, float]],
    discounts: Discounts,
) -> Working:
    """Return the step-by-step working of one nDCG.

    Parameters
    ----------
    grades, gains
        The list in rank order; an unjudged document has grade ``None`` and gain 0.
    judged
        (grade, gain) of every judged document of the query, in any order.
    discounts
        To the cutoff.
    """
    best = sorted(judged, key=lambda pair: pair[1], reverse=True)
    steps = steps_of(grades, gains, discounts)
    ideal_steps = steps_of([grade for grade, _ in best], [gain for _, gain in best], discounts)
    reached = steps[-1].cumulated if steps else 0.0
    ideal = ideal_steps[-1].cumulated if ideal_steps else 0.0
    return Working(steps, ideal_steps, reached, ideal, reached / ideal if ideal > 0 else None)


def _contributions_of(gains: Sequence[float], discounts: Discounts) -> list[float]:
    """Return what each rank within the depth adds."""
    paid: list[float] = discounts.contributions(np.array(gains[: discounts.depth], dtype=np.float64)).tolist()
    return paid
