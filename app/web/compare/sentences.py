"""The picture of the gap in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.comparison.wording import signed_gap

if TYPE_CHECKING:
    from app.services.comparison import PairVerdict


def gap_label_of(pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return the picture of the gap in words."""
    interval = pair.verdict.interval
    if interval.mean is None:
        return ""
    label = f"Average gap {signed_gap(interval.mean)} points for {names[0]} against {names[1]}"
    if interval.low is None or interval.high is None:
        return f"{label}, too few questions to say how sure"
    return f"{label}, likely between {signed_gap(interval.low)} and {signed_gap(interval.high)}"
