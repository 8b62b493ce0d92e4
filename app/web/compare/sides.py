"""The two versions that a page compares: what they are called, how they look, what they score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.scoring.means import mean_of
from app.web.charts.marks import hue_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.services.comparison import Basis, PairVerdict


@dataclass(frozen=True)
class Side:
    """One of the two: its name on this page, its tone, its score and coverage on the common questions."""

    name: str
    tone: int
    score: float | None
    judged: float | None
    weight_judged: float | None


def sides_of(
    basis: Basis, pair: PairVerdict, names: tuple[str, str], tones: Mapping[int, int]
) -> tuple[Side, Side]:
    """Return the two as they stand on their common questions."""
    first, second = (
        _side(basis, pair, row, name, tone)
        for row, name, tone in zip(pair.rows, names, _tones_of_sides(pair, tones), strict=True)
    )
    return first, second


def _tones_of_sides(pair: PairVerdict, tones: Mapping[int, int]) -> tuple[int, int]:
    """Return the tones of the two; of two versions of one ranker the second has the next hue."""
    first, second = (tones[run.ranker_id] for run in (pair.first, pair.second))
    return first, (hue_of(second) % 4 + 1 if first == second else second)


def _side(basis: Basis, pair: PairVerdict, row: int, name: str, tone: int) -> Side:
    if not pair.n:
        return Side(name, tone, None, None, None)
    judged = basis.board.values[f"judged@{basis.board.ruler.k}"]
    values = [rows[row, pair.queries] for rows in (basis.values, judged, basis.weight_judged)]
    score, share, weight = (mean_of(value) for value in values)
    return Side(name, tone, score, share, weight)


def fills_of(sides: tuple[Side, Side]) -> tuple[int, int]:
    """Return the fills of their bars: the two hues; of two with one hue, one is filled and one in outline."""
    first, second = (side.tone for side in sides)
    return (hue_of(first), hue_of(second)) if hue_of(first) != hue_of(second) else (first, second)
