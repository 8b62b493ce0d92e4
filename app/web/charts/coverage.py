"""Coverage squares: one per question, filled from below, each a link with words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import ceil

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
    """Squares in a view box; `each` is the number of questions one square stands for."""

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

    Beyond `most` questions a square stands for several neighbours and leads to `list_url`: three thousand
    links would be neither read nor quick.

    Parameters
    ----------
    done, wanted
        How many answers of each question are rated, and how many are to be.
    named
        The name and the page of each question; not read where a square stands for several.
    """
    each = max(1, ceil(len(done) / most))
    squares = []
    for number, start in enumerate(range(0, len(done), each)):
        group = slice(start, start + each)
        last = min(start + each, len(done))
        name, url = named[start] if each == 1 else (f"Questions {start + 1} to {last}", list_url)
        rated, all_of_it = sum(done[group]), sum(wanted[group])
        share = min(1.0, rated / all_of_it) if all_of_it else 0.0
        squares.append(_square(share, divmod(number, columns), name, url))
    rows = ceil(len(squares) / columns)
    return CoverageGrid(columns * PITCH, max(rows * PITCH, 1), tuple(squares), each, _label(done, wanted))


@lru_cache(maxsize=MOST_KEPT)
def _square(share: float, place: tuple[int, int], name: str, url: str) -> Square:
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
        return "fully rated"
    return f"{max(1, min(99, round(100 * share)))} % rated" if share else "not started"


def _label(done: Sequence[int], wanted: Sequence[int]) -> str:
    full = sum(1 for rated, all_of_it in zip(done, wanted, strict=True) if 0 < all_of_it <= rated)
    none, count = list(done).count(0), len(done)
    return (
        f"{count} {'question' if count == 1 else 'questions'}: "
        f"{full} fully rated, {count - full - none} partly, {none} not started"
    )
