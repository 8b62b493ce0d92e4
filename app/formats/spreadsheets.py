"""Spreadsheets (XLSX): their sheets, and the rows of one as cells by the names in its first row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from typing import Any, BinaryIO

from app.formats.errors import BadValueError
from app.formats.inflate import CHOOSE, missing_reader
from app.formats.schema import listed
from app.sentences import message

ROWS = 1_000
MOST_ROWS = 1 << 20
"""No spreadsheet has more; a damaged number of a row would be counted up to."""
_AGAIN = message("Open it in the spreadsheet program and save it again, or save it as CSV UTF-8.")


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
    if len(sheets) != 1:
        titles = ", ".join(sheet.title for sheet in sheets)
        reason = message("the spreadsheet has %(n)s sheets with content", n=len(sheets))
        raise BadValueError("archive", titles, reason, CHOOSE)
    return sheets[0]


def rows_of(sheet: Any, tell: Callable[[int, int], None]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number, cells by the names in the first row).

    Other cells that hold something are named by their columns; of a first column without a name nobody needs
    them, as in other tables.

    :raise BadValueError: Two columns have the same name, or the sheet is damaged.
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
    for number, row in enumerate(rows, 2):
        if not number % ROWS:
            tell(number, whole)
        cells = {name: _cell(value) for name, value in zip(names, row, strict=False) if name}
        unnamed = (
            (at, _cell(value)) for at, value in enumerate(row) if at and not "".join(names[at : at + 1])
        )
        cells |= {f"column {_letters(at)}": text for at, text in unnamed if text}
        if any(cells.values()):
            yield number, cells


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
    damaged = BadValueError("archive", error, "the spreadsheet is damaged from this row on", _AGAIN)
    damaged.line = row
    return damaged


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
