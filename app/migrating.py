"""Run Alembic's migrations from code: at the start, on the command line and in tests."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError

from app.schema import newest_revision, refuse_other_tables, refuse_without_version, revision_of
from app.shapes import shape_of
from config import ROOT

if TYPE_CHECKING:
    from app.database import Database


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
    """Refuse a database of an older revision whose tables are not those that the revision made.

    Upgraded, they would still differ, and the code that made it could not open it any more.

    :raise RuntimeError: Something differs.
    """
    refuse_without_version(database)
    current = revision_of(database)
    known = {script.revision for script in ScriptDirectory.from_config(_config(database)).walk_revisions()}
    if current not in known - {newest_revision()}:
        return
    with tempfile.TemporaryDirectory() as folder:
        made = type(database)(f"sqlite:///{folder}/made.sqlite3")
        command.upgrade(_config(made), current)
        with made.engine.connect() as connection:
            wanted = shape_of(connection)
        made.dispose()
    refuse_other_tables(database, wanted)
