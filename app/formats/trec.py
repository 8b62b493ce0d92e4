"""TREC run and qrels files: columns separated by blanks, without quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.errors import BadValueError
from app.formats.holding import held
from app.formats.sniff import TREC_COLUMNS
from app.formats.writing import number_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.formats.rows import RunRow
    from app.formats.schema import Kind
    from app.formats.source import Source
    from app.formats.tables import Record

_SHAPES = {"run": "query Q0 document rank score tag", "judgments": "query 0 document grade"}


def trec_records(source: Source, kind: Kind) -> Iterator[Record]:
    """Yield (line, our name -> raw text, nothing) for every line; problems go to the log."""
    for line, text in source.lines():
        cells = cells_of(text)
        if not cells:
            continue
        if len(cells) != TREC_COLUMNS[kind]:
            source.refuse(wrong_columns(text, len(cells), kind), line)
        else:
            yield line, dict(zip(("query_id", "_", "doc_id", "grade"), cells, strict=True)), {}


def cells_of(text: str) -> list[str]:
    """Return the cells of a line, which are parted by any number of blanks and tabs."""
    # Not str.split(): the other blanks of Unicode would part an id in two, unseen.
    return [cell for cell in text.rstrip("\r\n").replace("\t", " ").split(" ") if cell]


def wrong_columns(text: str, found: int, kind: Kind) -> BadValueError:
    """Return what is wrong with a line of another width."""
    return BadValueError(
        "columns",
        text.strip(),
        f"the line has {found} column{'' if found == 1 else 's'}, not {TREC_COLUMNS[kind]}",
        f"Write it as: {_SHAPES[kind]}.",
    )


def write_trec_run(rows: Iterable[RunRow], tag: str) -> Iterator[str]:
    """Yield the lines of a TREC run from rows that stand query by query, best first.

    A row without a rank gets its place; one without a score gets minus its rank, which keeps the order.

    Raises
    ------
    FormatError
        An id or the tag cannot stand in a TREC file.
    """
    held("trec", tag)
    place, before = 0, None
    for row in rows:
        place = place + 1 if row.query_id == before else 1
        before = row.query_id
        rank = place if row.rank is None else row.rank
        score = float(-rank) if row.score is None else row.score
        query, document = held("trec", row.query_id), held("trec", row.document_id)
        yield f"{query} Q0 {document} {rank} {number_text(score)} {tag}\n"


def write_qrels(grades: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """Yield the lines of TREC qrels from (query id, document id, grade).

    Raises
    ------
    FormatError
        An id cannot stand in a TREC file.
    """
    for query_id, document_id, grade in grades:
        yield f"{held('trec', query_id)} 0 {held('trec', document_id)} {grade}\n"
