"""Files that hold others, or tables that are no text: zip archives, spreadsheets and Parquet, as lines."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

from app.formats.errors import BadValueError, visible
from app.formats.inflate import (
    GZIP_MAGIC,
    LARGEST_OUTPUT,
    LARGEST_RATIO,
    PARQUET,
    PARQUET_MAGIC,
    RATIO_FREE,
    SPREADSHEET,
    ZIP_MAGIC,
    refuse_archive,
)
from app.formats.schema import NAMES, is_known, listed
from app.sentences import message

MOST_MEMBERS = 10_000
MOST_LOOKED_AT = 100
STEP = 1 << 18
ROWS = 1_000
SHOWN, SHOWN_ROWS = 5, 50
CHOOSE = message("Name the one that is meant with --member, or unpack it.")
_WORKBOOK = "xl/workbook.xml"
_LOCKED = 1
_NO_ZIP = "File is not a zip file"


Packed = BinaryIO | str | os.PathLike[str] | bytes


class Unpacked:
    """The text in a file that is no text: what the file is, the names of its members, and the text itself.

    `wanted` are the names of the members, or of the sheets, that are meant; all if empty. A path of a kind of
    its own has a `progress`, which is told how many bytes or rows of all have been read.
    """

    def __init__(self, stream: Packed, wanted: Sequence[str] = ()) -> None:
        self.what = ""
        self.members: list[str] = []
        self._stream, self._wanted = stream, wanted
        self._tell: Callable[[int, int], None] = getattr(stream, "progress", lambda _done, _whole: None)
        self._done = self._whole = 0

    def blocks(self) -> Iterator[bytes]:
        """Yield the text; tables as JSON Lines, a line for each row at the number that the row has.

        :raise BadValueError: It cannot be unpacked, or what reads it is not installed.
        """
        with _opened(self._stream) as file:
            if file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC:
                self.what = PARQUET
                yield from _json_lines(_parquet_rows(file, self._tell))
                return
            try:
                with zipfile.ZipFile(file) as packed:
                    yield from self._zip(packed, file)
            except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
                raise _damaged_zip(error) from None

    def _zip(self, packed: zipfile.ZipFile, file: BinaryIO) -> Iterator[bytes]:
        infos = _files_in(packed)
        _refuse_large(infos)
        if _WORKBOOK in packed.namelist():
            self.what = SPREADSHEET
            yield from _json_lines(_rows_of(_sheet(file, self._wanted), self._tell))
            return
        number = len(infos)
        infos = [info for info in infos if info.filename in self._wanted] if self._wanted else infos
        if "mimetype" in packed.namelist() or "[Content_Types].xml" in packed.namelist():
            reason = message("this is a document of an office program, not a table")
            raise BadValueError("archive", "", reason, "Save it as XLSX or CSV UTF-8.")
        self.members = [info.filename for info in infos]
        if missing := sorted(set(self._wanted) - set(self.members)):
            raise _bad_zip("it holds no file %(name)s", name=visible(missing[0]))
        if not self._wanted:
            _refuse_mixed(self.members)
        one = message("a zip archive")
        self.what = one if number == 1 else message("a zip archive of %(n)s files", n=number)
        if self._wanted:
            name, more, archive = Path(self.members[0]).name, len(infos) - 1, self.what
            self.what = message("%(name)s in %(archive)s", name=name, archive=archive)
            if more:
                self.what = message(
                    "%(name)s and %(n)s more in %(archive)s", name=name, n=more, archive=archive
                )
        header: bytes | None = None
        self._whole = sum(info.file_size for info in infos)
        for info in infos:
            _refuse_locked(info)
            with packed.open(info) as member:
                header = yield from _member(info.filename, self._blocks_of(member), header)

    def _blocks_of(self, member: IO[bytes]) -> Iterator[bytes]:
        while block := member.read(STEP):
            self._done += len(block)
            self._tell(self._done, self._whole)
            yield block


def _member(name: str, blocks: Iterator[bytes], header: bytes | None) -> Generator[bytes, None, bytes | None]:
    """Yield one file of an archive, without the names of columns if the first one had the same ones."""
    head = next(blocks, b"").removeprefix(b"\xef\xbb\xbf")
    if head.startswith(GZIP_MAGIC):
        raise BadValueError("archive", name, "a file in the archive is packed again", "Unpack it first.")
    refuse_archive(head, name)
    first, end, rest = head.partition(b"\n")
    if header == first and first.strip() and first.lstrip()[:1] not in {b"{", b"[", b"<"}:
        head = rest
    elif header is not None and _names_columns(header) and _names_columns(first):
        raise BadValueError(
            "archive",
            name,
            "the file in the archive has other columns than the first one",
            "Name the one that is meant with --member, or give all files the same columns.",
        )
    last = b"\n"
    for block in chain([head], blocks):
        if block:
            last = block[-1:]
            yield block
    if last != b"\n":
        yield b"\n"
    return first if header is None and end else header


def _names_columns(line: bytes) -> bool:
    """Return whether a line reads as names of columns of some kind."""
    names = re.split("[,;|\t]", line.decode("utf-8", "replace").replace('"', ""))
    return any(sum(is_known(name, kind) for name in names) > 1 for kind in NAMES)


class Head(NamedTuple):
    """A file in an archive, or a sheet of a workbook: the bytes it takes, and the beginning of its text."""

    name: str
    size: int
    text: bytes
    is_sheet: bool = False


def heads_in(stream: Packed) -> list[Head]:
    """Return the files in an archive, or the sheets of a workbook.

    There are none in what is one table, or has too many files to look at each.

    :raise BadValueError: It cannot be unpacked, or what reads it is not installed.
    """
    with _opened(stream) as file:
        if file.read(len(ZIP_MAGIC)) != ZIP_MAGIC:
            return []
        try:
            with zipfile.ZipFile(file) as packed:
                infos = _files_in(packed)
                _refuse_large(infos)
                if _WORKBOOK in packed.namelist():
                    return [
                        Head(sheet.title, 0, _head_of(sheet), is_sheet=True) for sheet in _sheets_in(file)
                    ]
                if len(infos) > MOST_LOOKED_AT:
                    return []
                return [Head(info.filename, info.compress_size, _first(packed, info)) for info in infos]
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
            raise _damaged_zip(error) from None


def _head_of(sheet: Any) -> bytes:
    return b"".join(_json_lines(islice(_rows_of(sheet, lambda _done, _whole: None), SHOWN_ROWS)))


def _refuse_locked(info: zipfile.ZipInfo) -> None:
    if info.flag_bits & _LOCKED:
        raise _bad_zip("%(name)s is locked with a password", name=visible(info.filename))


def _first(packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    _refuse_locked(info)
    with packed.open(info) as member:
        return member.read(STEP)


def _files_in(packed: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [info for info in packed.infolist() if not info.is_dir() and not _is_hidden(info.filename)]


def _refuse_large(infos: list[zipfile.ZipInfo]) -> None:
    if not infos:
        raise _bad_zip("it holds no file")
    if len(infos) > MOST_MEMBERS:
        raise _bad_zip("it holds %(n)s files, more than %(of)s", n=len(infos), of=MOST_MEMBERS)
    given, taken = sum(info.file_size for info in infos), sum(info.compress_size for info in infos)
    if given > LARGEST_OUTPUT or (given > RATIO_FREE and given > LARGEST_RATIO * taken):
        raise _bad_zip("it unpacks to more than %(n)s times its size or 4 GB", n=LARGEST_RATIO)


def _refuse_mixed(names: list[str]) -> None:
    """Refuse files that cannot be of one kind: by their endings, or as parts of a collection."""
    stems = {Path(name).stem.casefold() for name in names}
    if len({Path(name).suffix.casefold() for name in names}) > 1 or {"corpus", "queries"} <= stems:
        told = ", ".join(sorted(Path(name).name for name in names)[:SHOWN])
        raise BadValueError("archive", told, "the zip archive holds files of several kinds", CHOOSE)


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def _bad_zip(how: str, **values: object) -> BadValueError:
    return BadValueError(
        "archive",
        "",
        "the zip archive cannot be read: %(how)s",
        "Pack it again, or unpack it and choose its files.",
        how=message(how, **values),
    )


def _damaged_zip(error: Exception) -> BadValueError:
    how = str(error)
    if how == _NO_ZIP:
        return _bad_zip("it is cut off")
    return _bad_zip(visible(how[:1].lower() + how[1:]))


@contextmanager
def _opened(stream: Packed) -> Iterator[BinaryIO]:
    if isinstance(stream, bytes):
        yield io.BytesIO(stream)
    elif isinstance(stream, (str, os.PathLike)):
        # Not as a path that says how far it was read: an archive is read from its end.
        with Path(os.fspath(stream)).open("rb") as file:
            yield file
    elif stream.seekable():
        stream.seek(0)
        yield stream
    else:
        raise BadValueError("archive", "", "an archive cannot be read from a pipe", "Give the file itself.")


def _json_lines(rows: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[bytes]:
    before = 0
    for number, row in rows:
        gap = b"\n" * (number - before - 1)
        yield gap + json.dumps(row, ensure_ascii=False, default=_plain).encode("utf-8", "replace") + b"\n"
        before = number


def _plain(value: object) -> str:
    """Return what JSON has no form for; texts may be stored as bytes."""
    if not isinstance(value, bytes):
        return str(value)
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise BadValueError(
            "encoding", repr(value), "a cell holds bytes that are not UTF-8", "Write the column as texts."
        ) from None


def _sheets_in(file: BinaryIO) -> list[Any]:
    """Return the sheets of a spreadsheet that have names in their first row."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise _missing("a spreadsheet (XLSX)", "openpyxl", "save the sheet as CSV UTF-8") from None
    try:
        book = load_workbook(file, read_only=True, data_only=True)
        return [sheet for sheet in book.worksheets if any(next(sheet.values, ()))]
    except Exception as error:  # noqa: BLE001 - a damaged file makes its reader raise anything
        raise BadValueError(
            "archive", str(error), "the spreadsheet cannot be read", "Save it as CSV UTF-8."
        ) from None


def _sheet(file: BinaryIO, wanted: Sequence[str]) -> Any:
    sheets = [sheet for sheet in _sheets_in(file) if not wanted or sheet.title in wanted]
    if not sheets and wanted:
        raise BadValueError(
            "archive", ", ".join(wanted), "the spreadsheet has no such sheet with content", CHOOSE
        )
    if not sheets:
        raise BadValueError(
            "archive",
            "",
            "no sheet of the spreadsheet has names of columns in its first row",
            "Write the names there.",
        )
    if len(sheets) != 1:
        titles = ", ".join(sheet.title for sheet in sheets)
        reason = message("the spreadsheet has %(n)s sheets with content", n=len(sheets))
        raise BadValueError("archive", titles, reason, CHOOSE)
    return sheets[0]


def _rows_of(sheet: Any, tell: Callable[[int, int], None]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number, cells by the names in the first row).

    Other cells that hold something are named by their columns; of a first column without a name nobody needs
    them, as in other tables.

    :raise BadValueError: Two columns have the same name.
    """
    rows, whole = sheet.values, sheet.max_row or 0
    names = [_cell(name).strip() for name in next(rows)]
    if twice := [name for name, times in Counter(names).items() if name and times > 1]:
        error = BadValueError(
            "header", listed(twice), "two columns have the same name", "Give each column a different name."
        )
        error.line = 1
        raise error
    for number, row in enumerate(rows, 2):
        if not number % ROWS:
            tell(number, whole)
        cells = {name: _cell(value) for name, value in zip(names, row, strict=False) if name}
        unnamed = (
            (at, _cell(value)) for at, value in enumerate(row) if at and not "".join(names[at : at + 1])
        )
        cells |= {f"column {_letters(at)}": text for at, text in unnamed if text}
        if any(cells.values()):
            yield number, cells


def _letters(at: int) -> str:
    """Return what a spreadsheet calls a column, counted from 0."""
    more, last = divmod(at, 26)
    return (_letters(more - 1) if more else "") + chr(ord("A") + last)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    # A spreadsheet knows one kind of number: 7 may come as 7.0.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _parquet_rows(file: BinaryIO, tell: Callable[[int, int], None]) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise _missing("a Parquet file", "pyarrow", "write it as JSON Lines") from None
    number = 0
    try:
        table = ParquetFile(file)
        for batch in table.iter_batches(batch_size=ROWS):
            for row in batch.to_pylist():
                number += 1
                yield number, row
            tell(number, table.metadata.num_rows)
    except (ArrowException, OSError) as error:
        raise BadValueError(
            "archive", str(error), "the Parquet file cannot be read", "Write it again, or as JSON Lines."
        ) from None


def _missing(what: str, package: str, instead: str) -> BadValueError:
    return BadValueError(
        "archive",
        "",
        "this is %(what)s, and %(name)s, which reads it, is not installed here",
        "Install it with pip install %(name)s, or %(instead)s.",
        what=message(what),
        name=package,
        instead=message(instead),
    )
