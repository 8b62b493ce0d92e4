"""Queries that a file names by their texts: of many tools the text is the only key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from app.formats.errors import visible
from app.formats.rows import Record
from app.formats.schema import Kind
from app.formats.source import Source
from app.sentences import Message, message

# Of such a text the id is made without loss: no two of them have the same one.
_PLAIN = re.compile(r"[^\W_]+(?: [^\W_]+)*")
_WORD = re.compile(r"[^\W_]+")
LONGEST = 60
# Returns the text that is stored for the id of a query, where it is another one than that of the file.
OtherText = Callable[[str, str], str | None]


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


def noting_texts(
    source: Source, records: Iterator[Record], column: str | None, other: OtherText | None
) -> Iterator[Record]:
    """Yield records that have keys; texts of queries beside ids are not read, which goes to the log.

    `column` is the name of the column of texts, None where it has none. Of texts that are not those of their
    ids the first is told.
    """
    last: tuple[Any, Any] = (None, None)
    for record in records:
        fields = record[1]
        if "query" in fields and (fields["query_id"], fields["query"]) != last:
            query, text = last = fields["query_id"], fields["query"]
            if not isinstance(query, QueryText) and isinstance(text, str) and text.strip():
                if column is not None:
                    source.log.leave_out([message("%(name)s (the id is used)", name=visible(column))])
                    column = None
                stored = other(str(query), text) if other is not None else None
                if stored is not None:
                    source.log.hint(_other_text(record[0], str(query), text, stored))
                    other = None
        yield record


def _other_text(line: int, query: str, text: str, stored: str) -> Message:
    return message(
        "Line %(line)s has the text “%(text)s” for the question %(name)s, whose text is “%(stored)s”: the id "
        "is used. If the texts are right, leave out the column of ids.",
        line=line,
        text=visible(text),
        name=visible(query),
        stored=visible(stored),
    )
