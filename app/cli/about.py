"""`flask about`: the version, and where this installation keeps its data."""

from __future__ import annotations

import click
from sqlalchemy import make_url

from app.cli.session import current_settings, open_database
from config import VERSION


@click.command()
def about() -> None:
    """Print the version, where the data is kept, and the revision of the database.

    Example: flask --app app about
    """
    from app.schema import revision_of

    settings = current_settings()
    with open_database() as database:
        revision = revision_of(database)
    click.echo(f"Touchstone {VERSION}")
    state = f"revision {revision}" if revision else "no tables yet"
    click.echo(f"Database: {place_of(settings.database_url)}, {state}")
    click.echo(f"Folder: {settings.instance_path}")


def place_of(url: str) -> str:
    """Return the address of a database without its password."""
    return make_url(url).render_as_string(hide_password=True)
