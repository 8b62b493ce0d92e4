"""Documents: CSV, TSV and JSON Lines; columns without a meaning here are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.errors import visible
from app.formats.faults import Faults
from app.formats.records import checked_rows, records_of
from app.formats.repeats import Repeats
from app.formats.rows import DocumentRow
from app.formats.source import Source
from app.formats.values import id_of, text_of
from app.formats.writing import json_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from app.formats.errors import ProblemLog
    from app.formats.schema import Format
    from app.formats.source import Stream


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
    yield from checked_rows(source, records, _document, repeats)


def _document(line: int, fields: dict[str, Any], others: dict[str, Any]) -> DocumentRow:
    faults = Faults()
    document_id = faults.taken(id_of, fields["doc_id"], "document id")
    title, text, url, source = (
        faults.taken(text_of, fields.get(name), name) or "" for name in ("title", "text", "url", "source")
    )
    for name, value in others.items():
        faults.taken(text_of, name, "name of a column")
        if isinstance(value, str):
            faults.taken(text_of, value, visible(name))
    faults.raise_if_any()
    return DocumentRow(document_id or "", title, text, url or None, source or None, others, line)


def write_documents(rows: Iterable[DocumentRow]) -> Iterator[str]:
    """Yield documents as JSON Lines, the only format that holds whatever else was kept with them."""
    for row in rows:
        # All five are written even if empty: a kept name such as "URL" must not be read as one of ours.
        shown = {"doc_id": row.document_id, "title": row.title, "text": row.text}
        yield json_line({**shown, "url": row.url, "source": row.source, **row.extra})
