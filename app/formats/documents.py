"""Documents: CSV, TSV and JSON Lines; columns without a meaning here are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from app.formats.damage import watched
from app.formats.errors import ProblemLog, visible
from app.formats.faults import Faults
from app.formats.records import checked_rows, records_of
from app.formats.repeats import Repeats
from app.formats.rows import DocumentRow
from app.formats.schema import Format, refuse_many
from app.formats.source import Source, Stream
from app.formats.values import id_of, text_of
from app.sentences import message

_TEXTS = (message("title"), message("text"), message("url"), message("source"))
_NAMES = frozenset(map(str, _TEXTS))


def read_documents(
    stream: Stream,
    name: str,
    log: ProblemLog,
    format: Format | None = None,
    columns: Mapping[str, str] | None = None,
) -> Iterator[DocumentRow]:
    """Yield the documents of a file; a document may lack its text. Problems go to the log."""
    source = Source(stream, name, log)
    records = records_of(source, "documents", format, columns)
    repeats = Repeats(("document_id",), ("title", "text", "url", "source", "extra"))
    rows = checked_rows(source, records, partial(_document, source, set()), repeats)
    yield from watched(rows, source, lambda row: (row.document_id,), _texts_of)


def _texts_of(row: DocumentRow) -> list[str]:
    return [row.title, row.text, *(value for value in row.extra.values() if isinstance(value, str))]


def _document(
    source: Source, known: set[str], line: int, fields: dict[str, Any], others: dict[str, Any]
) -> DocumentRow:
    """Return a document; the columns of all documents, which are kept, go to those that are `known`."""
    faults = Faults()
    document_id = faults.taken(id_of, fields["doc_id"], "document id")
    title, text, url, origin = (faults.taken(text_of, fields.get(name), name) or "" for name in _TEXTS)
    for name, value in others.items():
        faults.taken(text_of, name, "name of a column")
        if isinstance(value, str):
            faults.taken(text_of, value, visible(name))
    columns = source.other_names or frozenset(others)
    if not known.issuperset(columns):
        faults.taken(refuse_many, sorted(columns - known) + sorted(known))
    faults.raise_if_any()
    known |= columns
    lacks = _NAMES.difference(fields)
    return DocumentRow(
        document_id or "", title, text, url or None, origin or None, others, line, lacks, columns
    )
