"""Files that hold others, or tables that are no text: zip archives, spreadsheets and Parquet, as lines."""

from __future__ import annotations

import io
import json
import lzma
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

from app.formats.errors import BadValueError, Start, visible
from app.formats.inflate import (
    CHOOSE,
    GZIP_MAGIC,
    LARGEST_RATIO,
    PARQUET,
    PARQUET_MAGIC,
    SPREADSHEET,
    ZIP_MAGIC,
    is_bomb,
    refuse_archive,
)
from app.formats.parquet_files import parquet_rows, text_in
from app.formats.schema import NAMES, is_known
from app.formats.spreadsheets import Doubts, rows_of, sheet_in, sheets_in, unsaved_formulas
from app.sentences import message

MOST_MEMBERS = 10_000
MOST_LOOKED_AT = 100
STEP = 1 << 18
SHOWN, SHOWN_ROWS = 5, 50
_WORKBOOK = "xl/workbook.xml"
_OPEN_DOCUMENT = "mimetype"
"""The file that says what an OpenDocument holds."""
LONGEST_TYPE = 100
_LOCKED = 1
_NO_ZIP = "File is not a zip file"
# What a damaged archive makes its readers raise.
_DAMAGE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, RuntimeError, ValueError)

Packed = BinaryIO | str | os.PathLike[str] | bytes


class Unpacked:
    """The text in a file that is no text: what the file is, the names of its members, and the text itself.

    `wanted` are the names of the members, or of the sheets, that are meant; all if empty. A path of a kind of
    its own has a `progress`, which is told how many bytes or rows of all have been read. `starts` are the
    places of the files that have been begun, `doubts` the cells of a sheet that are not what their texts say.
    """

    def __init__(self, stream: Packed, wanted: Sequence[str] = ()) -> None:
        self.what = ""
        self.members: list[str] = []
        self.starts: list[Start] = []
        self.has_many = False
        self.doubts = Doubts()
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
                yield from _json_lines(parquet_rows(file, self._tell))
                return
            try:
                with zipfile.ZipFile(file) as packed:
                    yield from self._zip(packed, file)
            except _DAMAGE as error:
                raise _damaged_zip(error) from None

    def _zip(self, packed: zipfile.ZipFile, file: BinaryIO) -> Iterator[bytes]:
        infos = _files_in(packed)
        _refuse_large(infos)
        if _WORKBOOK in packed.namelist():
            self.what = SPREADSHEET
            sheet = sheet_in(file, self._wanted)
            self.doubts.formulas = unsaved_formulas(sheet)
            lines = _json_lines(rows_of(sheet, self._tell, self.doubts))
            yield from _bounded(lines, file.seek(0, os.SEEK_END))
            return
        _refuse_office(packed)
        number = len(infos)
        self.has_many = number > 1
        infos = [info for info in infos if info.filename in self._wanted] if self._wanted else infos
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
        line = 1
        for info in infos:
            _refuse_locked(info)
            with packed.open(info) as member:
                unpacked = _Member(info.filename, self._blocks_of(member), header)
                self.starts.append(Start(line, info.filename, is_headless=unpacked.is_headless))
                for block in unpacked.blocks():
                    yield block
                    line += block.count(b"\n")
                header = unpacked.header if header is None else header

    def _blocks_of(self, member: IO[bytes]) -> Iterator[bytes]:
        while block := member.read(STEP):
            self._done += len(block)
            self._tell(self._done, self._whole)
            yield block


class _Member:
    """One file of an archive, without the names of columns if the first one had the same ones: `header`."""

    def __init__(self, name: str, blocks: Iterator[bytes], header: bytes | None) -> None:
        head = next(blocks, b"").removeprefix(b"\xef\xbb\xbf")
        if head.startswith(GZIP_MAGIC):
            raise BadValueError("archive", name, "a file in the archive is packed again", "Unpack it first.")
        refuse_archive(head, name)
        if b"\r" in head and b"\n" not in head:
            # As in other files, see `Source`: here the lines are counted.
            head, blocks = head.replace(b"\r", b"\n"), (block.replace(b"\r", b"\n") for block in blocks)
        first, end, rest = head.partition(b"\n")
        self.is_headless = bool(
            header == first and first.strip() and first.lstrip()[:1] not in {b"{", b"[", b"<"}
        )
        if self.is_headless:
            head = rest
        elif header is not None and _names_columns(header) and _names_columns(first):
            raise BadValueError(
                "archive",
                name,
                "the file in the archive has other columns than the first one",
                "Name the one that is meant with --member, or give all files the same columns.",
            )
        self.header = first if end else None
        self._head, self._others = head, blocks

    def blocks(self) -> Iterator[bytes]:
        """Yield its text, which ends with the end of a line."""
        last = b"\n"
        for block in chain([self._head], self._others):
            if block:
                last = block[-1:]
                yield block
        if last != b"\n":
            yield b"\n"


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
                    return [Head(sheet.title, 0, _head_of(sheet), is_sheet=True) for sheet in sheets_in(file)]
                _refuse_office(packed)
                if len(infos) > MOST_LOOKED_AT:
                    return []
                return [Head(info.filename, info.compress_size, _first(packed, info)) for info in infos]
        except (*_DAMAGE, OSError) as error:
            raise _damaged_zip(error) from None


def _head_of(sheet: Any) -> bytes:
    return b"".join(_json_lines(islice(rows_of(sheet, lambda _done, _whole: None), SHOWN_ROWS)))


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
    if is_bomb(taken, given):
        raise _bad_zip("it unpacks to more than %(n)s times its size or 4 GB", n=LARGEST_RATIO)


def _refuse_office(packed: zipfile.ZipFile) -> None:
    """Refuse what is a document, or a spreadsheet other than XLSX: it is one file, packed in parts."""
    names = packed.namelist()
    has_mark = not {_OPEN_DOCUMENT, "[Content_Types].xml"}.isdisjoint(names)
    if not has_mark and not any(name.endswith((".iwa", "Index.zip")) for name in names):
        return
    is_spreadsheet = any(name.startswith("xl/") for name in names)
    if _OPEN_DOCUMENT in names:
        with packed.open(_OPEN_DOCUMENT) as file:
            is_spreadsheet = b"spreadsheet" in file.read(LONGEST_TYPE)
    reason = (
        message("the spreadsheet cannot be read")
        if is_spreadsheet
        else message("Word and similar files cannot be read")
    )
    raise BadValueError("archive", "", reason, "Save the table as CSV or XLSX.")


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
    if isinstance(error, (OSError, ValueError, struct.error)):
        # These words are for programmers.
        return _bad_zip("it is damaged")
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


def _bounded(lines: Iterable[bytes], taken: int) -> Iterator[bytes]:
    """Yield the lines of a spreadsheet, whose cells may all name one long text."""
    given = 0
    for line in lines:
        given += len(line)
        if is_bomb(taken, given):
            raise BadValueError(
                "archive",
                "",
                "the spreadsheet unpacks to more than %(n)s times its size or 4 GB",
                "Save it as CSV UTF-8, or in parts.",
                n=LARGEST_RATIO,
            )
        yield line


def _json_lines(rows: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[bytes]:
    before = 0
    for number, row in rows:
        gap = b"\n" * (number - before - 1)
        try:
            text = json.dumps(row, ensure_ascii=False, default=text_in)
        except BadValueError as error:
            error.line = number
            raise
        yield gap + text.encode("utf-8", "replace") + b"\n"
        before = number
