"""Parquet files: their rows as the values that JSON knows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from app.formats.errors import BadValueError
from app.formats.inflate import LARGEST_RATIO, is_bomb, missing_reader
from app.formats.limits import MOST_COLUMNS
from app.formats.schema import refuse_many
from app.sentences import message

ROWS, FEWEST_ROWS = 1_000, 64
"""At once: fewer are slow."""
AT_ONCE = 1 << 28
"""Bytes that the rows read at once may take, if each holds the longest text that there is room for."""
CELL = 8
"""Bytes that a value takes in memory, such as a number or the place of a text."""
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
    number = given = 0
    try:
        table, taken = parquet.ParquetFile(file), file.seek(0, os.SEEK_END)
        _refuse_large(table.metadata, taken)
        whole, batches = table.metadata.num_rows, table.iter_batches(batch_size=_rows_of(table.metadata))
    except BadValueError:
        raise
    except Exception as error:  # noqa: BLE001 - a damaged file makes its reader raise anything
        raise _damaged(error) from None
    while True:
        batch = None
        try:
            batch = next(batches, None)
            if batch is None:
                return
            # A text may be in the file once, and in each of its rows.
            given += sum(_whole(column).nbytes for column in batch.columns)
            _refuse_bomb(taken, given)
            rows = batch.to_pylist()
        except BadValueError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            raise (batch and _cell_in(batch, number)) or _damaged(error) from None
        for row in rows:
            number += 1
            yield number, row
        tell(number, whole)


def _whole(column: Any) -> Any:
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column


def _refuse_large(metadata: Any, taken: int) -> None:
    """Refuse what is too large by what the file says of itself."""
    if metadata.num_columns > MOST_COLUMNS:
        refuse_many([metadata.schema.column(at).path for at in range(MOST_COLUMNS + 1)])
    chunks = (each for group in _chunks_in(metadata) for each in group)
    _refuse_bomb(taken, sum(max(each.total_uncompressed_size, CELL * each.num_values) for each in chunks))


def _rows_of(metadata: Any) -> int:
    """Return how many rows to read at once."""
    largest = max(
        (sum(each.total_uncompressed_size for each in group) for group in _chunks_in(metadata)), default=0
    )
    return min(ROWS, max(FEWEST_ROWS, AT_ONCE // max(largest, 1)))


def _chunks_in(metadata: Any) -> Iterator[list[Any]]:
    """Yield the pieces of the columns in each group of rows."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        yield [group.column(at) for at in range(group.num_columns)]


def _refuse_bomb(taken: int, given: int) -> None:
    if is_bomb(taken, given):
        raise BadValueError(
            "archive",
            "",
            "the Parquet file unpacks to more than %(n)s times its size or 4 GB",
            "Write it as JSON Lines, or in parts.",
            n=LARGEST_RATIO,
        )


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
