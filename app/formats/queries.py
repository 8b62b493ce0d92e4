"""Queries: CSV, TSV (also two columns without names) and JSON Lines."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.formats.errors import BadValueError, FormatError, ProblemLog
from app.formats.faults import Faults
from app.formats.records import checked_rows, records_of
from app.formats.repeats import Repeats
from app.formats.rows import QueryRow
from app.formats.schema import Format
from app.formats.source import Source, Stream
from app.formats.values import id_of, name_of, text_of, weight_of
from app.formats.writing import json_line, write_table

_PARTING = ";"
CONTENT = tuple(
    column.name for column in dataclasses.fields(QueryRow) if column.name not in {"query_id", "line"}
)


def read_queries(
    stream: Stream,
    name: str,
    log: ProblemLog,
    format: Format | None = None,
    columns: Mapping[str, str] | None = None,
) -> Iterator[QueryRow]:
    """Yield the queries of a file; problems go to the log."""
    source = Source(stream, name, log)
    records = records_of(source, "queries", format, columns)
    yield from checked_rows(source, records, _query, Repeats(("query_id",), CONTENT))


def _query(line: int, fields: dict[str, Any], _others: dict[str, Any]) -> QueryRow:
    faults = Faults()
    query_id = faults.taken(id_of, fields["query_id"], "query id")
    text = faults.taken(text_of, fields["text"], "query text")
    if text is not None and not text.strip():
        faults.add("text", "", "the query has no text", "Write what was asked.")
    intent = faults.taken(text_of, fields.get("intent"), "intent")
    tags = faults.taken(_tags, fields.get("tags"))
    weight = faults.taken(weight_of, fields.get("weight"))
    faults.raise_if_any()
    return QueryRow(query_id or "", text or "", intent or None, tags or (), line, weight)


def _tags(raw: object) -> tuple[str, ...]:
    # In a table one cell holds them all, separated by semicolons.
    parts = raw if isinstance(raw, list) else text_of(raw, "tags").split(_PARTING)
    tags = (name_of(part, "tag") for part in parts)
    return tuple(tag.strip() for tag in tags if tag)


def write_queries(rows: Iterable[QueryRow], format: Format, *, data: bool = False) -> Iterator[str]:
    """Yield the lines of a table of queries.

    :raise FormatError: The format cannot hold a text; in CSV and TSV a tag with a semicolon is one of these.
    """
    names = ("query_id", *CONTENT)
    if format == "jsonl":
        return (_json_line(row) for row in rows)
    cells = ((row.query_id, *(_cell(getattr(row, name)) for name in CONTENT)) for row in rows)
    return write_table(names, cells, format, data=data)


def _json_line(row: QueryRow) -> str:
    return json_line(
        {"query_id": row.query_id} | {name: said for name in CONTENT if (said := getattr(row, name))}
    )


def _cell(said: Any) -> Any:
    """Return what one cell of a table holds; tags are joined."""
    if not isinstance(said, tuple):
        return said
    for tag in said:
        if _PARTING in tag:
            error = BadValueError(
                "cannot-hold",
                tag,
                "a table separates tags by semicolons",
                "Choose JSON Lines for this export.",
            )
            raise FormatError([error.at("export", None)])
    return _PARTING.join(said) or None
