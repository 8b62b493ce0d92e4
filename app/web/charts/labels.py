"""Text in a drawing: how wide it is, how it is kept apart, what is left out."""

from collections.abc import Sequence

CHARACTER = 6.9
"""Units one character of a chart's text takes on average, measured at its 12.5 units and bold."""


def width_of(text: str) -> float:
    """Return the width to expect of a text in a chart; the server has no font to measure with."""
    return len(text) * CHARACTER


def shorten(text: str, most: int) -> str:
    """Return the text, cut to `most` characters with an ellipsis where it is longer."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def shorten_middle(text: str, most: int) -> str:
    """Return the text, cut in the middle where it is longer: names that begin alike differ at their ends."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end].rstrip()}…{text[-end:].lstrip()}"


def spread(places: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Return the places moved apart to `gap`, in the same order from top to bottom and inside low to high.

    Labels are pushed down until they are free of each other, then the last ones are pushed back up where they
    left the frame. With more labels than room they share the room evenly.
    """
    if not places:
        return []
    gap = min(gap, (high - low) / max(1, len(places) - 1))
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = [min(high, max(low, places[index])) for index in order]
    for number in range(1, len(moved)):
        moved[number] = max(moved[number], moved[number - 1] + gap)
    moved[-1] = min(moved[-1], high)
    for number in range(len(moved) - 2, -1, -1):
        moved[number] = min(moved[number], moved[number + 1] - gap)
    result = [0.0] * len(places)
    for number, index in enumerate(order):
        result[index] = round(moved[number], 1)
    return result


def readable(places: Sequence[tuple[float, str]], *, space: float = 14) -> list[tuple[float, str]]:
    """Return those labels of a horizontal axis that do not run into the one before; the first stays."""
    kept: list[tuple[float, str]] = []
    for x, text in places:
        if kept and text == kept[-1][1]:
            continue
        if not kept or x - kept[-1][0] >= (width_of(text) + width_of(kept[-1][1])) / 2 + space:
            kept.append((x, text))
    return kept
