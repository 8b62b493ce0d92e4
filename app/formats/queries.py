"""Queries: CSV, TSV (also two columns without names) and JSON Lines."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from app.formats.damage import watched
from app.formats.errors import ProblemLog
from app.formats.faults import Faults
from app.formats.query_texts import QueryText
from app.formats.records import checked_rows, naming_left_out, records_of
from app.formats.repeats import Repeats
from app.formats.rows import QueryRow
from app.formats.schema import Format
from app.formats.source import Source, Stream
from app.formats.values import id_of, name_of, text_of, weight_of

_PARTING = ";"
CONTENT = tuple(
    column.name for column in dataclasses.fields(QueryRow) if column.name not in {"query_id", "line", "lacks"}
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
    records = naming_left_out(source, records_of(source, "queries", format, columns))
    rows = checked_rows(source, records, _query, Repeats(("query_id",), CONTENT))
    yield from watched(rows, source, lambda row: (row.query_id,), lambda row: (row.text, row.intent or ""))


def _query(line: int, fields: dict[str, Any], _others: dict[str, Any]) -> QueryRow:
    faults = Faults()
    query_id = faults.taken(id_of, fields["query_id"], "query id")
    text = faults.taken(text_of, fields["text"], "query text")
    # Where the text stands for the id, it was missed there.
    if text is not None and not text.strip() and not isinstance(fields["query_id"], QueryText):
        faults.add("text", "", "the query has no text", "Write what was asked.")
    intent = faults.taken(text_of, fields.get("intent"), "intent")
    tags = faults.taken(_tags, fields.get("tags"))
    weight = faults.taken(weight_of, fields.get("weight"))
    faults.raise_if_any()
    lacks = frozenset(CONTENT).difference(fields)
    return QueryRow(query_id or "", text or "", intent or None, tags or (), line, weight, lacks)


def _tags(raw: object) -> tuple[str, ...]:
    # In a table one cell holds them all, separated by semicolons.
    parts = raw if isinstance(raw, list) else text_of(raw, "tag").split(_PARTING)
    tags = (name_of(part, "tag") for part in parts)
    return tuple(tag.strip() for tag in tags if tag)
