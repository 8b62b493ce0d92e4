"""Numbered events above a chart: near ones share one bubble, so that no number hides another."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.web.charts.labels import width_of

GAP = 2.0
"""The least distance between two bubbles."""


@dataclass(frozen=True, slots=True)
class Bubble:
    """A rounded label: its middle, its width, and the number or the range of numbers in it."""

    x: float
    width: float
    text: str


def bubbles_of(events: Sequence[tuple[float, int]], *, within: tuple[float, float]) -> list[Bubble]:
    """Return bubbles for (place, number) pairs; those that would touch are merged into "2–4"."""
    groups: list[list[tuple[float, int]]] = []
    for event in sorted(events):
        groups.append([event])
        # A wider bubble, or one that was moved inside the drawing, may touch the one before it in turn.
        while len(groups) > 1 and _touch(_bubble(groups[-2], within), _bubble(groups[-1], within)):
            groups[-2:] = [groups[-2] + groups[-1]]
    return [_bubble(group, within) for group in groups]


def _touch(left: Bubble, right: Bubble) -> bool:
    return right.x - left.x < (left.width + right.width) / 2 + GAP


def _middle(group: Sequence[tuple[float, int]]) -> float:
    return sum(x for x, _ in group) / len(group)


def _text(group: Sequence[tuple[float, int]]) -> str:
    numbers = sorted(number for _, number in group)
    if len(numbers) == 1:
        return str(numbers[0])
    together = numbers[-1] - numbers[0] == len(numbers) - 1
    return f"{numbers[0]}–{numbers[-1]}" if together else ", ".join(map(str, numbers))


def _half(group: Sequence[tuple[float, int]]) -> float:
    return max(20.0, width_of(_text(group)) + 10) / 2  # a single digit makes a circle


def _bubble(group: Sequence[tuple[float, int]], within: tuple[float, float]) -> Bubble:
    half = _half(group)
    middle = min(max(_middle(group), within[0] + half), max(within[1] - half, within[0] + half))
    return Bubble(round(middle, 1), round(2 * half, 1), _text(group))
