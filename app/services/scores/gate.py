"""The gate for build pipelines: may a version replace another? Passed, failed, or cannot tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.scoring.intervals import interval_from
from app.scoring.means import mean_of
from app.scoring.verdict import LEAST_QUERIES
from app.sentences import counted
from app.services.scores.context import ScoringContext
from app.services.scores.verdict_text import signed_gap, title_of
from app.services.scores.verdicts import PairVerdict

Outcome = Literal["passed", "failed", "cannot tell"]

ONE_SIDED = 0.90
"""The level of the two-sided interval whose lower end is the one-sided 95% bound."""
NOTICED = 0.005
"""From which difference on readers ask why judged@k and the count of unrated answers disagree."""


@dataclass(frozen=True)
class GateRules:
    """What must hold: how far below the score may lie, and how much of both lists must be rated, 0 to 1."""

    max_drop: float = 0.03
    min_coverage: float = 0.9


@dataclass(frozen=True)
class Half:
    """One of the two versions, over the questions that both are scored on.

    Attributes
    ----------
    name
        What the sentence calls it.
    score
        Its mean; None without a question.
    judged
        judged@k.
    unrated, returned
        How many of the answers in its top k nobody has rated, and how many there are, unscored questions
        included; answers that are in no pool count as unrated.
    silent
        The scored questions to which it has no answer: each scores 0.
    """

    name: str
    score: float | None
    judged: float | None
    unrated: int
    returned: int
    silent: int

    @property
    def scope(self) -> str:
        """What the sentence says about judged@k where the unrated answers are of more questions."""
        if self.judged is None or not self.returned:
            return ""
        differs = abs(1 - self.judged - self.unrated / self.returned) > NOTICED
        return " on the scored ones" if differs else ""

    @property
    def silence(self) -> str:
        """What the sentence says about questions without an answer."""
        return f", no answers to {counted(self.silent, 'question')}" if self.silent else ""


@dataclass(frozen=True)
class GateAnswer:
    """The answer, why, and every number behind it; differences are the first version's minus the second's.

    Attributes
    ----------
    reason
        Why, as a part of a sentence.
    halves
        The version that wants to pass, and the one that it is compared with.
    bound
        The one-sided 95% bound of the gap: it is at least this. None where there are too few questions.
    """

    outcome: Outcome
    reason: str
    pair: PairVerdict
    halves: tuple[Half, Half]
    bound: float | None
    rules: GateRules
    measure: str
    k: int

    @property
    def sentence(self) -> str:
        """The answer in one sentence, with the numbers."""
        return f"{self.outcome.capitalize()}: {self.reason}; {self.numbers}."

    @property
    def numbers(self) -> str:
        """The scores of both, and how much of their lists is rated."""
        parts = [
            f"{half.name} {_number(half.score)} ({half.unrated:,} of {half.returned:,} answers"
            f"{' of all questions' if half.scope else ''} not rated, judged@{self.k} {_number(half.judged)}"
            f"{half.scope}{half.silence})"
            for half in self.halves
        ]
        return f"{self.measure}: {' and '.join(parts)}"


def gate_answer(
    context: ScoringContext, pair: PairVerdict, names: tuple[str, str], rules: GateRules
) -> GateAnswer:
    """Return whether the first of a pair may take the place of the second.

    Parameters
    ----------
    context
        Of the pair.
    names
        What the two are called.
    """
    first, second = (_half(context, pair, side, name) for side, name in enumerate(names))
    one_sided = interval_from(pair.mean, pair.verdict.deviation, pair.n, level=ONE_SIDED, clip=None)
    bound = one_sided.low
    outcome, reason = _decided(pair, (first, second), bound, rules, context.board.ruler.k)
    ruler = context.board.ruler
    return GateAnswer(outcome, reason, pair, (first, second), bound, rules, ruler.name, ruler.k)


def _half(context: ScoringContext, pair: PairVerdict, side: int, name: str) -> Half:
    row, k = pair.rows[side], context.board.ruler.k
    judged = context.board.values[f"judged@{k}"][row]
    # Counted on unscored questions as well: ratings there may still make them scored.
    both = np.logical_and(*context.covered[list(pair.rows)])
    returned = np.minimum(context.evidence.structure.lengths[context.places[row], both], k)
    return Half(
        name=name,
        score=mean_of(context.values[row, pair.queries]),
        judged=mean_of(judged[pair.queries]),
        unrated=int(np.rint((1 - judged[both]) * returned).sum()),
        returned=int(returned.sum()),
        silent=int(
            np.count_nonzero(context.evidence.structure.lengths[context.places[row], pair.queries] == 0)
        ),
    )


def _decided(
    pair: PairVerdict, halves: tuple[Half, Half], bound: float | None, rules: GateRules, k: int
) -> tuple[Outcome, str]:
    """Return the answer and why, by the first rule that holds."""
    names = (halves[0].name, halves[1].name)
    low, high = pair.verdict.interval.low, pair.verdict.interval.high
    if pair.n < LEAST_QUERIES or bound is None or low is None or high is None:
        scored = f"{counted(pair.n, 'question')} scored for both {' and '.join(names)}"
        return "cannot tell", f"{scored}, and {LEAST_QUERIES} are needed"
    # The one that is asked about comes first, whichever leads.
    asked = f"{names[0]} against {names[1]}: " if (pair.mean or 0.0) < 0 else ""
    told = f"{asked}{title_of(pair, names)} (gap {signed_gap(pair.mean)} on {counted(pair.n, 'question')})"
    if not pair.complete and min(half.judged or 0.0 for half in halves) < rules.min_coverage:
        judged = " and ".join(
            f"{_digits(half.judged or 0.0, rules.min_coverage, 3)} for {half.name}" for half in halves
        )
        return "cannot tell", (
            f"unrated answers count as not relevant, and judged@{k} is {judged}: both need at least "
            f"{rules.min_coverage:g}; {told}"
        )
    drop = f"a drop of {_points(rules.max_drop)}"
    worst = f"at worst {_digits(bound * 100, -rules.max_drop * 100, 1, sign='+')} points, one-sided at 95%"
    if bound > -rules.max_drop:
        if pair.verdict.word == "sure":
            gain = ""
        elif bound > 0:
            # A verdict rests on more than one limit: it is looked at again and again.
            gain = ", which is not enough for the verdict “Sure”"
        else:
            gain = f", which does not show that {names[0]} is better"
        counting = (
            "with unrated answers as not relevant, " if pair.missing.answers and not pair.complete else ""
        )
        return "passed", f"{counting}{drop} is ruled out ({worst}){gain}; {told}"
    ends = f"95% interval {_digits(low * 100, 0, 1, sign='+')} to {_digits(high * 100, 0, 1, sign='+')}"
    if high < 0:
        return "failed", f"a drop is likely ({ends}), and {drop} is not ruled out; {told}"
    return "cannot tell", f"neither {drop} nor a gain is ruled out ({ends}); {told}"


def _points(share: float) -> str:
    """Return a limit in points, with as many digits as were given."""
    points = f"{share * 100:.6f}".rstrip("0").rstrip(".")
    return "1 point" if points == "1" else f"{points} points"


def _digits(value: float, limit: float, least: int, *, sign: str = "") -> str:
    """Return a number with as many decimals as show on which side of a limit it lies."""
    wanted = next((d for d in range(least, 12) if f"{value:.{d}f}" != f"{limit:.{d}f}"), least)
    text = f"{value:{sign}.{wanted}f}".replace("-", "\N{MINUS SIGN}")
    return text if float(f"{value:.{wanted}f}") else text.lstrip("+\N{MINUS SIGN}")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
