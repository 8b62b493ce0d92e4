"""Files for Quepid: snapshots, information needs, ratings and books. All name queries by their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from app.formats.rows import RunRow
from app.formats.writing import Cell, enclosed, json_text, write_table

SNAPSHOT_COLUMNS = ("Snapshot Name", "Snapshot Time", "Case ID", "Query Text", "Doc ID", "Doc Position")


class BookPair(NamedTuple):
    """A query and a document that are to be judged in Quepid."""

    query: str
    intent: str
    document: str
    fields: dict[str, str]


def write_snapshot(
    rows: Iterable[RunRow], name: str, made_at: datetime, *, data: bool = False
) -> Iterator[str]:
    """Yield the lines of a snapshot from rows that name queries by their texts; its case has no number.

    See `write_table` for `data`, here and below.
    """
    lines = ((name, made_at, None, row.query_id, row.document_id, row.rank) for row in rows)
    return _csv(SNAPSHOT_COLUMNS, lines, data=data)


def write_needs(rows: Iterable[tuple[str, str]], *, data: bool = False) -> Iterator[str]:
    """Yield the lines of information needs from the text and the intent of each query."""
    return _csv(("query", "information_need"), rows, data=data)


def write_ratings(rows: Iterable[tuple[str, str, int | None]], *, data: bool = False) -> Iterator[str]:
    """Yield the lines of ratings; a pair without a grade is one that nobody has rated."""
    return _csv(("query", "docid", "rating"), rows, data=data)


def write_book(
    annotators: Sequence[str], pairs: Iterable[tuple[str, str, Mapping[str, int]]], *, data: bool = False
) -> Iterator[str]:
    """Yield the lines of a book with a column for each annotator.

    Parameters
    ----------
    pairs
        The text of the query, the document, and the grade of each annotator who has rated it.
    """
    lines = ((query, document, *map(grades.get, annotators)) for query, document, grades in pairs)
    return _csv(("query", "docid", *annotators), lines, data=data)


def write_open_book(name: str, grades: Mapping[int, str], pairs: Iterable[BookPair]) -> Iterator[str]:
    """Yield a book in JSON that nobody has judged, with the name of each grade of its scale."""
    about = json_text(
        {
            "name": name,
            "show_rank": False,
            "support_implicit_judgements": False,
            "scale": list(grades),
            "scale_with_labels": {str(grade): label for grade, label in grades.items()},
        }
    )
    return enclosed(f'{about[:-1]}, "query_doc_pairs": [', (json_text(_pair(pair)) for pair in pairs), "]}")


def _pair(pair: BookPair) -> dict[str, Any]:
    return {
        "query_text": pair.query,
        "doc_id": pair.document,
        # Where a ranker placed it is nothing that a judge should know.
        "position": None,
        "document_fields": pair.fields,
        "information_need": pair.intent or None,
        "notes": None,
        "options": {},
        "judgements": [],
    }


def _csv(names: Sequence[str], rows: Iterable[Sequence[Cell]], *, data: bool) -> Iterator[str]:
    lines = write_table(names, rows, "csv", data=data)
    # Quepid would take the mark of UTF-8 for a part of the first name.
    return chain([next(lines).removeprefix("\ufeff")], lines)
