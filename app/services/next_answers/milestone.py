"""What finishing the open milestone takes, and what it will decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.scoring.significance_power import (
    ASSUMED_DEVIATION,
    LEAST_FOR_OWN_DEVIATION,
    detectable_difference,
)
from app.services.comparison import basis_of, differences_of, next_look_of, pair_verdicts, state_of
from app.services.evaluation import common_means

if TYPE_CHECKING:
    from app.services.comparison import Basis, NextLook, PairVerdict, PlanState
    from app.services.evidence import Evidence

# Of more pairs the best ones against each other are told.
MOST_PAIRS = 5


@dataclass(frozen=True)
class Milestone:
    """The look that the present plan heads for.

    Attributes
    ----------
    look
        Its number and milestone, the unjudged answers in its way, and what it will be once they are judged.
    questions
        The scored questions that it will rest on if all undecided ones of its block become scored.
    rankers, pairs
        How many are compared.
    detectable
        The difference between two rankers, this pair alone, that so many questions show 8 times in 10 at
        the 5% level, as nDCG; None where that cannot be said.
    measured
        Whether that rests on the spread of differences between the best two here.
    undecided
        The pairs of the best rankers that nothing is sure about today, the closest to the top first.
    """

    look: NextLook
    questions: int
    rankers: int
    pairs: int
    detectable: float | None
    measured: bool
    undecided: tuple[PairVerdict, ...]


def milestone_of(evidence: Evidence, basis: Basis | None = None) -> Milestone | None:
    """Return the next look and what it takes; None without two rankers or after the last look."""
    found = basis or basis_of(evidence)
    state = state_of(found)
    look = next_look_of(found, state)
    if state is None or look is None:
        return None
    rankers = len(found.board.runs)
    questions = look.forecast.n
    best = _best_first(found)
    differences = differences_of(found, best[0], best[1])
    measured = len(differences) >= LEAST_FOR_OWN_DEVIATION
    deviation = float(differences.std(ddof=1)) if measured else ASSUMED_DEVIATION
    return Milestone(
        look=look,
        questions=questions,
        rankers=rankers,
        pairs=rankers * (rankers - 1) // 2 if state.plan.baseline is None else rankers - 1,
        detectable=detectable_difference(questions, deviation),
        measured=measured,
        undecided=_undecided(found, state, best),
    )


def _best_first(basis: Basis) -> list[int]:
    means = common_means(basis.board)
    return sorted(range(len(means)), key=lambda row: -(means[row] or 0.0))


def _undecided(basis: Basis, state: PlanState, best: list[int]) -> tuple[PairVerdict, ...]:
    pairs = [(best[0], other) for other in best[1:]]
    if state.plan.baseline is not None:
        row = basis.rows[state.plan.baseline]
        pairs = [(row, other) for other in best if other != row]
    verdicts = pair_verdicts(basis, pairs[:MOST_PAIRS], state=state)
    return tuple(one for one in verdicts if one.verdict.word not in {"sure", "settled"})
