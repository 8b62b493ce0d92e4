"""UTF-8, what somebody has confirmed, or a sentence that names what the file is instead."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Literal

from app.formats.errors import BadValueError
from app.sentences import message

LINE_LIMIT = 1_000_000
SAVE_AS_UTF8 = message("Save it as UTF-8 (in a spreadsheet: 'CSV UTF-8').")
OR_SAY_SO = message("Save it as UTF-8 (in a spreadsheet: 'CSV UTF-8'), or give --encoding windows-1252.")
Encoding = Literal["windows-1252"]
ENCODINGS: tuple[Encoding, ...] = ("windows-1252",)
"""What a file is read in only if somebody says so: any bytes would pass for it."""
_WIDE_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_UTF16_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_WIDE_SAMPLE = 4096
# No text holds these.
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_AS_TEXT = message("Export it as text, such as CSV UTF-8.")


def without_mark(head: bytes) -> bytes:
    """Return the beginning of a file without the byte order mark of UTF-8.

    :raise BadValueError: The file is UTF-32, or UTF-16 without its mark.
    """
    wide = "UTF-32" if head.startswith(_WIDE_MARKS) else _wide_by_zeros(head)
    if wide:
        raise BadValueError("encoding", "", "the file is %(name)s, not UTF-8", SAVE_AS_UTF8, name=wide)
    return head.removeprefix(codecs.BOM_UTF8)


def has_utf16_mark(head: bytes) -> bool:
    """Return whether a file begins with the byte order mark of UTF-16."""
    return head[:2] in _UTF16_MARKS and not head.startswith(_WIDE_MARKS)


def utf16_as_utf8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a file in UTF-16, which begins with its mark, as UTF-8.

    :raise BadValueError: It holds half a character.
    """
    first = next(blocks)
    decoder = codecs.getincrementaldecoder(_UTF16_MARKS[first[:2]])()
    try:
        yield decoder.decode(first[2:]).encode()
        for block in blocks:
            yield decoder.decode(block).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeDecodeError:
        raise BadValueError("encoding", "", "the file begins as UTF-16 and is not", SAVE_AS_UTF8) from None


def windows_1252_as_utf8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a file in Windows-1252 as UTF-8.

    :raise BadValueError: It holds a byte that is no character.
    """
    line = 1
    for block in blocks:
        try:
            yield block.decode("cp1252").encode()
        except UnicodeDecodeError as error:
            line += block.count(b"\n", 0, error.start)
            raise BadValueError(
                "encoding",
                "",
                "line %(n)s has the byte %(name)s, which Windows-1252 does not have",
                SAVE_AS_UTF8,
                n=line,
                name=f"{block[error.start]:02X}",
            ) from None
        line += block.count(b"\n")


def _wide_by_zeros(head: bytes) -> str | None:
    # Latin letters in UTF-16 have a zero in every second byte; no text in UTF-8 looks so.
    sample = head[:_WIDE_SAMPLE]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if len(sample) < 4 or max(even, odd) * 10 < len(sample) * 4 or even + odd == len(sample):
        return None
    return "UTF-32 without its mark" if (even + odd) * 10 >= len(sample) * 6 else "UTF-16 without its mark"


def text_line(raw: bytes) -> str:
    """Return a line as text.

    :raise BadValueError: The line is not UTF-8, or longer than 1 MB.
    """
    if len(raw) > LINE_LIMIT:
        start = raw[:200].decode("utf-8", "replace")
        raise BadValueError(
            "line-long", start, "the line is longer than 1 MB", "Check that the file has line ends."
        )
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(raw, error.start) from None


def not_utf8(raw: bytes, at: int) -> BadValueError:
    """Return the problem of bytes that are not UTF-8 from a place on."""
    near = raw[max(at - 20, 0) : at + 20]
    if _BINARY.search(raw[:_WIDE_SAMPLE]):
        value = near.decode("ascii", "backslashreplace").strip()
        return BadValueError("encoding", value, "this is not a text file", _AS_TEXT)
    try:
        value = near.decode("cp1252").strip()
    except UnicodeDecodeError:
        value = near.decode("ascii", "backslashreplace").strip()
        return BadValueError("encoding", value, "the line is not UTF-8", SAVE_AS_UTF8)
    return BadValueError("encoding", value, "the line is not UTF-8; it looks like Windows-1252", OR_SAY_SO)
