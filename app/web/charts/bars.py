"""Wins, ties and losses: one bar per question, and the three shares in one bar."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.web.charts.axes import Frame, Tick, axis_of
from app.web.charts.gaps import signed

LEFT, TOP, EDGE = 38.0, 12.0, 20.0
LEAST = 2.0
"""Units: the smallest win or loss must still be seen."""
GAP = 0.3
"""Percent left free between two shares."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One question: how many points the first ranker is ahead (negative: behind), its name and its page."""

    name: str
    points: float
    url: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar or, for a tie, a dot: `kind` is win, tie or loss."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars in a view box, largest win first, largest loss last."""

    width: int
    height: int
    left: float
    zero: float
    ticks: list[Tick]
    bars: list[Bar]


@dataclass(frozen=True, slots=True)
class ShareBar:
    """Start and length of wins, ties and losses in percent, in this order, those that are not empty."""

    parts: list[tuple[str, float, float]]


def difference_bars(
    differences: Sequence[Difference], first: str, second: str, *, width: int = 1100, height: int = 330
) -> BarChart:
    """Return one bar per question, sorted by the difference between the rankers `first` and `second`."""
    ordered = sorted(differences, key=lambda one: (-one.points, one.name))
    axis = axis_of([0.0, *(one.points for one in ordered)])
    frame = Frame(LEFT, float(width), TOP, height - EDGE, 0.0, float(max(1, len(ordered))), axis)
    ticks = [Tick(frame.y(value), signed(value)) for value in axis.values]
    bars = [_bar(frame, number, one, (first, second)) for number, one in enumerate(ordered)]
    return BarChart(width, height, LEFT, frame.y(0), ticks, bars)


def _bar(frame: Frame, number: int, one: Difference, names: tuple[str, str]) -> Bar:
    left, right = frame.x(number), frame.x(number + 1)
    width = round((right - left) * 0.72, 2)
    x = round(left + (right - left - width) / 2, 2)
    zero, end = frame.y(0), frame.y(one.points)
    kind = kind_of(one.points)
    return Bar(
        kind,
        x,
        min(zero, end, zero - LEAST if kind == "win" else zero),
        width,
        max(LEAST, round(abs(end - zero), 1)),
        _label(one, names),
        one.url,
    )


def kind_of(points: float) -> str:
    """Return win, tie or loss from the first ranker's side; only equal scores are a tie."""
    if abs(points) < 1e-9:
        return "tie"
    return "win" if points > 0 else "loss"


def _label(one: Difference, names: tuple[str, str]) -> str:
    kind = kind_of(one.points)
    if kind == "tie":
        return f"{one.name}: no difference"
    size = f"{abs(one.points):.0f}" if round(one.points) else "less than 1"
    return f"{one.name}: {names[kind == 'loss']} better by {size}"


def share_bar(wins: int, ties: int, losses: int) -> ShareBar:
    """Return the shares of wins, ties and losses as parts of one bar; nothing counted gives no part."""
    counts = [(kind, count) for kind, count in (("win", wins), ("tie", ties), ("loss", losses)) if count]
    room = 100.0 - GAP * max(0, len(counts) - 1)
    total = sum(count for _, count in counts)
    parts, start = [], 0.0
    for kind, count in counts:
        length = count / total * room
        parts.append((kind, round(start, 2), round(length, 2)))
        start += length + GAP
    return ShareBar(parts)
