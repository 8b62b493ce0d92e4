"""A chart of lines with its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.http.languages import gettext as _
from app.web.charts.axes import (
    Axis,
    Frame,
    Tick,
    axis_of,
    number_text,
    printed,
    readable,
    shorten_middle,
    spread,
    tone_of,
    width_of,
)
from app.web.charts.lines import Begin, ChartNote, Line, Series, last_point_of, line_of

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


LEFT, TOP, FOOT = 34.0, 34.0, 28.0
INSET = 12.0
"""Room between the axis and the first and last point, so that no mark sits on the frame."""
LONGEST_NAME = 22
HIGH = 13.0
"""Units a line of text takes from top to bottom."""
ABOVE = 12.0
"""How far the name of a version is written above its point."""
SHAPE = 4.0
"""Half the size of the shape of a point."""
MOST_NAMED = 16
"""How many names find room at the line ends; of more lines only those with a colour are named."""


@dataclass(frozen=True, slots=True)
class EndLabel:
    """A name and its newest value at the end of a line."""

    x: float
    y: float
    tone: int
    text: str
    now: str
    key: str


@dataclass(frozen=True, slots=True)
class Goal:
    """The height of the score that a project aims at, and the words on it."""

    y: float
    text: str


@dataclass(frozen=True, slots=True)
class LineChart:
    """A chart in its own units. `columns` are the places of the table's rows, for the readout.

    `told` holds those new versions whose name finds room above its point.
    """

    width: int
    height: int
    left: float
    right: float
    bottom: float
    y_ticks: list[Tick]
    x_ticks: list[Tick]
    events: list[float]
    bubbles: list[Bubble]
    lines: list[Line]
    labels: list[EndLabel]
    columns: list[float]
    told: list[Begin]
    goal: Goal | None


def line_chart(
    series: Sequence[Series],
    events: Sequence[ChartNote] = (),
    *,
    width: int = 760,
    height: int = 330,
    labelled: bool = True,
    within: tuple[float, float] | None = (0.0, 100.0),
    goal: float | None = None,
) -> LineChart:
    """Return the geometry of one drawing; the line in focus comes last and so lies on top.

    `labelled` puts names at the line ends; without it the page needs a legend (the narrow drawing does that).
    `within` bounds the scale, None lets it follow the values. `goal` is the score aimed at.
    """
    labels = _texts_of(series) if labelled else []
    margin = max((width_of(f"{text} {now}") for _, text, now in labels), default=0.0) + (14 if labels else 20)
    axis = _axis_of(series, within, goal)
    frame = _frame_of(series, events, right=width - margin, bottom=height - FOOT, axis=axis)
    columns = columns_of(series)
    lines = [line_of(frame, one, columns) for one in sorted(series, key=_drawing_order)]
    return LineChart(
        width=width,
        height=height,
        left=LEFT,
        right=frame.right + INSET,
        bottom=frame.bottom,
        y_ticks=[Tick(frame.y(value), number_text(value)) for value in frame.axis.values],
        x_ticks=_x_ticks(frame, columns, width),
        events=sorted({frame.x(event.x) for event in events}),
        bubbles=bubbles_of(
            [(frame.x(event.x), event.number) for event in events], within=(LEFT, frame.right)
        ),
        lines=lines,
        labels=_end_labels(frame, labels),
        columns=[frame.x(x) for x, _ in columns],
        told=_with_room(
            [begin for line in reversed(lines) for begin in line.begins],
            [point for line in lines for point in (*line.begins, *line.others)],
        ),
        goal=None if goal is None else Goal(frame.y(goal), _("Target %(score)s", score=f"{goal:g}")),
    )


def columns_of(series: Sequence[Series]) -> list[tuple[float, str]]:
    """Return every place at which some series has a point, with its label, in order."""
    found: dict[float, str] = {}
    for one in series:
        for point in one.points:
            found.setdefault(point.x, point.label)
    return sorted(found.items())


def named_of(series: Sequence[Series]) -> list[bool]:
    """Return which lines are named beside the drawing: all of a few, else those with a colour or in focus."""
    few = len(series) <= MOST_NAMED
    return [few or tone_of(one.mark) > 0 or one.focused for one in series]


def _with_room(begins: Sequence[Begin], points: Sequence[Begin]) -> list[Begin]:
    """Return the versions whose names run neither into the shape of a point nor into an earlier name."""
    kept: list[Begin] = []
    for one in begins:
        hidden = any(
            abs(one.x - point.x) < width_of(one.text) / 2 + SHAPE
            and abs(one.y - ABOVE - HIGH / 3 - point.y) < HIGH / 2 + SHAPE
            for point in points
        )
        crossed = any(
            abs(one.x - other.x) < (width_of(one.text) + width_of(other.text)) / 2 + 2
            and abs(one.y - other.y) < HIGH
            for other in kept
        )
        if not hidden and not crossed:
            kept.append(one)
    return kept


def _texts_of(series: Sequence[Series]) -> list[tuple[Series, str, str]]:
    """Return the names worth a place at a line end, each with the newest value."""
    named = [one for one, kept in zip(series, named_of(series), strict=True) if kept]
    newest = [(one, last_point_of(one)) for one in named]
    return [
        (one, shorten_middle(one.name, LONGEST_NAME), printed(point.y))
        for one, point in newest
        if point is not None and point.y is not None
    ]


def _frame_of(
    series: Sequence[Series],
    events: Sequence[ChartNote],
    *,
    right: float,
    bottom: float,
    axis: Axis,
) -> Frame:
    xs = [point.x for one in series for point in one.points] + [event.x for event in events]
    xs += [x for one in series for x, _ in one.rings]
    first, last = (min(xs), max(xs)) if xs else (0.0, 1.0)
    return Frame(LEFT + INSET, right - INSET, TOP, bottom, first, last, axis)


def _axis_of(series: Sequence[Series], within: tuple[float, float] | None, goal: float | None) -> Axis:
    """Return a scale that holds every point, the whole band in focus and the goal."""
    values = [goal, *(point.y for one in series for point in one.points)]
    for one in series:
        if one.focused:
            values += [bound for point in one.points for bound in (point.low, point.high)]
    return axis_of([value for value in values if value is not None], within=within)


def _x_ticks(frame: Frame, columns: Sequence[tuple[float, str]], width: int) -> list[Tick]:
    # Moved inside the drawing before it is told whether they run into each other.
    inside = []
    for x, text in _without_repeats(columns):
        half = width_of(text) / 2
        inside.append((round(min(max(frame.x(x), half), width - half), 1), text))
    return [Tick(x, text) for x, text in readable(inside)]


def _without_repeats(columns: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return the labels with a word that numbers them ("Week 1", "Week 2") on the first of them alone."""
    found: list[tuple[float, str]] = []
    before = ""
    for x, text in columns:
        word, _, number = text.rpartition(" ")
        again = word.isalpha() and number.isdecimal() and word == before
        found.append((x, number if again else text))
        before = word
    return found


def _drawing_order(one: Series) -> tuple[bool, bool, int]:
    return (one.focused, tone_of(one.mark) > 0, -one.mark)


def _end_labels(frame: Frame, labels: Sequence[tuple[Series, str, str]]) -> list[EndLabel]:
    newest = [last_point_of(one) for one, _, _ in labels]
    places = [frame.y(point.y) for point in newest if point is not None and point.y is not None]
    free = spread(places, gap=14, low=frame.top, high=frame.bottom)
    return [
        EndLabel(frame.right + INSET + 2, round(y + 4.5, 1), tone_of(one.mark), text, now, one.key)
        for (one, text, now), y in zip(labels, free, strict=True)
    ]
