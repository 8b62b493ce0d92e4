"""What was released stays usable: its migrations never change, and its database goes up, down and up again."""

import hashlib
import json
import multiprocessing
import os
import signal
import sqlite3
from itertools import count
from pathlib import Path

import psycopg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, event, text

from app.cli.database import bring_up
from app.database import Database
from app.migrating import _config, check_schema, downgrade_schema, upgrade_schema
from app.schema import is_current, revision_of
from config import ROOT
from tests.furniture.every_table import fill_every_table, what_it_says

HERE = Path(__file__).parent
RELEASED = {"1.0.0": "0001", "1.1.0": "0002"}
"""The revision of each release, whose database is kept beside this file."""
FROZEN = {
    "migrations/versions/0001_initial.py": "4239f6ff4d75eca289dab3fc6948b0d1a91467eeafc0b31088675a600e3bcfd1",
    "migrations/versions/0002_version_1_1.py": "af84ae7a777c07d33e7e64093f3b50e0104446f1d959b40d16baffcbd3196cfd",
    "migrations/audit_triggers.py": "0386db6bb93114654e3de5cdccad5da3f58ad9848fc31975f5a218473084449f",
    "migrations/erasure_triggers.py": "70a64d725e3990ed3de74b565371c59af5f271dd3b2d0f28ed30ce37f61f212b",
    "migrations/ledger_triggers.py": "11b928baf00b75b3b0cea57dd959f810c59160040893cdcd7a53212dbef43065",
}
"""SHA-256 of migrations that were released: a change to them reaches no database that exists."""


def stored(version, kind):
    return (HERE / f"{version}.{kind}.sql").read_text()


def said_by(version):
    return json.loads((HERE / f"{version}.json").read_text())


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgresql, pytest.mark.everyday])]
)
def released(request, tmp_path):
    """Give a function that opens the database of a release."""
    opened = []

    def on_sqlite(version):
        file = tmp_path / "released.sqlite3"
        with sqlite3.connect(file) as connection:
            connection.executescript(stored(version, "sqlite"))
        return f"sqlite:///{file}"

    def on_postgresql(version):
        server = request.getfixturevalue("postgresql_server").set(database="released")
        command = request.getfixturevalue("postgresql_command")
        request.addfinalizer(lambda: command("DROP DATABASE released WITH (FORCE)"))
        command("CREATE DATABASE released")
        plain = server.set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(plain) as connection:
            connection.execute(stored(version, "postgresql"))
        return server.render_as_string(hide_password=False)

    def database_of(version):
        opened.append(Database({"sqlite": on_sqlite, "postgresql": on_postgresql}[request.param](version)))
        return opened[-1]

    yield database_of
    for database in opened:
        database.dispose()


@pytest.mark.parametrize("file", FROZEN)
def test_a_released_migration_is_never_edited(file):
    found = hashlib.sha256((ROOT / file).read_bytes()).hexdigest()

    assert found == FROZEN[file], f"{file} was released: put the change into a new migration"


@pytest.mark.thorough
@pytest.mark.parametrize("version", RELEASED)
def test_the_database_of_a_release_goes_up_and_down_and_says_the_same(released, version):
    database = released(version)
    message = said_by(version)
    assert revision_of(database) == RELEASED[version]

    bring_up(database)
    assert (check_schema(database), is_current(database)) == ([], True)
    assert said_after(database, message) == message

    downgrade_schema(database, RELEASED[version])
    bring_up(database)
    assert (check_schema(database), is_current(database)) == ([], True)
    assert said_after(database, message) == message


@pytest.mark.thorough
@pytest.mark.parametrize("version", list(RELEASED)[:-1])  # the newest has nothing to go up to
def test_a_database_that_is_not_what_was_released_is_refused_and_left_as_it_is(released, version):
    database = released(version)
    with database.write() as session:
        session.execute(text("ALTER TABLE document DROP COLUMN source"))

    with pytest.raises(RuntimeError, match=r"lacks document\.source: export its questions, .* new database$"):
        upgrade_schema(database)

    assert revision_of(database) == RELEASED[version]


def die_at(url, statement):
    """Upgrade in a process that is killed at a statement."""
    database, done = Database(url), count()

    def die(*_):
        if next(done) == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", die)
    bring_up(database)


@pytest.mark.thorough
def test_an_upgrade_that_is_killed_is_made_whole_by_the_next(released):
    version = next(iter(RELEASED))
    database, message = released(version), said_by(version)
    forked = multiprocessing.get_context("forkserver")
    forked.set_forkserver_preload([__name__])
    killed = 0
    for statement in count(0, 20):
        process = forked.Process(target=die_at, args=(database.url, statement))
        process.start()
        process.join(60)
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        assert rows_of(database, message["rows"]) == message["rows"]
        killed += 1

    assert killed > 5
    bring_up(database)
    assert (check_schema(database), is_current(database)) == ([], True)
    assert said_after(database, message) == message


def rows_of(database, tables):
    """Return how many rows tables have, of whatever version they are."""
    with database.read() as session:
        return {name: session.scalar(text(f"SELECT count(*) FROM {name}")) for name in tables}


def said_after(database, message):
    """Return what a database says of the tables that the release had."""
    now = what_it_says(database)
    return {"rows": {name: now["rows"][name] for name in message["rows"]}, "scores": now["scores"]}


def test_every_migration_keeps_the_rows_of_every_table(database):
    with database.write() as session:
        fill_every_table(session)
    message = what_it_says(database)
    assert 0 not in message["rows"].values()

    steps = ScriptDirectory.from_config(_config(database)).walk_revisions()
    for step in [step.down_revision for step in steps if step.down_revision]:
        downgrade_schema(database, step, may_lose=True)
        bring_up(database)

        assert what_it_says(database)["scores"] == message["scores"]
        assert check_schema(database) == []
