"""A whole project as one file: JSON Lines in gzip, table by table, with its checksum in the last line.

The first line says what the file is and of which version. Each table begins with one object that names its
columns; its rows follow, one array a line. The last line is written when all is: a file without it is not
whole. What the numbers in a row mean is no matter of the format.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from app.formats.errors import FormatError, Problem

KIND = "project"
VERSION = 1
# Pictures are the largest rows.
LONGEST_LINE = 1 << 28
# Most of the time goes into packing, and more of it saves little.
PACKING = 4
# No other program can store it; behind a backslash that stands for itself it is a text of six letters.
_SPELLED_NUL = rb"\u0000"
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
Row = Sequence[Any]

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class ProjectWriter:
    """Writes one file, line by line."""

    def __init__(self, file: BinaryIO, head: dict[str, Any]) -> None:
        self._packed = gzip.GzipFile(fileobj=file, mode="wb", compresslevel=PACKING, mtime=0)
        self._sum = hashlib.sha256()
        self._count = 0
        self._put([{"touchstone": KIND, "version": VERSION, **head}])

    def table(self, name: str, columns: Sequence[str]) -> None:
        """Begin a table."""
        self._put([{"table": name, "columns": list(columns)}])

    def rows(self, rows: Sequence[Row]) -> None:
        """Add rows to the table that was begun last."""
        self._put(rows)
        self._count += len(rows)

    def close(self) -> None:
        """Write the last line."""
        end = {"rows": self._count, "sha256": self._sum.hexdigest()}
        self._packed.write(f"{_encode(end)}\n".encode())
        self._packed.close()

    def _put(self, lines: Sequence[Any]) -> None:
        content = "".join(f"{_encode(line)}\n" for line in lines).encode()
        self._sum.update(content)
        self._packed.write(content)


class ProjectFile:
    """One file that was read to its end and is whole.

    Attributes
    ----------
    head
        Its first line.
    counts
        How many rows each table has.

    :raise FormatError: It is no such file, of a newer version, or not as it was written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.head: dict[str, Any] = {}
        self.counts: dict[str, int] = {}
        self._check()

    def tables(self) -> Iterator[tuple[str, list[str], Iterator[list[Any]]]]:
        """Yield each table's name, its columns and its rows, which are read before the next table."""
        with gzip.open(self._path, "rb") as lines:
            next(lines)
            for count in self.counts.values():
                begin = json.loads(next(lines))
                yield begin["table"], begin["columns"], (json.loads(next(lines)) for _ in range(count))

    def _check(self) -> None:
        try:
            with gzip.open(self._path, "rb") as opened:
                self._read(iter(lambda: opened.readline(LONGEST_LINE), b""))
        except gzip.BadGzipFile as error:
            if not self.head:
                raise self._no_project() from error
            raise self._not_whole("the file is damaged") from error
        except (EOFError, zlib.error) as error:
            raise self._not_whole("the file ends too early, or is damaged") from error
        except OSError as error:
            reason = f"the file cannot be read ({error.strerror})"
            raise self._refused("unreadable", reason, "Check its path.") from error

    def _read(self, lines: Iterator[bytes]) -> None:
        digest, table = hashlib.sha256(), ""
        for number, line in enumerate(lines):
            if number == 0:
                self._read_head(line)
            elif line.startswith(b'{"rows"'):
                self._read_end(line, digest.hexdigest())
                if next(lines, b""):
                    break
                return
            elif line.startswith(b"{"):
                table = self._read_table(line)
            elif table:
                self.counts[table] += 1
            if _SPELLED_NUL in line and _NUL.search(line):
                raise self._not_whole(f"a text in line {number + 1} holds NUL, which cannot be stored")
            digest.update(line)
        if not self.head:
            raise self._no_project()
        raise self._not_whole("the file has no last line, or something after it")

    def _read_head(self, line: bytes) -> None:
        head = _object_of(line)
        if head.get("touchstone") != KIND or not isinstance(head.get("version"), int):
            raise self._no_project()
        if head["version"] > VERSION:
            reason = f"a newer version of Touchstone wrote the file (format {head['version']})"
            raise self._refused("newer", reason, "Upgrade this one, then import the file again.")
        self.head = head

    def _read_table(self, line: bytes) -> str:
        begin = _object_of(line)
        name, columns = begin.get("table"), begin.get("columns")
        is_list = isinstance(columns, list) and all(isinstance(column, str) for column in columns)
        if not isinstance(name, str) or name in self.counts or not is_list:
            raise self._not_whole("a table begins with a line that cannot be right")
        self.counts[name] = 0
        return name

    def _read_end(self, line: bytes, digest: str) -> None:
        end = _object_of(line)
        if end.get("sha256") != digest or end.get("rows") != sum(self.counts.values()):
            raise self._not_whole("the file was changed after it was written: its checksum is another")

    def _no_project(self) -> FormatError:
        return self._refused(
            "no_project",
            "the file is no export of a project",
            "Name a file that `project export` wrote. Other files are imported by `flask --app app import`.",
        )

    def _not_whole(self, reason: str) -> FormatError:
        return self._refused("not_whole", reason, "Copy it again, or export the project again.")

    def _refused(self, code: str, reason: str, remedy: str) -> FormatError:
        return FormatError([Problem(self._path.name, None, code, "", reason, remedy)])


def _object_of(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
