"""The working of the other measures on one list, step by step: the readable form that a page shows.

Formulas: EVALUATION of the measures in `measures/registry`; tests hold every total against the engine's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.scoring.discounts import Discounts


@dataclass(frozen=True)
class Listed:
    """One place of a list: what the answer there is worth to each kind of measure; unjudged is worth 0.

    `grade` is the consensus, None where there is none; `stop` is ERR's chance that a reader is satisfied.
    """

    grade: float | None
    gain: float
    relevant: bool
    stop: float


@dataclass(frozen=True)
class WorkedStep:
    """One line: `worth` times `weight` is what the place adds."""

    rank: int
    grade: float | None
    worth: float
    weight: float
    adds: float
    total: float


@dataclass(frozen=True)
class Worked:
    """How a score comes about: the total of the steps over `divisor`.

    `worth`, `weight` and `by` name the columns and the divisor; `value` is None where the divisor is 0.
    """

    measure: str
    worth: str
    weight: str
    by: str
    steps: list[WorkedStep]
    total: float
    divisor: float

    @property
    def value(self) -> float | None:
        """The score on this query."""
        return self.total / self.divisor if self.divisor else None


@dataclass(frozen=True)
class _Recipe:
    worth: str
    weight: str
    by: str
    worths: Callable[[Sequence[Listed]], list[float]]
    weights: Callable[[Sequence[Listed], Discounts], list[float]]
    divisor: Callable[[int, int, float, Discounts], float]


def worked_measure(
    name: str, listed: Sequence[Listed], *, k: int, relevant: int, highest: float, discounts: Discounts
) -> Worked:
    """Return the working of a measure of `WORKED` on one list.

    Parameters
    ----------
    listed
        The list in rank order; what stands below `k` is not read.
    relevant
        R: all judged relevant documents of the query.
    highest
        The gain of the highest grade.
    discounts
        To the cutoff.
    """
    recipe, top = WORKED[name], listed[:k]
    worths, weights = recipe.worths(top), recipe.weights(top, discounts)
    adds = [worth * weight for worth, weight in zip(worths, weights, strict=True)]
    totals = list(accumulate(adds))
    steps = [
        WorkedStep(rank + 1, one.grade, worths[rank], weights[rank], adds[rank], totals[rank])
        for rank, one in enumerate(top)
    ]
    divisor = recipe.divisor(k, relevant, highest, discounts)
    return Worked(
        f"{name}@{k}",
        recipe.worth,
        recipe.weight,
        recipe.by,
        steps,
        totals[-1] if totals else 0.0,
        divisor,
    )


def _gains(listed: Sequence[Listed]) -> list[float]:
    return [one.gain for one in listed]


def _relevances(listed: Sequence[Listed]) -> list[float]:
    return [float(one.relevant) for one in listed]


def _stops(listed: Sequence[Listed]) -> list[float]:
    return [one.stop for one in listed]


def _discounts(listed: Sequence[Listed], discounts: Discounts) -> list[float]:
    return [float(weight) for weight in discounts.weights[: len(listed)]]


def _ones(listed: Sequence[Listed], _discounts: Discounts) -> list[float]:
    return [1.0] * len(listed)


def _first(listed: Sequence[Listed]) -> int | None:
    return next((rank for rank, one in enumerate(listed) if one.relevant), None)


def _only_first(listed: Sequence[Listed], _discounts: Discounts) -> list[float]:
    return [float(rank == _first(listed)) for rank in range(len(listed))]


def _reciprocal_of_first(listed: Sequence[Listed], _discounts: Discounts) -> list[float]:
    return [float(rank == _first(listed)) / (rank + 1) for rank in range(len(listed))]


def _precisions(listed: Sequence[Listed], _discounts: Discounts) -> list[float]:
    found = accumulate(_relevances(listed))
    return [so_far / rank for rank, so_far in enumerate(found, start=1)]


def _still_reading(listed: Sequence[Listed], _discounts: Discounts) -> list[float]:
    weights, reading = [], 1.0
    for rank, one in enumerate(listed, start=1):
        weights.append(reading / rank)
        reading *= 1.0 - one.stop
    return weights


def _one(_k: int, _relevant: int, _highest: float, _discounts: Discounts) -> float:
    return 1.0


def _all_relevant(_k: int, relevant: int, _highest: float, _discounts: Discounts) -> float:
    return float(relevant)


WORKED: dict[str, _Recipe] = {
    "DCG": _Recipe("Gain", "Discount", "", _gains, _discounts, _one),
    "MNDCG": _Recipe(
        "Gain",
        "Discount",
        "a list of nothing but perfect answers",
        _gains,
        _discounts,
        lambda k, _relevant, highest, discounts: highest * float(discounts.weights[:k].sum()),
    ),
    "P": _Recipe(
        "Relevant",
        "Counts",
        "the places",
        _relevances,
        _ones,
        lambda k, _relevant, _highest, _discounts: float(k),
    ),
    "Recall": _Recipe("Relevant", "Counts", "all relevant answers known", _relevances, _ones, _all_relevant),
    "Success": _Recipe("Relevant", "The first one counts", "", _relevances, _only_first, _one),
    "RR": _Recipe("Relevant", "1 / place of the first", "", _relevances, _reciprocal_of_first, _one),
    "AP": _Recipe(
        "Relevant", "Precision to here", "all relevant answers known", _relevances, _precisions, _all_relevant
    ),
    "ERR": _Recipe("Satisfies", "Still reading / place", "", _stops, _still_reading, _one),
}
