"""Spreadsheets (XLSX): their sheets, and the rows of one as cells by the names in its first row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from html import unescape
from itertools import zip_longest
from typing import Any, BinaryIO, NamedTuple

from app.formats.errors import BadValueError
from app.formats.inflate import CHOOSE, missing_reader
from app.formats.schema import listed, refuse_many
from app.sentences import message

ROWS = 1_000
MOST_DOUBTS = 10_000
"""Rows whose doubtful cells are remembered until somebody asks for them."""
EXACT = 10**15
"""From here on a spreadsheet does not keep all digits that were typed."""
INEXACT = 1 << 53
"""From here on a file does not keep all whole numbers."""
MOST_ROWS = 1 << 20
"""No spreadsheet has more; a damaged number of a row would be counted up to."""
STEP = 1 << 18
LONGEST_CELL = 1 << 14
_UNSAVED = re.compile(
    rb"<(?P<in>\w+:)?c\b(?P<attributes>[^<>]*)>\s*"
    rb"<(?:\w+:)?f\b[^<>]*(?:/>|>(?P<formula>[^<]*)</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_ATTRIBUTE = re.compile(rb"""\b(r|t)\s*=\s*["']([^"']*)["']""")
FORMULA = "formula"
_USUAL, _NUMBERS = frozenset({str, type(None)}), frozenset({int, float})
_DATE, _TRUTH = message("a date or a time"), message("a truth value")
_DIGITS = message("a number of more than 15 digits")
_AGAIN = message("Open it in the spreadsheet program and save it again, or save it as CSV UTF-8.")


class Doubt(NamedTuple):
    """A cell that is not what its text says: where it is, what it holds, and whether some of that is lost."""

    cell: str
    holds: str
    value: str
    is_lost: bool = False


class Doubts:
    """The doubtful cells of the rows of a sheet that were read last, by the names of their columns."""

    def __init__(self) -> None:
        self._rows: dict[int, dict[str, Doubt]] = {}
        self.formulas: dict[str, str] = {}
        """Cell -> its formula, where its value was not saved."""

    def look_at(self, number: int, names: list[str], row: Sequence[Any]) -> None:
        """Look at the cells of a row that hold no text and no short number."""
        odd = [
            (at, value)
            for at, value in enumerate(row)
            if type(value) not in _USUAL and not (type(value) in _NUMBERS and -EXACT < value < EXACT)
        ]
        for at, value in odd:
            self._add(number, names, at, _doubt_of(_cell_name(at, number), value))
        for at in range(len(names)) if self.formulas else ():
            cell = _cell_name(at, number)
            if cell in self.formulas and (at >= len(row) or row[at] is None):
                self._add(number, names, at, Doubt(cell, FORMULA, self.formulas[cell], is_lost=True))

    def _add(self, number: int, names: list[str], at: int, doubt: Doubt) -> None:
        if at < len(names) and len(self._rows) < MOST_DOUBTS:
            self._rows.setdefault(number, {})[names[at]] = doubt

    def taken(self, row: int) -> dict[str, Doubt]:
        """Return the doubtful cells of a row, and forget them."""
        return self._rows.pop(row, {}) if self._rows else {}


def _doubt_of(cell: str, value: object) -> Doubt:
    if isinstance(value, bool):
        return Doubt(cell, _TRUTH, _cell(value))
    if isinstance(value, int | float):
        return Doubt(cell, _DIGITS, str(value), is_lost=abs(value) >= INEXACT)
    return Doubt(cell, _DATE, _cell(value))


def sheets_in(file: BinaryIO) -> list[Any]:
    """Return the sheets of a spreadsheet that have names in their first row.

    :raise BadValueError: It is damaged, or what reads it is not installed.
    """
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise missing_reader("a spreadsheet (XLSX)", "openpyxl", "save the sheet as CSV UTF-8") from None
    try:
        book = load_workbook(file, read_only=True, data_only=True)
        return [sheet for sheet in book.worksheets if any(next(sheet.values, ()))]
    except Exception as error:  # noqa: BLE001 - a damaged file makes its reader raise anything
        raise _damaged(error) from None


def sheet_in(file: BinaryIO, wanted: Sequence[str]) -> Any:
    """Return the only sheet with content, or the only one of those that are meant.

    :raise BadValueError: There is none, or there are several.
    """
    sheets = [sheet for sheet in sheets_in(file) if not wanted or sheet.title in wanted]
    if not sheets and wanted:
        raise BadValueError(
            "archive", ", ".join(wanted), "the spreadsheet has no such sheet with content", CHOOSE
        )
    if not sheets:
        raise BadValueError(
            "archive",
            "",
            "no sheet of the spreadsheet has names of columns in its first row",
            "Write the names there.",
        )
    if len(sheets) != 1 and wanted:
        reason = message("only one sheet of a spreadsheet is read at a time")
        raise BadValueError("archive", ", ".join(wanted), reason, "Name one of them, and then the next.")
    if len(sheets) != 1:
        titles = ", ".join(sheet.title for sheet in sheets)
        reason = message("the spreadsheet has %(n)s sheets with content", n=len(sheets))
        raise BadValueError("archive", titles, reason, CHOOSE)
    return sheets[0]


def rows_of(
    sheet: Any, tell: Callable[[int, int], None], doubts: Doubts | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number, cells by the names in the first row).

    Cells that are not what their texts say go to `doubts`. Other cells that hold something are named by their
    columns; of a first column without a name nobody needs them, as in other tables.

    :raise BadValueError: Two columns have the same name, there are too many, or the sheet is damaged.
    """
    whole = sheet.max_row or 0
    # What a file says of its size may be wrong, and what is beyond it would be left out in silence.
    sheet.reset_dimensions()
    rows = _sound(sheet)
    names = [_cell(name).strip() for name in next(rows)]
    if twice := [name for name, times in Counter(names).items() if name and times > 1]:
        error = BadValueError(
            "header", listed(twice), "two columns have the same name", "Give each column a different name."
        )
        error.line = 1
        raise error
    refuse_many(names)
    for number, row in enumerate(rows, 2):
        if not number % ROWS:
            tell(number, whole)
        if not row:
            continue  # there may be a million of them before one row at a high number
        # The empty cells at the end of a row are not in the file, but their columns are.
        cells = {name: _cell(value) for name, value in zip_longest(names, row[: len(names)]) if name}
        if doubts is not None:
            doubts.look_at(number, names, row)
        unnamed = (
            (at, _cell(value)) for at, value in enumerate(row) if at and not "".join(names[at : at + 1])
        )
        cells |= {f"column {_letters(at)}": text for at, text in unnamed if text}
        if any(cells.values()):
            yield number, cells


def unsaved_formulas(sheet: Any) -> dict[str, str]:
    """Return the cells of a sheet that hold a formula without its value, the first of them -> the formula.

    What a program wrote that does not calculate has none; an empty text is a value.
    """
    found: dict[str, str] = {}
    # The reader of the sheet gives such cells as empty ones.
    with suppress(Exception), sheet._get_source() as file:  # noqa: SLF001 - nothing public opens its XML
        rest = b""
        while len(found) < MOST_DOUBTS and (block := file.read(STEP)):
            for match in _UNSAVED.finditer(rest + block):
                attributes = dict(_ATTRIBUTE.findall(match["attributes"]))
                if attributes.get(b"t") != b"str" and b"r" in attributes:
                    formula = unescape((match["formula"] or b"").decode("utf-8", "replace"))
                    found[attributes[b"r"].decode("ascii", "replace")] = f"={formula}"
            rest = (rest + block)[-LONGEST_CELL:]
    return found


def _sound(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the values of the rows of a sheet.

    :raise BadValueError: The sheet is damaged; its line is the first row that cannot be read.
    """
    number = 1
    rows = sheet.values
    while number <= MOST_ROWS:
        try:
            row = next(rows, None)
        except Exception as error:  # noqa: BLE001 - a damaged file makes its reader raise anything
            raise _damaged(error, number) from None
        if row is None:
            return
        yield row
        number += 1
    raise _damaged(ValueError(f"row {number}"), number)


def _damaged(error: Exception, row: int | None = None) -> BadValueError:
    if row is None:
        return BadValueError("archive", error, "the spreadsheet cannot be read", _AGAIN)
    damaged = BadValueError("archive", error, "the spreadsheet is damaged from row %(n)s on", _AGAIN, n=row)
    damaged.line = row
    return damaged


def _cell_name(at: int, row: int) -> str:
    return f"{_letters(at)}{row}"


def _letters(at: int) -> str:
    """Return what a spreadsheet calls a column, counted from 0."""
    more, last = divmod(at, 26)
    return (_letters(more - 1) if more else "") + chr(ord("A") + last)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    # A spreadsheet knows one kind of number: 7 may come as 7.0.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
