"""LETOR and SVMlight: a grade, a query number and features on each line, the document in its comment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.formats.errors import BadValueError
from app.formats.rows import Record
from app.formats.schema import Kind
from app.formats.source import Source
from app.sentences import message

# A header may say what was asked: # qid:1: red shoes
_QUERY = re.compile(r"#\s*qid:(\S+?):\s*(\S.*)", re.ASCII)
_LINE = re.compile(r"(\S+)\s+qid:(\S+)((?:\s+[^\s#:]+:[^\s#]+)*)\s*(?:#\s*(.*))?", re.ASCII)
BLANKS = " \t\r\n"
# Of the collections that gave the format its name: #docid = GX029-35-5894638 inc = 1
_NAMED = re.compile(r"docid\s*=\s*(\S+)")


def looks_like(line: str) -> bool:
    """Return whether a line is one of such a file."""
    match = _LINE.fullmatch(line.strip())
    return match is not None or _QUERY.fullmatch(line.strip()) is not None


def letor_records(source: Source, kind: Kind) -> Iterator[Record]:
    """Yield the grades of a file, or its queries; problems go to the log."""
    texts: dict[str, str] = {}
    for line, text in source.lines():
        bare = text.strip(BLANKS)
        if said := _QUERY.fullmatch(bare):
            texts[said[1]] = said[2]
        elif bare and not bare.startswith("#"):
            try:
                fields = _fields(bare, texts)
            except BadValueError as error:
                source.refuse(error, line)
                continue
            if kind == "queries":
                fields["text"] = fields.get("query", "")
            yield line, fields, {}


def _fields(line: str, texts: dict[str, str]) -> dict[str, Any]:
    match = _LINE.fullmatch(line)
    comment = (match[4] or "").strip(BLANKS) if match else ""
    if match is None or not comment:
        reason = (
            message("the line has no document behind #")
            if match
            else message("the line is not GRADE qid:QUERY # DOCUMENT")
        )
        raise BadValueError("letor", line, reason, "Write it as 3 qid:1 # d7, with features before the #.")
    named = _NAMED.match(comment)
    document, *more = [named[1]] if named else re.split("[ \t]+", comment, maxsplit=1)
    # Where the text is there, the number counts the queries of this file and is known nowhere else.
    asked = texts.get(match[2], "".join(more))
    key = {"query": asked} if asked else {"query_id": match[2]}
    return {**key, "doc_id": document, "grade": match[1]}
