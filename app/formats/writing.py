"""Files out: TSV, JSON Lines and TREC that read back as they were, and CSV for spreadsheets or as data."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from app.formats.errors import BadValueError, FormatError
from app.formats.holding import held
from app.formats.rows import RunRow
from app.formats.schema import Format

Cell = str | int | float | datetime | None
_SPELLED_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
_FORMULA = tuple("=+-@＝＋－＠")
_BREAKS = {"\t", "\r"}
# Most cells are ids and days: what follows need not be looked at then.
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*")
# Each row of blanks is looked through once, however long it is.
_BEFORE_FORMULA = re.compile(r"(?<![\s\";])[\s\";]++(?=[=+\-@＝＋－＠])")
# They take no room, so a formula behind them looks like one at the start.
_UNSEEN = re.compile(r"[\s\u200b-\u200f\u2060\ufeff]+")
_PARTING = frozenset(";\t\r\n")
# Other programs end lines at these too.
_LINE_ENDS = {0x2028: "\\u2028", 0x2029: "\\u2029", 0x85: "\\u0085"}


def write_table(
    names: Sequence[str], rows: Iterable[Sequence[Cell]], format: Format, *, data: bool = False
) -> Iterator[str]:
    """Yield the lines of a table, names first (JSON Lines: one object per row, null where a cell is empty).

    Numbers are written in full, so that they read back to the last bit. A CSV opens well in spreadsheets: it
    is marked as UTF-8, and texts that would be run as formulas have a quote in front. With `data` it holds
    every text exactly, for other programs.

    :raise FormatError: A cell cannot be held by this format, or there is no such table.
    """
    if format == "jsonl":
        return (json_line(dict(zip(names, map(_json_value, row), strict=True))) for row in rows)
    if format == "tsv":
        return _tsv_lines(names, rows)
    if format == "csv":
        return _csv_lines(names, rows) if data else _spreadsheet_lines(names, rows)
    raise FormatError(
        [
            BadValueError("format", format, "this is not a table format", "Use csv, tsv or jsonl.").at(
                "export", None
            )
        ]
    )


def json_line(value: dict[str, Any]) -> str:
    """Return an object as one line of JSON."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)
    # JSON spells NUL out, so it would pass unseen here and be refused when read again.
    return held("jsonl", f"\x00{line}" if _SPELLED_NUL.search(line) else line) + "\n"


def json_text(value: object) -> str:
    """Return a value as a part of a JSON file."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def enclosed(head: str, parts: Iterable[str], foot: str) -> Iterator[str]:
    """Yield the lines of a JSON file with each of its parts on a line of its own, separated by commas."""
    yield f"{head}\n"
    comma = ""
    for part in parts:
        yield f"{comma}{part}"
        comma = ",\n"
    yield f"\n{foot}\n"


def number_text(number: float) -> str:
    """Return the shortest text that reads back to the same finite number."""
    if not math.isfinite(number):
        raise FormatError(
            [BadValueError("number", number, "this is not a number", "Leave it empty.").at("export", None)]
        )
    # Not repr(): NumPy's numbers would be written with the name of their type.
    return float.__repr__(number) if isinstance(number, float) else str(number)


def _json_value(cell: Cell) -> Cell:
    return _text(cell) if isinstance(cell, datetime) else cell


def _text(cell: Cell) -> str:
    if cell is None or isinstance(cell, str):
        return cell or ""
    return cell.isoformat().replace("+00:00", "Z") if isinstance(cell, datetime) else number_text(cell)


def _tsv_lines(names: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    for row in chain([names], rows):
        yield "\t".join(held("tsv", _text(cell)) for cell in row) + "\n"


def _csv_lines(names: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    # The writer quotes what its own line end holds: with CRLF a lone carriage return is quoted too.
    write = csv.writer(Echo(), lineterminator="\r\n").writerow
    yield _plain_end(write(names))
    for row in rows:
        yield _plain_end(write([held("csv", _text(cell)) for cell in row]))


def _spreadsheet_lines(names: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    write = csv.writer(Echo(), lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC).writerow
    yield "\ufeff" + write([_harmless(name) for name in names])
    for row in rows:
        yield write([_harmless(cell) for cell in row])


def _harmless(cell: Cell) -> str | int | float:
    if isinstance(cell, (int, float)):
        number_text(cell)  # refuses what is no number
        return cell
    text = _text(cell)
    if _PLAIN.fullmatch(text):
        return text
    held("csv", text)
    # Where semicolons or tabs part cells, quotes do not hold this one together: its parts count too.
    safe = _BEFORE_FORMULA.sub(_quoted_after_parting, text)
    seen = _UNSEEN.match(text)
    return f"'{safe}" if text.startswith(_FORMULA, seen.end() if seen else 0) or text[:1] in _BREAKS else safe


def _quoted_after_parting(blanks: re.Match[str]) -> str:
    return blanks.group() if _PARTING.isdisjoint(blanks.group()) else f"{blanks.group()}'"


def _plain_end(line: str) -> str:
    return line.removesuffix("\r\n") + "\n"


class Echo:
    """A file that hands each line back: `writerow` returns what `write` returns."""

    def write(self, text: str) -> str:
        """Return the text."""
        return text


def write_trec_run(rows: Iterable[RunRow], tag: str) -> Iterator[str]:
    """Yield the lines of a TREC run from rows that stand query by query, best first.

    A row without a rank gets its place; one without a score gets minus its rank, which keeps the order.

    :raise FormatError: An id or the tag cannot stand in a TREC file.
    """
    held("trec", tag)
    place, before = 0, None
    for row in rows:
        place = place + 1 if row.query_id == before else 1
        before = row.query_id
        rank = place if row.rank is None else row.rank
        query, document = held("trec", row.query_id), held("trec", row.document_id)
        yield f"{query} Q0 {document} {rank} {number_text(score_of(row, place))} {tag}\n"


def score_of(row: RunRow, place: int) -> float:
    """Return the score of a row at a place of its list: without one minus its rank, which keeps the order."""
    if row.score is not None:
        return row.score
    return float(-(place if row.rank is None else row.rank))


def write_qrels(grades: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """Yield the lines of TREC qrels from (query id, document id, grade).

    :raise FormatError: An id cannot stand in a TREC file.
    """
    for query_id, document_id, grade in grades:
        yield f"{held('trec', query_id)} 0 {held('trec', document_id)} {grade}\n"
