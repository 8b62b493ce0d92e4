"""A file as lines: opened, unpacked, checked for its encoding and cut at line ends, in bounded memory."""

from __future__ import annotations

import io
import os
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from app.formats.encoding import (
    LINE_LIMIT,
    Encoding,
    has_utf16_mark,
    not_utf8,
    text_line,
    utf16_as_utf8,
    windows_1252_as_utf8,
    without_mark,
)
from app.formats.errors import BadValueError, ProblemLog, visible
from app.formats.inflate import (
    GZIP_MAGIC,
    PARQUET_MAGIC,
    TABLES,
    ZIP_MAGIC,
    inflated,
    refuse_archive,
)
from app.sentences import message

if TYPE_CHECKING:
    from app.formats.spreadsheets import Doubts

Plain = BinaryIO | str | os.PathLike[str] | bytes
BLOCK = 1 << 18
FIRST_LINE = 1000
"""Bytes of the first line that a problem of the whole file shows."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file with what somebody said about it.

    Attributes
    ----------
    encoding
        What it is in, where it is not Unicode.
    members
        The names of the files of an archive, or of the sheets of a workbook, that are meant; all if empty.
    """

    stream: Plain
    encoding: Encoding | None = None
    members: tuple[str, ...] = ()


Stream = Plain | Part


class Source:
    """One file on its way in; what is wrong with it as a whole goes to the log and ends it early.

    `head` is the beginning of its text, `encoding` what it was stored in, `format` how it is read, once that
    is known, `members` the names of the files that it holds, `line` the number of the line read last, and
    `place` says where a reader is in a file that need not have lines: a sentence about `what` is wrong there,
    with its values, texts as the file has them. `doubts` are cells of a spreadsheet that are not what their
    texts say. It `has_names` once names of its columns were read; `other_names` are
    those of a table that mean nothing to its reader.
    """

    def __init__(self, stream: Stream, name: str, log: ProblemLog) -> None:
        self.name = name
        self.log = log
        self.line = 0
        self._found_before = log.total
        self._is_broken = False
        self.encoding = "UTF-8"
        self.format = ""
        self.members: list[str] = []
        self.place: tuple[str, dict[str, object]] | None = None
        self.doubts: Doubts | None = None
        self.has_names = False
        self.other_names: frozenset[str] = frozenset()
        self._bytes = self._guarded(self._text_bytes(stream))
        self.head = next(self._bytes, b"")

    @property
    def has_problems(self) -> bool:
        """Return whether anything was found wrong in this file so far."""
        return self.log.total > self._found_before

    def refuse(self, error: BadValueError, line: int | None) -> None:
        """Count a bad value of this file."""
        if self.place is not None and self.log.keeps_more:
            pattern, values = self.place
            shown = {
                name: visible(value) if isinstance(value, str) else value for name, value in values.items()
            }
            error.reason = message(str(pattern), what=error.reason, **shown)
        self.log.refuse(error, self.name, line)

    def refuse_empty(self) -> None:
        """Refuse a file without lines, or with too many blanks first, where nothing else is wrong."""
        is_blank = not self.has_problems and not self.head.strip()
        goes_on = is_blank and any(block.strip() for _, block in self.blocks())
        if self.has_problems:
            return
        if goes_on:
            many = BadValueError(
                "empty", "", "the file begins with %(n)s blanks", "Remove them.", n=len(self.head)
            )
            self.refuse(many, None)
        else:
            first = self.head.lstrip()[:FIRST_LINE].partition(b"\n")[0].decode("utf-8", "replace").rstrip()
            reason = (
                message("there is nothing below the names of the columns")
                if self.has_names
                else message("the file has no lines to read")
            )
            none = BadValueError("empty", first, reason, "Choose another file.")
            self.refuse(none, None)

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield (number of the first line, whole lines); only the last line may lack its end."""
        first = 1
        for block in self.whole_lines():
            yield first, block
            first += block.count(b"\n")

    def whole_lines(self) -> Iterator[bytes]:
        """Yield blocks of whole lines; only the last line may lack its end."""
        rest = b""
        for block in chain([self.head], self._bytes):
            cut = block.rfind(b"\n") + 1
            if cut:
                yield rest + block[:cut]
                rest = b""
            # One byte too many is enough to refuse an endless line: the others are not kept.
            rest = (rest + block[cut:])[: LINE_LIMIT + 1]
        # What is before the break of a broken file is no line: its problem is the break.
        if rest and not self._is_broken:
            yield rest

    def text(self) -> str:
        """Return the whole file as one text: what is one JSON value has no lines to go by.

        :raise BadValueError: It is not UTF-8.
        """
        whole = b"".join(chain([self.head], self._bytes))
        if self._is_broken:
            return ""
        try:
            return whole.decode()
        except UnicodeDecodeError as error:
            self.line = whole.count(b"\n", 0, error.start) + 1
            raise not_utf8(whole, error.start) from None

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield (line number, text with its line end); lines that cannot be read go to the log."""
        for first, block in self.blocks():
            yield from self.lines_of(first, block)

    def lines_of(self, first: int, block: bytes) -> Iterator[tuple[int, str]]:
        """Yield the lines of one block, as `lines` does."""
        for number, raw in enumerate(io.BytesIO(block), first):
            self.line = number
            try:
                text = text_line(raw)
            except BadValueError as error:
                self.refuse(error, number)
            else:
                yield number, text

    def _text_bytes(self, stream: Stream) -> Iterator[bytes]:
        part = stream if isinstance(stream, Part) else Part(stream)
        blocks = _stored_bytes(part.stream)
        head = next(blocks, b"")
        if head.startswith((ZIP_MAGIC, PARQUET_MAGIC)):
            from app.formats.archives import Unpacked

            unpacked = Unpacked(part.stream, part.members)
            blocks = unpacked.blocks()
            try:
                head = next(blocks, b"")
            finally:
                if unpacked.what in TABLES:
                    self.log.tables.add(self.name)
            self.encoding, self.members = unpacked.what, unpacked.members
            self.doubts = unpacked.doubts
            if unpacked.has_many:
                self.log.starts[self.name] = unpacked.starts
        if head.startswith(GZIP_MAGIC):
            blocks = inflated(chain([head], blocks))
            head = next(blocks, b"")
            if head.startswith(GZIP_MAGIC):
                raise BadValueError("archive", "", "the file is packed twice", "Unpack it once.")
        refuse_archive(head)
        if has_utf16_mark(head):
            self.encoding = "UTF-16"
            blocks = utf16_as_utf8(chain([head], blocks))
            head = next(blocks, b"")
        elif part.encoding and not head.startswith(BOM_UTF8) and self.encoding not in TABLES:
            self.encoding = "Windows-1252"
            blocks = windows_1252_as_utf8(chain([head], blocks))
            head = next(blocks, b"")
        head = without_mark(head)
        if b"\r" in head and b"\n" not in head:
            # Old programs end a line by a carriage return alone.
            yield head.replace(b"\r", b"\n")
            yield from (block.replace(b"\r", b"\n") for block in blocks)
            return
        yield head
        yield from blocks

    def _guarded(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        try:
            yield from blocks
        except BadValueError as error:
            self._break(error)
        except OSError as error:
            reason = message("the file cannot be read (%(name)s)", name=error.strerror or error)
            self._break(BadValueError("file", "", reason, "Choose the file again."))

    def _break(self, error: BadValueError) -> None:
        self._is_broken = True
        self.refuse(error, error.line)


def _stored_bytes(stream: Plain) -> Iterator[bytes]:
    if isinstance(stream, bytes):
        stream = io.BytesIO(stream)
    if isinstance(stream, (str, os.PathLike)):
        # A path of a kind of its own may say how far it has been read.
        path = stream if isinstance(stream, Path) else Path(stream)
        with path.open("rb") as file:
            yield from _stored_bytes(file)
        return
    while block := stream.read(BLOCK):
        yield block
