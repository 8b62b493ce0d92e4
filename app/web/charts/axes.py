"""Axes, labels, marks and colours of charts.

Rankers differ by shape, never by colour alone. A drawing outside a page has attributes instead of classes, in
the light colours of tokens.css: a file has no stylesheet, and where it is opened from a server with a strict
policy a style of its own would be refused.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.web.numbers import decimal

STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000)
"""Distances between two ticks that people read without counting."""
GAP_STEPS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True)
class Tick:
    """A place along an axis and what is printed there."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from `low` to `high` with ticks every `step`."""

    low: float
    high: float
    step: float

    @property
    def values(self) -> list[float]:
        """Return the values at which ticks stand."""
        count = round((self.high - self.low) / self.step)
        return [self.low + self.step * number for number in range(count + 1)]

    def percent(self, value: float) -> float:
        """Return how far along the axis a value lies, from 0 to 100; values outside stay at the ends."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 2)

    @property
    def ticks(self) -> list[Tick]:
        """Return the ticks as percentages of the length."""
        return [Tick(self.percent(value), number_text(value)) for value in self.values]

    @property
    def signed_ticks(self) -> list[Tick]:
        """Return the same with a sign before what is more than zero: ticks of gaps."""
        return [
            Tick(tick.at, f"+{tick.text}" if value > 0 else tick.text)
            for tick, value in zip(self.ticks, self.values, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Frame:
    """The drawing area of a chart: maps values to units of its view box."""

    left: float
    right: float
    top: float
    bottom: float
    first: float
    last: float
    axis: Axis

    def x(self, value: float) -> float:
        """Return the horizontal place of a value; a lone value is in the middle."""
        if self.last == self.first:
            return round((self.left + self.right) / 2, 1)
        share = (value - self.first) / (self.last - self.first)
        return round(self.left + share * (self.right - self.left), 1)

    def y(self, value: float) -> float:
        """Return the vertical place of a value, kept inside the frame."""
        share = (value - self.axis.low) / (self.axis.high - self.axis.low)
        place = self.bottom - share * (self.bottom - self.top)
        return round(min(self.bottom, max(self.top, place)), 1)


def rounded(value: float, digits: int = 0) -> float:
    """Return a number rounded with halves away from 0, as scores and gaps are everywhere."""
    size = 10.0**digits
    whole = int(abs(value) * size + 0.5) / size
    return -whole if value < 0 else whole


def printed(value: float) -> str:
    """Return a score as text, with the one decimal that all pages show."""
    return decimal(f"{rounded(value, 1):.1f}")


def number_text(value: float) -> str:
    """Return a tick's number as people write it: no trailing zeros, a real minus sign."""
    return decimal(f"{value:g}".replace("-", "−"))


def axis_of(
    values: Iterable[float], *, most_ticks: int = 6, within: tuple[float, float] | None = None
) -> Axis:
    """Return an axis that holds all values with the finest round step that needs few ticks.

    `within` bounds it on each side that no value is past: most scores never run past 0 and 100, but some
    measures have no largest value. Without any value it is the whole of `within`, or 0 to 1.
    """
    known = list(values)
    lowest, highest = low, high = (min(known), max(known)) if known else (within or (0.0, 1.0))
    if high - low < STEPS[0]:
        low, high = low - 5, high + 5
    if within and lowest >= within[0]:
        low = max(low, within[0])
    if within and highest <= within[1]:
        high = min(high, within[1])
    for step in STEPS:
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first < most_ticks:
            return Axis(first * step, last * step, step)
    return Axis(low, high, high - low)


def gap_axis(values: Iterable[float]) -> Axis:
    """Return the shared axis of gaps in points and their intervals: zero and all of them lie on it."""
    known = [0.0, *values]
    low, high = min(known), max(known)
    step = next((step for step in GAP_STEPS if (high - low) / step <= 5), GAP_STEPS[-1])
    first, last = math.floor(low / step), math.ceil(high / step)
    return Axis(first * step, max(last, first + 1) * step, step)


CHARACTER = 6.9
"""Units one character of a chart's text takes on average, measured at its 12.5 units and bold."""


def width_of(text: str) -> float:
    """Return the width to expect of a text in a chart; the server has no font to measure with."""
    return len(text) * CHARACTER


def shorten(text: str, most: int) -> str:
    """Return the text, cut to `most` characters with an ellipsis where it is longer."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def shorten_middle(text: str, most: int) -> str:
    """Return the text, cut in the middle where it is longer: names that begin alike differ at their ends."""
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end].rstrip()}…{text[-end:].lstrip()}"


def spread(places: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Return the places moved apart to `gap`, in the same order from top to bottom and inside low to high.

    Labels are pushed down until they are free of each other, then the last ones are pushed back up where they
    left the frame. With more labels than room they share the room evenly.
    """
    if not places:
        return []
    gap = min(gap, (high - low) / max(1, len(places) - 1))
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = [min(high, max(low, places[index])) for index in order]
    for number in range(1, len(moved)):
        moved[number] = max(moved[number], moved[number - 1] + gap)
    moved[-1] = min(moved[-1], high)
    for number in range(len(moved) - 2, -1, -1):
        moved[number] = min(moved[number], moved[number + 1] - gap)
    result = [0.0] * len(places)
    for number, index in enumerate(order):
        result[index] = round(moved[number], 1)
    return result


def readable(places: Sequence[tuple[float, str]], *, space: float = 14) -> list[tuple[float, str]]:
    """Return those labels of a horizontal axis that do not run into the one before; the first stays."""
    kept: list[tuple[float, str]] = []
    for x, text in places:
        if kept and text == kept[-1][1]:
            continue
        if not kept or x - kept[-1][0] >= (width_of(text) + width_of(kept[-1][1])) / 2 + space:
            kept.append((x, text))
    return kept


COLOURED = 8
"""Shapes with a hue that people can tell apart; every other ranker is grey and goes by its name."""
BEST = 4
"""With more rankers, only the best this many have a colour."""
SHAPES = {
    1: "M{x} {y}m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    2: "M{x} {y}m-4.5-4.5h9v9h-9z",
    3: "M{x} {y}m0-6l5.8 10h-11.6z",
    4: "M{x} {y}m0-6l6 6l-6 6l-6-6z",
    0: "M{x} {y}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
}


def tone_of(mark: int) -> int:
    """Return the class number of a mark: itself from 1 to 8, 0 (grey) for every other."""
    return mark if 1 <= mark <= COLOURED else 0


def hue_of(tone: int) -> int:
    """Return which of the four hues a tone has: 5 to 8 repeat those of 1 to 4, and grey has none (0)."""
    return (tone - 1) % 4 + 1 if tone else 0


def shape_at(mark: int, x: float, y: float) -> str:
    """Return the path of a mark centred at a place; 5 to 8 repeat the shapes of 1 to 4, drawn as outlines."""
    return SHAPES[hue_of(tone_of(mark))].format(x=f"{x:g}", y=f"{y:g}")


def colours_among(
    best_first: Sequence[int], marks: Mapping[int, int], chosen: Collection[int] = ()
) -> dict[int, int]:
    """Return the tone of each ranker: 1 to 8, or 0 for grey.

    Up to eight rankers keep the marks they arrived with. Of more, the best four have a colour and those that
    somebody chose, the best of these where they are many.

    Parameters
    ----------
    best_first
        All rankers by number.
    marks
        Of each: 1, 2, 3, ... in the order of their arrival.
    """
    if all(marks[ranker] <= COLOURED for ranker in best_first):
        return {ranker: marks[ranker] for ranker in best_first}
    wanted = [one for one in best_first if one in chosen][:COLOURED]
    others = [one for one in best_first[:BEST] if one not in wanted][: COLOURED - len(wanted)]
    best = [one for one in best_first[:BEST] if one in wanted or one in others]
    wanted = [one for one in wanted if one not in best]
    tones: dict[int, int] = {}
    # The best keep theirs, whichever others are chosen.
    for group in (best, wanted):
        _share_out(tones, group, marks)
    return {ranker: tones.get(ranker, 0) for ranker in best_first}


def _share_out(tones: dict[int, int], rankers: Sequence[int], marks: Mapping[int, int]) -> None:
    """Give each ranker a tone: its own mark where that is free, else one that is left."""
    for ranker in rankers:
        if tone_of(marks[ranker]) not in {0, *tones.values()}:
            tones[ranker] = marks[ranker]
    left = [tone for tone in range(1, COLOURED + 1) if tone not in tones.values()]
    tones.update(zip([ranker for ranker in rankers if ranker not in tones], left, strict=False))


GROUND, INK, SOFT, FAINT = "#ffffff", "#1b2125", "#434b52", "#596168"
LINE, STRONG = "#dcddd5", "#82898e"
HUES = ("#596168", "#1f63ab", "#ae4526", "#75489f", "#4a6d24")

Attributes = dict[str, str]

LOOKS: dict[str, Attributes] = {
    # Where two names of one thing set the same attribute, the later one here holds.
    "all": {
        "font-family": "system-ui, sans-serif",
        "font-size": "12.5",
        "font-weight": "500",
        "fill": FAINT,
    },
    "ground": {"fill": GROUND},
    "head": {"font-size": "18", "font-weight": "640", "fill": INK},
    "lab": {"font-weight": "640"},
    "ev": {"fill": SOFT},
    "axis": {"stroke": STRONG},
    "gridl": {"stroke": LINE},
    "evl": {"stroke": STRONG, "stroke-dasharray": "3 4"},
    "evb": {"fill": GROUND, "stroke": STRONG},
    "goal": {"stroke": FAINT, "stroke-dasharray": "8 4"},
    "ring": {"fill": "none", "stroke": INK, "stroke-width": "1.75"},
    "band": {"fill": FAINT, "opacity": ".15"},
    "ln": {"fill": "none", "stroke-width": "2.25", "stroke-linejoin": "round", "stroke-linecap": "round"},
    "ln--hi": {"stroke-width": "3.25"},
    "pt": {"stroke": GROUND, "stroke-width": "2"},
    "l0": {"stroke": FAINT, "stroke-width": "1.25", "opacity": ".55"},
    "c0": {"fill": FAINT, "stroke": "none"},
    "b0": {"fill": FAINT},
    "t0": {"fill": FAINT},
}
for _tone in range(1, COLOURED + 1):
    _hue, _outlined = HUES[hue_of(_tone)], _tone > len(HUES) - 1
    LOOKS[f"l{_tone}"] = {"stroke": _hue} | ({"stroke-dasharray": "6 5"} if _outlined else {})
    LOOKS[f"b{_tone}"] = {"fill": _hue}
    LOOKS[f"t{_tone}"] = {"fill": _hue}
    LOOKS[f"c{_tone}"] = (
        {"fill": GROUND, "stroke": _hue, "stroke-width": "1.75"} if _outlined else {"fill": _hue}
    )
ORDER = {name: number for number, name in enumerate(LOOKS)}


def painted(names: str) -> Markup:
    """Return the attributes of what has these names, as they stand in a tag.

    :raise KeyError: A name has no look.
    """
    attributes: Attributes = {}
    for name in sorted(names.split(), key=ORDER.__getitem__):
        attributes |= LOOKS[name]
    return Markup(" ").join(Markup('{}="{}"').format(*one) for one in attributes.items())
