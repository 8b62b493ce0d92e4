"""Gaps with their intervals, drawn as bars."""

from __future__ import annotations

from dataclasses import dataclass

from app.http.languages import gettext as _
from app.http.languages import ngettext
from app.web.charts.axes import Axis, Tick, axis_of, rounded
from app.web.numbers import decimal

MARGIN = 50.0


@dataclass(frozen=True, slots=True)
class GapChart:
    """One drawing in a view box as wide as `width`; places are units, `start` None without an interval."""

    width: int
    zero: float
    dot: float
    start: float | None
    length: float | None
    ticks: list[Tick]
    text: str


def gap_chart(gap: float, low: float | None, high: float | None, *, width: int = 640) -> GapChart:
    """Return the geometry of a difference in points; positive means the first ranker is better.

    The scale is the same on both sides of zero, so that left and right are read alike.
    """
    reach = max(abs(value) for value in (gap, low, high, 1.0) if value is not None)
    axis = axis_of([-reach, reach], most_ticks=8)
    places = [_place(axis, value, width) for value in axis.values]
    start = None if low is None else _place(axis, low, width)
    length = None if start is None or high is None else round(_place(axis, high, width) - start, 1)
    ticks = [Tick(x, signed(value)) for x, value in zip(places, axis.values, strict=True)]
    return GapChart(
        width,
        _place(axis, 0, width),
        _place(axis, gap, width),
        start,
        length,
        ticks,
        points(abs(gap), sign=False),
    )


def signed(value: float) -> str:
    """Return a number with its sign, a real minus included; zero has none."""
    text = f"{value:+g}" if value else "0"
    return decimal(text.replace("-", "−"))


def points(gap: float, *, sign: bool = True) -> str:
    """Return a difference in whole points, halves away from 0, in words."""
    whole = rounded(gap)
    if gap and not whole:
        return _("less than 1 point")
    return ngettext(
        "%(gap)s point", "%(gap)s points", abs(int(whole)), gap=signed(whole) if sign else int(whole)
    )


def _place(axis: Axis, value: float, width: int) -> float:
    return round(MARGIN + axis.percent(value) / 100 * (width - 2 * MARGIN), 1)


@dataclass(frozen=True, slots=True)
class GapBar:
    """Percentages along the shared axis; `dot` is within the bar, and for a ring there is no bar."""

    zero: float
    dot: float
    start: float | None
    width: float | None
    label: str

    @property
    def is_reference(self) -> bool:
        """Whether this is the ring of the reference."""
        return self.width is None


def gap_bar(gap: float, low: float, high: float, axis: Axis, label: str) -> GapBar:
    """Return one bar, from the numbers in points; all on a page share the axis."""
    start, end = axis.percent(low), axis.percent(high)
    return GapBar(axis.percent(0), axis.percent(gap), start, round(end - start, 2), label)


def reference_ring(axis: Axis, label: str) -> GapBar:
    """Return the ring at zero of the ranker that the others are compared with."""
    return GapBar(axis.percent(0), axis.percent(0), None, None, label)
