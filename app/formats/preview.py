"""The first rows of a file as it would be read, and what each of its columns is taken for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from app.formats.errors import BadValueError, ProblemLog, visible
from app.formats.records import raw_records
from app.formats.schema import NAMES, REQUIRED, Format, Kind, matched_fields
from app.formats.sniff import Guess, guess_of
from app.formats.source import Part, Source, Stream
from app.formats.trec import cells_of
from app.sentences import message

NOT_READ = message("Not read.")
"""In the place of the encoding of a file of which nothing can be read."""
ROWS, ODD, EXAMPLES, READ_FOR_EXAMPLES = 5, 3, 3, 50
TREC_NAMES: dict[str, tuple[str, ...]] = {
    "run": ("query_id", "_", "doc_id", "rank", "score", "tag"),
    "judgments": ("query_id", "_", "doc_id", "grade"),
}
Row = tuple[int, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Preview:
    """How a file is read.

    Attributes
    ----------
    fields
        Our name -> the file's name, for the columns that were found.
    names
        Our names in the order in which they are shown.
    rows
        (line, our name -> text) of the first rows, each text cut and made visible.
    examples
        The file's name of each column -> its first different values, at most three, cut and made visible.
    """

    guess: Guess
    fields: dict[str, str]
    names: tuple[str, ...]
    rows: list[Row]
    examples: dict[str, list[str]]


def preview_of(
    stream: Stream,
    kind: Kind,
    format: Format | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    name: str = "file",
) -> Preview:
    """Return the first rows of a file; nothing is raised, a file that cannot be read has none."""
    log = ProblemLog()
    source = Source(stream, name, log)
    if log.problems:
        problem = log.problems[0]
        return Preview(Guess(None, problem.sentence, encoding=NOT_READ), {}, (), [], {})
    guess = guess_of(source, kind, format, columns)
    rows = list(islice(shown_rows(source, guess, kind, columns), ROWS)) if guess.format else []
    names = tuple(name for name in _order(guess, kind) if any(name in cells for _, cells in rows))
    examples = _examples(Source(stream, name, ProblemLog()), guess, kind)
    return Preview(guess, _fields(guess, kind, columns), names, rows, examples)


def odd_lines(part: Part) -> list[tuple[int, str]]:
    """Return (line, text) of the first lines with letters that are not ASCII, as they read in Windows-1252.

    There are none where the file is not in it, such as one in UTF-16: no text in Windows-1252 holds a NUL.
    """
    source = Source(replace(part, encoding="windows-1252"), "file", log := ProblemLog())
    odd = ((line, text.strip()) for line, text in source.lines() if not text.isascii() or "\0" in text)
    found = list(islice(odd, ODD))
    is_other = log.problems or any("\0" in text for _, text in found)
    return [] if is_other else [(line, visible(text)) for line, text in found]


def shown_rows(source: Source, guess: Guess, kind: Kind, columns: Mapping[str, str] | None) -> Iterator[Row]:
    """Yield (line, our name -> text) for every line of a file, each text cut and made visible."""
    if guess.format == "trec":
        yield from _trec_rows(source, kind)
        return
    for line, fields, _ in raw_records(source, guess, kind, columns):
        yield line, {name: _shown(value) for name, value in fields.items()}


def _trec_rows(source: Source, kind: Kind) -> Iterator[Row]:
    for line, text in source.lines():
        if cells := cells_of(text):
            named = zip(TREC_NAMES[kind], cells, strict=False)
            yield line, {name: _shown(cell) for name, cell in named if name != "_"}


def _examples(source: Source, guess: Guess, kind: Kind) -> dict[str, list[str]]:
    """Return values of every column of a file that names its columns; none where it has a single one."""
    # With too few columns for its kind, it is read as one of the kind that needs fewest.
    rows = named_rows(source, guess, kind if len(guess.columns) >= len(REQUIRED[kind]) else "queries")
    if rows is None:
        return {}
    found: dict[str, list[str]] = {name: [] for name in guess.columns}
    for row in islice(rows, READ_FOR_EXAMPLES):
        for name, value in row.items():
            text, values = _shown(value), found.get(name, [])
            if text and text not in values and len(values) < EXAMPLES:
                values.append(text)
    return found


def named_rows(source: Source, guess: Guess, kind: Kind) -> Iterator[dict[str, Any]] | None:
    """Return the lines of a file, each as its own name of a column -> the value; None where it has no names.

    Any columns are taken for those that are needed: a file is read before it is known which is which.
    """
    needed = [choices[0] for choices in REQUIRED[kind]]
    taken = dict(zip(needed, guess.columns, strict=False))
    if len(taken) < len(needed) or guess.format in {None, "trec"}:
        return None
    try:
        fields = matched_fields(guess.columns, kind, taken, exact=False)
    except BadValueError:
        return None
    return (
        {fields[each]: ours[each] for each in ours if each in fields} | others
        for _, ours, others in raw_records(source, guess, kind, taken)
    )


def _order(guess: Guess, kind: Kind) -> tuple[str, ...]:
    return TREC_NAMES[kind] if guess.format == "trec" else tuple(NAMES[kind])


def _fields(guess: Guess, kind: Kind, columns: Mapping[str, str] | None) -> dict[str, str]:
    if guess.format in {None, "trec"}:
        return {}
    try:
        return matched_fields(guess.columns, kind, columns, exact=False)
    except BadValueError:
        return {}


def _shown(value: object) -> str:
    if isinstance(value, list):
        return visible("; ".join(str(each) for each in value))
    return "" if value is None else visible(str(value).replace("\n", " "))
