"""Which revision a database is at, and whether its tables are those of the code.

Apart from `app.migrating`, which loads Alembic: a start of the server needs that only where it migrates.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from app.models import Base
from app.sentences import counted
from app.shapes import VERSION_TABLE, Difference, Shape, differences_in
from config import ROOT

if TYPE_CHECKING:
    from app.database import Database

VERSIONS = ROOT / "migrations" / "versions"
MOST_NAMED = 3
COPY = "copy it into a new database with `flask --app app db copy URL`, and set DATABASE_URL to URL"
IMPORT = (
    "restore a backup with `flask --app app db restore FILE`, or export its questions, answers, runs and "
    "ratings with the code that made it, and import them into a new database"
)


def revision_of(database: Database) -> str | None:
    """Return the revision that the database is at, None where it has no tables."""
    with database.engine.connect() as connection:
        if not inspect(connection).has_table(VERSION_TABLE):
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


def check_schema(database: Database) -> list[str]:
    """Return what differs between the database and the code, and last what to do about it, if it may harm."""
    if reason := _reason_of_version(database):
        return [reason]
    found = _differences_in(database)
    return [*map(str, found), *([_remedy_of(found)] if _harmful(found) else [])]


def reason_to_refuse(database: Database, wanted: Shape | None = None) -> str:
    """Return in one sentence how tables differ from the code, or from what is wanted, and what to do.

    It is empty where nothing differs that can do harm.
    """
    if wanted is None and (reason := _reason_of_version(database)):
        return reason
    found = _harmful(_differences_in(database, wanted))
    if not found:
        return ""
    named = [str(each) for each in found[:MOST_NAMED]]
    if len(found) > MOST_NAMED:
        named.append(counted(len(found) - MOST_NAMED, "more difference"))
    return f"{', '.join(named)}; {_remedy_of(found) if wanted is None else IMPORT}"


def refuse_other_tables(database: Database, wanted: Shape | None = None) -> None:
    """Refuse a database whose tables are not those of the code, or not those that are wanted.

    :raise RuntimeError: Something differs that can do harm.
    """
    if reason := reason_to_refuse(database, wanted):
        raise RuntimeError(reason)


def refuse_without_version(database: Database) -> None:
    """Refuse a database that has tables with names of ours, and does not say of which version they are.

    :raise RuntimeError: It is such a database.
    """
    if revision_of(database) is None and (reason := _reason_of_no_version(database)):
        raise RuntimeError(reason)


def _reason_of_version(database: Database) -> str:
    """Return why the tables cannot be compared with the code; nothing where they can be."""
    revision = revision_of(database)
    if revision is None:
        return (
            _reason_of_no_version(database) or "it has no tables yet: run `flask --app app db upgrade` first"
        )
    if revision != newest_revision():
        return f"it is of another version (revision {revision}): run `flask --app app db upgrade` first"
    return ""


def _reason_of_no_version(database: Database) -> str:
    named = sorted(Base.metadata.tables.keys() & set(inspect(database.engine).get_table_names()))
    if not named:
        return ""
    return (
        f"the database has a table {named[0]}, but its table {VERSION_TABLE} is missing or empty: restore a "
        "backup with `flask --app app db restore FILE`, or set DATABASE_URL to an empty database"
    )


def _harmful(found: list[Difference]) -> list[Difference]:
    return [each for each in found if not each.is_harmless]


def _remedy_of(found: list[Difference]) -> str:
    return IMPORT if any(each.is_lack for each in found) else COPY


def _differences_in(database: Database, wanted: Shape | None = None) -> list[Difference]:
    with database.engine.connect() as connection:
        return list(differences_in(connection, wanted))
