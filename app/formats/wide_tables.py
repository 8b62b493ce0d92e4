"""CSV files with several ratings on a line: Quepid's books, and questions of IBM Retrieve and Rank."""

from __future__ import annotations

from collections.abc import Iterator

from app.formats.errors import BadValueError
from app.formats.quepid import different_names
from app.formats.rows import Record
from app.formats.schema import Kind
from app.formats.source import Source
from app.formats.tables import csv_rows, wrong_width

# As in other tables: every other blank is part of an id, and refused there.
BLANKS = " \t"


def book_records(source: Source, kind: Kind) -> Iterator[Record]:
    """Yield the ratings of a book: after the question and the answer each person has a column."""
    rows = csv_rows(source, ",")
    names = next(rows, (1, []))[1]
    if len(names) < 2:
        # The line of names was refused, so this is another one.
        return
    people = different_names([name.strip(BLANKS) for name in names[2:]])
    for line, cells in rows:
        if len(cells) != len(names):
            source.refuse(wrong_width(cells, len(names)), line)
            continue
        query = {"query": cells[0].strip(BLANKS), "doc_id": cells[1].strip(BLANKS)}
        if kind == "queries":
            yield line, {**query, "text": query["query"]}, {}
            continue
        by_person = zip(people, cells[2:], strict=True)
        given = [(name, cell.strip(BLANKS)) for name, cell in by_person if cell.strip(BLANKS)]
        for name, cell in given or [("", "")]:
            yield line, {**query, "annotator": name, "grade": cell}, {}


def relevance_records(source: Source, kind: Kind) -> Iterator[Record]:
    """Yield the labels of a file without names of columns: a question, then pairs of answer and label."""
    for line, cells in csv_rows(source, ",", blanks=True):
        question, *labels = (cell.strip(BLANKS) for cell in cells)
        if len(labels) % 2:
            error = BadValueError(
                "columns",
                " | ".join(cells[:8]),
                "the line has %(n)s cells, and an answer without a label",
                "Write a question, then an answer and its label, as often as needed.",
                n=len(cells),
            )
            source.refuse(error, line)
        elif kind == "queries":
            yield line, {"query": question, "text": question}, {}
        else:
            for document, label in zip(labels[::2], labels[1::2], strict=True) if labels else [("", "")]:
                yield line, {"query": question, "doc_id": document, "grade": label}, {}
