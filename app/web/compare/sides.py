"""The two versions that a page compares: what they are called and how they look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.web.charts.marks import hue_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.services.comparison import PairVerdict


@dataclass(frozen=True)
class Side:
    """One of the two: its name on this page, and its tone."""

    name: str
    tone: int


def sides_of(pair: PairVerdict, names: tuple[str, str], tones: Mapping[int, int]) -> tuple[Side, Side]:
    """Return the two; of two versions of one ranker the second has the next hue."""
    first, second = (tones[run.ranker_id] for run in (pair.first, pair.second))
    return Side(names[0], first), Side(names[1], hue_of(second) % 4 + 1 if first == second else second)


def fills_of(sides: tuple[Side, Side]) -> tuple[int, int]:
    """Return the fills of their bars: the two hues; of two with one hue, one is filled and one in outline."""
    first, second = (side.tone for side in sides)
    return (hue_of(first), hue_of(second)) if hue_of(first) != hue_of(second) else (first, second)
