"""A chart over time with everything around it: two drawings, the table behind them, the sentence for all."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.web.charts.lines import LineChart, columns_of, line_chart, named_of
from app.web.charts.marks import tone_of
from app.web.charts.series import Event, Point, Series, last_point_of, points_by_column

TOLD = 8
"""Series named in the sentence; the table holds all."""


@dataclass(frozen=True, slots=True)
class Head:
    """One column of the table, and one entry of the legend if it is `named` there."""

    name: str
    mark: int
    now: str
    named: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: where, and each series' cell."""

    label: str
    cells: list["Cell"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A value in words or None, a note, where it leads, and whether a point without a value stands there."""

    value: str | None
    note: str = ""
    url: str = ""
    valueless: bool = False


@dataclass(frozen=True, slots=True)
class TimeChart:
    """What the macro `line_chart` draws: the same chart at two widths, its table, its events, its summary."""

    wide: LineChart
    narrow: LineChart
    heads: list[Head]
    rows: list[Row]
    events: Sequence[Event]
    summary: str
    starts_at: str | None

    @property
    def is_empty(self) -> bool:
        """Return whether no series has a single value."""
        return not any(cell.value for row in self.rows for cell in row.cells)


def time_chart(
    series: Sequence[Series],
    events: Sequence[Event] = (),
    *,
    title: str = "Score over time",
    digits: int = 0,
    within: tuple[float, float] | None = (0.0, 100.0),
) -> TimeChart:
    """Return a chart over time, drawn at 760 and 340 units so that its text never shrinks.

    `digits` are the decimals of the table; the drawing has none ("no more digits than we know").
    `starts_at` is the first number of the scale if that is not 0, for the caption to say so.
    """
    wide = line_chart(series, events, width=760, height=330, within=within)
    narrow = line_chart(series, events, width=340, height=270, labelled=False, within=within)
    first = wide.y_ticks[0].text
    return TimeChart(
        wide=wide,
        narrow=narrow,
        heads=[_head(one, named=named) for one, named in zip(series, named_of(series), strict=True)],
        rows=_rows(series, digits),
        events=events,
        summary=_summary(title, series),
        starts_at=None if first == "0" else first,
    )


def _head(one: Series, *, named: bool) -> Head:
    newest = last_point_of(one)
    return Head(one.name, tone_of(one.mark), _number(newest, 0) if newest else "–", named)


def _number(point: Point, digits: int) -> str:
    return f"{point.y:.{digits}f}" if point.y is not None else "–"


def _rows(series: Sequence[Series], digits: int) -> list[Row]:
    columns = columns_of(series)
    found = [points_by_column(one, [x for x, _ in columns]) for one in series]
    return [Row(label, [_cell(points.get(x), digits) for points in found]) for x, label in columns]


def _cell(point: Point | None, digits: int) -> Cell:
    if point is None:
        return Cell(None)
    if point.y is None:
        return Cell(None, point.note, valueless=True)
    value = _number(point, digits)
    if point.low is not None and point.high is not None:
        value = f"{value} ({point.low:.{digits}f} to {point.high:.{digits}f})"
    return Cell(value, point.note, point.url)


def _summary(title: str, series: Sequence[Series]) -> str:
    told = [_told(one) for one in series[:TOLD]]
    rest = len(series) - len(told)
    more = [f"and {rest} more in the table"] if rest > 0 else []
    return f"{title}. " + "; ".join(told + more) + "." if told else f"{title}. Nothing to show yet."


def _told(one: Series) -> str:
    values = [point for point in one.points if point.y is not None]
    if not values:
        return f"{one.name} has no value"
    first, last = values[0], values[-1]
    if first is last:
        return f"{one.name} {_number(last, 0)} ({last.label})"
    return f"{one.name} from {_number(first, 0)} ({first.label}) to {_number(last, 0)} ({last.label})"
