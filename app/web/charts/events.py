"""Numbered events above a chart: near ones share one bubble, so that no number hides another."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.web.charts.labels import width_of

ROOM = 22.0
"""The least distance between the middles of two bubbles."""


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
        if groups and event[0] - _middle(groups[-1]) < _half(groups[-1]) + ROOM / 2 + 2:
            groups[-1].append(event)
        else:
            groups.append([event])
    return [_bubble(group, within) for group in groups]


def _middle(group: Sequence[tuple[float, int]]) -> float:
    return sum(x for x, _ in group) / len(group)


def _text(group: Sequence[tuple[float, int]]) -> str:
    numbers = sorted(number for _, number in group)
    if len(numbers) == 1:
        return str(numbers[0])
    together = numbers[-1] - numbers[0] == len(numbers) - 1
    return f"{numbers[0]}–{numbers[-1]}" if together else ", ".join(map(str, numbers))


def _half(group: Sequence[tuple[float, int]]) -> float:
    return max(20.0, width_of(_text(group)) + 10) / 2


def _bubble(group: Sequence[tuple[float, int]], within: tuple[float, float]) -> Bubble:
    half = _half(group)
    middle = min(max(_middle(group), within[0] + half), max(within[1] - half, within[0] + half))
    return Bubble(round(middle, 1), round(2 * half, 1), _text(group))
