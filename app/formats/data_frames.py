"""Tables that pandas writes with `DataFrame.to_json`; an array of objects is read elsewhere.

Read are the layouts `split`, `table`, `index` and `columns`. The labels of the rows are only read where they
are columns: what they mean is not written elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import count
from typing import Any, NamedTuple

from app.formats.errors import BadValueError
from app.formats.json_depth import refuse_deep
from app.formats.json_files import read_whole
from app.formats.json_text import JsonText
from app.formats.limits import MOST_COLUMNS
from app.formats.objects import ObjectFields
from app.formats.rows import Record
from app.formats.schema import Kind, is_known
from app.formats.source import Source
from app.sentences import message

_TEXT = r'"(?:[^"\\]|\\.)*"'
_SPLIT = re.compile(r'\s*\{\s*"columns"\s*:\s*(?=\[)')
_AFTER_COLUMNS = re.compile(r'\s*,\s*"(?:index|data)"\s*:\s*\[')
_TABLE = re.compile(r'\s*\{\s*"schema"\s*:\s*(?=\{\s*"fields"\s*:\s*\[)')
_INDEX = re.compile(r'\s*\{\s*"(\d+)"\s*:\s*(?=\{)')
_COLUMN = re.compile(rf'({_TEXT})\s*:\s*\{{\s*"(\d+)"\s*:')
REMEDY = message("Write it in pandas with orient='records'.")
_IN_ROW = message("%(what)s, in row %(n)s")
Row = dict[str, Any]


class Layout(NamedTuple):
    """How a table is laid out, as pandas calls it, and its columns as far as they are known."""

    orient: str
    columns: tuple[str, ...]


def layout_of(head: str, kind: Kind, expected: frozenset[str] = frozenset()) -> Layout | None:
    """Return the layout of a table of pandas by the beginning of its file; None if it is something else.

    `expected` are names of columns that the caller expects in it.
    """
    if match := _SPLIT.match(head):
        names, end = _decoded(head, match.end())
        if isinstance(names, list) and _AFTER_COLUMNS.match(head, end):
            return Layout("split", _texts(names))
    if match := _TABLE.match(head):
        schema, _ = _decoded(head, match.end())
        return Layout("table", _texts(_names_in(schema)) if isinstance(schema, dict) else ())
    if match := _INDEX.match(head):
        row, _ = _decoded(head, match.end())
        # Of a query with a number the name may be the id of a document; rows are counted from 0.
        if isinstance(row, dict) and _known(row, kind, expected) > (match[1] != "0"):
            return Layout("index", _texts(row))
    if _COLUMN.match(head, len(head) - len(head.lstrip().removeprefix("{").lstrip())):
        decoded = ((_decoded(match[1], 0)[0], match[2]) for match in _COLUMN.finditer(head))
        # A name that is no JSON text is one of no column.
        found = {name: label for name, label in decoded if name is not None}
        named = [label for name, label in found.items() if name in expected or is_known(name, kind)]
        if len(named) > 1 or "0" in named:
            return Layout("columns", _texts(found))
    return None


def _decoded(text: str, start: int) -> tuple[Any, int]:
    """Return the value that begins there and its end, nothing if it is cut off."""
    with suppress(ValueError, RecursionError):
        refuse_deep(text)
        return json.JSONDecoder().raw_decode(text, start)
    return None, start


def _known(names: Row, kind: Kind, expected: frozenset[str]) -> int:
    return sum(name in expected or is_known(name, kind) for name in names)


def _texts(names: Iterable[Any]) -> tuple[str, ...]:
    return tuple(str(name) for name in names)[:MOST_COLUMNS]


def _names_in(schema: Row) -> list[Any]:
    fields = schema.get("fields")
    return (
        [field.get("name") for field in fields if isinstance(field, dict)] if isinstance(fields, list) else []
    )


def frame_records(source: Source, kind: Kind, columns: Mapping[str, str] | None) -> Iterator[Record]:
    """Yield (line, our name -> value, other name -> value) for every row; problems go to the log."""

    def read(text: JsonText) -> Iterator[Record]:
        layout = layout_of(
            source.head.decode("utf-8", "replace"), kind, frozenset(filter(None, (columns or {}).values()))
        )
        if layout is None:
            raise _no_table("")
        fields = ObjectFields(kind, columns)
        for number, row in zip(count(1), _ROWS[layout.orient](text), strict=False):
            ours, others = fields.parted(row)
            source.place = _IN_ROW, {"n": number}
            yield text.line, ours, others
            source.place = None
        fields.refuse_missing(source)

    return read_whole(source, read)


def _split(text: JsonText) -> Iterator[Row]:
    names: list[Any] = []
    for member in text.members():
        if member == "columns":
            names = text.value()
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise BadValueError(
                    "json-shape", names, "a column has several names or none", "Name each column by one text."
                )
        elif member == "data":
            for _ in text.items():
                row = text.value()
                if not isinstance(row, list) or len(row) != len(names):
                    raise BadValueError(
                        "json-shape", row, "a row does not have %(n)s values", REMEDY, n=len(names)
                    )
                yield dict(zip(names, row, strict=True))
        else:
            text.value()


def _table(text: JsonText) -> Iterator[Row]:
    unnamed: set[str] = set()
    for member in text.members():
        if member == "schema":
            schema = text.value()
            # pandas calls numbers of rows so that have no name.
            unnamed = {"index"} if schema.get("primaryKey") == ["index"] else set()
        elif member == "data":
            for _ in text.items():
                row = text.value()
                if not isinstance(row, dict):
                    raise _no_table(row)
                yield {name: value for name, value in row.items() if name not in unnamed}
        else:
            text.value()


def _index(text: JsonText) -> Iterator[Row]:
    for _ in text.members():
        row = text.value()
        if not isinstance(row, dict):
            raise _no_table(row)
        yield row


def _columns(text: JsonText) -> Iterator[Row]:
    table: dict[str, Row] = {}
    for name in text.members():
        column = text.value()
        if not isinstance(column, dict):
            raise _no_table(column)
        table[name] = column
    for label in dict.fromkeys(label for column in table.values() for label in column):
        yield {name: column.get(label) for name, column in table.items()}


_ROWS: dict[str, Callable[[JsonText], Iterator[Row]]] = {
    "split": _split,
    "table": _table,
    "index": _index,
    "columns": _columns,
}


def _no_table(value: object) -> BadValueError:
    return BadValueError("json-shape", value, "this is not a table as pandas writes it", REMEDY)
