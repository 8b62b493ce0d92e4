"""Migrations: up, down and up again on both databases, checked against the models, ratings never dropped."""

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from app import migrating
from app.cli.database import bring_up
from app.cli.serve import bring_up_to_date
from app.database import Database, path_of, take_file
from app.migrating import check_schema, downgrade_schema, upgrade_schema
from app.models import AuditEntry, Base
from app.schema import is_current, newest_revision, refuse_other_tables
from config import ROOT
from migrations.ledger_triggers import LEDGER_TABLES, TRIGGERS
from tests.furniture.factories import Make
from tests.furniture.site import moved

pytestmark = pytest.mark.everyday


def revisions():
    """Return all revisions, newest first."""
    folder = ScriptDirectory(ROOT / "migrations")
    return [script.revision for script in folder.walk_revisions()]


def test_the_newest_revision_is_read_from_the_names_of_the_files():
    assert newest_revision() == revisions()[0]


def tables_of(database):
    with database.engine.connect() as connection:
        return set(inspect(connection).get_table_names())


def triggers_of(database):
    kind = "sqlite" if database.is_sqlite else "postgresql"
    known = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
    }
    with database.engine.connect() as connection:
        present = {name for (name,) in connection.execute(text(known[kind]))}
    return present, {f"{table}_{name}" for table in LEDGER_TABLES for name in TRIGGERS[kind]}


@pytest.mark.thorough
def test_down_leaves_nothing_and_up_again_once_or_twice_agrees_with_the_models(database):
    before = tables_of(database)
    downgrade_schema(database, "base")
    assert tables_of(database) == {"alembic_version"}
    assert triggers_of(database)[0] == set()
    assert not is_current(database)

    for _ in range(2):
        upgrade_schema(database)
        assert check_schema(database) == []
        assert is_current(database)
        assert tables_of(database) == before
    # Autogenerate does not see triggers.
    present, wanted = triggers_of(database)
    assert wanted <= present


@pytest.mark.thorough
def test_missing_triggers_are_found(database):
    kind = "sqlite" if database.is_sqlite else "postgresql"
    for done, table in enumerate(LEDGER_TABLES, start=1):
        with database.write() as session:
            for name in TRIGGERS[kind]:
                on = "" if database.is_sqlite else f" ON {table}"
                session.execute(text(f"DROP TRIGGER {table}_{name}{on}"))

        assert check_schema(database) == [
            f"the triggers that keep {each} append-only are missing" for each in LEDGER_TABLES[:done]
        ]


@pytest.mark.thorough
def test_a_column_or_check_that_differs_is_found(database, monkeypatch):
    with database.write() as session:
        session.execute(text("ALTER TABLE project ADD COLUMN colour VARCHAR(10)"))

    (problem,) = check_schema(database)

    assert "colour" in problem
    (check,) = [
        each for each in Base.metadata.tables["ruler"].constraints if each.name == "ck_ruler_gain_is_known"
    ]
    monkeypatch.setattr(check, "sqltext", text("gain IN ('linear', 'exponential', 'raw', 'square')"))

    found = check_schema(database)
    assert problem in found
    assert "the CHECK ck_ruler_gain_is_known differs" in found
    assert len(found) == 2


def test_ratings_are_never_dropped(database):
    with database.write() as session:
        make = Make(session)
        project = make.project()
        make.judgment(make.candidate(make.query(project)), make.member(project, "annotator"), 2)

    with pytest.raises(RuntimeError, match="this downgrade would drop 1 judgment: export and"):
        downgrade_schema(database, "base")

    assert check_schema(database) == []
    with database.read() as session:
        assert session.scalar(text("SELECT count(*) FROM judgment")) == 1


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_database_of_another_version_is_named_so(database):
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(RuntimeError, match="made by another version of Touchstone"):
        upgrade_schema(database)


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_database_with_the_tables_of_an_earlier_state_is_refused_in_one_sentence(database):
    refuse_other_tables(database)
    with database.write() as session:
        session.execute(text("ALTER TABLE document DROP COLUMN source"))

    with pytest.raises(RuntimeError, match=r"lacks document\.source: export its questions, .* new database$"):
        refuse_other_tables(database)


@pytest.mark.thorough
def test_an_empty_file_becomes_a_database(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'new' / 'touchstone.sqlite3'}")
    assert not is_current(database)

    upgrade_schema(database)

    assert is_current(database)
    database.dispose()


@pytest.mark.thorough
def test_the_commands_go_down_one_step_and_up_again(run_command):
    down = run_command("db", "downgrade")
    bottom = run_command("db", "downgrade", "base")
    apart = run_command("db", "check")
    up = run_command("db", "upgrade")
    agreed = run_command("db", "check")

    assert (down.exit_code, down.output) == (0, f"The database is at {revisions()[1]}.\n")
    assert (bottom.exit_code, bottom.output) == (0, "The database is at base.\n")
    assert apart.exit_code == 1
    assert apart.output.splitlines()[1:] == ["  it has no tables yet: run `flask --app app db upgrade` first"]
    assert (up.exit_code, up.output) == (0, f"The database is at {revisions()[0]}.\n")
    assert (agreed.exit_code, agreed.output) == (0, "The database and the code agree.\n")


def test_the_command_refuses_to_drop_ratings_in_one_line(run_command, making):
    with making() as make:
        project = make.project()
        make.judgment(make.candidate(make.query(project)), make.member(project, "annotator"), 2)

    refused = run_command("db", "downgrade", "base")

    assert refused.exit_code == 1
    assert refused.output.startswith("Error: This downgrade would drop 1 judgment: ")


@pytest.mark.thorough
def test_what_an_earlier_version_has_no_place_for_is_lost_only_where_that_is_asked_for(run_command, making):
    with making() as make:
        person = make.person()
        person.disabled_at = person.created_at
        make.session.add(AuditEntry(kind="signed_in", person_id=person.id, network="", details={}))
        make.session.add(AuditEntry(kind="signed_in", person_id=person.id, network="", details={}))

    refused = run_command("db", "downgrade")
    kept = run_command("db", "check")
    done = run_command("db", "downgrade", "--yes")

    assert refused.exit_code == 1
    assert refused.output == (
        "Error: This downgrade would lose 2 entries of the audit trail; 1 disabled account, enabled again: "
        "make a backup, then add --yes to lose them.\n"
    )
    assert kept.exit_code == 0
    assert (done.exit_code, done.output) == (0, f"The database is at {revisions()[1]}.\n")


@contextmanager
def served(database):
    """Be a server of the database."""
    if database.is_sqlite:
        lock = take_file(path_of(database.url))
        yield
        os.close(lock)
        return
    server = Database(database.url, serves=True)
    with server.read() as session:
        session.execute(text("SELECT 1"))
    yield
    server.dispose()
    # PostgreSQL frees the lock of a connection that has gone a little later.
    until, is_free = time.monotonic() + 20, False
    while not is_free:
        assert time.monotonic() < until
        with database.unserved() as is_free:
            pass


@pytest.mark.thorough
def test_no_schema_is_changed_while_a_server_runs(app, settings, run_command, database):
    with moved(app, settings.instance_path, database.url):
        refuse_while_served(run_command, database)


def refuse_while_served(run_command, database):
    with served(database):
        unneeded = run_command("db", "upgrade")
    run_command("db", "downgrade")

    with served(database):
        down, up = run_command("db", "downgrade", "base"), run_command("db", "upgrade")
    after = run_command("db", "upgrade")

    assert unneeded.exit_code == 0
    for refused in (down, up):
        assert refused.exit_code == 1
        assert re.search(
            r" is served (by another process: stop that|just now: stop all servers) ", refused.output
        )
    assert (after.exit_code, after.output) == (0, f"The database is at {revisions()[0]}.\n")


@pytest.mark.thorough
@pytest.mark.parametrize("database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_servers_that_start_together_take_turns_to_upgrade(database):
    downgrade_schema(database, "base")
    servers = [Database(database.url) for _ in range(2)]
    with ThreadPoolExecutor() as threads:
        list(threads.map(bring_up_to_date, servers))

    assert check_schema(database) == []
    for server in servers:
        with server.read() as session:
            assert session.scalar(text("SELECT count(*) FROM project WHERE is_demo")) == 1
        server.dispose()


@pytest.mark.thorough
def test_a_revision_that_is_not_there_is_one_line(run_command):
    run_command("db", "downgrade", "base")
    known = ", ".join(["base", *reversed(revisions())])

    for words, message in (
        (["downgrade"], "There is no revision '-1' to go back to"),
        (["downgrade", "head"], "There is no revision 'head' to go back to"),
        (["downgrade", "nowhere"], "There is no revision 'nowhere' to go back to"),
        (["upgrade", ""], "There is no revision '' to go up to"),
        (["upgrade", "nowhere"], "There is no revision 'nowhere' to go up to"),
        (["upgrade", "0001:head"], "There is no revision '0001:head' to go up to"),
    ):
        refused = run_command("db", *words)

        assert refused.exit_code == 1
        assert refused.output == (
            f"Error: {message}: the database has no tables, and the revisions are {known} (head).\n"
        )


def test_a_database_of_another_version_is_left_alone_in_one_line(run_command, making):
    with making() as make:
        make.session.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    for words in (["downgrade"], ["downgrade", "base"], ["upgrade"]):
        refused = run_command("db", *words)

        assert refused.exit_code == 1
        assert refused.output == (
            "Error: The database was made by another version of Touchstone (revision 9999).\n"
        )


def test_what_changes_nothing_is_not_said_to_have_changed_something(run_command):
    assert run_command("db", "upgrade", "base").output == f"The database is at {revisions()[0]}.\n"


ASKING = """
from alembic import context

revision, down_revision, branch_labels, depends_on = "9001", "HEAD", None, None


def upgrade():
    context.config.attributes["rebuild"] = True
"""


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_what_counts_now_is_worked_out_again_where_a_migration_asks_for_it(database, tmp_path, monkeypatch):
    with database.write() as session:
        make = Make(session)
        project = make.project()
        make.judgment(make.candidate(make.query(project)), make.member(project, "annotator"), 2)
        session.execute(text("DELETE FROM current_judgment"))
    bring_up(database)
    with database.read() as session:
        assert session.scalar(text("SELECT count(*) FROM current_judgment")) == 0

    (tmp_path / "9001_asking.py").write_text(ASKING.replace("HEAD", revisions()[0]))
    config_of = migrating._config

    def config(database):
        found = config_of(database)
        found.set_main_option("path_separator", "newline")
        found.set_main_option("version_locations", f"{ROOT / 'migrations' / 'versions'}\n{tmp_path}")
        return found

    monkeypatch.setattr(migrating, "_config", config)
    bring_up(database)

    with database.read() as session:
        assert session.scalar(text("SELECT grade FROM current_judgment")) == 2
