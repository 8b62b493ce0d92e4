"""Parquet files: their rows as the values that JSON knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from app.formats.errors import BadValueError
from app.formats.inflate import missing_reader
from app.sentences import message

ROWS = 1_000
_NOT_UTF8 = message("a cell holds bytes that are not UTF-8")
_NOT_UTF8_IN = message("the column %(name)s holds bytes that are not UTF-8")
_AS_TEXTS = message("Write the column as texts.")
_AGAIN = message("Write it again, or as JSON Lines.")


def parquet_rows(file: BinaryIO, tell: Callable[[int, int], None]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number, values by the names of the columns).

    :raise BadValueError: The file is damaged, or what reads it is not installed.
    """
    try:
        from pyarrow import parquet
    except ImportError:
        raise missing_reader("a Parquet file", "pyarrow", "write it as JSON Lines") from None
    number = 0
    try:
        table = parquet.ParquetFile(file)
        whole, batches = table.metadata.num_rows, table.iter_batches(batch_size=ROWS)
    except Exception as error:  # noqa: BLE001 - a damaged file makes its reader raise anything
        raise _damaged(error) from None
    while True:
        batch = None
        try:
            batch = next(batches, None)
            if batch is None:
                return
            rows = batch.to_pylist()
        except Exception as error:  # noqa: BLE001 - as above
            raise (batch and _cell_in(batch, number)) or _damaged(error) from None
        for row in rows:
            number += 1
            yield number, row
        tell(number, whole)


def text_in(value: object) -> str:
    """Return a value that JSON has no form for; texts may be stored as bytes.

    :raise BadValueError: It is bytes that are no text.
    """
    if not isinstance(value, bytes):
        return str(value)
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise BadValueError("encoding", repr(value), _NOT_UTF8, _AS_TEXTS) from None


def _cell_in(batch: Any, before: int) -> BadValueError | None:
    """Return the problem of the first cell that cannot be read; None if each can."""
    for at in range(batch.num_rows):
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            try:
                column[at].as_py()
            except UnicodeDecodeError as error:
                found = BadValueError("encoding", repr(error.object), _NOT_UTF8_IN, _AS_TEXTS, name=name)
            except Exception as error:  # noqa: BLE001 - as above
                found = BadValueError(
                    "archive", error, "the column %(name)s cannot be read", _AGAIN, name=name
                )
            else:
                continue
            found.line = before + at + 1
            return found
    return None


def _damaged(error: Exception) -> BadValueError:
    return BadValueError("archive", error, "the Parquet file cannot be read", _AGAIN)
