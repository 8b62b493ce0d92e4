"""What was released stays usable: its migrations never change, and its database goes up, down and up again."""

import hashlib
import json
import multiprocessing
import os
import re
import signal
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

import click
import psycopg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, event, text

from app.cli.database import bring_up
from app.cli.serve import bring_up_to_date
from app.database import Database, path_of
from app.jobs.copying import copy_database
from app.migrating import _config, downgrade_schema, upgrade_schema
from app.schema import COPY, IMPORT, check_schema, is_current, newest_revision, revision_of
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

    with pytest.raises(RuntimeError, match=r"^the column document\.source is missing; .* new database$"):
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
    for statement in count(0, 80):
        process = forked.Process(target=die_at, args=(database.url, statement))
        process.start()
        process.join(60)
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        assert rows_of(database, message["rows"]) == message["rows"]
        killed += 1

    assert killed > 1
    bring_up(database)
    assert (check_schema(database), is_current(database)) == ([], True)
    assert said_after(database, message) == message


def rows_of(database, tables):
    """Return how many rows tables have, of whatever version they are."""
    with database.read() as session:
        return {name: session.scalar(text(f"SELECT count(*) FROM {name}")) for name in tables}


# What a table has in the stored SQL of SQLite, what a statement makes of it there, and one that PostgreSQL takes.
# Then what is said of it.
CHANGES = [
    pytest.param(
        "project_id INTEGER, \n\texternal_id",
        "project_id INTEGER NOT NULL, \n\texternal_id",
        "ALTER TABLE document ALTER project_id SET NOT NULL",
        "the column document.project_id is Integer NOT NULL in place of Integer",
        id="nullability",
    ),
    pytest.param(
        "title TEXT NOT NULL, \n\ttext TEXT",
        "title VARCHAR(80) NOT NULL, \n\ttext TEXT",
        "ALTER TABLE document ALTER title TYPE varchar(80)",
        "the column document.title is String(80) NOT NULL in place of Text NOT NULL",
        id="type",
    ),
    pytest.param(
        "CONSTRAINT uq_document_project_id_external_id UNIQUE (project_id, external_id)",
        "CONSTRAINT uq_document_project_id_external_id UNIQUE (external_id)",
        "ALTER TABLE document DROP CONSTRAINT uq_document_project_id_external_id, "
        "ADD CONSTRAINT uq_document_project_id_external_id UNIQUE (external_id)",
        "the constraint uq_document_project_id_external_id is UNIQUE (external_id) in place of "
        "UNIQUE (project_id, external_id)",
        id="unique constraint",
    ),
    pytest.param(
        None,
        "DROP INDEX ix_document_project_id_content_hash",
        "DROP INDEX ix_document_project_id_content_hash",
        "the index ix_document_project_id_content_hash is missing",
        id="index",
    ),
    pytest.param(
        None,
        "CREATE UNIQUE INDEX of_titles ON query (text)",
        "CREATE UNIQUE INDEX of_titles ON query (text)",
        "the unique index of_titles is unknown",
        id="unique index",
    ),
    pytest.param(
        None,
        "DROP TRIGGER event_refuse_update",
        "DROP TRIGGER event_refuse_change ON event",
        r"the trigger event_refuse_(update|change) is missing",
        id="trigger",
    ),
]


def change_tables(database, before, on_sqlite, on_postgresql):
    """Change a table: in the text that SQLite keeps of it, where that cannot change a column."""
    if not database.is_sqlite or before is None:
        with database.write() as session:
            session.execute(text(on_sqlite if database.is_sqlite else on_postgresql))
        return
    with closing(sqlite3.connect(path_of(database.url))) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        changed = connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'document' AND instr(sql, ?)",
            (before, on_sqlite, before),
        )
        assert changed.rowcount == 1


@pytest.mark.thorough
@pytest.mark.parametrize("version", RELEASED)
@pytest.mark.parametrize(("before", "on_sqlite", "on_postgresql", "words"), CHANGES)
def test_tables_that_differ_from_those_released_stop_a_start_and_an_upgrade_in_one_sentence(
    released, version, before, on_sqlite, on_postgresql, words
):
    database = released(version)
    change_tables(database, before, on_sqlite, on_postgresql)
    is_newest = RELEASED[version] == newest_revision()
    remedy = COPY if is_newest else IMPORT

    with pytest.raises(click.ClickException) as refused:
        bring_up_to_date(database)

    assert re.fullmatch(
        f"The database cannot be used: {words if '|' in words else re.escape(words)}; {re.escape(remedy)}.",
        str(refused.value),
    )
    assert revision_of(database) == RELEASED[version]


@pytest.mark.thorough
def test_a_database_whose_tables_differ_is_right_once_it_is_copied(released, tmp_path):
    database = released(list(RELEASED)[-1])
    change_tables(database, *CHANGES[0].values[:3])
    change_tables(database, *CHANGES[-1].values[:3])

    held = copy_database(database, f"sqlite:///{tmp_path}/copy.sqlite3")

    copy = Database(f"sqlite:///{tmp_path}/copy.sqlite3")
    bring_up_to_date(copy)
    assert (check_schema(copy), held.judgments) == ([], said_by(list(RELEASED)[-1])["rows"]["judgment"])
    copy.dispose()


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
