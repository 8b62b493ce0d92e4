"""Writing and reading many rows: in batches, and without failing on rows that are there already."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sqlalchemy import Integer, Table, func, literal, select, update
from sqlalchemy.dialects import postgresql, sqlite

from app.models import Project
from app.services.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import FromClause, Select
    from sqlalchemy.orm import DeclarativeBase, Session

    from app.scoring.arrays import Ints

Row = TypeVar("Row")
BATCH = 5_000
STREAM = 10_000


def table_of(model: type[DeclarativeBase]) -> Table:
    """Return the table behind a model, for statements over many rows."""
    table = model.__table__
    assert isinstance(table, Table)
    return table


def batches(rows: Sequence[Row], size: int = BATCH) -> Iterator[Sequence[Row]]:
    """Yield the rows in slices of at most `size`."""
    for first in range(0, len(rows), size):
        yield rows[first : first + size]


def stream(session: Session, wanted: Select[*tuple[Any, ...]]) -> Iterator[Any]:
    """Yield rows in fixed memory, whatever their number."""
    result = session.execute(wanted, execution_options={"yield_per": STREAM})
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

    Raises
    ------
    NotFoundError
        There is no such project.
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


def ranges_of(ids: Iterable[int]) -> list[list[int]]:
    """Return whole numbers as [first, last] of every unbroken range."""
    ranges: list[list[int]] = []
    for number in sorted(ids):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges
