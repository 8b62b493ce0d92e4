"""A history as series of points on the axis of a chart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.web.charts import Point, Series
from app.web.dashboard.timescale import DAY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from app.services.history import History, HistoryPoint
    from app.web.dashboard.timescale import Span, TimeScale

    Address = Callable[[HistoryPoint], str]


def series_of(
    history: History,
    rankers: list[int],
    scale: TimeScale,
    span: Span,
    *,
    tones: Mapping[int, int],
    focus: int | None,
    address: Address | None = None,
) -> list[Series]:
    """Return the lines of some rankers within a range, those without a point left out.

    Parameters
    ----------
    tones
        The colour of each ranker.
    focus
        The ranker whose band is drawn.
    address
        Where a point leads.
    """
    found = []
    for ranker in rankers:
        if points := history.points.get(ranker):
            drawn = _from_the_border(_points(points, scale, address), scale, span)
            # By the clock a version stands until the next one; in a replay every week has a point of its own.
            stands = history.mode == "today" and not scale.weeks
            drawn = _held_on(drawn, scale, span) if stands else drawn
            name = points[0].run.ranker
            if history.mode == "growth":
                # One version alone: the line is named after it, its points need not be.
                name = f"{name} {points[0].run.version}"
                drawn = [replace(point, note="") for point in drawn]
            found.append(Series(name, tones[ranker], drawn, focused=ranker == focus, stands=stands))
    return [one for one in found if one.points]


def _points(points: list[HistoryPoint], scale: TimeScale, address: Address | None) -> list[Point]:
    # Should two moments share a place, the newest stands.
    places = {scale.place_of(point.moment): point for point in points}
    return [
        Point(
            x,
            _hundred(point.score),
            scale.label(point.moment),
            _hundred(point.low),
            _hundred(point.high),
            point.fingerprint,
            address(point) if address and point.score is not None else "",
            point.run.version,
        )
        for x, point in sorted(places.items(), key=lambda pair: pair[0])
    ]


def _hundred(value: float | None) -> float | None:
    return None if value is None else value * 100


def _from_the_border(points: list[Point], scale: TimeScale, span: Span) -> list[Point]:
    """Return the points with those before the range, which stand on into it, moved to its border."""
    return [
        point if point.x >= span.low else replace(point, x=span.low, label=scale.border(span.low))
        for point in points
    ]


def _held_on(points: list[Point], scale: TimeScale, span: Span) -> list[Point]:
    """Return the points with the newest version held to the end of the axis."""
    end = min(scale.now.timestamp() / DAY, span.high)
    if not points or end - points[-1].x < 1:
        return points
    return [*points, replace(points[-1], x=end, label=scale.border(end))]
