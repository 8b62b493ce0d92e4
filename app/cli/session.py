"""How commands reach the database, and how a refusal becomes one line and exit status 1."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from flask import current_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.database import Database
    from config import Settings


def current_settings() -> Settings:
    """Return the settings of this process."""
    settings: Settings = current_app.extensions["settings"]
    return settings


@contextmanager
def open_database() -> Iterator[Database]:
    """Give the database; what a service or a file refuses is printed as one line, with exit status 1."""
    from app.database import Database

    refuse_lost_ratings(current_settings())
    try:
        database = Database(current_settings().database_url, pool_size=2)
        database.info["network"] = "command line"
    except OSError as error:
        raise click.ClickException(f"The database cannot be used: {error.strerror}.") from error
    try:
        with refusals_in_one_line():
            yield database
    finally:
        database.dispose()


def refuse_lost_ratings(settings: Settings) -> None:
    """Stop where a file that holds the last ratings was removed, before another takes its place."""
    from app.database import LogMissingError, path_of, refuse_missing_log

    path = path_of(settings.database_url)
    if path is None:
        return
    try:
        refuse_missing_log(path)
    except LogMissingError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"The database cannot be used: {error.strerror}.") from error


@contextmanager
def refusals_in_one_line() -> Iterator[None]:
    """Print what a service, a file or the database refuses as one line, with exit status 1."""
    from sqlalchemy.exc import DatabaseError, OperationalError, ProgrammingError

    from app.formats.errors import FormatError
    from app.services.errors import ServiceError

    try:
        yield
    except ServiceError as error:
        raise click.ClickException(error.message) from error
    except FormatError as error:
        raise click.ClickException(str(error)) from error
    except (OperationalError, ProgrammingError) as error:
        if "no such table" in str(error) or "does not exist" in str(error):
            raise click.ClickException(
                "The database has no tables yet: run `flask --app app db upgrade`."
            ) from error
        raise click.ClickException(f"The database cannot be used: {_first_line(error)}") from error
    except DatabaseError as error:
        if type(error) is not DatabaseError:  # its kinds are failures of ours
            raise
        raise click.ClickException(f"The database cannot be used: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).partition("\n")[0]
