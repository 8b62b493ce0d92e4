"""Copy a whole database into an empty one of either kind: from SQLite to PostgreSQL, and back.

Rows are streamed table by table in the order of their keys, so memory is bounded and the ledger's triggers,
which want growing revisions, stay on. All rows are one transaction: a copy that was killed is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    Connection,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    cast,
    func,
    inspect,
    select,
    text,
    type_coerce,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from sqlalchemy.types import TypeEngine

from app.database import Database, reason_of
from app.jobs.backups import problems_of, refuse_problems, unserved
from app.models import Base
from app.models.base import Coded
from app.schema import is_current
from app.services.errors import ConflictError
from app.services.verification import Holdings, holdings_of

BATCH = 2_000
# Where a row may be large, such as a picture.
FEW = 50
CACHE_KILOBYTES = 64 * 1024


def copy_database(source: Database, url: str) -> Holdings:
    """Copy everything from one database into an empty one, and return what the copy holds.

    :raise ConflictError: A server runs on one of them, the place is not empty, or the copy is not whole.
    """
    if not is_current(source):
        raise ConflictError("The database is of an earlier version: run `flask --app app db upgrade` first.")
    if source.url == url:
        raise ConflictError("This is the database that is copied: name another one.")
    with ExitStack() as held:
        target = Database(url, pool_size=2)
        held.callback(target.dispose)
        try:
            for each in (source, target):
                held.enter_context(unserved(each))
            return _copy(source, target)
        except DBAPIError as error:
            raise ConflictError(f"The copy was not made: {reason_of(error)}.") from error


def _copy(source: Database, target: Database) -> Holdings:
    from app.migrating import upgrade_schema  # here, as it loads Alembic

    _refuse_filled(target)
    upgrade_schema(target)
    tables = Base.metadata.sorted_tables
    with source.read() as reading, target.write() as writing:
        there, here = reading.connection(), writing.connection()
        prepare_for_many(here)
        for table in tables:
            _copy_table(there, here, table)
        _go_on_numbering(there, here)
        _refuse_lacking(reading, writing, tables)
    refuse_problems("The copy is not whole", problems_of(target))
    with target.read() as session:
        return holdings_of(session)


def prepare_for_many(here: Connection, kilobytes: int = CACHE_KILOBYTES) -> None:
    """Let a connection to SQLite keep more in memory: as much again where it sorts."""
    if here.dialect.name == "sqlite":
        # Indexes are filled in no order: pages that do not fit in memory are written again and again.
        here.exec_driver_sql(f"PRAGMA cache_size = -{kilobytes}")


def _refuse_filled(target: Database) -> None:
    """Refuse to copy into a database that holds anything; a copy that was killed has left empty tables."""
    with target.engine.connect() as connection:
        quote = connection.dialect.identifier_preparer.quote
        for name in inspect(connection).get_table_names():
            if name != "alembic_version" and connection.scalar(text(f"SELECT 1 FROM {quote(name)} LIMIT 1")):  # noqa: S608
                raise ConflictError(f"The database to copy to is not empty: its table {name} has rows.")


def _refuse_lacking(reading: Session, writing: Session, tables: Sequence[Table]) -> None:
    for table in tables:
        rows = select(func.count()).select_from(table)
        wanted, present = reading.scalar(rows) or 0, writing.scalar(rows) or 0
        if wanted != present:
            raise ConflictError(
                f"Of {wanted:,} rows of {table.name}, {present:,} were copied. Nothing is kept."
            )


def _copy_table(there: Connection, here: Connection, table: Table) -> None:
    columns = list(table.columns)
    put_rows(here, columns, rows_of(there, columns))


def rows_of(there: Connection, columns: Sequence[Column[Any]], *which: ColumnElement[bool]) -> Iterator[Any]:
    """Yield columns of a table's rows in parts, by their key; JSON is its text, a code its number."""
    table = columns[0].table
    wanted = select(
        *(cast(each, Text) if is_json(each) else type_coerce(each, _sent_as(each)) for each in columns)
    )
    streamed = there.execution_options(stream_results=True, yield_per=rows_at_once(columns))
    yield from streamed.execute(wanted.where(*which).order_by(*table.primary_key.columns)).partitions()


def rows_at_once(columns: Sequence[Column[Any]]) -> int:
    """Return how many rows of these columns are held in memory together."""
    is_wide = any(isinstance(each.type, LargeBinary) and each.type.length is None for each in columns)
    return FEW if is_wide else BATCH


def put_rows(here: Connection, columns: Sequence[Column[Any]], parts: Iterable[Any]) -> None:
    """Add rows to a table, as `rows_of` yields them.

    :raise ConflictError: PostgreSQL refuses one; on SQLite the driver's own error is raised.
    """
    if here.dialect.name == "postgresql":
        _copy_in(here, columns, parts)
        return
    # The driver takes rows as they are: a dictionary of each would take as long as all the rest.
    table, names = _quoted(here, columns)
    statement = f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608
    makers = _makers(here, columns)
    for part in parts:
        made = (
            values if make is None else map(make, values)
            for make, values in zip(makers, zip(*part, strict=True), strict=True)
        )
        here.exec_driver_sql(statement, list(zip(*made, strict=True)))


def _quoted(here: Connection, columns: Sequence[Column[Any]]) -> tuple[str, str]:
    """Return the name of a table and those of its columns, as a statement names them."""
    quote = here.dialect.identifier_preparer.quote
    return quote(columns[0].table.name), ", ".join(quote(column.name) for column in columns)


def _makers(here: Connection, columns: Sequence[Column[Any]]) -> list[Callable[[Any], Any] | None]:
    """Return what makes a value of each column as the driver takes it; None where it is taken as it is."""
    dialect = here.dialect
    return [_sent_as(column).dialect_impl(dialect).bind_processor(dialect) for column in columns]


def _sent_as(column: Column[Any]) -> TypeEngine[Any]:
    """Return the type as which a column travels: as it is stored, where making objects of it takes long."""
    if isinstance(column.type, Coded):
        return SmallInteger()
    return Text() if is_json(column) else column.type


def is_json(column: Column[Any]) -> bool:
    """Return whether a column holds JSON."""
    return isinstance(column.type, JSON)


def _copy_in(here: Connection, columns: Sequence[Column[Any]], parts: Iterable[Any]) -> None:
    """Send rows to PostgreSQL by COPY, which takes a tenth of the time of INSERT."""
    table, names = _quoted(here, columns)
    makers = _makers(here, columns)
    cursor: Any = here.connection.cursor()
    try:
        with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
            for part in parts:
                for row in part:
                    copy.write_row(
                        [make(value) if make else value for make, value in zip(makers, row, strict=True)]
                    )
    except here.dialect.loaded_dbapi.Error as error:
        reason = " ".join(str(error).split())
        raise ConflictError(f"Nothing is kept, {table} is refused: {reason}.") from error
    finally:
        cursor.close()


def _go_on_numbering(there: Connection, here: Connection) -> None:
    """Let new rows get the numbers that they would have got in the database that was copied."""
    for table in Base.metadata.sorted_tables:
        (key, *more) = table.primary_key.columns
        if more or key.autoincrement is False or key.foreign_keys or not isinstance(key.type, Integer):
            continue
        # Also where the last row is gone: some numbers are never given twice.
        last = max(last_number(there, table), here.scalar(select(func.max(key))) or 0)
        if here.dialect.name == "postgresql":
            here.execute(select(func.setval(sequence_of(table), max(last, 1), last > 0)))
        elif table.dialect_options["sqlite"]["autoincrement"]:
            here.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": table.name})
            here.execute(
                text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)"),
                {"name": table.name, "last": last},
            )


def last_number(there: Connection, table: Table) -> int:
    """Return the last number that a table gave, also where its row is gone."""
    if there.dialect.name == "sqlite":
        known = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
        return int(there.scalar(known, {"name": table.name}) or 0)
    sequence = there.scalar(select(sequence_of(table)))
    last = text(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}")  # noqa: S608
    return int(there.scalar(last) or 0)


def sequence_of(table: Table) -> Any:
    """Return what names the sequence of a table's numbers on PostgreSQL."""
    return func.pg_get_serial_sequence(table.name, "id")
