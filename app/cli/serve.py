"""`flask serve`: check what must be there, bring the database up to date, then be the web server."""

from __future__ import annotations

import errno
import gc
import os
import socket
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.session import current_settings, open_database, refuse_lost_ratings

if TYPE_CHECKING:
    from app.database import Database
    from config import Settings

# RETURNING, which takes the ledger's next revision, came with this version.
OLDEST_SQLITE = (3, 35)
LOOKING_SECONDS = 0.5
# So many objects are made before garbage is looked for.
LOADED_AT_ONCE = 200_000


@click.command()
def serve() -> None:
    """Migrate the database, load the demo into an empty one, and serve the site until Ctrl+C.

    HOST and PORT choose the address (127.0.0.1 and 8000).

    Example: PORT=9000 flask --app app serve
    """
    from flask import current_app

    from app import open_doors
    from app.cli.logs import configure_logs
    from app.cli.webserver import WebServer
    from app.http.background import stop_worker
    from app.http.sessions import close_database
    from app.http.templates import keep_compiled

    # Looking for garbage as often as usual takes a tenth of a start; the web server does so again.
    gc.set_threshold(LOADED_AT_ONCE)
    settings = current_settings()
    configure_logs(settings)
    refuse_old_sqlite(settings, sqlite3.sqlite_version_info)
    take_database(settings)
    refuse_taken_address(settings)
    refuse_lost_ratings(settings)
    refuse_damaged_database(settings)
    warn_of_unknown_visitors(settings)
    with open_database() as database:
        bring_up_to_date(database)
        refuse_broken_ledger(database)
        set_up = find_set_up_token(database)
        forget_requests_of_before(database)
    application = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    open_doors(application)
    keep_compiled(application, settings.instance_path / "compiled-templates")

    def close() -> None:
        stop_worker()
        close_database(application)

    WebServer(application, settings, greeting(settings, set_up), close).run()
    finish_log(settings)


def finish_log(settings: Settings) -> None:
    """Bring all that was saved into the one SQLite file, if nobody has.

    SQLite does so when the last connection closes; of several processes that close at once, each may take
    another for the last.
    """
    from sqlalchemy.exc import SQLAlchemyError

    from app.database import Database, path_of

    path = path_of(settings.database_url)
    if path is not None and Path(f"{path}-wal").exists():
        database = Database(settings.database_url)
        # The next start says what is wrong with it.
        with suppress(SQLAlchemyError), database.write() as session:
            session.connection()  # nothing is opened before
        database.dispose()


def refuse_old_sqlite(settings: Settings, version: tuple[int, ...]) -> None:
    """Stop where SQLite is the database and this Python brings one that is too old."""
    if settings.is_sqlite and version < OLDEST_SQLITE:
        raise click.ClickException(
            f"SQLite {'.'.join(map(str, version))} is too old: use a Python with SQLite 3.35 or newer, "
            "or set DATABASE_URL to a PostgreSQL database."
        )


def take_database(settings: Settings) -> None:
    """Stop where another server has the SQLite file or the folder; else hold both until this process ends."""
    from app.database import ServedError, path_of, take_file, take_folder

    try:
        take_folder(settings.instance_path, settings.database_url)
    except ServedError as holder:
        raise click.ClickException(
            f"The folder {settings.instance_path} is in use by {holder}: stop that, "
            "or set INSTANCE_PATH to another folder."
        ) from holder
    path = path_of(settings.database_url)
    try:
        if path is not None:
            take_file(path, f"process {os.getpid()} at {settings.address}")
    except ServedError as holder:
        raise click.ClickException(
            f"The database {path} is served already, by {holder}: open that, stop it, "
            "or set INSTANCE_PATH to another folder."
        ) from holder


def refuse_damaged_database(settings: Settings) -> None:
    """Stop where an SQLite file is no database or damaged, as far as half a second of looking tells."""
    from app.database import path_of
    from app.jobs.turns import queue_path

    path = path_of(settings.database_url)
    if path is not None and (found := _damage_of(path)):
        raise click.ClickException(
            f"The database {path} is damaged ({found}): put a copy of it in its place, and "
            f"remove {path.name}-wal and {path.name}-shm."
        )
    jobs = queue_path(settings.instance_path)
    if found := _damage_of(jobs):
        raise click.ClickException(
            f"The list of waiting jobs {jobs} is damaged ({found}): remove it. It holds no ratings, and work "
            "that waits is found in the database."
        )


def _damage_of(path: Path) -> str:
    """Return what is wrong with an SQLite file; nothing where it is whole, empty or not there."""
    from app.database import looked_at

    if not path.exists() or path.stat().st_size == 0:
        return ""
    until = time.monotonic() + LOOKING_SECONDS
    try:
        with looked_at(path) as connection:
            connection.set_progress_handler(lambda: time.monotonic() > until, 10_000)
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:
        return ""  # time is up; or it cannot be opened, which is said when it is migrated
    except sqlite3.DatabaseError as error:
        found = str(error)
    return "" if found == "ok" else " ".join(found.split())


def refuse_taken_address(settings: Settings) -> None:
    """Stop where the address cannot be listened at."""
    host, port = settings.host, settings.port
    try:
        family, kind, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except OSError as error:
        raise click.ClickException(_refusal(error, host, port)) from error


def warn_of_unknown_visitors(settings: Settings) -> None:
    """Say so where a proxy must be in front, and every visitor seems to come from its address."""
    if settings.is_https and not settings.trusted_proxies:
        click.echo(
            "Warning: PUBLIC_URL is https, so a proxy is in front, but TRUSTED_PROXIES is 0. All visitors "
            "seem to have one address, and wrong passwords of one slow down sign-in for all. "
            "Set TRUSTED_PROXIES=1.",
            err=True,
        )


def _refusal(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is taken: stop the program that uses it, or choose another (PORT={port + 1})."
    if error.errno == errno.EACCES:
        return f"Port {port} is reserved for the system: choose one above 1023, such as PORT=8000."
    return f"HOST {host!r} is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all it has."


def bring_up_to_date(database: Database) -> None:
    """Migrate the database where it is behind, and load the demo where nothing has ever been stored.

    Of several servers that start together, one does so, and the others wait.
    """
    from app.cli.database import bring_up
    from app.database import MIGRATING
    from app.schema import is_current, refuse_other_tables

    with database.hold(*MIGRATING):
        try:
            if not is_current(database):
                bring_up(database)
            refuse_other_tables(database)
        except RuntimeError as error:
            raise click.ClickException(f"The database cannot be used: {error}.") from error
        if is_empty(database):
            from app.demo import load_demo

            load_demo(database)
            # The web server keeps all that there is by then.
            gc.collect()


def refuse_broken_ledger(database: Database) -> None:
    """Stop where a ledger's newest entries have gaps, or are not what counts now; `db verify` sees all."""
    from app.services.verification import current_problems, ledger_problems

    with database.read() as session:
        problems = ledger_problems(session, is_quick=True) + current_problems(session, is_quick=True)
    if problems:
        raise click.ClickException(
            f"The database is not whole: {problems[0]}. `flask --app app db verify` says more; "
            "`flask --app app db restore` puts a backup in its place."
        )


def is_empty(database: Database) -> bool:
    """Return whether the database holds no project and nobody."""
    from sqlalchemy import exists, select

    from app.models import Person, Project

    with database.read() as session:
        return not session.scalar(select(exists(select(Project.id)) | exists(select(Person.id))))


def find_set_up_token(database: Database) -> str | None:
    """Return this start's set-up token, None once somebody can sign in."""
    from app.services.accounts.invitations import issue_set_up

    with database.write() as session:
        return issue_set_up(session)


def forget_requests_of_before(database: Database) -> None:
    """Let a program whose request was ended by a crash send it again at once."""
    from app.services.accounts.tokens import forget_unfinished_replies

    with database.write() as session:
        forget_unfinished_replies(session)


def greeting(settings: Settings, set_up: str | None) -> str:
    """Return the one line that a start prints."""
    if set_up is None:
        return f"Touchstone is at {settings.address}"
    return (
        f"Touchstone is at {settings.address} - nobody can sign in yet: "
        f"make the first account at {settings.address}/set-up/{set_up}"
    )
