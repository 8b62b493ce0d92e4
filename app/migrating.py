"""Run Alembic's migrations from code: at the start, on the command line and in tests."""

from __future__ import annotations

import re
import tempfile
from typing import TYPE_CHECKING

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import CheckConstraint, Connection, inspect, text

from app.models import Base
from app.schema import columns_of, newest_revision, refuse_lacking, revision_of
from config import ROOT

if TYPE_CHECKING:
    from app.database import Database

LEDGER_TRIGGERS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
}


def _config(database: Database) -> Config:
    config = Config(toml_file=str(ROOT / "pyproject.toml"))
    config.attributes["database"] = database
    return config


# A migration that changes a projection of the ledger says so: `context.config.attributes[REBUILD] = True`.
REBUILD = "rebuild"
# What a downgrade reads: whether it may drop rows that are no ratings.
MAY_LOSE = "may_lose"


def upgrade_schema(database: Database, revision: str = "head") -> bool:
    """Bring the database to a revision; a failed migration leaves nothing behind.

    Returns
    -------
    Whether a migration asks that what counts now is computed again from the ledger.

    :raise RuntimeError: The database was made by another version of the code, or there is no such revision
        above it. Nothing is changed then.
    """
    config = _config(database)
    try:
        _refuse_empty(revision)
        _refuse_unreleased(database)
        command.upgrade(config, revision)
    except CommandError as error:
        raise RuntimeError(_reason(database, f"no revision {revision!r} to go up to")) from error
    return bool(config.attributes.get(REBUILD))


def downgrade_schema(database: Database, revision: str, *, may_lose: bool = False) -> None:
    """Bring the database back to a revision.

    :raise RuntimeError: Ratings would be dropped, or other rows unless `may_lose`; the database was made by
        another version of the code, or there is no such revision below it.
    """
    config = _config(database)
    config.attributes[MAY_LOSE] = may_lose
    try:
        _refuse_empty(revision)
        command.downgrade(config, revision)
    except CommandError as error:
        raise RuntimeError(_reason(database, f"no revision {revision!r} to go back to")) from error


def _refuse_empty(revision: str) -> None:
    # Alembic takes it for a failure of its own.
    if not revision:
        raise CommandError("no revision")


def _reason(database: Database, otherwise: str) -> str:
    """Return why there is no way to a revision: because of where the database is, or of what was asked."""
    known = [script.revision for script in ScriptDirectory.from_config(_config(database)).walk_revisions()]
    current = revision_of(database)
    if current is not None and current not in known:
        return f"the database was made by another version of Touchstone (revision {current})"
    at = f"the database is at {current}" if current else "the database has no tables"
    return f"there is {otherwise}: {at}, and the revisions are base, {', '.join(reversed(known))} (head)"


def _refuse_unreleased(database: Database) -> None:
    """Refuse a database of an older revision whose tables or columns are not those that the revision made.

    Upgraded, it would still lack them, and the code that made it could not open it any more.

    :raise RuntimeError: A table or a column is missing.
    """
    current = revision_of(database)
    known = {script.revision for script in ScriptDirectory.from_config(_config(database)).walk_revisions()}
    if current not in known - {newest_revision()}:
        return
    with tempfile.TemporaryDirectory() as folder:
        made = type(database)(f"sqlite:///{folder}/made.sqlite3")
        command.upgrade(_config(made), current)
        wanted = columns_of(made)
        made.dispose()
    refuse_lacking(database, wanted)


def check_schema(database: Database) -> list[str]:
    """Return what differs between the database and the models, the ledger's triggers included."""
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        if context.get_current_revision() is None:
            return ["it has no tables yet: run `flask --app app db upgrade` first"]
        problems = [str(difference) for difference in compare_metadata(context, Base.metadata)]
        problems += _check_differences(connection)
        present = {row[0] for row in connection.execute(text(LEDGER_TRIGGERS[connection.dialect.name]))}
    # Autogenerate sees neither CHECKs nor triggers: they are compared by hand.
    return problems + [
        f"the triggers that keep {table} append-only are missing"
        for table in ("judgment", "event", "audit_entry")
        if not any(name.startswith(f"{table}_refuse_") for name in present)
    ]


def _check_differences(connection: Connection) -> list[str]:
    """Return the CHECKs that differ, by the values in them: PostgreSQL rewrites their text."""
    present = {
        check["name"]: _values_in(check["sqltext"])
        for checks in inspect(connection).get_multi_check_constraints().values()
        for check in checks
    }
    wanted = {
        str(check.name): _values_in(str(check.sqltext))
        for table in Base.metadata.sorted_tables
        for check in table.constraints
        if isinstance(check, CheckConstraint)
    }
    names = sorted(name for name in present.keys() | wanted.keys() if name)
    return [f"the CHECK {name} differs" for name in names if present.get(name) != wanted.get(name)]


def _values_in(condition: str) -> list[str]:
    """Return the texts and numbers that a condition names, in order."""
    return re.findall(r"'[^']*'|\b\d+\b", condition)
