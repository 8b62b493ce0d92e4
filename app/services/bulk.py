"""Many rows at once, written in batches and read as the driver's own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import DTypeLike
from sqlalchemy import FromClause, Integer, Select, Table, func, literal, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import DeclarativeBase, Session

from app.models.project import Project
from app.scoring.arrays import Ints
from app.services.errors import NotFoundError

Row = TypeVar("Row")
BATCH = 5_000
STREAM = 10_000


def table_of(model: type[DeclarativeBase]) -> Table:
    """Return the table behind a model, for statements over many rows."""
    table = model.__table__
    assert isinstance(table, Table)
    return table


@overload
def batches(rows: Ints, size: int = BATCH) -> Iterator[Ints]: ...
@overload
def batches(rows: Sequence[Row], size: int = BATCH) -> Iterator[Sequence[Row]]: ...
def batches(rows: Any, size: int = BATCH) -> Iterator[Any]:
    """Yield the rows in slices of at most `size`."""
    for first in range(0, len(rows), size):
        yield rows[first : first + size]


def each_of(*columns: Ints) -> Iterator[tuple[int, ...]]:
    """Yield columns of whole numbers row by row, few of them as Python's own at a time."""
    for first in range(0, len(columns[0]), STREAM):
        yield from zip(*(column[first : first + STREAM].tolist() for column in columns), strict=True)


def stream(session: Session, wanted: Select[*tuple[Any, ...]], at_once: int = STREAM) -> Iterator[Any]:
    """Yield rows in fixed memory, whatever their number; fewer at once where they hold long texts."""
    result = session.execute(wanted, execution_options={"yield_per": at_once})
    for part in result.partitions():
        yield from part


def stream_plain(session: Session, wanted: Select[*tuple[Any, ...]]) -> Iterator[Any]:
    """Yield rows of numbers and texts in fixed memory, without the work of mapping them."""
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        # The driver reads on demand anyway; on PostgreSQL only a cursor of the server does.
        cursor: Any = connection.execute(wanted).cursor
        yield from cursor
    else:
        result = connection.execute(wanted, execution_options={"yield_per": STREAM})
        for part in result.partitions():
            yield from part


def insert_missing(session: Session, model: type[DeclarativeBase], key: Sequence[str]) -> Any:
    """Return an INSERT that leaves rows whose key is there already as they are."""
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    return dialect.insert(table_of(model)).on_conflict_do_nothing(index_elements=list(key))


def update_where_id(
    session: Session, model: type[DeclarativeBase], ids: Ints, values: dict[str, Any]
) -> None:
    """Give the same values to all rows with these ids."""
    table = table_of(model)
    for some in batches(ids.tolist()):
        session.execute(update(table).where(table.c.id.in_(some)).values(values))


def numbers_as_rows(session: Session, **columns: Ints) -> FromClause:
    """Return columns of whole numbers as a table for statements: one parameter, however many rows."""
    if session.get_bind().dialect.name == "postgresql":
        lists = [literal(column.tolist(), postgresql.ARRAY(Integer)) for column in columns.values()]
        return func.unnest(*lists).table_valued(*columns).render_derived(name="numbers")
    rows = np.stack(list(columns.values()), axis=1).tolist()
    each = func.json_each(json.dumps(rows)).table_valued("value")
    fields = [
        func.json_extract(each.c.value, f"$[{place}]").label(name) for place, name in enumerate(columns)
    ]
    return select(*fields).subquery("numbers")


def lock_project(session: Session, project_id: int) -> Project:
    """Return the project, held so that nobody else changes its pool or settings before this commit.

    Ratings are not held up: they need the project to exist, not to stand still.

    :raise NotFoundError: There is no such project.
    """
    project = session.scalar(
        select(Project)
        .where(Project.id == project_id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    if project is None:
        raise NotFoundError("There is no such project.")
    return project


def ranges_of(ids: Sequence[int] | Ints) -> list[list[int]]:
    """Return whole numbers as [first, last] of every unbroken range."""
    numbers = np.sort(np.asarray(ids, dtype=np.int64))
    is_first = np.diff(numbers, prepend=numbers[:1] - 2) != 1
    ranges: list[list[int]] = np.stack((numbers[is_first], numbers[np.roll(is_first, -1)]), axis=1).tolist()
    return ranges


CHUNK = 1 << 17
"""Rows held as wide numbers at a time."""


def driver_rows(session: Session, wanted: Select[*tuple[Any, ...]], **named: Any) -> Any:
    """Return the driver's cursor over the rows, without SQLAlchemy's own row objects.

    `named` are the values of the statement's parameters, if it has any.
    """
    # On the connection: through the session the ORM would wrap the rows, at twenty times the cost.
    return session.connection().execute(wanted, named).cursor


def read_integers(session: Session, wanted: Select[*tuple[Any, ...]], columns: int) -> Ints:
    """Return rows of whole numbers as int64 (rows, columns)."""
    flat = np.fromiter(chain.from_iterable(driver_rows(session, wanted)), dtype=np.int64)
    return flat.reshape(-1, columns)


def read_columns(
    session: Session, wanted: Select[*tuple[Any, ...]], kinds: Sequence[DTypeLike], **named: Any
) -> list[Any]:
    """Return the columns of rows of whole numbers, each as an array of its own kind."""
    rows = iter(driver_rows(session, wanted, **named))
    parts: list[list[Any]] = [[np.zeros(0, dtype=kind)] for kind in kinds]
    while len(flat := np.fromiter(chain.from_iterable(islice(rows, CHUNK)), dtype=np.int64)):
        table = flat.reshape(-1, len(kinds))
        for number, kind in enumerate(kinds):
            parts[number].append(table[:, number].astype(kind))
    # Each column's parts are let go before the next one is put together.
    return [np.concatenate(parts.pop(0)) for _ in kinds]
