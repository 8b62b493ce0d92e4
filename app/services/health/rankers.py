"""How much of each ranker's lists is rated, and how far the rest could still move its score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.comparison.closed import unratable

if TYPE_CHECKING:
    from app.services.comparison import Basis
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact


@dataclass(frozen=True)
class RankerHealth:
    """The coverage of one ranker's newest version, over its scored questions; None without any.

    Attributes
    ----------
    judged, weighted
        judged@k, and the same with the places weighed by their discount.
    width
        How far apart the exact bounds of its mean score are, in scores from 0 to 1; None where nothing
        bounds it.
    provisional
        Too much of what the score rests on is missing.
    """

    run: RunFact
    scored: int
    judged: float | None
    weighted: float | None
    width: float | None
    provisional: bool


def ranker_health(basis: Basis) -> list[RankerHealth]:
    """Return the coverage of the rankers of a board, in its order."""
    k = basis.board.ruler.k
    return [
        RankerHealth(
            run=scored.run,
            scored=scored.scored,
            judged=scored.judged[f"judged@{k}"],
            weighted=scored.judged[f"weight-judged@{k}"],
            width=bounds[1] - bounds[0] if bounds else None,
            provisional=provisional,
        )
        for scored, bounds, provisional in zip(basis.board.runs, basis.bounds, basis.provisional, strict=True)
    ]


def can_be_rated(evidence: Evidence, basis: Basis) -> bool:
    """Tell whether any answer without a rating can be rated today: it has a text, nobody gave up."""
    return bool((basis.board.judged.open & ~unratable(evidence)).any())
