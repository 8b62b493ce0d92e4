"""A chart over time with everything around it: two drawings, the readout, the table, the sentence for all."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.http.languages import gettext as _
from app.web.charts.axes import COLOURED, printed, rounded, tone_of
from app.web.charts.intervals import signed
from app.web.charts.line_chart import LineChart, columns_of, line_chart, named_of
from app.web.charts.lines import ChartNote, Point, Series, last_point_of, points_by_column

TOLD = 8
"""Series named in the sentence; the table holds all."""


@dataclass(frozen=True, slots=True)
class ChartHead:
    """One column of the table and one entry of the readout.

    Lines beside the drawing are `named`; in the readout those that are not `near` wait below a fold.

    `scores` and `gaps` say for every row what the readout shows: a whole number, and how many points it is
    from the reference.
    """

    key: str
    name: str
    mark: int
    now: str
    named: bool
    near: bool
    scores: list[str]
    gaps: list[str]


@dataclass(frozen=True, slots=True)
class ChartRow:
    """One row of the table: where, and each series' cell."""

    label: str
    cells: list["ChartCell"]


@dataclass(frozen=True, slots=True)
class ChartCell:
    """A value in words or None, a note, where it leads, and whether there is a point without a value.

    `begins` is the run that begins here in place of an earlier one, 0 for none.
    """

    value: str | None
    note: str = ""
    url: str = ""
    valueless: bool = False
    begins: int = 0


@dataclass(frozen=True, slots=True)
class TimeChart:
    """What the macro `line_chart` draws: the same chart at two widths, its table, its notes, its summary.

    `reference` is the name of the line that the gaps of all others are to; empty for a single line.
    """

    wide: LineChart
    narrow: LineChart
    heads: list[ChartHead]
    rows: list[ChartRow]
    events: Sequence[ChartNote]
    summary: str
    starts_at: str | None
    reference: str

    @property
    def is_empty(self) -> bool:
        """Return whether no series has a single value."""
        return not any(cell.value for row in self.rows for cell in row.cells)


def time_chart(
    series: Sequence[Series],
    events: Sequence[ChartNote] = (),
    *,
    goal: float | None = None,
) -> TimeChart:
    """Return a chart over time, drawn at 760 and 340 units so that its text never shrinks.

    `starts_at` is the first number of the scale if that is not 0, for the caption to say so. `goal` is the
    score that the project aims at.
    """
    columns = columns_of(series)
    at = [points_by_column(one, columns) for one in series]
    wide = line_chart(series, events, width=760, height=330, within=(0.0, 100.0), goal=goal)
    narrow = line_chart(series, events, width=340, height=270, labelled=False, within=(0.0, 100.0), goal=goal)
    first = wide.y_ticks[0].text
    return TimeChart(
        wide=wide,
        narrow=narrow,
        heads=_heads(series, at),
        rows=[
            ChartRow(label, [_cell(points[row]) for points in at]) for row, (_, label) in enumerate(columns)
        ],
        events=events,
        summary=_summary(series),
        starts_at=None if first == "0" else first,
        reference=next((one.name for one in series if one.reference), "") if len(series) > 1 else "",
    )


def _heads(series: Sequence[Series], at: Sequence[Sequence[Point | None]]) -> list[ChartHead]:
    """Return the heads; `at` has the point of each series at each column."""
    heights = [[None if point is None else point.y for point in points] for points in at]
    nothing: list[float | None] = [None] * max(map(len, at), default=0)
    reference = next((ys for one, ys in zip(series, heights, strict=True) if one.reference), nothing)
    heads = []
    for one, named, ys in zip(series, named_of(series), heights, strict=True):
        newest = last_point_of(one)
        now = _number(newest) if newest else "–"
        near = len(series) <= COLOURED or tone_of(one.mark) > 0 or one.reference
        scores = ["–" if y is None else printed(y) for y in ys]
        gaps = [
            "" if one.reference or y is None or to is None else signed(rounded(y - to))
            for y, to in zip(ys, reference, strict=True)
        ]
        heads.append(ChartHead(one.key, one.name, tone_of(one.mark), now, named, near, scores, gaps))
    return heads


def _number(point: Point) -> str:
    return printed(point.y) if point.y is not None else "–"


def _cell(point: Point | None) -> ChartCell:
    if point is None:
        return ChartCell(None)
    if point.y is None:
        return ChartCell(None, point.note, valueless=True, begins=point.begins)
    value = _number(point)
    # Where all questions have one score there is no spread to tell anything from.
    if point.low is not None and point.high is not None and point.low < point.high:
        ends = _("%(low)s to %(high)s", low=printed(point.low), high=printed(point.high))
        value = f"{value} ({ends})"
    return ChartCell(value, point.note, point.url, begins=point.begins)


def _summary(series: Sequence[Series]) -> str:
    told = [_told(one) for one in series[:TOLD]]
    rest = len(series) - len(told)
    more = [_("and %(count)s more in the table", count=rest)] if rest > 0 else []
    if not told:
        return _("Score over time. Nothing to show yet.")
    return _("Score over time. %(lines)s.", lines="; ".join(told + more))


def _told(one: Series) -> str:
    values = [point for point in one.points if point.y is not None]
    if not values:
        return _("%(name)s has no value", name=one.name)
    first, last = values[0], values[-1]
    if first is last:
        return f"{one.name} {_number(last)} ({last.label})"
    return _(
        "%(name)s from %(first)s (%(begin)s) to %(last)s (%(end)s)",
        name=one.name,
        first=_number(first),
        begin=first.label,
        last=_number(last),
        end=last.label,
    )
