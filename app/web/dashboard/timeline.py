"""A history as series of points on the axis of a chart."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise, zip_longest

from app.models import EventKind
from app.services.evidence.structure import RunFact
from app.services.scores.history import HistoryPoint
from app.web.charts.lines import Point, Series
from app.web.dashboard.change_explanations import HistoryQuery
from app.web.dashboard.timescale import DAY, MINUTE, Span, TimeScale

Address = Callable[[HistoryPoint], str]

PRODUCTION_KEY = "production"


def series_of(query: HistoryQuery, address: Address | None = None) -> list[Series]:
    """Return the lines of what is looked query at, those without a point left out.

    Parameters
    ----------
    address
        Where a point leads.
    """
    if query.choice.view == "growth":
        found = [_grown(query, ranker) for ranker in query.history.points]
    else:
        steps = _steps(query)
        drawn = [ranker for ranker in query.drawn if ranker in query.history.points]
        found = [_line(query, ranker, address, steps) for ranker in drawn]
        found += _kept_in_production(query, found)
    return [one for one in found if one.points]


def _steps(query: HistoryQuery) -> dict[float, int]:
    """Return the number of each place at which some ranker has a point, in order."""
    found = query.history.points.values()
    places = {query.scale.place_of(point.moment) for points in found for point in points}
    return {place: number for number, place in enumerate(sorted(places))}


def _line(query: HistoryQuery, ranker: int, address: Address | None, steps: Mapping[float, int]) -> Series:
    """Return the line of a ranker: by the clock a version holds until the next one.

    In a replay every week has a point of its own. Where all versions were withdrawn the line has a gap.
    """
    points = query.history.points[ranker]
    drawn = _from_the_border(_points(points, query.scale, address), query.scale, query.span)
    stands = query.history.mode == "today" and not query.scale.weeks
    if not stands:
        drawn = drawn[:1] + [
            replace(point, apart=steps[point.x] > steps[before.x] + 1) for before, point in pairwise(drawn)
        ]
    rings = _rings(query, ranker)
    if stands and _is_first_day(query):
        # A flat line from this morning until now would look as if time had passed.
        day = math.floor(drawn[0].x)
        drawn, rings = [replace(drawn[0], x=day, label=query.scale.border(day))], [(day, y) for _, y in rings]
    elif stands:
        drawn = _held_on(drawn, query.scale, query.span)
    return Series(
        points[0].run.ranker,
        query.tones[ranker],
        drawn,
        focused=ranker == query.focus,
        stands=stands,
        key=str(ranker),
        reference=ranker == query.reference,
        rings=rings,
    )


def _is_first_day(query: HistoryQuery) -> bool:
    """Return whether every ranker has one version, registered today."""
    today = math.floor(query.scale.now.timestamp() / DAY)
    found = query.history.points.values()
    return all(len(points) == 1 and query.scale.place_of(points[0].moment) >= today for points in found)


def _grown(query: HistoryQuery, ranker: int) -> Series:
    """Return the line of one version; it is named after the version, its points need not be."""
    points = query.history.points[ranker]
    drawn = [replace(point, note="", begins=0) for point in _points(points, query.scale, None)]
    name = f"{points[0].run.ranker} {points[0].run.version}"
    return Series(name, query.tones[ranker], drawn, focused=True, key=str(ranker))


def _kept_in_production(query: HistoryQuery, found: list[Series]) -> list[Series]:
    """Return the line of the version in production where its ranker has a newer one: all gaps are to it."""
    run = query.production
    line = next((one for one in found if run and one.key == str(run.ranker_id)), None)
    if run is None or line is None or query.history.mode != "today":
        return []
    own = [point for point in query.history.points[run.ranker_id] if point.run.id == run.id]
    if not own or own[-1] is query.history.points[run.ranker_id][-1]:
        return []
    begins = _from_the_border(_points(own[:1], query.scale, None), query.scale, query.span)[0]
    end = line.points[-1]
    at = found.index(line)
    others = [ring for ring in line.rings if ring not in _rings(query, run.ranker_id, only=run.id)]
    found[at] = replace(line, reference=False, rings=others)
    kept = replace(begins, x=end.x, label=end.label)
    return [
        Series(
            f"{run.ranker} {run.version}",
            0,
            [begins, kept],
            stands=True,
            key=PRODUCTION_KEY,
            reference=True,
            rings=_rings(query, run.ranker_id, only=run.id),
        )
    ]


def _rings(query: HistoryQuery, ranker: int, only: int = 0) -> list[tuple[float, float]]:
    """Return where versions of a ranker were put into production, each with the score of that very version.

    Parameters
    ----------
    only
        The number of the one run to look at; all by default.
    """
    structure = query.evidence.structure
    marks = [event for event in structure.events if event.kind == EventKind.PRODUCTION_SET]
    rings = []
    for event, following in zip_longest(marks, marks[1:]):
        run = structure.run_of.get(event.payload["run_id"])
        x = query.scale.x(event.revision, event.at)
        is_removed = following is not None and following.payload["run_id"] is None
        if is_removed and following.at.date() == event.at.date():
            # Tried for an hour: a ring would say that the version is in production.
            continue
        if run is None or run.ranker_id != ranker or only not in {0, run.id} or not query.span.holds(x):
            continue
        if query.scale.weeks or query.history.mode == "then":
            # Between two points, by weeks or as shown then, a line has nothing to draw a ring around.
            stands = {query.scale.place_of(one.moment): one.run.id for one in query.history.points[ranker]}
            after = [place for place, number in stands.items() if place >= x and (only or number == run.id)]
            # A line of its own reaches to the end. On others no older point stands for what came after it.
            x = min(after, default=max(stands, default=math.inf) if only else math.inf)
        point = _point_at(query, run, x)
        if x < math.inf and point is not None and point.score is not None:
            rings.append((x, point.score * 100))
    return rings


def _point_at(query: HistoryQuery, run: RunFact, x: float) -> HistoryPoint | None:
    """Return the last point that a version has up to a place, else its first."""
    own = [point for point in query.history.points[run.ranker_id] if point.run.id == run.id]
    before = [point for point in own if query.scale.place_of(point.moment) <= x]
    return (before or own[:1])[-1] if own else None


def _points(points: list[HistoryPoint], scale: TimeScale, address: Address | None) -> list[Point]:
    # Of two moments at one place the newest is kept.
    places = {scale.place_of(point.moment): point for point in points}
    ordered = sorted(places.items(), key=lambda pair: pair[0])
    # In a replay rankers run every week, as answers are added: a new version is one that says what changed.
    before = [0, *(point.run.id for _, point in ordered)]
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
            point.run.id if was not in {0, point.run.id} and (point.run.note or not scale.weeks) else 0,
            point.run.id,
        )
        for was, (x, point) in zip(before, ordered, strict=False)
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
    if not points or end - points[-1].x < MINUTE:
        return points
    return [*points, replace(points[-1], x=end, label=scale.border(end), begins=0)]
