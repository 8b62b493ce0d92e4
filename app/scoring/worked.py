"""The working of the other measures on one list, step by step: the readable form that a page shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.scoring.worked_recipes import F1, WORKED, Known, Listed

__all__ = ["WORKED", "Known", "Listed", "Worked", "WorkedStep", "label_of", "reads_whole", "worked_measure"]


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
    `left_out` counts the places of a whole list that have no step, because they add nothing. `with_ndcg`: the
    score is the harmonic mean of the quotient and the list's nDCG. `perfect` is what each place of a perfect
    list adds, where the divisor is their sum: it may be longer than the list.
    """

    measure: str
    worth: str
    weight: str
    by: str
    steps: list[WorkedStep]
    total: float
    divisor: float
    left_out: int
    known: Known
    with_ndcg: bool = False
    perfect: Sequence[float] = ()

    @property
    def quotient(self) -> float | None:
        """The total over the divisor."""
        return self.total / self.divisor if self.divisor else None

    @property
    def value(self) -> float | None:
        """The score on this query."""
        if not self.with_ndcg or self.quotient is None:
            return self.quotient
        both = self.quotient + self.known.ndcg
        return 2.0 * self.quotient * self.known.ndcg / both if both > 0 else 0.0


def label_of(name: str, k: int) -> str:
    """Return a measure of `WORKED` as it is written: cut at k, or of whole lists."""
    return WORKED[name].label or f"{name}@{k}"


def reads_whole(name: str) -> bool:
    """Return whether a measure of `WORKED` reads whole lists."""
    return bool(WORKED[name].label)


def worked_measure(name: str, listed: Sequence[Listed], known: Known) -> Worked:
    """Return the working of a measure of `WORKED` on one list.

    Parameters
    ----------
    listed
        The list in rank order: whole for a measure that reads whole lists; else what is below `k` is
        not read.
    """
    recipe = WORKED[name]
    top = listed if recipe.label else listed[: known.k]
    worths, weights = recipe.worths(top, known), recipe.weights(top, known)
    adds = [worth * weight for worth, weight in zip(worths, weights, strict=True)]
    totals = list(accumulate(adds))
    shown = [rank for rank in range(len(top)) if worths[rank] or not recipe.label]
    return Worked(
        measure=label_of(name, known.k),
        worth=recipe.worth,
        weight=recipe.weight,
        by=recipe.by,
        steps=[
            WorkedStep(rank + 1, top[rank].grade, worths[rank], weights[rank], adds[rank], totals[rank])
            for rank in shown
        ],
        total=totals[-1] if totals else 0.0,
        divisor=recipe.divisor(known),
        left_out=len(top) - len(shown),
        known=known,
        with_ndcg=name == F1,
        perfect=recipe.perfect(known) if recipe.perfect else (),
    )
