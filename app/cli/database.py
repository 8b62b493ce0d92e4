"""`flask db`: the database's version, its backups, whether it is whole, and its way to another server."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.session import current_settings, open_database, refusals_in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.database import Database

ONE_STEP = "-1"


@click.group()
def db() -> None:
    """Upgrade, back up, restore, verify and move the database.

    Example: flask --app app db backup /backups/touchstone.sqlite3
    """


@db.command()
@click.argument("revision", default="head")
def upgrade(revision: str) -> None:
    """Upgrade the database to REVISION (default: the newest). Stop the server first.

    Example: flask --app app db upgrade
    """
    from app.database import MIGRATING
    from app.jobs.backups import unserved
    from app.schema import is_current, refuse_other_tables

    def change(database: Database, revision: str) -> None:
        with database.hold(*MIGRATING), nullcontext() if is_current(database) else unserved(database):
            bring_up(database, revision)
        if is_current(database):
            refuse_other_tables(database)

    migrate(change, revision)


@db.command()
@click.argument("revision", required=False)
@click.option("--yes", is_flag=True, help="Lose what the earlier version has no place for, except ratings.")
def downgrade(revision: str | None, *, yes: bool) -> None:
    """Downgrade the database to REVISION (default: one step back). Stop the server first.

    Refused if ratings would be lost. If other things would be lost, such as entries of the audit trail or
    tokens, it says how many, and --yes is needed.

    Example: flask --app app db downgrade base
    """
    from app.database import MIGRATING
    from app.jobs.backups import unserved
    from app.jobs.steps import sweep_projects
    from app.migrating import downgrade_schema
    from app.schema import is_current

    def change(database: Database, revision: str) -> None:
        with database.hold(*MIGRATING), unserved(database):
            if is_current(database):
                # An earlier version would show half of them.
                sweep_projects(database)
            downgrade_schema(database, revision, may_lose=yes)

    migrate(change, ONE_STEP if revision is None else revision)


def bring_up(database: Database, revision: str = "head") -> None:
    """Upgrade a database, and compute again what counts now where a migration asks for it.

    :raise RuntimeError: As `upgrade_schema`.
    """
    from app.migrating import upgrade_schema

    if upgrade_schema(database, revision):
        _rebuild(database)


def _rebuild(database: Database) -> int:
    from app.services.current_judgments import rebuild_current_judgments

    with database.write() as session:
        return rebuild_current_judgments(session)


def migrate(change: Callable[[Database, str], None], revision: str) -> None:
    """Bring the database to a revision, and say where it is; what is refused is one line."""
    from app.schema import revision_of

    with open_database() as database:
        try:
            change(database, revision)
        except RuntimeError as error:
            reason = str(error)
            raise click.ClickException(f"{reason[:1].upper()}{reason[1:]}.") from error
        click.echo(f"The database is at {revision_of(database) or 'base'}.")


@db.command()
def rebuild() -> None:
    """Rebuild the table of current ratings from the ledger. If the table is right, nothing changes.

    Example: flask --app app db rebuild
    """
    with open_database() as database:
        count = _rebuild(database)
    click.echo(f"{count:,} current ratings rebuilt from the ledger.")


@db.command()
def check() -> None:
    """Compare the database's tables with those of the code. Exit status 1 if they differ.

    Example: flask --app app db check
    """
    from app.schema import check_schema

    with open_database() as database:
        problems = check_schema(database)
    if problems:
        raise click.ClickException("The database differs from the code:\n  " + "\n  ".join(problems))
    click.echo("The database and the code agree.")


FILE = click.Path(path_type=Path, dir_okay=False)


@db.command()
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
def backup(file: Path, *, force: bool) -> None:
    """Write a checked backup of the database to FILE. People can rate meanwhile.

    It holds the whole database, and neither the secret key nor files that wait for their import. PostgreSQL
    needs its program pg_dump.

    Example: flask --app app db backup /backups/touchstone.sqlite3
    """
    from app.jobs.backups import back_up

    with open_database() as database:
        held = back_up(database, file.resolve(), replace=force)
    click.echo(f"{file} holds {held.sentence}. It was checked.")


@db.command()
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Replace the database that is there; it is kept aside.")
def restore(file: Path, *, force: bool) -> None:
    """Put the backup FILE in the place of the database. Stop the server first.

    The backup is checked before anything changes. Everybody must sign in again. Unused invitations and
    password links stop working; shared links and tokens that were revoked after the backup work again.
    PostgreSQL needs an empty database, and its program pg_restore.

    Example: flask --app app db restore /backups/touchstone.sqlite3
    """
    from app.jobs.backups import restore as restore_file

    with refusals_in_one_line():
        restored = restore_file(current_settings(), file.resolve(), force=force)
    click.echo(f"Restored: {restored.held.sentence}. Everybody signs in again.")
    click.echo("Shared links and tokens that were revoked after the backup work again: look through them.")
    if restored.aside is not None:
        click.echo(f"The database that was there is kept as {restored.aside}.")


@db.command()
@click.argument("file", type=FILE, required=False)
def verify(file: Path | None) -> None:
    """Check the database, or the SQLite backup FILE.

    It checks pages, references, ledger and current ratings, and changes nothing. Exit status 1 if anything is
    wrong. A quick form runs at each start of the server.

    Example: flask --app app db verify
    """
    from app.jobs.backups import check_database, check_file

    began = time.monotonic()
    if file is not None:
        with refusals_in_one_line():
            held, lost = check_file(file.resolve()), list[str]()
    else:
        with open_database() as database:
            held, lost = check_database(database, current_settings().uploads_path)
    click.echo(f"All is well with {held.sentence} ({time.monotonic() - began:.1f} s).")
    if lost:
        click.echo(f"Import again, because their files are missing: {', '.join(lost)}.")


@db.command()
@click.argument("url")
def copy(url: str) -> None:
    """Copy everything into the empty database at URL. Stop the server first.

    It goes from SQLite to PostgreSQL, or back. Afterwards set DATABASE_URL to URL. Nothing is changed in the
    database that is copied.

    Example: flask --app app db copy postgresql://touchstone:password@localhost/touchstone
    """
    from app.jobs.copying import copy_database
    from config import DATABASE_URLS, SettingError, database_url

    settings = current_settings()
    try:
        target = database_url(url, settings.instance_path)
    except SettingError as error:
        raise click.BadParameter(f"It cannot be read: use {DATABASE_URLS}.", param_hint="URL") from error
    with open_database() as database:
        held = copy_database(database, target)
    click.echo(f"Copied and checked: {held.sentence}. Set DATABASE_URL to the copy and start the server.")
