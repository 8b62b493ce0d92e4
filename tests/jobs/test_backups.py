"""Backups: whole or not there at all, made while people rate, and restored with everything that was saved."""

import multiprocessing
import os
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import make_url, select, text

from app.database import Database, refuse_missing_log, take_file
from app.jobs import backups
from app.jobs.backups import (
    back_up,
    back_up_if_due,
    backup_age,
    backup_notice,
    backup_trouble,
    backups_in,
    check_file,
    restore,
)
from app.models import Invitation, Judgment, Person, Role
from app.services.accounts.invitations import invite
from app.services.current_judgments import rebuild_current_judgments
from app.services.errors import ConflictError, InvalidError, NotFoundError
from tests.furniture.databases import built_in
from tests.furniture.every_table import fill_every_table, what_it_says
from tests.furniture.postgresql import programs_for
from tests.furniture.site import plain_settings


@pytest.fixture
def filled(stored):
    built_in(stored, fill)
    return stored


def fill(database):
    with database.write() as session:
        fill_every_table(session)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "backups" / "one.sqlite3"


def grades_of(url):
    database = Database(url)
    with database.read() as session:
        grades = list(session.scalars(select(Judgment.grade).order_by(Judgment.revision)))
    database.dispose()
    return grades


def signed_out(message):
    """Return what a database says after a restore: the same, but nobody is signed in."""
    return {**message, "rows": {**message["rows"], "open_session": 0}}


def rate_once_more(database):
    with database.write() as session:
        last = session.scalars(select(Judgment).order_by(Judgment.revision.desc())).first()
        session.execute(
            text(
                "INSERT INTO event (project_id, revision, kind, payload, at) "
                "VALUES (:project, :revision, 'guidelines_changed', '{}', '2026-01-01')"
            ),
            {"project": last.project_id, "revision": last.revision + 1},
        )
        session.execute(text("UPDATE ledger_head SET revision = revision + 1"))


def test_a_backup_holds_everything_and_is_one_file_that_others_cannot_read(filled, file):
    held = back_up(filled, file)

    assert held.sentence.startswith("1 project, 9 ratings and ")
    assert [path.name for path in file.parent.iterdir()] == ["one.sqlite3"]
    assert file.stat().st_mode & 0o777 == 0o600
    assert check_file(file) == held
    copy = Database(f"sqlite:///{file}")
    assert what_it_says(copy) == what_it_says(filled)
    copy.dispose()


@pytest.mark.thorough
def test_a_file_that_is_there_is_replaced_only_on_demand_and_the_database_never(filled, file, settings):
    back_up(filled, file)

    with pytest.raises(ConflictError, match="already a file"):
        back_up(filled, file)
    with pytest.raises(ConflictError, match="already a file"):
        back_up(filled, settings.instance_path / "touchstone.sqlite3", replace=True)
    back_up(filled, file, replace=True)
    os.mkfifo(file.with_name("pipe"))
    with pytest.raises(ConflictError, match="no plain file"):
        back_up(filled, file.with_name("pipe"), replace=True)

    assert check_file(file).judgments == 9


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("DELETE FROM current_judgment WHERE grade = 3", "2 current ratings of kept are not what the ledger"),
        ("UPDATE ledger_head SET revision = revision + 1", "the ledger of kept holds"),
        ("DROP TRIGGER event_refuse_update", r"the trigger event_refuse_update is missing; copy it"),
        ("UPDATE gold SET person_id = 4000", "1 row of gold name rows of person that are missing"),
    ],
)
def test_what_is_not_whole_is_not_kept_as_a_backup(filled, file, settings, damage, message):
    with closing(sqlite3.connect(settings.instance_path / "touchstone.sqlite3")) as connection:
        connection.execute(damage)
        connection.commit()

    with pytest.raises(ConflictError, match=message):
        back_up(filled, file)

    assert list(file.parent.iterdir()) == []


@pytest.mark.thorough
def test_a_flipped_page_is_found_before_a_backup_is_restored(filled, file, settings):
    back_up(filled, file)
    content = bytearray(file.read_bytes())
    content[4096 * 3 : 4096 * 5] = b"\xff" * 8192
    file.write_bytes(content)

    with pytest.raises(ConflictError, match="is not whole"):
        restore(settings, file, force=True)

    assert what_it_says(filled)["rows"]["judgment"] == 9


@pytest.mark.thorough
def test_a_restored_database_has_every_row_and_keeps_the_other_one_aside(filled, file, settings):
    before = what_it_says(filled)
    back_up(filled, file)
    rate_once_more(filled)
    after = what_it_says(filled)
    filled.dispose()

    with pytest.raises(ConflictError, match="add --force"):
        restore(settings, file)
    restored = restore(settings, file, force=True)

    assert what_it_says(filled) == signed_out(before)
    assert restored.aside is not None
    aside = Database(f"sqlite:///{restored.aside}")
    assert what_it_says(aside) == after
    aside.dispose()
    assert not [path for path in settings.instance_path.iterdir() if path.name.endswith(".part")]


@pytest.mark.thorough
def test_a_backup_is_restored_where_everything_was_destroyed(filled, file, settings, tmp_path):
    before = what_it_says(filled)
    back_up(filled, file)
    filled.dispose()
    shutil.rmtree(settings.instance_path / "uploads", ignore_errors=True)
    for path in settings.instance_path.glob("touchstone.sqlite3*"):
        path.unlink()

    assert restore(settings, file).aside is None

    assert what_it_says(filled) == signed_out(before)


@pytest.mark.thorough
def test_after_a_restore_no_cookie_and_no_unused_link_works_and_no_number_comes_back(filled, file, settings):
    with filled.write() as session:
        epochs = dict(session.execute(select(Person.id, Person.session_epoch)).all())
        invite(session, project_id=1, role=Role.OWNER)
    back_up(filled, file)
    restore_over = replace(settings)
    filled.dispose()

    restore(restore_over, file, force=True)

    with filled.write() as session:
        now = dict(session.execute(select(Person.id, Person.session_epoch)).all())
        assert all(now[number] > epoch + 100 for number, epoch in epochs.items())
        links = session.scalars(select(Invitation).where(Invitation.used_at.is_(None))).all()
        assert links
        assert all(link.revoked_at for link in links)
        newcomer = Person(name="New", email="new@example.org")
        session.add(newcomer)
        session.flush()
        assert newcomer.id > max(epochs) + 100


def test_no_log_is_missed_after_a_backup_was_restored_in_the_place_of_a_crashed_server(
    filled, file, settings
):
    path = settings.instance_path / "touchstone.sqlite3"
    os.close(take_file(path))
    back_up(filled, file)
    served = Database(filled.url)
    rate_once_more(served)

    restore(settings, file, force=True)

    refuse_missing_log(path)
    served.dispose()


@pytest.mark.thorough
def test_nothing_is_restored_while_a_server_runs(filled, file, settings):
    back_up(filled, file)
    lock = take_file(settings.instance_path / "touchstone.sqlite3")

    with pytest.raises(ConflictError, match=r"is served by .*stop that first"):
        restore(settings, file, force=True)

    os.close(lock)


def test_what_is_no_backup_is_refused_in_one_sentence(settings, tmp_path):
    for use in (partial(restore, settings), check_file):
        with pytest.raises(NotFoundError, match="cannot be read"):
            use(tmp_path / "none")
        assert not (tmp_path / "none").exists()
    (tmp_path / "text").write_text("no backup")
    with pytest.raises(InvalidError, match="is no backup"):
        restore(settings, tmp_path / "text")
    (tmp_path / "dump").write_bytes(b"PGDMP and more")
    for use in (partial(restore, settings), check_file):
        with pytest.raises(InvalidError, match="a backup of PostgreSQL"):
            use(tmp_path / "dump")
    with closing(sqlite3.connect(tmp_path / "other")) as other:
        other.execute("CREATE TABLE a (b)")
    with pytest.raises(ConflictError, match="no tables of Touchstone"):
        check_file(tmp_path / "other")
    with pytest.raises(ConflictError, match="none of its tables"):
        restore(settings, tmp_path / "other", force=True)


def die_after(step, folder, file, what):
    """Back up or restore in a process that is killed after a step."""
    do_it = getattr(backups, step)
    setattr(backups, step, lambda *words: (do_it(*words), os.kill(os.getpid(), signal.SIGKILL)))
    settings = plain_settings(folder, f"sqlite:///{folder / 'touchstone.sqlite3'}")
    if what == "restore":
        restore(settings, file, force=True)
    else:
        back_up(Database(settings.database_url), file)


def kill_at(step, settings, file, what):
    forked = multiprocessing.get_context("forkserver")
    forked.set_forkserver_preload([__name__])
    process = forked.Process(target=die_after, args=(step, settings.instance_path, file, what))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.thorough
@pytest.mark.parametrize("step", ["_write_sqlite", "sync"])
def test_a_backup_that_was_killed_is_not_there_and_the_next_one_clears_up(filled, file, settings, step):
    kill_at(step, settings, file, "backup")
    assert not file.exists()
    assert len(list(file.parent.iterdir())) == 1

    back_up(filled, file)

    assert [path.name for path in file.parent.iterdir()] == ["one.sqlite3"]


@pytest.mark.thorough
@pytest.mark.parametrize("step", ["_bring_up", "check_file", "_set_aside"])
def test_a_restore_that_was_killed_has_changed_nothing_and_is_done_again(filled, file, settings, step):
    back_up(filled, file)
    rate_once_more(filled)
    before = what_it_says(filled)
    filled.dispose()

    kill_at(step, settings, file, "restore")

    assert what_it_says(filled) == before
    filled.dispose()
    restore(settings, file, force=True)
    assert what_it_says(filled) != before


@pytest.mark.thorough
def test_the_commands_say_what_they_did_in_a_line_or_two(run_command, filled, tmp_path):
    file = tmp_path / "commands" / "one.sqlite3"

    made = run_command("db", "backup", file)
    again = run_command("db", "backup", file)
    verified = run_command("db", "verify", file)
    lost = run_command("db", "verify")
    kept = run_command("db", "restore", file)
    filled.dispose()
    restored = run_command("db", "restore", file, "--force")

    assert (made.exit_code, again.exit_code, kept.exit_code) == (0, 1, 1)
    assert made.output.startswith(f"{file} holds 1 project, 9 ratings and ")
    assert verified.output.startswith("All is well with 1 project, 9 ratings and ")
    assert lost.output.splitlines()[1] == "Import again, because their files are missing: x."
    assert kept.output.startswith("Error: There is a database at ")
    assert restored.output.splitlines()[0].endswith("Everybody signs in again.")
    assert "is kept as" in restored.output.splitlines()[2]
    with sqlite3.connect(file) as damaged:
        damaged.execute("DELETE FROM current_judgment")
    assert run_command("db", "verify", file).output.startswith(
        "Error: one.sqlite3 is not whole: 9 current ratings"
    )


# By schedule.


@pytest.fixture
def scheduled(settings, tmp_path):
    return replace(settings, backup_path=tmp_path / "scheduled", backups_kept=2, backup_every_hours=6)


def test_without_a_folder_nothing_is_backed_up(filled, settings):
    back_up_if_due(filled, settings)

    assert backup_age(settings) is None
    assert backup_trouble(settings) == ""


@pytest.mark.thorough
def test_a_backup_is_made_when_the_newest_is_old_enough_and_the_oldest_go(filled, scheduled, monkeypatch):
    back_up_if_due(filled, scheduled)
    (first,) = backups_in(scheduled.backup_path)
    assert backup_age(scheduled).total_seconds() < 60
    back_up_if_due(filled, scheduled)
    assert backups_in(scheduled.backup_path) == [first]

    for hours in (7, 14):
        monkeypatch.setattr("app.jobs.backups._stamp", lambda hours=hours: f"29990101T{hours:02}0000Z")
        for path in backups_in(scheduled.backup_path):
            before = time.time() - 7 * 3600
            os.utime(path, (before, before))
        back_up_if_due(filled, scheduled)

    assert [path.name for path in backups_in(scheduled.backup_path)] == [
        "touchstone-29990101T140000Z.sqlite3",
        "touchstone-29990101T070000Z.sqlite3",
    ]
    assert check_file(backups_in(scheduled.backup_path)[0]).judgments == 9


@pytest.mark.thorough
def test_a_failed_backup_is_logged_and_told_until_one_succeeds_and_removes_none(
    filled, scheduled, caplog, monkeypatch
):
    back_up_if_due(filled, scheduled)
    before = time.time() - 7 * 3600
    (first,) = backups_in(scheduled.backup_path)
    os.utime(first, (before, before))
    with filled.write() as session:
        session.execute(text("DELETE FROM current_judgment"))

    back_up_if_due(filled, scheduled)

    assert "the backup failed: The database is not whole: 9 current" in caplog.text
    assert "not what the ledger says" in backup_trouble(scheduled)
    assert backup_notice(scheduled) == f"The last backup failed: {backup_trouble(scheduled)}"
    assert backups_in(scheduled.backup_path) == [first]
    with filled.write() as session:
        rebuild_current_judgments(session)
    monkeypatch.setattr("app.jobs.backups._stamp", lambda: "29990101T000000Z")
    back_up_if_due(filled, scheduled)
    assert len(backups_in(scheduled.backup_path)) == 1
    os.utime(scheduled.instance_path / "backup-failed", (before, before))
    back_up_if_due(filled, scheduled)
    assert backup_trouble(scheduled) == ""
    assert backup_notice(scheduled) == ""
    assert len(backups_in(scheduled.backup_path)) == 2


@pytest.mark.thorough
def test_a_backup_that_is_late_is_told(filled, scheduled):
    back_up_if_due(filled, scheduled)
    before = time.time() - 13 * 3600
    os.utime(backups_in(scheduled.backup_path)[0], (before, before))

    assert backup_notice(scheduled) == "The newest backup is 13 hours old. See the server's log."


# PostgreSQL.


@pytest.mark.postgresql
def test_a_backup_of_postgresql_is_restored_into_an_empty_database(
    postgresql_url, postgresql_command, settings, tmp_path, monkeypatch
):
    database = Database(postgresql_url)
    monkeypatch.setenv("PATH", f"{programs_for(database)}:{os.environ['PATH']}")
    with database.write() as session:
        fill_every_table(session)
    before = what_it_says(database)
    file = tmp_path / "one.dump"
    held = back_up(database, file)
    assert file.read_bytes()[:5] == b"PGDMP"

    with pytest.raises(ConflictError, match="has tables already"):
        restore(replace(settings, database_url=postgresql_url), file)
    empty = make_url(postgresql_url).set(database="touchstone_restored")
    postgresql_command("CREATE DATABASE touchstone_restored")
    address = empty.render_as_string(hide_password=False)
    try:
        assert restore(replace(settings, database_url=address), file).held == held
        copy = Database(address)
        assert what_it_says(copy) == signed_out(before)
        copy.dispose()
    finally:
        postgresql_command("DROP DATABASE touchstone_restored WITH (FORCE)")
        database.dispose()


def test_without_its_program_a_backup_of_postgresql_is_refused_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConflictError, match=r"^pg_dump was not found: install PostgreSQL's programs"):
        backups._run("postgresql://nobody@localhost/none", "pg_dump")
