"""Bars: grades, shares and coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from math import ceil
from typing import TypeVar

from app.http.languages import current_language, ngettext
from app.http.languages import gettext as _
from app.web.charts.axes import Frame, Tick, axis_of
from app.web.charts.intervals import signed

LEFT, TOP, EDGE = 38.0, 12.0, 20.0
LEAST = 2.0
"""Units: the smallest win or loss must still be seen."""
WIDEST = 56.0
"""Units: a single question is a bar, not a block."""
TIE = 3.0
"""Units: how thick the line of ties is, where they have no dots of their own."""
GAP = 0.3
"""Percent left free between two shares."""

Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class Difference:
    """One question: how many points the first ranker is ahead (negative: behind), its name and its page.

    `remark` follows the difference, where it is read out.
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
    """Bars in a view box, from the largest loss to the largest win: the first is right, as on a gap bar.

    With very many questions there are no `bars` but `outlines`: for losses, ties and wins one path around
    all of their bars, which stand without a gap.
    """

    width: int
    height: int
    left: float
    zero: float
    ticks: list[Tick]
    bars: list[Bar]
    outlines: list[tuple[str, str]]


def difference_bars(
    differences: Sequence[Difference], first: str, second: str, *, width: int = 1100, height: int = 330
) -> BarChart:
    """Return one bar per question, sorted by the difference between the rankers `first` and `second`."""
    ordered = sorted(differences, key=lambda one: (one.points, one.name))
    frame = _frame([one.points for one in ordered], width, height)
    bars = [_bar(frame, number, one, (first, second)) for number, one in enumerate(ordered)]
    return BarChart(width, height, LEFT, frame.y(0), _ticks(frame), bars, [])


def difference_outlines(points: Sequence[float], *, width: int = 1100, height: int = 330) -> BarChart:
    """Return the same for more questions than bars can be told apart.

    Neighbours whose ends would be drawn less than half a unit apart share a step: what is drawn does not grow
    with the number of questions.

    Parameters
    ----------
    points
        How far the first ranker is ahead on each question, in any order.
    """
    ordered = sorted(points)
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
        return _("%(question)s: the same%(remark)s", question=one.name, remark=remark)
    return _(
        "%(question)s: %(name)s better by %(points)s%(remark)s",
        question=one.name,
        name=names[kind == "loss"],
        points=int(abs(one.points) + 0.5) or _("less than 1"),
        remark=remark,
    )


def bar_parts(counts: Sequence[tuple[Name, int]], *, gap: float = GAP) -> list[tuple[Name, float, float]]:
    """Return the parts of a bar of shares: name, start and length in percent, those that are not empty."""
    filled = [(name, count) for name, count in counts if count]
    room = 100.0 - gap * max(0, len(filled) - 1)
    total = sum(count for _, count in filled)
    parts, start = [], 0.0
    for name, count in filled:
        length = count / total * room
        parts.append((name, round(start, 2), round(length, 2)))
        start += length + gap
    return parts


def share_bar(wins: int, ties: int, losses: int) -> list[tuple[str, float, float]]:
    """Return the bar of losses, ties and wins, on the sides that they have in a `BarChart`."""
    return bar_parts([("loss", losses), ("tie", ties), ("win", wins)])


SIDE, PITCH = 24, 30
INSIDE = 22
MOST_KEPT = 4096
"""Squares: a rating changes one, and the page draws them all again."""
"""The fill stays a little inside the square's outline."""


@dataclass(frozen=True, slots=True)
class Square:
    """One square: the paths of its outline and of its fill (empty without any), and its words.

    Paths, not numbers: a page draws a hundred of them at every rating, and each number would be put in alone.
    """

    outline: str
    fill: str
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class CoverageGrid:
    """Squares in a view box; `each` is the number of questions that one square shows."""

    width: int
    height: int
    squares: tuple[Square, ...]
    each: int
    label: str


def coverage_grid(
    done: Sequence[int],
    wanted: Sequence[int],
    named: Sequence[tuple[str, str]] = (),
    *,
    columns: int = 10,
    most: int = 120,
    list_url: str = "",
) -> CoverageGrid:
    """Return the squares of a project's questions, in the order given.

    Beyond `most` questions a square shows several neighbours and leads to `list_url`: three thousand
    links would be neither read nor quick.

    Parameters
    ----------
    done, wanted
        How many answers of each question are rated, and how many are to be.
    named
        The name and the page of each question; not read where a square shows several.
    """
    each = max(1, ceil(len(done) / most))
    squares = []
    for number, start in enumerate(range(0, len(done), each)):
        group = slice(start, start + each)
        last = min(start + each, len(done))
        name, url = named[start] if each == 1 else (_some(start + 1, last), list_url)
        rated, all_of_it = sum(done[group]), sum(wanted[group])
        share = min(1.0, rated / all_of_it) if all_of_it else 0.0
        squares.append(_square(share, divmod(number, columns), name, url, current_language()))
    rows = ceil(len(squares) / columns)
    label = _coverage_label(done, wanted)
    return CoverageGrid(columns * PITCH, max(rows * PITCH, 1), tuple(squares), each, label)


def _some(first: int, last: int) -> str:
    return _("Questions %(first)s to %(last)s", first=first, last=last)


# Its words are in the language of the page.
@lru_cache(maxsize=MOST_KEPT)
def _square(share: float, place: tuple[int, int], name: str, url: str, _language: str) -> Square:
    x, y = place[1] * PITCH + 1, place[0] * PITCH + 1
    outline = _rounded(x, y, SIDE, SIDE, 6)
    height = round(INSIDE * share, 1)
    fill = _rounded(x + 1, y + 1 + INSIDE - height, INSIDE, height, 4) if height else ""
    return Square(outline, outline if share == 1 else fill, f"{name}: {_words(share)}", url)


def _rounded(x: float, y: float, width: float, height: float, radius: float) -> str:
    """Return the path of a rectangle with round corners, as round as its sides allow."""
    r = min(radius, width / 2, height / 2)
    return f"M{x + r:g} {y:g}{_around(width - 2 * r, height - 2 * r, r)}"


@cache
def _around(across: float, down: float, r: float) -> str:
    """Return the way around from the end of the upper left corner; there are as many as heights of fills."""
    arc = f"a{r:g} {r:g} 0 0 1 "
    return (
        f"h{across:g}{arc}{r:g} {r:g}v{down:g}{arc}{-r:g} {r:g}"
        f"h{-across:g}{arc}{-r:g} {-r:g}v{-down:g}{arc}{r:g} {-r:g}z"
    )


def _words(share: float) -> str:
    if share == 1:
        return _("fully rated")
    if not share:
        return _("not started")
    return _("%(percent)s %% rated", percent=max(1, min(99, round(100 * share))))


def _coverage_label(done: Sequence[int], wanted: Sequence[int]) -> str:
    full = sum(1 for rated, all_of_it in zip(done, wanted, strict=True) if 0 < all_of_it <= rated)
    none, count = list(done).count(0), len(done)
    return ngettext(
        "%(num)s question: %(full)s fully rated, %(some)s partly, %(none)s not started",
        "%(num)s questions: %(full)s fully rated, %(some)s partly, %(none)s not started",
        count,
        full=full,
        some=count - full - none,
        none=none,
    )
