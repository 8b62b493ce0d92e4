"""Migrations: up, down and up again on both databases, checked against the models, ratings never dropped."""

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import click
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from app import migrating
from app.cli.database import bring_up
from app.cli.serve import bring_up_to_date
from app.database import Database, path_of, take_file
from app.jobs.backups import problems_of
from app.migrating import downgrade_schema, upgrade_schema
from app.models import AuditEntry, Base
from app.schema import COPY, check_schema, is_current, newest_revision, refuse_other_tables
from config import ROOT
from migrations import audit_triggers
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


def differences_for_alembic(database):
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return compare_metadata(context, Base.metadata)


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
        assert differences_for_alembic(database) == []
        assert is_current(database)
        assert tables_of(database) == before
    # Autogenerate does not see triggers.
    present, wanted = triggers_of(database)
    assert wanted <= present


@pytest.mark.thorough
def test_missing_triggers_are_found(database):
    kind = "sqlite" if database.is_sqlite else "postgresql"
    tables = {**dict.fromkeys(LEDGER_TABLES, TRIGGERS[kind]), "audit_entry": audit_triggers.TRIGGERS[kind]}
    lost = []
    for table, trigger in [(table, f"{table}_{name}") for table, names in tables.items() for name in names]:
        with database.write() as session:
            session.execute(text(f"DROP TRIGGER {trigger}" + ("" if database.is_sqlite else f" ON {table}")))
        lost.append(f"the trigger {trigger} is missing")

        assert check_schema(database) == [*lost, COPY]
        (problem, *_) = problems_of(database)
        assert problem.startswith(lost[0])
        assert problem.endswith(f"; {COPY}")
        with pytest.raises(click.ClickException, match=f"^The database cannot be used: {lost[0]}"):
            bring_up_to_date(database)


def test_each_command_says_which_triggers_are_missing_and_what_to_do(run_command, making):
    with making() as make:
        make.session.execute(text("DROP TRIGGER judgment_refuse_delete"))
        make.session.execute(text("DROP TRIGGER event_refuse_update"))
    lost = ["the trigger judgment_refuse_delete is missing", "the trigger event_refuse_update is missing"]
    sentence = f"{', '.join(lost)}; {COPY}"

    for words, message in (
        (["upgrade"], f"Error: T{sentence[1:]}.\n"),
        (["verify"], f"Error: The database is not whole: {sentence}.\n"),
        (["check"], "\n  ".join(["Error: The database differs from the code:", *lost, COPY]) + "\n"),
    ):
        refused = run_command("db", *words)

        assert (refused.exit_code, refused.output) == (1, message)


@pytest.mark.thorough
@pytest.mark.parametrize("database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)])
@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE judgment DISABLE TRIGGER judgment_refuse_change",
        (
            "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;"
            "DROP TRIGGER judgment_refuse_change ON judgment;"
            "CREATE TRIGGER judgment_refuse_change BEFORE UPDATE ON judgment FOR EACH ROW EXECUTE FUNCTION nothing()"
        ),
    ],
)
def test_a_trigger_that_is_switched_off_or_runs_something_else_is_missing(database, change):
    with database.write() as session:
        session.execute(text(change))

    assert check_schema(database) == ["the trigger judgment_refuse_change is missing", COPY]


@pytest.mark.thorough
def test_a_column_or_check_that_differs_is_found(database, monkeypatch):
    with database.write() as session:
        session.execute(text("ALTER TABLE project ADD COLUMN colour VARCHAR(10)"))

    problem = "the column project.colour is unknown"
    assert check_schema(database) == [problem, COPY]
    (check,) = [
        each for each in Base.metadata.tables["ruler"].constraints if each.name == "ck_ruler_gain_is_known"
    ]
    monkeypatch.setattr(check, "sqltext", text("gain IN ('linear', 'exponential', 'raw', 'square')"))

    found = check_schema(database)
    assert problem in found
    assert found[1:] == [
        (
            "the CHECK ck_ruler_gain_is_known is 'linear' 'exponential' 'raw' in place of "
            "'linear' 'exponential' 'raw' 'square'"
        ),
        COPY,
    ]


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

    with pytest.raises(RuntimeError, match=r"^the column document\.source is missing; .* new database$"):
        refuse_other_tables(database)


@pytest.mark.parametrize(
    "change", ["DROP TABLE alembic_version", "DELETE FROM alembic_version"], ids=["missing", "empty"]
)
def test_tables_without_a_version_are_refused_in_one_sentence(run_command, making, database_kind, change):
    with making() as make:
        make.session.execute(text(change))
    sentence = (
        "the database has a table adjudication_request, but its table alembic_version is missing or empty: restore a backup "
        "with `flask --app app db restore FILE`, or set DATABASE_URL to an empty database"
    )

    for words, message in (
        (["upgrade"], f"Error: T{sentence[1:]}.\n"),
        (["verify"], f"Error: The database is not whole: {sentence}.\n"),
        (["check"], f"Error: The database differs from the code:\n  {sentence}\n"),
    ):
        refused = run_command("db", *words)

        assert (refused.exit_code, refused.output) == (1, message)


@pytest.mark.thorough
def test_a_table_and_an_index_of_somebody_else_stop_no_start(database):
    with database.write() as session:
        session.execute(text("CREATE TABLE note_of_ours (id INTEGER PRIMARY KEY)"))
        session.execute(text("CREATE INDEX ix_ours ON document (title)"))
        make = Make(session)
        make.person()

    bring_up_to_date(database)

    assert check_schema(database) == ["the index ix_ours is unknown", "the table note_of_ours is unknown"]


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
