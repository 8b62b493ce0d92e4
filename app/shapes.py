"""What the tables of a database look like, and how they differ from those of the code.

Alembic compares less, and takes a quarter of a second: a start has not so much time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import (
    CheckConstraint,
    Connection,
    ForeignKeyConstraint,
    Inspector,
    Table,
    TypeDecorator,
    UniqueConstraint,
    inspect,
    text,
)

from app.models import Base
from migrations.append_only import Trigger, triggers_of

VERSION_TABLE = "alembic_version"
# Name, table and function of each that is not switched off.
PRESENT_TRIGGERS = {
    "sqlite": "SELECT name, tbl_name, NULL FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": (
        "SELECT tgname, relname, proname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
        "JOIN pg_proc ON pg_proc.oid = tgfoid "
        "WHERE NOT tgisinternal AND tgenabled IN ('O', 'A') AND pg_table_is_visible(tgrelid)"
    ),
}
# PostgreSQL has one type for both.
SAME_TYPES = {"Double": "Float"}

# What each table has, such as "column document.text", and what that is.
Shape = dict[str, dict[str, str]]
# A table, one thing that it has, and what that is.
Part = tuple[str, str, str]


class Difference(NamedTuple):
    """Something that was found as one thing and should be another; None where it is not there."""

    thing: str
    found: str | None
    wanted: str | None

    def __str__(self) -> str:
        """Return it in words."""
        if self.found is None:
            return f"the {self.thing} is missing"
        if self.wanted is None:
            return f"the {self.thing} is unknown"
        return f"the {self.thing} is {self.found} in place of {self.wanted}"

    @property
    def is_harmless(self) -> bool:
        """Whether it is a table or an index of somebody else's, which refuses nothing."""
        return self.wanted is None and self.thing.startswith(("table ", "index "))

    @property
    def is_lack(self) -> bool:
        """Whether rows cannot be read because of it."""
        return self.found is None and self.thing.startswith(("table ", "column "))


def differences_in(connection: Connection, wanted: Shape | None = None) -> Iterator[Difference]:
    """Yield what differs between a database and what is wanted, by default what the code has."""
    found, wanted = shape_of(connection), wanted or _shape(_parts_of_code(connection.dialect.name))
    for table in sorted(found.keys() | wanted.keys()):
        if table not in found:
            yield Difference(f"table {table}", None, "")
        elif table not in wanted:
            yield Difference(f"table {table}", "", None)
        else:
            yield from _differences(found[table], wanted[table])
    present = {Trigger(*row) for row in connection.execute(text(PRESENT_TRIGGERS[connection.dialect.name]))}
    for trigger in triggers_of(connection.dialect.name):
        if trigger.table in found and trigger not in present:
            yield Difference(f"trigger {trigger.name}", None, "")


def _differences(found: dict[str, str], wanted: dict[str, str]) -> Iterator[Difference]:
    for thing in sorted(found.keys() | wanted.keys()):
        if found.get(thing) != wanted.get(thing):
            yield Difference(thing, found.get(thing), wanted.get(thing))


def shape_of(connection: Connection) -> Shape:
    """Return what the tables of a database look like."""
    return _shape(_parts_in(connection))


def _shape(parts: Iterable[Part]) -> Shape:
    shape: Shape = {}
    for table, thing, what in parts:
        if table != VERSION_TABLE:
            shape.setdefault(table, {})[thing] = what
    return shape


def _parts_in(connection: Connection) -> Iterator[Part]:
    known, dialect = inspect(connection), connection.dialect.name
    for (_, table), columns in known.get_multi_columns().items():
        for each in columns:
            yield _column(table, each["name"], each["type"], dialect, may_be_empty=each["nullable"])
    for (_, table), indexes in known.get_multi_indexes().items():
        for index in indexes:
            if "duplicates_constraint" not in index:
                yield _index(table, index["name"], index["column_names"], is_unique=index["unique"])
    yield from _constraints_in(known)


def _constraints_in(known: Inspector) -> Iterator[Part]:
    for (_, table), key in known.get_multi_pk_constraint().items():
        yield table, f"primary key of {table}", _listed(key["constrained_columns"])
    for (_, table), uniques in known.get_multi_unique_constraints().items():
        for unique in uniques:
            yield _unique(table, unique["name"], unique["column_names"])
    for (_, table), references in known.get_multi_foreign_keys().items():
        for one in references:
            there = one["referred_table"], one["referred_columns"]
            yield _reference(table, one["name"], one["constrained_columns"], *there)
    for (_, table), checks in known.get_multi_check_constraints().items():
        for check in checks:
            yield _check(table, check["name"], check["sqltext"])


def _parts_of_code(dialect: str) -> Iterator[Part]:
    for table in Base.metadata.tables.values():
        for column in table.columns:
            yield _column(table.name, column.name, column.type, dialect, may_be_empty=bool(column.nullable))
        for index in table.indexes:
            yield _index(table.name, index.name, index.columns.keys(), is_unique=bool(index.unique))
        yield from _constraints_of(table)


def _constraints_of(table: Table) -> Iterator[Part]:
    yield table.name, f"primary key of {table.name}", _listed(table.primary_key.columns.keys())
    for one in table.constraints:
        if isinstance(one, UniqueConstraint):
            yield _unique(table.name, one.name, one.columns.keys())
        elif isinstance(one, ForeignKeyConstraint):
            referred = [element.column.name for element in one.elements]
            yield _reference(table.name, one.name, one.column_keys, one.referred_table.name, referred)
        elif isinstance(one, CheckConstraint):
            yield _check(table.name, one.name, str(one.sqltext))


def _column(table: str, name: str, kind: Any, dialect: str, *, may_be_empty: bool) -> Part:
    what = _type_named(kind, dialect) + ("" if may_be_empty else " NOT NULL")
    return table, f"column {table}.{name}", what


def _type_named(kind: Any, dialect: str) -> str:
    """Return a type by a name that it has in all databases."""
    while isinstance(kind, TypeDecorator):
        kind = kind.impl_instance
    try:
        kind = kind.as_generic()
    except RuntimeError:  # only this database has such a type
        return str(kind)
    name = type(kind).__name__
    # SQLite has times without a zone only.
    if name == "DateTime" and not kind.timezone and dialect != "sqlite":
        return "DateTime without a zone"
    if name == "String" and kind.length is not None:
        return f"String({kind.length})"
    return SAME_TYPES.get(name, name)


def _index(table: str, name: Any, columns: Iterable[str | None], *, is_unique: bool) -> Part:
    kind = "unique index" if is_unique else "index"
    return table, f"{kind} {name}", f"on {table} {_listed(columns)}"


def _unique(table: str, name: Any, columns: Iterable[str]) -> Part:
    return table, f"constraint {name}", f"UNIQUE {_listed(columns)}"


def _reference(table: str, name: Any, columns: Iterable[str], referred: str, there: Iterable[str]) -> Part:
    return table, f"foreign key {name}", f"from {_listed(columns)} to {referred} {_listed(there)}"


def _check(table: str, name: Any, condition: str) -> Part:
    # The texts and numbers in it: PostgreSQL rewrites the rest.
    return table, f"CHECK {name}", " ".join(re.findall(r"'[^']*'|\b\d+\b", condition))


def _listed(names: Iterable[str | None]) -> str:
    return f"({', '.join(name or 'an expression' for name in names)})"
