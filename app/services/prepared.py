"""Statements of every rating and page: built and compiled once, then handed to the driver as they are."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

Process = Callable[[Any], Any]


class Prepared:
    """A statement with named parameters, none of them a list. Decorates the function that builds it.

    SQLAlchemy takes seven times as long over a small statement as the driver does, and half of that for
    building it. Rows are named tuples.
    """

    def __init__(self, build: Callable[[], Any]) -> None:
        self.build = build
        self._compiled: WeakKeyDictionary[Dialect, _Compiled] = WeakKeyDictionary()

    def rows(self, session: Session | Connection, values: dict[str, Any]) -> list[Any]:
        """Return all rows with these values; none of a statement that only writes."""
        connection = session if isinstance(session, Connection) else session.connection()
        return self._for(connection.dialect).read(connection, values)

    def row(self, session: Session | Connection, values: dict[str, Any]) -> Any:
        """Return the only row, or None."""
        rows = self.rows(session, values)
        return rows[0] if rows else None

    def write(self, session: Session, rows: Sequence[dict[str, Any]]) -> None:
        """Run the statement with each of these values."""
        connection = session.connection()
        self._for(connection.dialect).write(connection, rows)

    def scalars(self, session: Session, values: dict[str, Any]) -> list[Any]:
        """Return the first value of each row."""
        return [row[0] for row in self.rows(session, values)]

    def _for(self, dialect: Dialect) -> _Compiled:
        compiled = self._compiled.get(dialect)
        if compiled is None:
            compiled = self._compiled[dialect] = _compile(self.build(), dialect)
        return compiled


@dataclass
class _Compiled:
    """A statement as one database's driver takes it, and how values go in and come out.

    Attributes
    ----------
    order
        The names of the values in their order, where the driver takes them so.
    out
        What makes a column's value of the driver's, by its place. It depends on the driver's own types, which
        are known when the first rows come.
    """

    text: str
    order: list[str] | None
    constants: dict[str, Any]
    into: dict[str, Process]
    types: list[TypeEngine[Any]]
    row: Callable[[Any], Any]
    out: list[tuple[int, Process]] | None = None

    def write(self, connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
        with _driver_of(connection, self.text) as driver:
            if len(rows) == 1:
                driver.execute(self.text, self._given(rows[0]))
            else:
                driver.cursor().executemany(self.text, [self._given(row) for row in rows])

    def read(self, connection: Connection, values: dict[str, Any]) -> list[Any]:
        with _driver_of(connection, self.text) as driver:
            cursor = driver.execute(self.text, self._given(values))
            found = cursor.fetchall() if cursor.description else []
        if self.out is None:
            self.out = self._processors(connection.dialect, cursor.description or ())
        if not self.out:
            return [self.row(one) for one in found]
        rows = []
        for one in found:
            plain = list(one)
            for place, process in self.out:
                plain[place] = process(plain[place])
            rows.append(self.row(plain))
        return rows

    def _processors(self, dialect: Dialect, described: Sequence[Any]) -> list[tuple[int, Process]]:
        processors = [
            kind.dialect_impl(dialect).result_processor(dialect, column[1])
            for kind, column in zip(self.types, described, strict=True)
        ]
        return [(place, process) for place, process in enumerate(processors) if process is not None]

    def _given(self, values: dict[str, Any]) -> Any:
        """Return values as the driver takes them."""
        given = {**self.constants, **values}
        for name, process in self.into.items():
            if name in values:
                given[name] = process(values[name])
        return given if self.order is None else [given[name] for name in self.order]


@contextmanager
def _driver_of(connection: Connection, text: str) -> Iterator[Any]:
    """Give the driver's connection; its errors become those of SQLAlchemy."""
    driver: Any = connection.connection.dbapi_connection
    try:
        # Whoever listens to the engine hears of this statement as of any other.
        for hear in connection.dispatch.before_cursor_execute:
            hear(connection, None, text, None, None, False)
        yield driver
    except connection.dialect.loaded_dbapi.Error as error:
        raise _as_usual(error, text, connection) from error


def _as_usual(error: Exception, text: str, connection: Connection) -> BaseException:
    """Return what SQLAlchemy makes of an error of the driver; a connection that broke is used no more."""
    dialect = connection.dialect
    pooled: Any = connection.connection.dbapi_connection
    is_broken = dialect.is_disconnect(cast("Any", error), pooled, None)
    if is_broken:
        connection.invalidate(error)
    return DBAPIError.instance(
        text,
        {},
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=is_broken,
        dialect=dialect,
    )


def _compile(statement: Any, dialect: Dialect) -> _Compiled:
    compiled = statement.compile(dialect=dialect)
    assert isinstance(compiled, SQLCompiler)
    assert not compiled.post_compile_params, "a list has another text at each run"
    into: dict[str, Process] = {}
    for parameter, name in compiled.bind_names.items():
        process = parameter.type.dialect_impl(dialect).bind_processor(dialect)
        if process is not None:
            into[name] = process
    constants = dict(compiled.construct_params({}, _check=False))
    for name, convert in into.items():
        constants[name] = convert(constants[name])
    columns = list(statement.exported_columns)
    names = [str(column.key) for column in columns]
    row: Any = namedtuple("Row", names, rename=True)  # type: ignore[misc]  # noqa: PYI024
    return _Compiled(
        text=compiled.string,
        order=compiled.positiontup,
        constants=constants,
        into=into,
        types=[column.type for column in columns],
        row=row._make,
    )
