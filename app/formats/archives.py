"""Files that hold others, or tables that are no text: zip archives, spreadsheets and Parquet, as lines."""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from app.formats.errors import BadValueError
from app.formats.inflate import (
    GZIP_MAGIC,
    LARGEST_OUTPUT,
    LARGEST_RATIO,
    PARQUET,
    PARQUET_MAGIC,
    RATIO_FREE,
    SPREADSHEET,
    refuse_archive,
)

MOST_MEMBERS = 10_000
STEP = 1 << 18
ROWS = 1_000
SHOWN = 5
_WORKBOOK = "xl/workbook.xml"


class Unpacked:
    """The text in a file that is no text: what the file is, the names of its members, and the text itself."""

    def __init__(self, stream: BinaryIO | str | os.PathLike[str] | bytes) -> None:
        self.what = ""
        self.members: list[str] = []
        self._stream = stream

    def blocks(self) -> Iterator[bytes]:
        """Yield the text; tables as JSON Lines, a line for each row at the number that the row has.

        :raise BadValueError: It cannot be unpacked, or what reads it is not installed.
        """
        with _opened(self._stream) as file:
            if file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC:
                self.what = PARQUET
                yield from _json_lines(_parquet_rows(file))
                return
            try:
                with zipfile.ZipFile(file) as packed:
                    yield from self._zip(packed, file)
            except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
                raise _bad_zip(str(error)) from None

    def _zip(self, packed: zipfile.ZipFile, file: BinaryIO) -> Iterator[bytes]:
        infos = [info for info in packed.infolist() if not info.is_dir() and not _is_hidden(info.filename)]
        _refuse_large(infos)
        if _WORKBOOK in packed.namelist():
            self.what = SPREADSHEET
            yield from _json_lines(_sheet_rows(file))
            return
        self.members = [info.filename for info in infos]
        _refuse_mixed(self.members)
        self.what = "a zip archive" if len(infos) == 1 else f"a zip archive of {len(infos)} files"
        header: bytes | None = None
        for info in infos:
            with packed.open(info) as member:
                blocks = iter(lambda member=member: member.read(STEP), b"")  # type: ignore[misc]
                header = yield from _member(info.filename, blocks, header)


def _member(name: str, blocks: Iterator[bytes], header: bytes | None) -> Generator[bytes, None, bytes | None]:
    """Yield one file of an archive, without the names of columns if the first one had the same ones."""
    head = next(blocks, b"").removeprefix(b"\xef\xbb\xbf")
    if head.startswith(GZIP_MAGIC):
        raise BadValueError("archive", name, "a file in the archive is packed again", "Unpack it first.")
    refuse_archive(head)
    first, end, rest = head.partition(b"\n")
    if header == first and first.strip() and first.lstrip()[:1] not in {b"{", b"[", b"<"}:
        head = rest
    last = b"\n"
    for block in chain([head], blocks):
        if block:
            last = block[-1:]
            yield block
    if last != b"\n":
        yield b"\n"
    return first if header is None and end else header


def _refuse_large(infos: list[zipfile.ZipInfo]) -> None:
    if not infos:
        raise _bad_zip("it holds no file")
    if len(infos) > MOST_MEMBERS:
        raise _bad_zip(f"it holds {len(infos):,} files, more than {MOST_MEMBERS:,}")
    given, taken = sum(info.file_size for info in infos), sum(info.compress_size for info in infos)
    if given > LARGEST_OUTPUT or (given > RATIO_FREE and given > LARGEST_RATIO * taken):
        raise _bad_zip(f"it unpacks to more than {LARGEST_RATIO} times its size or 4 GB")


def _refuse_mixed(names: list[str]) -> None:
    """Refuse files that cannot be of one kind: by their endings, or as parts of a collection."""
    stems = {Path(name).stem.casefold() for name in names}
    if len({Path(name).suffix.casefold() for name in names}) > 1 or {"corpus", "queries"} <= stems:
        told = ", ".join(sorted(Path(name).name for name in names)[:SHOWN])
        reason = "the zip archive holds files of several kinds"
        raise BadValueError("archive", told, reason, "Unpack it, and import each kind by itself.")


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def _bad_zip(how: str) -> BadValueError:
    reason = f"the zip archive cannot be read: {how[:1].lower()}{how[1:]}"
    return BadValueError("archive", "", reason, "Pack it again, or unpack it and choose its files.")


@contextmanager
def _opened(stream: BinaryIO | str | os.PathLike[str] | bytes) -> Iterator[BinaryIO]:
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
        yield gap + json.dumps(row, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"
        before = number


def _sheet_rows(file: BinaryIO) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number, cells by the names in the first row) of the one sheet of a spreadsheet."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise _missing("a spreadsheet (XLSX)", "openpyxl", "save the sheet as CSV UTF-8") from None
    try:
        book = load_workbook(file, read_only=True, data_only=True)
        sheets = [sheet for sheet in book.worksheets if any(next(sheet.values, ()))]
    except Exception as error:  # noqa: BLE001 - a damaged file makes its reader raise anything
        raise BadValueError(
            "archive", str(error), "the spreadsheet cannot be read", "Save it as CSV UTF-8."
        ) from None
    if len(sheets) != 1:
        titles = ", ".join(sheet.title for sheet in sheets)
        reason = f"the spreadsheet has {len(sheets)} sheets with content"
        raise BadValueError("archive", titles, reason, "Save the one that is meant in a file of its own.")
    rows = sheets[0].values
    names = [_cell(name).strip() for name in next(rows)]
    for number, row in enumerate(rows, 2):
        cells = {name: _cell(value) for name, value in zip(names, row, strict=False) if name}
        if any(cells.values()):
            yield number, cells


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    # A spreadsheet knows one kind of number: 7 may come as 7.0.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _parquet_rows(file: BinaryIO) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise _missing("a Parquet file", "pyarrow", "write it as JSON Lines") from None
    number = 0
    try:
        for batch in ParquetFile(file).iter_batches(batch_size=ROWS):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (ArrowException, OSError) as error:
        reason = "the Parquet file cannot be read"
        raise BadValueError("archive", str(error), reason, "Write it again, or as JSON Lines.") from None


def _missing(what: str, package: str, instead: str) -> BadValueError:
    reason = f"this is {what}, and {package}, which reads it, is not installed here"
    remedy = f"Install it with pip install {package}, or {instead}."
    return BadValueError("archive", "", reason, remedy)
