"""Lines and tables that fit the width of a terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap

USUAL_WIDTH = 80
NARROWEST = 40
"""Below this breaking lines helps nobody."""
GAP = "  "


def terminal_width() -> int:
    """Return the columns of the terminal that the output goes to, 80 where it goes elsewhere."""
    if not sys.stdout.isatty():
        return USUAL_WIDTH
    return max(NARROWEST, shutil.get_terminal_size((USUAL_WIDTH, 24)).columns)


def wrapped(lines: list[str], width: int) -> list[str]:
    """Return lines of text broken between words; what goes on stands two blanks further in."""
    return [part for line in lines for part in _wrapped(line, width)]


def aligned(rows: list[list[str]], width: int, together: set[int] | None = None) -> list[str]:
    """Return lines whose columns stand under each other: the first to the left, the others to the right.

    Columns that find no room stand in further tables below, each of which begins with the first column.

    Parameters
    ----------
    rows
        The cells, the first row being the names.
    together
        Columns that stay beside the one before them.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for chosen in _parts(widths, width, together or set()):
        lines += [""] if lines else []
        lines += [_line(row, widths, chosen) for row in rows]
    return lines


def _wrapped(line: str, width: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line, width, subsequent_indent=f"{indent}{GAP}", break_long_words=False, break_on_hyphens=False
    )


def _line(row: list[str], widths: list[int], chosen: list[int]) -> str:
    return GAP.join([row[0].ljust(widths[0]), *(row[one].rjust(widths[one]) for one in chosen)])


def _parts(widths: list[int], width: int, together: set[int]) -> list[list[int]]:
    """Return the columns after the first, parted so that each part fits as far as it can."""
    groups: list[list[int]] = []
    for one in range(1, len(widths)):
        if groups and one in together:
            groups[-1].append(one)
        else:
            groups.append([one])
    parts: list[list[int]] = []
    room = -1
    for group in groups:
        needed = sum(len(GAP) + widths[one] for one in group)
        if needed > room:
            parts.append([])
            room = width - widths[0]
        parts[-1] += group
        room -= needed
    return parts
