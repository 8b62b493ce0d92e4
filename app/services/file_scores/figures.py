"""How scores are written: four decimals, or powers of ten where those would say nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST, MOST = 1e-4, 1e6


def style_of(values: Iterable[float | None]) -> str:
    """Return the format of scores that stand together, by the largest of them."""
    largest = max((abs(one) for one in values if one is not None), default=0.0)
    return ".4f" if not largest or LEAST <= largest < MOST else ".3e"
