"""CSV and TSV: lines to named fields, and rows to lines."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from app.formats.errors import BadValueError
from app.formats.rows import Record
from app.formats.schema import KEPT_WHOLE, Kind, fields_of
from app.formats.sniff import Guess
from app.formats.source import Source
from app.sentences import message, number_message

FIELD_LIMIT = 1_000_000
RECORD_LIMIT = 4_000_000
_NUMBERS = frozenset({"rank", "score", "grade", "weight"})
# Commas part cells where points part decimals; these are between cells in any country.
_OF_ANY_COUNTRY = frozenset(";\t")
_DECIMALS_BY_COMMA = message("Write thousands without a point, and decimals with a comma.")
_DECIMALS_BY_POINT = message("Write thousands without a point, and decimals as 1.2 or 1.20.")
# Where cells are separated by semicolons, numbers are written so.
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]{1,20},[0-9]{1,20}")
_POINT = re.compile(r"[+-]?[0-9]{0,20}\.[0-9]{1,20}(?:[eE][+-]?[0-9]{1,3})?")
_MAY_BE_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")


def table_records(
    source: Source, guess: Guess, kind: Kind, columns: Mapping[str, str] | None
) -> Iterator[Record]:
    """Yield (line, our name -> cell, other name -> cell) for every line; problems go to the log."""
    rows = _tsv_rows(source) if guess.format == "tsv" else csv_rows(source, guess.delimiter or ",")
    names = list(guess.columns)
    if guess.has_separator_line:
        next(rows, None)
    first = 1
    if guess.has_header:
        first, cells = next(rows, (1, []))
        names = [name.strip() for name in cells]
        source.has_names = True
        if not cells and source.has_problems:
            return  # the file breaks off, or is broken, before its names
    try:
        fields = fields_of(names, kind, columns)
    except BadValueError as error:
        source.refuse(error, first)
        return
    places = [(ours, names.index(theirs), ours in KEPT_WHOLE) for ours, theirs in fields.items()]
    # A first column without a name numbers the lines: programs write it, and nobody needs it.
    # What has no names in the first line is known by its shape, and has nothing to keep.
    unknown = enumerate(names) if guess.has_header else ()
    others = [(name, at) for at, name in unknown if name not in fields.values() and (name or at)]
    source.other_names = frozenset(name for name, _ in others)
    numbers = [name for name in fields if name in _NUMBERS] if guess.delimiter in _OF_ANY_COUNTRY else []
    marks = _DecimalMarks(source, may_be_commas=guess.delimiter == ";")
    lines_of_query = Counter[str]() if kind == "run" and not {"rank", "score"} & fields.keys() else None
    width = len(names)
    for line, cells in rows:
        if len(cells) != width:
            source.refuse(wrong_width(cells, width), line)
            continue
        ours = {name: cells[at] if whole else cells[at].strip(" \t") for name, at, whole in places}
        if lines_of_query is not None:
            # Refused before, but for files whose lines are in the order of their places.
            query = ours.get("query_id", ours.get("query", ""))
            lines_of_query[query] += 1
            ours["rank"] = str(lines_of_query[query])
        for name in numbers:
            ours[name] = marks.plain(line, name, ours[name])
        yield line, ours, {name: cells[at] for name, at in others if cells[at]}
    marks.refuse_doubtful()


class _DecimalMarks:
    """Which mark stands before the decimals of a table: a comma or a point, not both.

    `1.200` is 1200 for some programs and 1.2 for others. Other numbers of its column tell: `0.25` has a point
    before its decimals. Scores that all have three digits behind a point have one order either way.

    Without `may_be_commas` a comma makes no number: `1,200` is 1200 for others.
    """

    def __init__(self, source: Source, *, may_be_commas: bool) -> None:
        self._source, self._may_be_commas = source, may_be_commas
        self._marks: dict[str, str] = {}
        self._doubtful: dict[str, tuple[int, str]] = {}
        self._certain: set[str] = set()
        self._whole: set[str] = set()

    def plain(self, line: int, name: str, cell: str) -> str:
        """Return a number of one of our columns with a point before its decimals."""
        if self._may_be_commas and _DECIMAL_COMMA.fullmatch(cell):
            self._see(",", line, cell)
            return cell.replace(",", ".")
        if name == "rank":
            return cell  # a whole number, whatever program wrote it
        if _MAY_BE_THOUSANDS.fullmatch(cell):
            self._doubtful.setdefault(name, (line, cell))
            self._see(".", line, cell)
        elif _POINT.fullmatch(cell):
            self._certain.add(name)
            self._see(".", line, cell)
        elif cell:
            self._whole.add(name)
        return cell

    def _see(self, mark: str, line: int, cell: str) -> None:
        if mark not in self._marks:
            self._marks[mark] = cell
            other = self._marks.get("." if mark == "," else ",")
            if other is not None:
                self._source.refuse(_two_marks(cell, other), line)

    def refuse_doubtful(self) -> None:
        """Refuse columns of which nobody knows what a point in them is."""
        if len(self._marks) > 1:
            return  # refused already
        for name, (line, cell) in self._doubtful.items():
            if name not in self._certain and (name != "score" or name in self._whole):
                remedy = _DECIMALS_BY_COMMA if self._may_be_commas else _DECIMALS_BY_POINT
                self._source.refuse(_thousands(cell, remedy), line)


def _two_marks(cell: str, other: str) -> BadValueError:
    return BadValueError(
        "number",
        cell,
        "the file has numbers with a comma and numbers with a point, such as %(name)s",
        "Use one decimal mark everywhere, and no mark for thousands.",
        name=other,
    )


def _thousands(cell: str, remedy: str) -> BadValueError:
    return BadValueError(
        "number",
        cell,
        "it is unclear whether the point marks thousands or decimals",
        remedy,
    )


def wrong_width(cells: list[str], width: int) -> BadValueError:
    """Return the problem of a line with more or fewer cells than the first one."""
    return BadValueError(
        "columns",
        " | ".join(cells[:8]),
        lambda: number_message(
            "the line has %(num)s cell where the first line has %(of)s",
            "the line has %(num)s cells where the first line has %(of)s",
            len(cells),
            of=width,
        ),
        "Give every line the same number of cells, and put cells that contain the separator in quotes.",
    )


def _tsv_rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    for line, text in source.lines():
        bare = text.removesuffix("\n").removesuffix("\r")
        if bare:
            yield line, bare.split("\t")


def csv_rows(source: Source, delimiter: str, *, blanks: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of a CSV; problems go to the log. With `blanks` cells may begin with some."""
    csv.field_size_limit(FIELD_LIMIT)
    feed = _Feed(source)
    reader = csv.reader(feed, delimiter=delimiter, strict=True, skipinitialspace=blanks)
    while True:
        feed.begin_record()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            source.refuse(_broken(error, feed), feed.first)
            if _is_endless(error):
                return
        except BadValueError as error:
            source.refuse(error, feed.first)
            return
        else:
            if cells:
                yield feed.first, cells


class _Feed:
    """The lines of a source for csv.reader; knows where the record being read began, and bounds its size."""

    def __init__(self, source: Source) -> None:
        self._lines = source.lines()
        self.first = 0
        self.text = ""
        self._size = 0

    def begin_record(self) -> None:
        self._size = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line, text = next(self._lines)
        if not self._size:
            self.first, self.text = line, text
        self._size += len(text)
        if self._size > RECORD_LIMIT:
            raise BadValueError(
                "csv", self.text, "the quoted cells that begin here are never closed", "Close the quotes."
            )
        return text


def _is_endless(error: csv.Error) -> bool:
    """Return whether a quotation mark is never closed: nobody knows what is a line behind it."""
    return "end of data" in str(error) or "field limit" in str(error)


def _broken(error: csv.Error, feed: _Feed) -> BadValueError:
    told = str(error)
    if _is_endless(error):
        return BadValueError(
            "csv", feed.text.strip(), "a quotation mark that opens here is never closed", "Close it."
        )
    if "new-line" in told:
        return BadValueError(
            "csv",
            feed.text.strip(),
            "there is a carriage return outside quotes",
            "Save it with plain line ends.",
        )
    return BadValueError(
        "csv",
        feed.text.strip(),
        "there is a quotation mark inside a cell",
        "Quote the whole cell and write the mark twice.",
    )
