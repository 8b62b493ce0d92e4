"""The small line of a project card: a direction, no scale."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.web.charts.marks import shape_at, tone_of

WIDTH, HEIGHT, EDGE = 200.0, 48.0, 8.0


@dataclass(frozen=True, slots=True)
class Spark:
    """Paths in a view box of 200 by 48, and the shape at the newest value."""

    paths: list[str]
    mark: str
    tone: int


def spark(values: Sequence[float | None], mark: int) -> Spark | None:
    """Return a spark line, or None with fewer than two values: one point has no direction.

    None among the values is a gap and stays one. At least ten points of height keep a small wobble small.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    middle, span = (min(known) + max(known)) / 2, max(10.0, max(known) - min(known))
    places = [_place(number, value, len(values), middle, span) for number, value in enumerate(values)]
    newest = [place for place in places if place][-1]
    return Spark(_paths(places), shape_at(mark, *newest), tone_of(mark))


def _place(
    number: int, value: float | None, count: int, middle: float, span: float
) -> tuple[float, float] | None:
    if value is None:
        return None
    x = EDGE + number * (WIDTH - 2 * EDGE) / (count - 1)
    y = HEIGHT / 2 - (value - middle) / span * (HEIGHT - 2 * EDGE)
    return round(x, 1), round(y, 1)


def _paths(places: Sequence[tuple[float, float] | None]) -> list[str]:
    stretches: list[list[str]] = [[]]
    for place in places:
        if place is None:
            stretches.append([])
        else:
            stretches[-1].append(f"{place[0]:g} {place[1]:g}")
    return ["M" + "L".join(stretch) for stretch in stretches if len(stretch) > 1]
