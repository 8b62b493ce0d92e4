"""What a chart over time is made from: series of points, and numbered notes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a series.

    `x` is any increasing number (a time, a revision, a week); points of several series with the same `x`
    share a row of the table and should share the `label`. `y` is on the chart's own scale (0 to 100 for
    scores); None is a gap: the line stops and starts again. `low` and `high` bound the band.
    Points with different `fingerprint`s were measured with different rulers and are never joined.
    `url` leads from its cell of the table to what explains it, `note` stands behind its value there.
    `begins` is the number of the run that takes the place of an earlier one here, 0 for none.
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


@dataclass(frozen=True, slots=True)
class Series:
    """One ranker's line: its name, its mark (1 to 8, else grey) and its points in order of `x`.

    Each point of a series that `stands` holds until the next one: between them nothing rises or falls.
    `key` tells it from others on a page; all others are read against the one that is the `reference`.
    `rings` are places at which its value is marked.
    """

    name: str
    mark: int
    points: Sequence[Point] = field(default_factory=tuple)
    focused: bool = False
    stands: bool = False
    key: str = ""
    reference: bool = False
    rings: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Event:
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
            if before is None or before.y is None or before.fingerprint != point.fingerprint:
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


def points_by_column(series: Series, columns: Sequence[float]) -> dict[float, Point]:
    """Return the point that holds at each place: the one there, else the last before it if that stands."""
    at = {point.x: point for point in series.points}
    if not series.stands:
        return at
    held: Point | None = None
    for x in columns:
        held = at.get(x, held)
        if held is not None:
            at[x] = held
    return at


def last_point_of(series: Series) -> Point | None:
    """Return the newest point with a value, or None for a series that has none."""
    return next((point for point in reversed(series.points) if point.y is not None), None)
