"""Lines and tables that fit the width of a terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Collection, Iterable

USUAL_WIDTH, NARROWEST = 80, 40
"""Columns of the terminal; below the narrowest breaking lines helps nobody."""
GAP = "  "


def terminal_width() -> int:
    """Return the columns of the terminal that the output goes to, 80 where it goes elsewhere."""
    if not sys.stdout.isatty():
        return USUAL_WIDTH
    return max(NARROWEST, shutil.get_terminal_size((USUAL_WIDTH, 24)).columns)


def wrapped(lines: list[str], width: int) -> list[str]:
    """Return lines of text broken between words, further lines indented by two blanks."""
    broken = []
    for line in lines:
        indent = f"{line[: len(line) - len(line.lstrip())]}{GAP}"
        broken += textwrap.wrap(
            line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
    return broken


def aligned(
    rows: list[list[str]], width: int = sys.maxsize, *, together: Collection[int] = (), words: int = 1
) -> list[str]:
    """Return lines whose columns stand under each other.

    Columns that find no room stand in further tables below, each of which begins with the columns of words.

    Parameters
    ----------
    rows
        The cells, the first row being the names.
    together
        Columns that stay beside the one before them.
    words
        How many columns, the first ones, stand to the left; numbers stand to the right.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    indent = sum(widths[:words]) + len(GAP) * (words - 1)
    parts: list[list[int]] = []
    room = -1
    for column in range(words, len(widths)):
        # One that the next stays beside finds room together with it.
        needed = len(GAP) + widths[column]
        beside = len(GAP) + widths[column + 1] if column + 1 in together else 0
        if needed + beside > room and column not in together:
            parts.append([])
            room = width - indent
        parts[-1].append(column)
        room -= needed
    lines: list[str] = []
    for chosen in parts:
        lines += [""] if lines else []
        for row in rows:
            names = [row[one].ljust(widths[one]) for one in range(words)]
            lines.append(GAP.join([*names, *(row[one].rjust(widths[one]) for one in chosen)]))
    return lines


def style_of(values: Iterable[float | None]) -> str:
    """Return the format of scores that stand together: four decimals, or powers of ten."""
    largest = max((abs(one) for one in values if one is not None), default=0.0)
    return ".4f" if not largest or 1e-4 <= largest < 1e6 else ".3e"
