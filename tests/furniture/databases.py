"""Databases for tests: a migrated one of each kind, copied for every test."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import create_engine, make_url, text

from app.database import Database
from app.migrating import upgrade_schema
from tests.furniture.missing import lack
from tests.furniture.postgresql import PostgresqlNotFoundError, serve_postgresql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sqlalchemy import URL
    from sqlalchemy.orm import Session

TEMPLATE = "touchstone_template"
NUMBERS = count(1)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a migrated SQLite file to copy."""
    path = tmp_path_factory.mktemp("sqlite") / "template.sqlite3"
    template = Database(f"sqlite:///{path}")
    upgrade_schema(template)
    template.dispose()
    put_into_one_file(path)
    return path


def put_into_one_file(path: Path) -> None:
    """Put everything into the database file itself, to be copied: its write-ahead log is not."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """Return the URL of a fresh migrated SQLite database."""
    return f"sqlite:///{shutil.copyfile(sqlite_template, tmp_path / 'touchstone.sqlite3')}"


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[URL]:
    """Give the URL of a PostgreSQL server on which databases can be made."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield make_url(given).set(drivername="postgresql+psycopg")
        return
    try:
        url, stop = serve_postgresql()
    except PostgresqlNotFoundError as reason:
        lack(
            "PostgreSQL",
            f"install Debian's package postgresql, or set TEST_DATABASE_URL to a server ({reason})",
        )
    try:
        yield make_url(url)
    finally:
        stop()


@pytest.fixture(scope="session")
def postgresql_command(postgresql_server: URL) -> Iterator[Callable[[str], None]]:
    """Give a function that runs one command on the server, outside every transaction."""
    engine = create_engine(postgresql_server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield lambda command: (connection.execute(text(command)), None)[1]
    engine.dispose()


@pytest.fixture(scope="session")
def postgresql_template(postgresql_server: URL, postgresql_command: Callable[[str], None]) -> Iterator[str]:
    """Give the name of a migrated PostgreSQL database to copy."""
    name = f"{TEMPLATE}_{os.getpid()}"
    postgresql_command(f"CREATE DATABASE {name}")
    template = Database(postgresql_server.set(database=name).render_as_string(hide_password=False))
    upgrade_schema(template)
    template.dispose()
    yield name
    postgresql_command(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgresql_url(
    postgresql_server: URL, postgresql_command: Callable[[str], None], postgresql_template: str
) -> Iterator[str]:
    """Give the URL of a fresh migrated PostgreSQL database.

    It is a copy: the ledger's triggers refuse DELETE and TRUNCATE, so no database can be emptied for the next test.
    """
    name = f"touchstone_{os.getpid()}_{next(NUMBERS)}"
    postgresql_command(f"CREATE DATABASE {name} TEMPLATE {postgresql_template} STRATEGY FILE_COPY")
    yield postgresql_server.set(database=name).render_as_string(hide_password=False)
    postgresql_command(f"DROP DATABASE {name} WITH (FORCE)")


class NestedWriteError(AssertionError):
    """A write session inside a write session of the same thread: outside of tests it would wait for ever."""


class OneWriter:
    """The writer's turn, which tells a thread that already has it instead of letting it wait."""

    def __init__(self, turn: AbstractContextManager[Any]) -> None:
        self._turn = turn
        self._holders: set[int] = set()

    def __enter__(self) -> None:
        if threading.get_ident() in self._holders:
            raise NestedWriteError("close the first write session (or the fixture `session`) before the next")
        self._turn.__enter__()
        self._holders.add(threading.get_ident())

    def __exit__(self, *error: object) -> None:
        self._holders.discard(threading.get_ident())
        self._turn.__exit__(*error)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_kind(request: pytest.FixtureRequest) -> str:
    """Return a kind of database; the test runs once on SQLite and once on PostgreSQL."""
    return str(request.param)


@pytest.fixture
def database(database_kind: str, request: pytest.FixtureRequest) -> Iterator[Database]:
    """Give a fresh migrated database of a kind."""
    database = opened(request.getfixturevalue(f"{database_kind}_url"))
    yield database
    database.dispose()


@pytest.fixture(scope="session")
def untouched_sqlite_url(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the URL of a migrated SQLite database in which nothing is ever committed."""
    copy = tmp_path_factory.mktemp("untouched") / "touchstone.sqlite3"
    return f"sqlite:///{shutil.copyfile(sqlite_template, copy)}"


@pytest.fixture(scope="session")
def untouched_postgresql_url(
    postgresql_server: URL, postgresql_command: Callable[[str], None], postgresql_template: str
) -> Iterator[str]:
    """Give the URL of a migrated PostgreSQL database in which nothing is ever committed."""
    name = f"touchstone_{os.getpid()}_untouched"
    postgresql_command(f"CREATE DATABASE {name} TEMPLATE {postgresql_template} STRATEGY FILE_COPY")
    yield postgresql_server.set(database=name).render_as_string(hide_password=False)
    postgresql_command(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def session(database_kind: str, request: pytest.FixtureRequest) -> Iterator[Session]:
    """Give a write session on an empty database, rolled back at the end.

    It holds the writer's place: a test that needs several sessions opens them on `database` instead. Nothing
    is committed, so tests that ask for no database of their own share one: making it takes longest.
    """
    own = "database" in request.fixturenames
    database = (
        request.getfixturevalue("database")
        if own
        else opened(request.getfixturevalue(f"untouched_{database_kind}_url"))
    )
    try:
        with database.write() as session:
            yield session
            session.rollback()
    finally:
        if not own:
            database.dispose()


def opened(url: str) -> Database:
    """Return a database with a writer's turn that no test waits for in vain."""
    database = Database(url)
    database._turn = OneWriter(database._turn)
    return database
