"""One line of a chart: its stretches, its shapes and its band."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.web.charts.axes import Frame
from app.web.charts.marks import shape_at, tone_of
from app.web.charts.series import Point, Series, points_by_column, segments_of, steps_of

CROWDED = 11.0
"""Marks closer than this would touch: the ones between are left out, the line still passes there."""
LONE = 3.0
"""Half the width of the band of a single point."""

Place = tuple[float, float]
"""Where a point is drawn: units from the left and from the top."""


@dataclass(frozen=True, slots=True)
class Begin:
    """A point at which a new version takes the place of an earlier one: its run, its name, its place."""

    run: int
    text: str
    x: float
    y: float
    shape: str


@dataclass(frozen=True, slots=True)
class Ring:
    """A mark around a place of a line."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Line:
    """One series as drawn.

    `paths` holds one path per joined stretch, `marks` the shapes that stand on it, `bands` the intervals,
    `begins` the new versions, `ys` the height at each column of the table, None where the series has no
    value there.
    """

    key: str
    name: str
    tone: int
    focused: bool
    paths: list[str]
    marks: list[str]
    bands: list[str]
    begins: list[Begin]
    rings: list[Ring]
    ys: list[float | None]

    @property
    def heights(self) -> str:
        """The heights as they stand in the drawing, for the script that reads them."""
        return " ".join("-" if y is None else str(y) for y in self.ys)


def line_of(frame: Frame, one: Series, columns: Sequence[tuple[float, str]]) -> Line:
    """Return one series as it is drawn in a frame; only the series in focus has a band."""
    segments = segments_of(one.points)
    at = points_by_column(one, [x for x, _ in columns])
    stretches = [[_place(frame, point) for point in segment] for segment in segments]
    drawn = [steps_of(segment) for segment in segments] if one.stands else segments
    return Line(
        key=one.key,
        name=one.name,
        tone=tone_of(one.mark),
        focused=one.focused,
        paths=[_path([_place(frame, point) for point in segment]) for segment in drawn if len(segment) > 1],
        marks=_marks(one.mark, stretches),
        bands=[_band(frame, segment) for segment in _bounded(drawn)] if one.focused else [],
        begins=_begins(frame, one),
        rings=_rings(frame, one),
        ys=[_height(frame, at.get(x)) for x, _ in columns],
    )


def _begins(frame: Frame, one: Series) -> list[Begin]:
    """Return the new versions of a line; a grey one is background, its versions stand in the table."""
    if not tone_of(one.mark):
        return []
    places = [(point, _place(frame, point)) for point in one.points if point.begins and point.y is not None]
    return [Begin(point.begins, point.note, *at, shape_at(one.mark, *at)) for point, at in places]


def _rings(frame: Frame, one: Series) -> list[Ring]:
    found = []
    for x in one.rings:
        before = [point.y for point in one.points if point.x <= x]
        if before and before[-1] is not None:
            found.append(Ring(frame.x(x), frame.y(before[-1])))
    return found


def _place(frame: Frame, point: Point) -> Place:
    return frame.x(point.x), frame.y(point.y or 0.0)


def _height(frame: Frame, point: Point | None) -> float | None:
    return None if point is None or point.y is None else frame.y(point.y)


def _path(stretch: Sequence[Place]) -> str:
    return "M" + "L".join([f"{x:g} {y:g}" for x, y in stretch])


def _marks(mark: int, stretches: Sequence[Sequence[Place]]) -> list[str]:
    """Return the shapes of a line.

    A grey line has one shape at its end only: dozens of them are background, not something to read.
    """
    if not tone_of(mark):
        return [shape_at(mark, *stretches[-1][-1])] if stretches else []
    return [shape_at(mark, *place) for stretch in stretches for place in _free(stretch)]


def _free(stretch: Sequence[Place]) -> list[Place]:
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
