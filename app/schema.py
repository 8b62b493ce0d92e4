"""Which revision a database is at, and whether its tables are those of the code.

Apart from `app.migrating`, which loads Alembic: a start of the server needs that only where it migrates.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from app.models import Base
from config import ROOT

if TYPE_CHECKING:
    from app.database import Database

VERSIONS = ROOT / "migrations" / "versions"


def revision_of(database: Database) -> str | None:
    """Return the revision that the database is at, None where it has no tables."""
    with database.engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        return found


def is_current(database: Database) -> bool:
    """Return whether the database is at the newest revision of the code."""
    return revision_of(database) == newest_revision()


@cache
def newest_revision() -> str:
    """Return the newest revision of the code: a migration's file begins with its number."""
    return max(file.name.partition("_")[0] for file in VERSIONS.glob("[0-9]*_*.py"))


def refuse_other_tables(database: Database) -> None:
    """Refuse a database that calls itself current and whose tables or columns are others.

    Before version 1.0.0 the first migration was changed in place: such a database would answer every rating
    with an error.

    :raise RuntimeError: A table or a column is missing.
    """
    refuse_lacking(
        database,
        {(table.name, column.name) for table in Base.metadata.tables.values() for column in table.columns},
    )


def columns_of(database: Database) -> set[tuple[str, str]]:
    """Return all columns with their tables."""
    tables = inspect(database.engine).get_multi_columns()
    return {(table, column["name"]) for (_, table), columns in tables.items() for column in columns}


def refuse_lacking(database: Database, wanted: set[tuple[str, str]]) -> None:
    """Refuse a database without some columns.

    :raise RuntimeError: One of them is missing.
    """
    if lacking := sorted(wanted - columns_of(database)):
        raise RuntimeError(
            f"the database was made by an earlier Touchstone, it lacks {'.'.join(lacking[0])}: export "
            "its questions, answers, runs and ratings with the code that made it, and import them into a new "
            "database"
        )
