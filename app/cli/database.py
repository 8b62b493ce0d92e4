"""`flask db`: bring the database to the version of the code, back, or compare the two."""

from __future__ import annotations

import click

from app.cli.session import open_database

ONE_STEP = "-1"


@click.group()
def db() -> None:
    """Upgrade, downgrade and check the database.

    Example: flask --app app db upgrade
    """


@db.command()
@click.argument("revision", default="head")
def upgrade(revision: str) -> None:
    """Bring the database to REVISION (default: the newest).

    Example: flask --app app db upgrade
    """
    from app.migrating import upgrade_schema

    with open_database() as database:
        upgrade_schema(database, revision)
    click.echo(f"The database is at {revision}.")


@db.command()
@click.argument("revision", required=False)
def downgrade(revision: str | None) -> None:
    """Bring the database back to REVISION (default: one step); refused where ratings would be dropped.

    Example: flask --app app db downgrade base
    """
    from app.migrating import downgrade_schema

    with open_database() as database:
        try:
            downgrade_schema(database, revision or ONE_STEP)
        except RuntimeError as error:
            raise click.ClickException(str(error)) from error
    click.echo(f"The database is at {revision}." if revision else "The database is one step back.")


@db.command()
def check() -> None:
    """Compare the tables of the database with those of the code; exit status 1 if they differ.

    Example: flask --app app db check
    """
    from app.migrating import check_schema

    with open_database() as database:
        problems = check_schema(database)
    if problems:
        raise click.ClickException("The database differs from the code:\n  " + "\n  ".join(problems))
    click.echo("The database and the code agree.")
