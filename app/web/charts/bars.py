"""Wins, ties and losses: one bar per question, and the three shares in one bar."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from app.web.charts.axes import Frame, Tick, axis_of
from app.web.charts.gaps import signed

LEFT, TOP, EDGE = 38.0, 12.0, 20.0
LEAST = 2.0
"""Units: the smallest win or loss must still be seen."""
WIDEST = 56.0
"""Units: a single question is a bar, not a block."""
TIE = 3.0
"""Units: how thick the line of ties is, where they have no dots of their own."""
GAP = 0.3
"""Percent left free between two shares."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One question: how many points the first ranker is ahead (negative: behind), its name and its page.

    `remark` stands behind the difference, where it is read out.
    """

    name: str
    points: float
    url: str = ""
    remark: str = ""


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
    """Bars in a view box, largest win first, largest loss last.

    With very many questions there are no `bars` but `outlines`: for wins, ties and losses one path around
    all of their bars, which stand without a gap.
    """

    width: int
    height: int
    left: float
    zero: float
    ticks: list[Tick]
    bars: list[Bar]
    outlines: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ShareBar:
    """Start and length of wins, ties and losses in percent, in this order, those that are not empty."""

    parts: list[tuple[str, float, float]]


def difference_bars(
    differences: Sequence[Difference], first: str, second: str, *, width: int = 1100, height: int = 330
) -> BarChart:
    """Return one bar per question, sorted by the difference between the rankers `first` and `second`."""
    ordered = sorted(differences, key=lambda one: (-one.points, one.name))
    frame = _frame([one.points for one in ordered], width, height)
    bars = [_bar(frame, number, one, (first, second)) for number, one in enumerate(ordered)]
    return BarChart(width, height, LEFT, frame.y(0), _ticks(frame), bars, [])


def difference_outlines(points: Sequence[float], *, width: int = 1100, height: int = 330) -> BarChart:
    """Return the same for so many questions that no bar can be told from the next.

    Neighbours whose ends would be drawn less than half a unit apart share a step: what is drawn does not grow
    with the number of questions.

    Parameters
    ----------
    points
        How far the first ranker is ahead on each question, in any order.
    """
    ordered = sorted(points, reverse=True)
    frame = _frame(ordered, width, height)
    outlines = []
    start = 0
    for kind, run in groupby(ordered, key=kind_of):
        values = list(run)
        outlines.append((kind, _outline(frame, kind, start, values)))
        start += len(values)
    return BarChart(width, height, LEFT, frame.y(0), _ticks(frame), [], outlines)


def _frame(points: Sequence[float], width: int, height: int) -> Frame:
    axis = axis_of([0.0, *points])
    return Frame(LEFT, float(width), TOP, height - EDGE, 0.0, float(max(1, len(points))), axis)


def _ticks(frame: Frame) -> list[Tick]:
    return [Tick(frame.y(value), signed(value)) for value in frame.axis.values]


def _outline(frame: Frame, kind: str, start: int, values: Sequence[float]) -> str:
    """Return the path around bars that stand side by side from place `start` on."""
    zero, least = frame.y(0), {"win": -LEAST, "tie": 0.0, "loss": LEAST}[kind]
    ends = [round(2 * frame.y(value)) / 2 for value in values]
    if kind == "tie":
        left, right = frame.x(start), frame.x(start + len(values))
        return f"M{left:g} {zero - TIE / 2:g}H{right:g}v{TIE:g}H{left:g}z"
    steps, place = [f"M{frame.x(start):g} {zero:g}"], start
    for end, run in groupby(ends):
        place += sum(1 for _ in run)
        y = min(end, zero + least) if kind == "win" else max(end, zero + least)
        steps.append(f"V{y:g}H{frame.x(place):g}")
    return f"{''.join(steps)}V{zero:g}z"


def _bar(frame: Frame, number: int, one: Difference, names: tuple[str, str]) -> Bar:
    left, right = frame.x(number), frame.x(number + 1)
    width = round(min((right - left) * 0.72, WIDEST), 2)
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
    remark = f", {one.remark}" if one.remark else ""
    if kind == "tie":
        return f"{one.name}: the same{remark}"
    whole = int(abs(one.points) + 0.5)
    return f"{one.name}: {names[kind == 'loss']} better by {whole or 'less than 1'}{remark}"


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
