"""How each measure weighs the places of a list, for the working that a page shows.

The formulas are those of `measures/`, place by place; tests hold every total against the engine's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.scoring.discounts import Discounts
from app.scoring.measures.binary import INFAP_EPSILON
from app.scoring.states import NONRELEVANT, POOLED, RELEVANT

PATIENCE = 0.8
"""Of RBP: the chance that its reader goes on to the next place."""

F1 = "F1"
"""Its steps are those of mean gain; the nDCG that it takes them together with has a working of its own."""


@dataclass(frozen=True)
class Listed:
    """One place of a list: what the answer there is worth to each kind of measure; unjudged is worth 0.

    `grade` is the consensus, None where there is none; `state` one of `scoring.states`; `stop` is ERR's
    chance that a reader is satisfied.
    """

    grade: float | None
    gain: float
    state: int
    stop: float


@dataclass(frozen=True)
class Known:
    """What is known of a query, and how its lists are read.

    `relevant` (R) and `nonrelevant` (N) count all judged documents of the query; `highest` is the gain of the
    highest grade; `discounts` reach to `k`; `ndcg` is the list's own nDCG@k.
    """

    k: int
    relevant: int
    nonrelevant: int
    highest: float
    discounts: Discounts
    ndcg: float


Weigh = Callable[[Sequence[Listed], Known], list[float]]


@dataclass(frozen=True)
class Recipe:
    """What each place is worth, what that is multiplied by, and what the sum is divided by.

    `worth`, `weight` and `by` name the columns and the divisor. `label` is the name of a measure of whole
    lists; one that has none is cut at k. `perfect` is what each of the k places of a perfect list adds, where
    the divisor is their sum.
    """

    worth: str
    weight: str
    by: str
    worths: Weigh
    weights: Weigh
    divisor: Callable[[Known], float]
    label: str = ""
    perfect: Callable[[Known], list[float]] | None = None


def _gains(listed: Sequence[Listed], _known: Known) -> list[float]:
    return [one.gain for one in listed]


def _shares(listed: Sequence[Listed], known: Known) -> list[float]:
    return [one.gain / known.highest for one in listed]


def _relevances(listed: Sequence[Listed], _known: Known) -> list[float]:
    return [float(one.state == RELEVANT) for one in listed]


def _stops(listed: Sequence[Listed], _known: Known) -> list[float]:
    return [one.stop for one in listed]


def _discounts(listed: Sequence[Listed], known: Known) -> list[float]:
    return [float(weight) for weight in known.discounts.weights[: len(listed)]]


def _ones(listed: Sequence[Listed], _known: Known) -> list[float]:
    return [1.0] * len(listed)


def _first(listed: Sequence[Listed]) -> int | None:
    return next((rank for rank, one in enumerate(listed) if one.state == RELEVANT), None)


def _only_first(listed: Sequence[Listed], _known: Known) -> list[float]:
    return [float(rank == _first(listed)) for rank in range(len(listed))]


def _reciprocal_of_first(listed: Sequence[Listed], _known: Known) -> list[float]:
    return [float(rank == _first(listed)) / (rank + 1) for rank in range(len(listed))]


def _precisions(listed: Sequence[Listed], known: Known) -> list[float]:
    found = accumulate(_relevances(listed, known))
    return [so_far / rank for rank, so_far in enumerate(found, start=1)]


def _still_reading(listed: Sequence[Listed], _known: Known) -> list[float]:
    weights, reading = [], 1.0
    for rank, one in enumerate(listed, start=1):
        weights.append(reading / rank)
        reading *= 1.0 - one.stop
    return weights


def _patient(listed: Sequence[Listed], _known: Known) -> list[float]:
    return [(1.0 - PATIENCE) * PATIENCE**rank for rank in range(len(listed))]


def _above(listed: Sequence[Listed], state: int) -> list[int]:
    """Return how many answers of a state stand above each place."""
    return list(accumulate((int(one.state == state) for one in listed), initial=0))[:-1]


def _preferred(listed: Sequence[Listed], known: Known) -> list[float]:
    least = max(min(known.relevant, known.nonrelevant), 1)
    return [1.0 - min(wrong, known.relevant) / least for wrong in _above(listed, NONRELEVANT)]


def _inferred_precisions(listed: Sequence[Listed], _known: Known) -> list[float]:
    counts = zip(*(_above(listed, state) for state in (RELEVANT, NONRELEVANT, POOLED)), strict=True)
    return [_inferred_precision(above, *three) for above, three in enumerate(counts)]


def _inferred_precision(above: int, relevant: int, nonrelevant: int, pooled: int) -> float:
    if not above:
        return 1.0
    judged = relevant + nonrelevant
    share = (relevant + INFAP_EPSILON) / (judged + 2 * INFAP_EPSILON)
    return 1.0 / (above + 1) + (above / (above + 1.0)) * ((judged + pooled) / above) * share


def _one(_known: Known) -> float:
    return 1.0


def _all_relevant(known: Known) -> float:
    return float(known.relevant)


ALL_RELEVANT = "all relevant answers known"
PERFECT = "the sum of a list of perfect answers"


def _perfect(known: Known) -> list[float]:
    return [known.highest] * known.k


def _perfect_discounted(known: Known) -> list[float]:
    return [known.highest * weight for weight in known.discounts.weights[: known.k].tolist()]


MEAN_GAIN = Recipe(
    "Gain",
    "Weight",
    PERFECT,
    _gains,
    _ones,
    lambda known: known.k * known.highest,
    perfect=_perfect,
)

WORKED: dict[str, Recipe] = {
    "CG": Recipe("Gain", "Weight", "", _gains, _ones, _one),
    "DCG": Recipe("Gain", "Discount", "", _gains, _discounts, _one),
    "MNDCG": Recipe(
        "Gain",
        "Discount",
        PERFECT,
        _gains,
        _discounts,
        lambda known: known.highest * float(known.discounts.weights[: known.k].sum()),
        perfect=_perfect_discounted,
    ),
    "MNG": MEAN_GAIN,
    F1: MEAN_GAIN,
    "P": Recipe("Relevant", "Weight", "the places", _relevances, _ones, lambda known: float(known.k)),
    "Recall": Recipe("Relevant", "Weight", ALL_RELEVANT, _relevances, _ones, _all_relevant),
    "Success": Recipe("Relevant", "The first one counts", "", _relevances, _only_first, _one),
    "RR": Recipe("Relevant", "1 / place of the first", "", _relevances, _reciprocal_of_first, _one),
    "AP": Recipe("Relevant", "Precision to here", ALL_RELEVANT, _relevances, _precisions, _all_relevant),
    "ERR": Recipe("Satisfies", "Still reading / place", "", _stops, _still_reading, _one),
    "RBP": Recipe(
        "Gain / best gain", "(1 − p) · p^(rank − 1)", "", _shares, _patient, _one, f"RBP({PATIENCE:g})"
    ),
    "bpref": Recipe(
        "Relevant",
        "1 − min(wrong above, R) / min(R, N)",
        ALL_RELEVANT,
        _relevances,
        _preferred,
        _all_relevant,
        "bpref",
    ),
    "infAP": Recipe(
        "Relevant",
        "Inferred precision to here",
        ALL_RELEVANT,
        _relevances,
        _inferred_precisions,
        _all_relevant,
        "infAP",
    ),
}
