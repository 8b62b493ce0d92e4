"""Coverage squares: one per question, filled from below, each a link with words."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

SIDE, PITCH = 24, 30
INSIDE = 22
"""The fill stays a little inside the square's outline."""


class Progress(NamedTuple):
    """How much of one question is rated: `done` of `wanted` answers, and where its page is."""

    name: str
    done: int
    wanted: int
    url: str


@dataclass(frozen=True, slots=True)
class Square:
    """One square: its corner, the top and height of its fill, and its words."""

    x: int
    y: int
    fill_y: float
    fill: float
    full: bool
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class CoverageGrid:
    """Squares in a view box; `each` is the number of questions one square stands for."""

    width: int
    height: int
    squares: list[Square]
    each: int
    label: str


def coverage_grid(
    questions: Sequence[Progress], *, columns: int = 10, most: int = 120, list_url: str = ""
) -> CoverageGrid:
    """Return the squares of a project's questions, in the order given.

    Beyond `most` questions a square stands for several neighbours and leads to `list_url`: three thousand
    links would be neither read nor quick.
    """
    each = max(1, ceil(len(questions) / most))
    groups = [questions[start : start + each] for start in range(0, len(questions), each)]
    squares = [_square(group, number, each, columns, list_url) for number, group in enumerate(groups)]
    rows = ceil(len(squares) / columns)
    return CoverageGrid(columns * PITCH, max(rows * PITCH, 1), squares, each, _label(questions))


def _square(group: Sequence[Progress], number: int, each: int, columns: int, list_url: str) -> Square:
    done, wanted = sum(one.done for one in group), sum(one.wanted for one in group)
    share = min(1.0, done / wanted) if wanted else 0.0
    x, y = number % columns * PITCH + 1, number // columns * PITCH + 1
    height = round(INSIDE * share, 1)
    first = number * each + 1
    name = group[0].name if each == 1 else f"Questions {first} to {first + len(group) - 1}"
    url = group[0].url if each == 1 else list_url
    return Square(
        x, y, round(y + 1 + INSIDE - height, 1), height, share == 1, f"{name}: {_words(share)}", url
    )


def _words(share: float) -> str:
    if share == 1:
        return "fully rated"
    return f"{max(1, min(99, round(100 * share)))} % rated" if share else "not started"


def _label(questions: Sequence[Progress]) -> str:
    full = sum(1 for one in questions if one.wanted and one.done >= one.wanted)
    none = sum(1 for one in questions if not one.done)
    return (
        f"{len(questions)} {'question' if len(questions) == 1 else 'questions'}: "
        f"{full} fully rated, {len(questions) - full - none} partly, {none} not started"
    )
