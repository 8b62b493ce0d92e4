"""Series of points as paths: in a chart, and small beside a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from app.web.charts.axes import Axis, Frame, shape_at, tone_of


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a series.

    `x` is any increasing number (a time, a revision, a week); points of several series with the same `x`
    share a row of the table and should share the `label`. `y` is on the chart's own scale (0 to 100 for
    scores); None is a gap: the line stops and starts again. `low` and `high` bound the band.
    Points with different `fingerprint`s were measured with different rulers and are never joined; one that is
    `apart` is not joined with the point before it.
    `url` leads from its cell of the table to what explains it, `note` follows its value there.
    `run` is the number of the run that the value is of, 0 for none, and `begins` that of a run that takes
    the place of an earlier one here.
    """

    x: float
    y: float | None
    label: str
    low: float | None = None
    high: float | None = None
    fingerprint: str = ""
    url: str = ""
    note: str = ""
    begins: int = 0
    run: int = 0
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """One ranker's line: its name, its mark (1 to 8, else grey) and its points in order of `x`.

    Each point of a series that `stands` holds until the next one: between them nothing rises or falls.
    `key` tells it from others on a page; all others are read against the one that is the `reference`.
    `rings` are marks around a value: where, and which.
    """

    name: str
    mark: int
    points: Sequence[Point] = field(default_factory=tuple)
    focused: bool = False
    stands: bool = False
    key: str = ""
    reference: bool = False
    rings: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True, slots=True)
class ChartNote:
    """A note at `x`: its number on the chart, its words in the list beside it, and when."""

    number: int
    x: float
    text: str
    when: str = ""


def segments_of(points: Sequence[Point]) -> list[list[Point]]:
    """Return the runs of points that may be joined: no gap between them and one ruler."""
    segments: list[list[Point]] = []
    before: Point | None = None
    for point in points:
        if point.y is not None:
            joined = before is not None and before.y is not None and not point.apart
            if before is None or not joined or before.fingerprint != point.fingerprint:
                segments.append([])
            segments[-1].append(point)
        before = point
    return segments


def steps_of(segment: Sequence[Point]) -> list[Point]:
    """Return the points with each held to the place of the next one: corners of a line of steps."""
    corners = list(segment[:1])
    for before, point in pairwise(segment):
        corners += [replace(before, x=point.x), point]
    return corners


def points_by_column(series: Series, columns: Sequence[tuple[float, str]]) -> list[Point | None]:
    """Return the point at each column: the one there, else the last before it if that holds."""
    there = {point.x: point for point in series.points}
    found: list[Point | None] = []
    held: Point | None = None
    for x, _ in columns:
        held = there.get(x, held if series.stands else None)
        found.append(held)
    return found


def last_point_of(series: Series) -> Point | None:
    """Return the newest point with a value, or None for a series that has none."""
    return next((point for point in reversed(series.points) if point.y is not None), None)


CROWDED = 11.0
"""Marks closer than this would touch: the ones between are left out, the line still passes there."""
LONE = 3.0
"""Half the width of the band of a single point."""

DrawnPoint = tuple[float, float]
"""Where a point is drawn: units from the left and from the top."""


@dataclass(frozen=True, slots=True)
class Begin:
    """A point of a version: its run, its name, its place."""

    run: int
    text: str
    x: float
    y: float
    shape: str


@dataclass(frozen=True, slots=True)
class Line:
    """One series as drawn.

    `paths` holds one path per joined stretch, `marks` the shapes that stand on it, `alone` those of them
    that no version in `begins` or `others` has, `bands` the intervals, `begins` the new versions, `others`
    the other points of a version that have a shape, `rings` the marked points, each with its shape, `ys` the
    height at each column of the table, None where the series has no value there.
    """

    key: str
    name: str
    tone: int
    focused: bool
    paths: list[str]
    marks: list[str]
    alone: list[str]
    bands: list[str]
    begins: list[Begin]
    others: list[Begin]
    rings: list[tuple[DrawnPoint, str]]
    ys: list[float | None]

    @property
    def heights(self) -> str:
        """The heights as they stand in the drawing, for the script that reads them."""
        return " ".join("-" if y is None else str(y) for y in self.ys)


def line_of(frame: Frame, one: Series, columns: Sequence[tuple[float, str]]) -> Line:
    """Return one series as it is drawn in a frame; only the series in focus has a band."""
    segments = segments_of(one.points)
    placed = [[(point, _place(frame, point)) for point in segment] for segment in segments]
    stretches = [[place for _, place in segment] for segment in placed]
    marked = _marked(one.mark, stretches)
    begins, others = _linked(one.mark, placed, set(marked))
    linked = {(point.x, point.y) for point in (*begins, *others)}
    return Line(
        key=one.key,
        name=one.name,
        tone=tone_of(one.mark),
        focused=one.focused,
        paths=[_path(_corners(part) if one.stands else part) for part in stretches if len(part) > 1],
        marks=[shape_at(one.mark, *place) for place in marked],
        alone=[shape_at(one.mark, *place) for place in marked if place not in linked],
        bands=_bands(frame, one, segments) if one.focused else [],
        begins=begins,
        others=others,
        rings=[(place, shape_at(one.mark, *place)) for place in _places(frame, one.rings)],
        ys=[_height(frame, point) for point in points_by_column(one, columns)],
    )


def _places(frame: Frame, values: Sequence[tuple[float, float]]) -> list[DrawnPoint]:
    return [(frame.x(x), frame.y(y)) for x, y in values]


def _linked(
    mark: int, placed: Sequence[Sequence[tuple[Point, DrawnPoint]]], marked: set[DrawnPoint]
) -> tuple[list[Begin], list[Begin]]:
    """Return the new versions of a line, and its other points of a version that have a shape.

    A grey line is background: its versions stand in the table.
    """
    begins, others = [], []
    for segment in placed:
        for point, place in segment:
            if point.begins and tone_of(mark):
                begins.append(Begin(point.begins, point.note, *place, shape_at(mark, *place)))
            elif point.run and place in marked:
                others.append(Begin(point.run, point.note, *place, shape_at(mark, *place)))
    return begins, others


def _corners(stretch: Sequence[DrawnPoint]) -> list[DrawnPoint]:
    """Return drawn points with each held to the place of the next one."""
    corners = list(stretch[:1])
    for before, place in pairwise(stretch):
        corners += [(place[0], before[1]), place]
    return corners


def _bands(frame: Frame, one: Series, segments: Sequence[Sequence[Point]]) -> list[str]:
    drawn = [steps_of(segment) for segment in segments] if one.stands else segments
    return [_band(frame, segment) for segment in _bounded(drawn)]


def _place(frame: Frame, point: Point) -> DrawnPoint:
    return frame.x(point.x), frame.y(point.y or 0.0)


def _height(frame: Frame, point: Point | None) -> float | None:
    return None if point is None or point.y is None else frame.y(point.y)


def _path(stretch: Sequence[DrawnPoint]) -> str:
    return "M" + "L".join([f"{x:g} {y:g}" for x, y in stretch])


def _marked(mark: int, stretches: Sequence[Sequence[DrawnPoint]]) -> list[DrawnPoint]:
    """Return the places of a line that have a shape.

    A grey line has one shape at its end only: dozens of them are background, not something to read.
    """
    if not tone_of(mark):
        return [stretches[-1][-1]] if stretches else []
    return [place for stretch in stretches for place in _free(stretch)]


def _free(stretch: Sequence[DrawnPoint]) -> list[DrawnPoint]:
    """Return the places whose marks do not touch; both ends always stay."""
    kept = list(stretch[:1])
    end = stretch[-1]
    for place in stretch[1:-1]:
        if place[0] - kept[-1][0] >= CROWDED and end[0] - place[0] >= CROWDED:
            kept.append(place)
    return kept if end is kept[0] else [*kept, end]


def _bounded(segments: Sequence[Sequence[Point]]) -> list[list[Point]]:
    """Return the stretches on which both bounds are known."""
    stretches: list[list[Point]] = []
    for segment in segments:
        stretches.append([])
        for point in segment:
            if point.low is None or point.high is None:
                stretches.append([])
            else:
                stretches[-1].append(point)
    return [stretch for stretch in stretches if stretch]


def _band(frame: Frame, stretch: Sequence[Point]) -> str:
    """Return the outline of an interval over time; a lone point gets a narrow bar, or it would not show."""
    half = LONE if len(stretch) == 1 else 0.0
    edge = [(stretch[0], -half), *((point, 0.0) for point in stretch[1:-1]), (stretch[-1], half)]
    upper = [(frame.x(point.x) + side, frame.y(point.high or 0.0)) for point, side in edge]
    lower = [(frame.x(point.x) + side, frame.y(point.low or 0.0)) for point, side in reversed(edge)]
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in upper + lower) + "z"


WIDTH, HEIGHT, EDGE = 200.0, 48.0, 8.0


@dataclass(frozen=True, slots=True)
class Sparkline:
    """Paths in a view box of 200 by 48, and the shape at the newest value."""

    paths: list[str]
    mark: str
    tone: int


def sparkline(values: Sequence[float | None], mark: int) -> Sparkline | None:
    """Return a spark line, or None with fewer than two values: one point has no direction.

    None among the values is a gap and stays one. At least ten points of height keep a small wobble small.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    span = max(10.0, max(known) - min(known))
    low = (min(known) + max(known) - span) / 2
    axis = Axis(low, low + span, span)
    frame = Frame(EDGE, WIDTH - EDGE, EDGE, HEIGHT - EDGE, 0.0, len(values) - 1.0, axis)
    segments = segments_of([Point(number, value, "") for number, value in enumerate(values)])
    stretches = [[_place(frame, point) for point in segment] for segment in segments]
    paths = [_path(stretch) for stretch in stretches if len(stretch) > 1]
    return Sparkline(paths, shape_at(mark, *stretches[-1][-1]), tone_of(mark))
