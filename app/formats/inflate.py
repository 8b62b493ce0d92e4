"""Packed files: gzip is unpacked as it is read, within bounds; archives are refused by name."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from app.formats.errors import BadValueError
from app.sentences import message

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
PARQUET_MAGIC = b"PAR1"
PACKED = (GZIP_MAGIC, ZIP_MAGIC, PARQUET_MAGIC)
"""How files begin whose line ends are not those of their text."""
STEP = 1 << 18
LARGEST_RATIO = 100
RATIO_FREE = 1 << 20
LARGEST_OUTPUT = 4 << 30
# What a source was stored in, where its text is made from the rows of a table.
SPREADSHEET, PARQUET = message("a spreadsheet"), message("a Parquet file")
TABLES = frozenset({SPREADSHEET, PARQUET})
CHOOSE = message("Name the one that is meant with --member.")
_ARCHIVES = (
    (ZIP_MAGIC, message("zip archive in another one")),
    (b"PK\x05\x06", message("zip archive without files")),
    (b"BZh", message("bzip2 file")),
    (b"\xfd7zXZ", message("xz file")),
    (b"\x28\xb5\x2f\xfd", message("zstd file")),
    (b"\x04\x22\x4d\x18", message("file packed with LZ4")),
    (b"ARROW1", message("Feather file")),
    (b"\x89HDF", message("HDF5 file")),
    (b"\xd0\xcf\x11\xe0", message("file of an old Office program")),
    *((b"\x80%c\x95" % protocol, message("Python pickle")) for protocol in (4, 5)),
    *((b"\x80%c" % protocol, message("Python pickle")) for protocol in (2, 3)),
    (b"\x93NUMPY", message("NumPy file")),
    (b"Obj\x01", message("Avro file")),
    *((magic, message("picture")) for magic in (b"\x89PNG", b"\xff\xd8\xff", b"GIF8")),
    (b"{\\rtf", message("file of an office program")),
    (b"\x7fELF", message("program")),
    *((magic, message("file packed with zlib")) for magic in (b"\x78\x9c", b"\x78\xda")),
    (b"7z\xbc\xaf\x27\x1c", message("7-Zip archive")),
    (b"Rar!", message("RAR archive")),
    (b"%PDF-", message("PDF file")),
    (b"SQLite format 3", message("database file")),
)
_TAR_AT = 257


def refuse_archive(head: bytes, name: str = "") -> None:
    """Raise `BadValueError` if a file that begins with `head` is not one text file.

    `name` is that of a file in an archive.
    """
    what = next((what for magic, what in _ARCHIVES if head.startswith(magic)), None)
    if head[_TAR_AT : _TAR_AT + 5] == b"ustar":
        what = message("tar archive")
    if what:
        raise BadValueError(
            "archive",
            name,
            "this is a %(what)s, not a text file",
            "Unpack or export it as one text file.",
            what=what,
        )


def missing_reader(what: str, package: str, instead: str) -> BadValueError:
    """Return the problem of a file whose reader is not installed."""
    return BadValueError(
        "archive",
        "",
        "this is %(what)s, and %(name)s, which reads it, is not installed here",
        "Install it with pip install %(name)s, or %(instead)s.",
        what=message(what),
        name=package,
        instead=message(instead),
    )


def inflated(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the unpacked bytes of a gzip file.

    :raise BadValueError: The file is damaged or cut off, holds another packed file, or unpacks to more than
        100 times its size or 4 GB: such a file is made to fill a disk.
    """
    inflater = zlib.decompressobj(wbits=31)
    taken = given = 0
    for block in blocks:
        taken += len(block)
        pending = block
        while pending:
            if inflater.eof:
                # Files are often joined from several gzip members; zeros after the last one are padding.
                if not pending.strip(b"\x00"):
                    break
                inflater = zlib.decompressobj(wbits=31)
            out = _step(inflater, pending)
            given += len(out)
            _refuse_bomb(taken, given)
            if out:
                yield out
            pending = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
    if not inflater.eof:
        raise _damaged("it is cut off")


def _step(inflater: zlib._Decompress, pending: bytes) -> bytes:
    try:
        return inflater.decompress(pending, STEP)
    except zlib.error:
        raise _damaged("its packed data is damaged") from None


def _refuse_bomb(taken: int, given: int) -> None:
    if is_bomb(taken, given):
        raise BadValueError(
            "gzip-large",
            "",
            "the gzip file unpacks to more than %(n)s times its size or 4 GB",
            "Use the file uncompressed, or in parts.",
            n=LARGEST_RATIO,
        )


def is_bomb(taken: int, given: int) -> bool:
    """Return whether a file of a size unpacks to more than any that is not made to fill a disk."""
    return given > LARGEST_OUTPUT or (given > RATIO_FREE and given > LARGEST_RATIO * taken)


def _damaged(how: str) -> BadValueError:
    return BadValueError(
        "gzip",
        "",
        "the gzip file cannot be read: %(how)s",
        "Compress it again, or use it uncompressed.",
        how=message(how),
    )
