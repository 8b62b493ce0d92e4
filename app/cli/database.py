"""`flask db`: bring the database to the version of the code, back, or compare the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from app.cli.session import open_database

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.database import Database

ONE_STEP = "-1"


@click.group()
def db() -> None:
    """Upgrade, downgrade and check the database.

    Example: flask --app app db upgrade
    """


@db.command()
@click.argument("revision", default="head")
def upgrade(revision: str) -> None:
    """Upgrade the database to REVISION (default: the newest).

    Example: flask --app app db upgrade
    """
    migrate(bring_up, revision)


@db.command()
@click.argument("revision", required=False)
def downgrade(revision: str | None) -> None:
    """Downgrade the database to REVISION (default: one step back). Refused if ratings would be lost.

    Example: flask --app app db downgrade base
    """
    from app.migrating import downgrade_schema

    migrate(downgrade_schema, ONE_STEP if revision is None else revision)


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
    from app.migrating import revision_of

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
    from app.migrating import check_schema

    with open_database() as database:
        problems = check_schema(database)
    if problems:
        raise click.ClickException("The database differs from the code:\n  " + "\n  ".join(problems))
    click.echo("The database and the code agree.")
