"""Scales and their ticks: from values to places on the page."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 25, 50, 100)
"""Distances between two ticks that people read without counting."""
GAP_STEPS = (2, 5, 10, 20, 50)


@dataclass(frozen=True, slots=True)
class Tick:
    """A place along an axis and what is printed there."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from `low` to `high` with ticks every `step`."""

    low: float
    high: float
    step: float

    @property
    def values(self) -> list[float]:
        """Return the values at which ticks stand."""
        count = round((self.high - self.low) / self.step)
        return [self.low + self.step * number for number in range(count + 1)]

    def percent(self, value: float) -> float:
        """Return how far along the axis a value lies, from 0 to 100; values outside stay at the ends."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)

    @property
    def ticks(self) -> list[Tick]:
        """Return the ticks as percentages of the length."""
        return [Tick(self.percent(value), number_text(value)) for value in self.values]

    @property
    def signed_ticks(self) -> list[Tick]:
        """Return the same with a sign before what is more than zero: ticks of gaps."""
        return [
            Tick(tick.at, f"+{tick.text}" if value > 0 else tick.text)
            for tick, value in zip(self.ticks, self.values, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Frame:
    """The drawing area of a chart: maps values to units of its view box."""

    left: float
    right: float
    top: float
    bottom: float
    first: float
    last: float
    axis: Axis

    def x(self, value: float) -> float:
        """Return the horizontal place of a value; a lone value stands in the middle."""
        if self.last == self.first:
            return round((self.left + self.right) / 2, 1)
        share = (value - self.first) / (self.last - self.first)
        return round(self.left + share * (self.right - self.left), 1)

    def y(self, value: float) -> float:
        """Return the vertical place of a value, kept inside the frame."""
        share = (value - self.axis.low) / (self.axis.high - self.axis.low)
        place = self.bottom - share * (self.bottom - self.top)
        return round(min(self.bottom, max(self.top, place)), 1)


def number_text(value: float) -> str:
    """Return a tick's number as people write it: no trailing zeros, a real minus sign."""
    return f"{value:g}".replace("-", "−")


def axis_of(
    values: Iterable[float], *, most_ticks: int = 6, within: tuple[float, float] | None = None
) -> Axis:
    """Return an axis that holds all values with the finest round step that needs few ticks.

    `within` bounds it: scores never run past 0 and 100. Without any value it is the whole of `within`,
    or 0 to 1.
    """
    known = list(values)
    low, high = (min(known), max(known)) if known else (within or (0.0, 1.0))
    if high - low < STEPS[0]:
        low, high = low - 5, high + 5
    if within:
        low, high = max(low, within[0]), min(high, within[1])
    for step in STEPS:
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first < most_ticks:
            return Axis(first * step, last * step, step)
    return Axis(low, high, high - low)


def gap_axis(values: Iterable[float]) -> Axis:
    """Return the shared axis of gaps in points and their intervals: zero and all of them lie on it."""
    known = [0.0, *values]
    low, high = min(known), max(known)
    step = next((step for step in GAP_STEPS if (high - low) / step <= 5), GAP_STEPS[-1])
    first, last = math.floor(low / step), math.ceil(high / step)
    return Axis(first * step, max(last, first + 1) * step, step)
