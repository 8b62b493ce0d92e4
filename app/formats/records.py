"""What every reader does in common: find the format, take the lines as named fields, check, drop repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from app.formats.data_frames import frame_records
from app.formats.errors import BadValueError
from app.formats.faults import BadLineError
from app.formats.json_files import array_records, pair_records
from app.formats.jsonl import json_records
from app.formats.letor import letor_records
from app.formats.query_texts import OtherText, noting_texts, with_keys
from app.formats.repeats import Repeats
from app.formats.rows import Record
from app.formats.schema import TOOL_FORMATS, TREC_COLUMNS, Format, Kind, matched_fields
from app.formats.sgml import sgml_records
from app.formats.sniff import Guess, guess_of
from app.formats.source import Source
from app.formats.tables import table_records
from app.formats.tool_files import tool_records
from app.formats.trec import prediction_records, trec_records
from app.formats.wide_tables import book_records, relevance_records

Row = TypeVar("Row")


def records_of(
    source: Source,
    kind: Kind,
    format: Format | None,
    columns: Mapping[str, str] | None,
    *,
    is_certain: bool = False,
    other_text: OtherText | None = None,
) -> Iterator[Record]:
    """Yield (line, our name -> raw value, other name -> raw value) for every line of a file in any format.

    Where it `is_certain` of which kind the file is, its numbers are not asked. `other_text` is as for
    `keyed_records`.
    """
    guess = format_of(source, kind, format, columns, is_certain=is_certain)
    return keyed_records(source, guess, kind, columns, other_text) if guess else iter(())


def keyed_records(
    source: Source,
    guess: Guess,
    kind: Kind,
    columns: Mapping[str, str] | None,
    other_text: OtherText | None = None,
) -> Iterator[Record]:
    """Yield the lines of a source, each with the id of its query, or its text instead.

    `other_text` tells which texts beside ids are not those of the ids; none of them is read.
    """
    records = with_keys(raw_records(source, guess, kind, columns), kind)
    if kind not in TREC_COLUMNS or guess.format in _BY_KIND:
        return records
    try:
        found = matched_fields(guess.columns, kind, columns, exact=False)
    except BadValueError:
        return records  # refused by the reader
    if guess.format not in {"csv", "tsv"}:
        return noting_texts(source, records, found.get("query", "query"), other_text)
    # Other tables do without the look at every line.
    if not {"query_id", "query"} <= found.keys():
        return records
    # Without names in its first line a file has nothing to keep.
    return noting_texts(source, records, found["query"] if guess.has_header else None, other_text)


def format_of(
    source: Source,
    kind: Kind,
    format: Format | None,
    columns: Mapping[str, str] | None,
    *,
    is_certain: bool = False,
) -> Guess | None:
    """Return how to read a source; None, with the problem in the log, if it cannot be read.

    `is_certain` is as for `records_of`.
    """
    if source.has_problems:
        return None
    if not source.head.strip():
        source.refuse_empty()
        return None
    guess = guess_of(source, kind, format, columns)
    if guess.refusal is not None and not (is_certain and guess.format):
        source.refuse(guess.refusal, None)
        return None
    source.format = guess.format or ""
    if not is_certain:
        source.log.hint(guess.hint)
    chosen = [f"{ours}={theirs}" for ours, theirs in (columns or {}).items() if theirs]
    if chosen and _is_nameless(guess.format, kind):
        error = BadValueError(
            "column",
            ", ".join(chosen),
            "a file in the format %(name)s has no names of columns",
            "Give no names of columns (--column on the command line), or name the format (--format).",
            name=guess.format,
        )
        source.refuse(error, None)
        return None
    return guess


def _is_nameless(format: Format | None, kind: Kind) -> bool:
    """Return whether the names of columns mean nothing in a format."""
    # The documents of other tools have fields of their own.
    return format in _BY_KIND or (format in TOOL_FORMATS and kind != "documents")


def raw_records(
    source: Source, guess: Guess, kind: Kind, columns: Mapping[str, str] | None
) -> Iterator[Record]:
    """Yield the lines of a source in the format that was found."""
    if guess.format in TOOL_FORMATS:
        return tool_records(source, kind, guess.format, columns)
    if guess.format in _BY_COLUMNS:
        return _BY_COLUMNS[guess.format](source, kind, columns)
    if guess.format in _BY_KIND:
        return _BY_KIND[guess.format](source, kind)
    return table_records(source, guess, kind, columns)


_BY_KIND: dict[Format, Callable[[Source, Kind], Iterator[Record]]] = {
    "trec": trec_records,
    "json-pairs": pair_records,
    "book-csv": book_records,
    "relevance-csv": relevance_records,
    "predictions": prediction_records,
    "letor": letor_records,
    "sgml": sgml_records,
}
_BY_COLUMNS: dict[Format, Callable[[Source, Kind, Mapping[str, str] | None], Iterator[Record]]] = {
    "jsonl": json_records,
    "json": array_records,
    "pandas": frame_records,
}


def naming_left_out(source: Source, records: Iterator[Record]) -> Iterator[Record]:
    """Yield the lines of a source; names of columns that are not read go to the log."""
    known: tuple[str, ...] = ()
    for record in records:
        if others := record[2]:
            names = tuple(others)
            if names != known:
                known = names
                source.log.leave_out(names)
        yield record


def checked_rows(
    source: Source,
    records: Iterator[Record],
    convert: Callable[[int, dict[str, Any], dict[str, Any]], Row | None],
    repeats: Repeats,
) -> Iterator[Row]:
    """Yield the good rows of a file, a repeated one once; problems go to the log.

    `convert` returns None for a line that is left out on purpose, and raises all that is wrong with a bad
    one. Two lines with one key and different content contradict each other: the second is refused, naming
    the first.
    """
    empty = True
    for line, fields, others in records:
        empty = False
        try:
            row = convert(line, fields, others)
            if row is None:
                continue
            if repeats.is_new(row, line):
                yield row
            else:
                source.log.left_out["repeated"] += 1
        except BadLineError as error:
            for fault in error.faults:
                source.refuse(fault, line)
        except BadValueError as error:
            source.refuse(error, line)
    if empty:
        source.refuse_empty()
