"""The numbers behind a verdict, for experts."""

from __future__ import annotations

from dataclasses import dataclass

from app.scoring.significance_power import detectable_difference
from app.services.scores.context import ScoringContext
from app.services.scores.verdicts import PairVerdict, UnadjustedTest, unadjusted_test


@dataclass(frozen=True)
class Experts:
    """What the table of the test shows beside the verdict's own numbers.

    Attributes
    ----------
    scores, judged
        Of the two, over the comparison set; None without a question.
    alone
        The sign-flip test of this pair on all its scored questions; None below two of them.
    detectable
        The difference that this number of questions would show.
    """

    scores: tuple[float | None, float | None]
    judged: tuple[float | None, float | None]
    alone: UnadjustedTest | None
    detectable: float | None


def experts_of(context: ScoringContext, pair: PairVerdict) -> Experts:
    """Return the numbers behind the verdict on a pair."""
    judged = context.board.values[f"judged@{context.board.ruler.k}"]
    scores, shares = (
        tuple(float(values[row, pair.queries].mean()) if pair.n else None for row in pair.rows)
        for values in (context.values, judged)
    )
    return Experts(
        scores=(scores[0], scores[1]),
        judged=(shares[0], shares[1]),
        alone=unadjusted_test(context, pair.rows),
        detectable=detectable_difference(pair.n, pair.verdict.deviation),
    )
