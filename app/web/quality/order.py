"""The finding about order in words: three texts, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services.annotators import OrderReport


def said_of_order(report: OrderReport) -> str:
    """Return the one of the three sentences that holds."""
    effect = report.effect
    if effect.finding == "effect found" and effect.effect is not None:
        way = "higher" if effect.effect > 0 else "lower"
        size = f"{abs(effect.effect):.2f}"
        return f"Effect found: from the first to the last place, grades are {size} stars {way}."
    if effect.finding == "no larger effect":
        return f"No effect larger than {effect.margin:.2f} stars (95 %)."
    return "Not enough ratings yet."
