"""The numbers behind a verdict, for experts."""

from __future__ import annotations

from dataclasses import dataclass

from app.scoring.significance_power import detectable_difference
from app.services.scores.context import Basis
from app.services.scores.verdicts import AloneTest, PairVerdict, alone_test


@dataclass(frozen=True)
class Experts:
    """What the table of the test shows beside the verdict's own numbers.

    Attributes
    ----------
    scores, judged, weight_judged
        Of the two, over the comparison set; None without a question.
    alone
        The sign-flip test of this pair on all its scored questions; None below two of them.
    detectable
        The difference that so many questions would show.
    """

    scores: tuple[float | None, float | None]
    judged: tuple[float | None, float | None]
    weight_judged: tuple[float | None, float | None]
    alone: AloneTest | None
    detectable: float | None


def experts_of(basis: Basis, pair: PairVerdict) -> Experts:
    """Return the numbers behind the verdict on a pair."""
    judged = basis.board.values[f"judged@{basis.board.ruler.k}"]
    scores, shares, weights = (
        tuple(float(values[row, pair.queries].mean()) if pair.n else None for row in pair.rows)
        for values in (basis.values, judged, basis.weight_judged)
    )
    return Experts(
        scores=(scores[0], scores[1]),
        judged=(shares[0], shares[1]),
        weight_judged=(weights[0], weights[1]),
        alone=alone_test(basis, pair.rows),
        detectable=detectable_difference(pair.n, pair.verdict.deviation),
    )
