"""Queries that a file names by their texts: of many tools the text is the only key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256

from app.formats.rows import Record
from app.formats.schema import Kind

# Of such a text the id is made without loss: no two of them have the same one.
_PLAIN = re.compile(r"[^\W_]+(?: [^\W_]+)*")
_WORD = re.compile(r"[^\W_]+")
LONGEST = 60


class QueryText(str):
    """The text of a query, which stands for its id where a file has none."""

    __slots__ = ()


class QueryName(str):
    """The id of a query, or its text where there is no query with this id: the file does not say which."""

    __slots__ = ()


def id_from_text(text: str) -> str:
    """Return the id of a query that has none: its words, and a digest where they do not say all of it."""
    if len(text) <= LONGEST and _PLAIN.fullmatch(text):
        return text.replace(" ", "-")
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{'-'.join(_WORD.findall(text))[:LONGEST]}~{digest}"


def with_keys(records: Iterator[Record], kind: Kind) -> Iterator[Record]:
    """Yield records that have an id of their query, or its text instead."""
    if kind == "documents":
        yield from records
        return
    for record in records:
        fields = record[1]
        # A file with ids that leaves one empty has a fault, unless it has texts of queries beside them.
        if not fields.get("query_id") and ("query" in fields or "query_id" not in fields):
            text = fields.get("query", fields.get("text"))
            # A text that is missing is missing as one that is empty.
            text = "" if text is None else text
            fields["query_id"] = QueryText(text.strip()) if isinstance(text, str) else text
        yield record
