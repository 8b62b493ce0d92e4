"""Databases for tests: a migrated one of each kind, copied for every test."""

from __future__ import annotations

import io
import os
import pickle
import shutil
import sqlite3
import threading
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
import pytest
from sqlalchemy import create_engine, exists, make_url, select, text

import app.database
from app.database import Database
from app.migrating import upgrade_schema
from app.models import Person, Project
from tests.furniture.factories import Make, making_in
from tests.furniture.missing import lack
from tests.furniture.postgresql import PostgresqlNotFoundError, serve_postgresql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sqlalchemy import URL, Engine
    from sqlalchemy.orm import Session

TEMPLATE = "touchstone_template"
# More than the whole suite asks for.
STATEMENTS = 5000
NUMBERS = count(1)
SERVED = app.database.PRAGMAS


@pytest.fixture(scope="session", autouse=True)
def compiled_statements() -> Iterator[None]:
    """Keep compiled statements for the whole run: each engine would compile them anew, which takes long.

    They are kept under the dialect, so engines of a kind share one that has met its server.
    """
    kept: dict[str, Engine] = {}
    create_engine = app.database.create_engine

    def created(url: str, **options: Any) -> Engine:
        engine = create_engine(url, query_cache_size=STATEMENTS, **options)
        known = kept.get(engine.dialect.name)
        if known is not None and getattr(known.dialect, "server_version_info", None):
            engine.dialect = engine.pool._dialect = known.dialect
            engine._compiled_cache = known._compiled_cache
        else:
            kept[engine.dialect.name] = engine
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app.database, "create_engine", created)
        yield


@pytest.fixture(scope="session", autouse=True)
def careless_commits() -> Iterator[None]:
    """Wait for no disk: a test database need not survive a power cut. Servers of their own keep waiting."""
    careless = tuple(one.replace("synchronous=FULL", "synchronous=OFF") for one in SERVED)
    assert careless != SERVED
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app.database, "PRAGMAS", careless)
        yield


@pytest.fixture
def as_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open databases as the site does; to be asked for before the database."""
    monkeypatch.setattr(app.database, "PRAGMAS", SERVED)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a migrated SQLite file to copy."""
    path = tmp_path_factory.mktemp("sqlite") / "template.sqlite3"
    template = Database(f"sqlite:///{path}")
    upgrade_schema(template)
    template.dispose()
    put_into_one_file(path)
    return path


class Made(NamedTuple):
    """A database file that holds what was made, and the objects, pickled."""

    path: Path
    pickled: bytes

    def objects(self) -> Any:
        """Return the objects, which the database of a test holds that begins as this file."""
        return pickle.loads(self.pickled)


def put_into_one_file(path: Path) -> None:
    """Put everything into the database file itself, to be copied: its write-ahead log is not."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.fixture(scope="session")
def made_once(
    sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Callable[[Make], Any]], Made]:
    """Return what makes rows in a copy of the empty file: for fixtures of a session, whose file tests begin with."""

    def make_file(make: Callable[[Make], Any]) -> Made:
        path = tmp_path_factory.mktemp("made") / "made.sqlite3"
        database = Database(f"sqlite:///{shutil.copyfile(sqlite_template, path)}")
        with making_in(database)() as one:
            objects = make(one)
        database.dispose()
        put_into_one_file(path)
        return Made(path, pickle.dumps(objects))

    return make_file


_worlds: dict[tuple[object, ...], tuple[sqlite3.Connection, bytes]] = {}


class Packing(pickle.Pickler):
    """Objects without the database that some of them name."""

    def persistent_id(self, one: object) -> str | None:
        return "database" if isinstance(one, Database) else None


class Unpacking(pickle.Unpickler):
    """The objects again, with the database that a test has."""

    database: Database

    def persistent_load(self, _name: str) -> Database:
        return self.database


def made_in(database: Database, make_it: Callable[..., Any], *args: Any, **values: Any) -> Any:
    """Return `make_it(make, ...)`, committed, as `built_in` does."""
    return built_in(database, _commit, make_it, *args, **values)


def _commit(database: Database, make_it: Callable[..., Any], *args: Any, **values: Any) -> Any:
    with making_in(database)() as make:
        return make_it(make, *args, **values)


def built_in(database: Database, build: Callable[..., Any], *args: Any, **values: Any) -> Any:
    """Return `build(database, ...)`. An empty SQLite file is given a copy of what was built the first time."""
    if not database.is_sqlite or not is_empty(database):
        return build(database, *args, **values)
    key = build, repr(args), repr(sorted(values.items()))
    if key not in _worlds:
        built = io.BytesIO()
        Packing(built).dump(build(database, *args, **values))
        _worlds[key] = sqlite3.connect(":memory:", check_same_thread=False), built.getvalue()
        with closing(database.writing_engine.raw_connection()) as connection:
            connection.driver_connection.backup(_worlds[key][0])
    else:
        with closing(database.writing_engine.raw_connection()) as connection:
            _worlds[key][0].backup(connection.driver_connection)
    unpacking = Unpacking(io.BytesIO(_worlds[key][1]))
    unpacking.database = database
    return unpacking.load()


def is_empty(database: Database) -> bool:
    """Tell whether a database holds nobody and nothing yet."""
    with database.read() as session:
        return not session.scalar(select(exists().where(Person.id > 0) | exists().where(Project.id > 0)))


@pytest.fixture
def sqlite_beginning(sqlite_template: Path) -> Path:
    """Return the file that each test's database begins as; a folder of tests may begin with rows in it."""
    return sqlite_template


@pytest.fixture
def sqlite_url(sqlite_beginning: Path, tmp_path: Path) -> str:
    """Return the URL of a fresh migrated SQLite database."""
    return f"sqlite:///{shutil.copyfile(sqlite_beginning, tmp_path / 'touchstone.sqlite3')}"


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


# Everything but the schema goes. Numbers are not given out anew, so that nothing kept under one is met again.
EMPTY = """
DO $$ DECLARE one regclass; filled boolean; BEGIN
  FOR one IN SELECT oid FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version'
  LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s)', one) INTO filled;
    IF filled THEN EXECUTE format('DELETE FROM %s', one); END IF;
  END LOOP;
END $$
"""
SCHEMA = """
SELECT string_agg(version_num, ' '),
  (SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace),
  (SELECT count(*) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND NOT attisdropped),
  (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'O'),
  (SELECT count(*) FROM pg_constraint WHERE connamespace = 'public'::regnamespace),
  (SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace)
FROM alembic_version
"""


class KeptDatabase:
    """One PostgreSQL database that is emptied for every test: making one takes twenty times as long.

    The ledger's triggers refuse DELETE and TRUNCATE; as a replica the server leaves them out. A database whose
    schema a test has changed, that somebody still uses, or whose numbers would be given again (a copy sets
    them) is made anew.
    """

    def __init__(self, server: URL, command: Callable[[str], None], template: str) -> None:
        self._server, self._command, self._template = server, command, template
        self.name = ""
        self._make()

    @property
    def url(self) -> str:
        return self._server.set(database=self.name).render_as_string(hide_password=False)

    def reset(self) -> None:
        try:
            is_as_made = self._is_emptied()
        except psycopg.Error:
            is_as_made = False
        if not is_as_made:
            self.drop()
            self._make()

    def drop(self) -> None:
        self._command(f"DROP DATABASE {self.name} WITH (FORCE)")

    def _make(self) -> None:
        self.name = f"touchstone_{os.getpid()}_{next(NUMBERS)}"
        self._command(f"CREATE DATABASE {self.name} TEMPLATE {self._template} STRATEGY FILE_COPY")
        with self._connected() as connection:
            self._schema = connection.execute(SCHEMA).fetchone()
            self._given = given_numbers(connection)

    def _is_emptied(self) -> bool:
        with self._connected() as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute("SET lock_timeout = '2s'")
            connection.execute(EMPTY)
            before, self._given = self._given, given_numbers(connection)
            goes_on = all(self._given.get(name, 0) >= last for name, last in before.items())
            return goes_on and connection.execute(SCHEMA).fetchone() == self._schema

    def _connected(self) -> psycopg.Connection[Any]:
        plain = self._server.set(database=self.name, drivername="postgresql")
        return psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True)


def given_numbers(connection: psycopg.Connection[Any]) -> dict[str, int]:
    """Return the last number that each sequence gave."""
    rows = connection.execute("SELECT sequencename, coalesce(last_value, 0) FROM pg_sequences")
    return dict(rows.fetchall())


@pytest.fixture(scope="session")
def kept_postgresql(
    postgresql_server: URL, postgresql_command: Callable[[str], None], postgresql_template: str
) -> Iterator[KeptDatabase]:
    """Give the database that tests take turns with."""
    kept = KeptDatabase(postgresql_server, postgresql_command, postgresql_template)
    yield kept
    kept.drop()


@pytest.fixture
def postgresql_url(kept_postgresql: KeptDatabase) -> Iterator[str]:
    """Give the URL of an empty migrated PostgreSQL database."""
    yield kept_postgresql.url
    kept_postgresql.reset()


class NestedWriteError(AssertionError):
    """A write session inside a write session of the same thread: outside of tests it would wait for good."""


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


_engines: dict[str, Database] = {}


@pytest.fixture
def database(database_kind: str, request: pytest.FixtureRequest) -> Iterator[Database]:
    """Give an empty migrated database of a kind."""
    url = request.getfixturevalue(f"{database_kind}_url")
    # An engine keeps the statements that it has compiled: that of a database that is used again is kept too.
    database = _engines[url] if url in _engines else opened(url)
    if database_kind == "postgresql":
        _engines[url] = database
    yield database
    database.dispose()


@pytest.fixture(scope="session")
def untouched_sqlite(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Give a migrated SQLite database in which nothing is ever committed."""
    copy = tmp_path_factory.mktemp("untouched") / "touchstone.sqlite3"
    database = opened(f"sqlite:///{shutil.copyfile(sqlite_template, copy)}")
    yield database
    database.dispose()


@pytest.fixture(scope="session")
def untouched_postgresql(
    postgresql_server: URL, postgresql_command: Callable[[str], None], postgresql_template: str
) -> Iterator[Database]:
    """Give a migrated PostgreSQL database in which nothing is ever committed."""
    name = f"touchstone_{os.getpid()}_untouched"
    postgresql_command(f"CREATE DATABASE {name} TEMPLATE {postgresql_template} STRATEGY FILE_COPY")
    database = opened(postgresql_server.set(database=name).render_as_string(hide_password=False))
    yield database
    database.dispose()
    postgresql_command(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def session(database_kind: str, request: pytest.FixtureRequest) -> Iterator[Session]:
    """Give a write session on an empty database, rolled back at the end.

    It holds the writer's place: a test that needs several sessions opens them on `database` instead. Nothing
    is committed, so tests that ask for no database of their own share one: making it takes longest.
    """
    own = "database" in request.fixturenames
    database = request.getfixturevalue("database" if own else f"untouched_{database_kind}")
    with database.write() as session:
        yield session
        session.rollback()


def opened(url: str) -> Database:
    """Return a database with a writer's turn that no test waits for in vain."""
    database = Database(url)
    database._turn = OneWriter(database._turn)
    return database
