"""Sessions: readers keep one snapshot and cannot write; those who write together share a commit, each for themselves."""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
import stat
import threading
import time
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, OperationalError

from app.database import (
    Database,
    DatabaseLostError,
    LogMissingError,
    is_unavailable,
    refuse_missing_log,
    take_file,
)

pytestmark = pytest.mark.everyday

PEOPLE = 12
ROWS = text("SELECT count(*) FROM purge")
ADD = text("INSERT INTO purge (project_id) VALUES (:id)")


@pytest.fixture
def notes(tmp_path):
    """Give a database with one small table, and what counts its commits."""
    database = Database(f"sqlite:///{tmp_path / 'notes.sqlite3'}")
    with database.write() as session:
        session.execute(text("CREATE TABLE note (number INTEGER PRIMARY KEY)"))
    yield database
    database.dispose()


def write(number):
    def work(session):
        session.connection().execute(text("INSERT INTO note VALUES (:number)"), {"number": number})
        return number

    return work


def stored(database):
    with database.read() as session:
        return list(session.scalars(text("SELECT number FROM note ORDER BY rowid")))


def at_once(database, *pieces):
    """Let each piece be asked for by a thread of its own while the writer's place is taken, in this order."""
    message = {}

    def ask(place, piece):
        try:
            message[place] = database.write_together(piece)
        except SystemExit:
            message[place] = "stopped"
        except Exception as error:
            message[place] = error

    threads = [threading.Thread(target=ask, args=pair) for pair in enumerate(pieces)]
    with database._turn:
        for waiting, thread in enumerate(threads, start=1):
            thread.start()
            while len(database._pieces) < waiting:
                time.sleep(0.001)
    for thread in threads:
        thread.join(timeout=30)
    return [message[place] for place in range(len(pieces))]


def commits_of(database, monkeypatch):
    """Count what is done between two commits."""
    done, counted = database._do, []
    monkeypatch.setattr(database, "_do", lambda pieces: (counted.append(len(pieces)), done(pieces))[1])
    return counted


def test_all_who_wait_share_one_commit_and_get_their_own_answer(notes, monkeypatch):
    commits = commits_of(notes, monkeypatch)

    assert at_once(notes, *map(write, range(PEOPLE))) == list(range(PEOPLE))

    assert stored(notes) == list(range(PEOPLE))
    assert commits == [PEOPLE]


def test_one_that_fails_fails_alone(notes):
    message = at_once(notes, write(1), write(2), write(2), lambda _session: 1 / 0, write(3))

    assert [message[0], message[1], message[4]] == [1, 2, 3]
    assert type(message[2]).__name__ == "IntegrityError"
    assert isinstance(message[3], ZeroDivisionError)
    assert stored(notes) == [1, 2, 3]


def test_no_commit_holds_more_than_its_share(notes, monkeypatch):
    monkeypatch.setattr("app.database.MOST_TOGETHER", 5)
    commits = commits_of(notes, monkeypatch)

    assert at_once(notes, *map(write, range(PEOPLE))) == list(range(PEOPLE))

    assert commits == [5, 5, 2]


def test_a_commit_that_fails_is_acknowledged_to_nobody(notes, monkeypatch):
    def busy(_pieces):
        raise OperationalError("COMMIT", {}, Exception("disk full"))

    monkeypatch.setattr(notes, "_do", busy)

    message = at_once(notes, write(1), write(2))

    assert [type(one).__name__ for one in message] == ["OperationalError"] * 2
    assert stored(notes) == []


def test_a_thread_that_is_stopped_leaves_the_others_work_to_the_next(notes):
    def stop(_session):
        if not stopped:
            stopped.append(True)
            raise SystemExit
        return "late"

    stopped: list[bool] = []
    message = at_once(notes, write(1), stop, write(2))

    # Whoever had the writer's place was stopped, and its own piece with it; nobody else noticed.
    assert message == ["stopped", "late", 2]
    assert stored(notes) == [2]
    assert notes.write_together(write(3)) == 3


def behind_one_at_work(database, *pieces):
    """Let each piece wait, in this order, while another is at work; return what became of them."""
    begun, may_end, message = threading.Event(), threading.Event(), {}

    def hold_up(_session):
        begun.set()
        may_end.wait(timeout=30)

    def ask(place, work, last, about):
        message[place] = database.write_together(work, last, about=about)

    threads = [threading.Thread(target=database.write_together, args=[hold_up])]
    threads[0].start()
    begun.wait(timeout=30)
    for place, piece in enumerate(pieces):
        threads.append(threading.Thread(target=ask, args=(place, *piece)))
        threads[-1].start()
        while len(database._pieces) <= place:
            time.sleep(0.001)
    may_end.set()
    for thread in threads:
        thread.join(timeout=30)
    return [message[place] for place in range(len(pieces))]


def test_what_comes_last_is_done_once_for_all_of_a_commit_on_either_database(database):
    def add_all(session, numbers):
        session.execute(ADD, [{"id": number} for number in numbers])
        return [f"row {number} of {len(numbers)}" for number in numbers]

    pieces = [(lambda _session, number=number: number, add_all, [number]) for number in (1, 2, 3)]

    assert behind_one_at_work(database, *pieces) == ["row 1 of 3", "row 2 of 3", "row 3 of 3"]

    assert rows_of(database) == 3


def test_two_about_the_same_share_no_commit_and_keep_their_order(database):
    def note(session, items):
        together.append(items)
        return items

    together: list[list[str]] = []
    given = [
        ("ada 1", {"ada"}),
        ("bo 1", {"bo"}),
        ("ada 2", {"ada", "cy"}),
        ("cy 1", {"cy"}),
        ("di 1", {"di"}),
    ]
    pieces = [(lambda _session, name=name: name, note, about) for name, about in given]

    assert behind_one_at_work(database, *pieces) == [name for name, _ in given]

    # What comes after one that waits, and is about the same, waits too.
    assert together == [["ada 1", "bo 1", "di 1"], ["ada 2"], ["cy 1"]]


def rows_of(database):
    with database.read() as session:
        return session.scalar(ROWS)


def test_a_reader_cannot_write(database):
    with pytest.raises(DBAPIError), database.read() as session:
        session.execute(ADD, {"id": 1})

    assert rows_of(database) == 0


def test_a_reader_stays_on_its_snapshot(database):
    with database.read() as reader:
        assert reader.scalar(ROWS) == 0
        with database.write() as writer:
            writer.execute(ADD, {"id": 1})

        assert reader.scalar(ROWS) == 0
    assert rows_of(database) == 1


def test_what_is_raised_is_rolled_back(database):
    with pytest.raises(ZeroDivisionError), database.write() as session:
        session.execute(ADD, {"id": 1})
        1 / 0  # noqa: B018

    assert rows_of(database) == 0


def test_a_connection_that_wrote_refuses_when_it_reads(database):
    for number in range(3):
        with database.write() as session:
            session.execute(ADD, {"id": number})
        with pytest.raises(DBAPIError), database.read() as session:
            session.execute(ADD, {"id": 100 + number})

    assert rows_of(database) == 3


def test_sqlite_is_set_as_the_ledger_needs_it(as_served, notes):
    with notes.read() as session:
        found = {
            name: session.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys", "recursive_triggers", "query_only")
        }

    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "recursive_triggers": 1,
        "query_only": 1,
    }


@pytest.mark.parametrize("database_kind", ["sqlite", "postgresql"])
def test_a_lock_is_held_against_every_process_and_for_one_thing_only(database):
    # It knows nothing of the first one, like that of another process.
    other = Database(database.url)
    order = []

    def wait():
        with other.hold(1, 7):
            order.append("other")

    with database.hold(1, 7):
        thread = threading.Thread(target=wait)
        thread.start()
        with other.hold(2, 7):
            order.append("another thing")
        time.sleep(0.1)
        order.append("mine")
    thread.join(30)
    other.dispose()

    assert order == ["another thing", "mine", "other"]


@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_postgresql_tells_the_things_of_one_use_apart(database):
    other = Database(database.url)
    with database.hold(1, 7), other.hold(1, 8):
        pass
    other.dispose()


def test_processes_that_write_at_once_all_write(notes):
    others = [notes, *(Database(notes.url) for _ in range(3))]

    def add(database):
        for _ in range(20):
            with database.write() as session:
                (most,) = session.execute(text("SELECT coalesce(max(number), 0) FROM note")).one()
                write(most + 1)(session)

    threads = [threading.Thread(target=add, args=(one,)) for one in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for one in others[1:]:
        one.dispose()

    assert stored(notes) == list(range(1, 81))


def test_a_process_asks_sqlite_only_when_it_is_its_turn_or_has_waited_for_a_while(notes, monkeypatch):
    other = Database(notes.url)
    order = []

    def ask():
        with other.write() as session:
            order.append("other")
            write(2)(session)

    for seconds, expected in ((60, ["mine", "other"]), (0.01, ["other", "mine"])):
        monkeypatch.setattr("app.database.TURN_SECONDS", seconds)
        order.clear()
        thread = threading.Thread(target=ask)
        # The turn alone: SQLite would let the other one write.
        with notes._turn:
            thread.start()
            time.sleep(0.2)
            order.append("mine")
        thread.join(30)
        assert order == expected
        with notes.write() as session:
            session.execute(text("DELETE FROM note"))
    other.dispose()


def test_a_folder_that_cannot_be_locked_keeps_nobody_from_writing(notes, monkeypatch):
    opened = os.open

    def refuse(path, flags, *mode, **more):
        if Path(path).is_dir():
            raise PermissionError(path)
        return opened(path, flags, *mode, **more)

    monkeypatch.setattr(os, "open", refuse)
    assert notes.write_together(write(1)) == 1
    assert stored(notes) == [1]


def modes_in(folder):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def made_at(path):
    """Give a database with one table, open, so that SQLite's own files stand beside it."""
    database = Database(f"sqlite:///{path}")
    with database.write() as session:
        session.execute(text("CREATE TABLE note (number INTEGER PRIMARY KEY)"))
    return database


def test_a_new_database_is_for_its_owner_alone(tmp_path):
    folder, link = tmp_path / "new", tmp_path / "link.sqlite3"
    link.symlink_to("new/there.sqlite3")

    databases = [made_at(folder / "here.sqlite3"), made_at(link)]

    assert modes_in(folder) == {
        f"{name}.sqlite3{ending}": 0o600 for name in ("here", "there") for ending in ("", "-wal", "-shm")
    }
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for database in databases:
        database.dispose()


def test_a_folder_and_a_database_that_exist_keep_their_modes(tmp_path):
    path = tmp_path / "here.sqlite3"
    made_at(path).dispose()
    path.chmod(0o640)
    tmp_path.chmod(0o755)

    database = Database(f"sqlite:///{path}")
    with database.write() as session:
        session.execute(text("INSERT INTO note VALUES (1)"))

    assert modes_in(tmp_path) == {f"here.sqlite3{ending}": 0o640 for ending in ("", "-wal", "-shm")}
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    database.dispose()


def test_a_first_write_session_that_does_nothing_is_no_loss(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'new.sqlite3'}")

    with database.write():
        pass

    database.dispose()


@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_a_removed_log_is_noticed_kept_and_nothing_is_written_after(notes, caplog, ending):
    path = notes.engine.url.database
    notes.write_together(write(1))
    Path(path + ending).unlink()

    for _ in range(2):
        with pytest.raises(DatabaseLostError):
            notes.write_together(write(2))

    (message,) = [one.getMessage() for one in caplog.records if one.levelname == "CRITICAL"]
    assert path in message
    assert "What was saved before is kept." in message
    notes.dispose()
    with closing(sqlite3.connect(path)) as again:
        assert again.execute("SELECT number FROM note").fetchall() == [(1,)]


def test_a_log_that_is_removed_while_something_is_saved_is_acknowledged_to_nobody(notes):
    notes.write_together(write(1))

    with pytest.raises(DatabaseLostError), notes.write() as session:
        session.execute(text("INSERT INTO note VALUES (2)"))
        Path(f"{notes.engine.url.database}-wal").unlink()


def test_a_database_that_was_put_in_the_place_of_a_served_one_is_left_alone(notes, caplog, tmp_path):
    path = Path(notes.engine.url.database)
    notes.write_together(write(1))
    with closing(sqlite3.connect(tmp_path / "other")) as other:
        other.execute("CREATE TABLE note (number INTEGER)")
    put = (tmp_path / "other").replace(path).read_bytes()

    with pytest.raises(DatabaseLostError):
        notes.write_together(write(2))

    assert "Ratings of the last minutes may be lost." in caplog.text
    assert path.read_bytes() == put


@pytest.fixture
def crashed(notes, tmp_path):
    """Give what returns the file of a database whose server was killed when it had saved something."""

    def crash():
        notes.write_together(write(1))
        path = Path(notes.engine.url.database)
        (tmp_path / "crashed").mkdir()
        for file in path.parent.glob(f"{path.name}*"):
            shutil.copyfile(file, tmp_path / "crashed" / file.name)
        return tmp_path / "crashed" / path.name

    return crash


def test_a_log_that_was_removed_after_a_crash_is_missed_until_its_index_is_removed_too(crashed):
    path = crashed()
    Path(f"{path}-wal").unlink()

    for _ in range(2):
        with pytest.raises(
            LogMissingError, match=rf"^The file {path}-wal was removed, .* remove {path}-shm\.$"
        ):
            refuse_missing_log(path)

    Path(f"{path}-shm").unlink()
    refuse_missing_log(path)


def test_no_log_is_missed_after_a_crash_alone_or_a_command_after_it(crashed):
    path = crashed()
    refuse_missing_log(path)

    with closing(sqlite3.connect(path)) as command:
        assert command.execute("SELECT number FROM note").fetchall() == [(1,)]

    refuse_missing_log(path)


def test_no_log_is_missed_that_was_copied_into_the_file_before(crashed, tmp_path):
    path = crashed()
    with closing(sqlite3.connect(path)) as command:
        command.execute("PRAGMA wal_checkpoint(FULL)")
        for ending in ("", "-shm"):
            shutil.copyfile(f"{path}{ending}", tmp_path / f"copied{ending}")

    refuse_missing_log(tmp_path / "copied")


@pytest.fixture
def killed(tmp_path):
    """Return the file of a database whose server was killed when most of what it had saved was in the log."""
    served, path = tmp_path / "served.sqlite3", tmp_path / "killed" / "served.sqlite3"
    os.close(take_file(served, "process 7"))
    database = Database(f"sqlite:///{served}")
    with database.write() as session:
        session.execute(text("CREATE TABLE note (number INTEGER PRIMARY KEY)"))
    for number in range(3):
        database.write_together(write(number))
        if number == 1:
            with closing(sqlite3.connect(served)) as command:
                command.execute("PRAGMA wal_checkpoint(FULL)")
    path.parent.mkdir()
    for file in tmp_path.glob("served.sqlite3*"):
        shutil.copyfile(file, path.parent / file.name)
    database.dispose()
    return path


class Halves(io.BytesIO):
    """A file that is another one after it was read."""

    def __init__(self, first, then):
        super().__init__(first)
        self._then = then

    def seek(self, place):
        super().__init__(self._then)
        return super().seek(place)


def log_of(path):
    return [Path(f"{path}{ending}") for ending in ("-wal", "-shm")]


def test_a_log_that_was_removed_after_a_crash_together_with_its_index_is_missed(killed):
    for file in log_of(killed):
        file.unlink()

    for _ in range(2):
        with pytest.raises(
            LogMissingError, match=rf"^What was saved last is not in {killed}: .* remove {killed}\.lock\.$"
        ):
            refuse_missing_log(killed)
        # A server asks when it has the lock.
        os.close(take_file(killed))

    Path(f"{killed}.lock").unlink()
    refuse_missing_log(killed)


DAMAGES = {
    "at its beginning": lambda log: b"garbage." * 4 + log[32:],
    "in the middle": lambda log: log[: len(log) // 2] + b"garbage!" + log[len(log) // 2 + 8 :],
    "without its end": lambda log: log[:-100],
    "zeros": lambda log: bytes(len(log)),
    "other bytes": lambda log: bytes(range(256)) * (len(log) // 256),
    "nothing": lambda log: b"",
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("has_second_names", [True, False])
def test_a_log_that_was_damaged_after_a_crash_is_missed_and_left_as_it_is(
    killed, damage, has_second_names, monkeypatch
):
    log, index = log_of(killed)
    log.write_bytes(DAMAGES[damage](in_use(log.read_bytes())))
    if not has_second_names:
        monkeypatch.setattr(Path, "hardlink_to", Mock(side_effect=OSError))
    if not has_second_names:
        index.unlink()  # SQLite writes it anew
    before = contents_of(killed.parent)

    for _ in range(2):
        with pytest.raises(
            LogMissingError,
            match=rf"^What was saved last is not in {killed}: {log} is damaged, .* copy\. Put",
        ):
            refuse_missing_log(killed)
        if not has_second_names:
            index.unlink()

        assert contents_of(killed.parent) == before


def in_use(log):
    """Return a log up to its last page: what comes then is from before it was begun anew."""
    ends = range(32, len(log), 24 + 4096)
    return log[: max(end + 24 + 4096 for end in ends if log[end + 8 : end + 16] == log[16:24])]


def contents_of(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_no_log_is_missed_that_a_server_begins_anew_while_it_is_looked_at(killed, monkeypatch):
    log, _ = log_of(killed)
    whole, reads = log.read_bytes(), []

    really = Path.open

    def begun_anew(file, mode="r", **options):
        if file == log:
            reads.append(file)
        # The first time its head is another one at the end.
        is_first = reads == [file]
        return Halves(b"another." * 4, whole) if is_first else really(file, mode, **options)

    monkeypatch.setattr(Path, "open", begun_anew)

    refuse_missing_log(killed)

    assert reads == [log, log]


def test_no_log_is_missed_that_sqlite_has_removed_itself_after_a_crash(killed):
    with closing(sqlite3.connect(killed)) as command:
        assert command.execute("SELECT count(*) FROM note").fetchone() == (3,)
    assert not any(file.exists() for file in log_of(killed))

    refuse_missing_log(killed)


def test_no_log_is_missed_after_a_crash_and_what_others_have_saved_since(killed):
    with closing(sqlite3.connect(killed)) as other:
        other.execute("INSERT INTO note VALUES (8)")
        other.commit()
    command = Database(f"sqlite:///{killed}")
    command.write_together(write(9))
    command.dispose()

    refuse_missing_log(killed)


def test_a_copy_from_before_may_take_the_place_of_a_database_that_was_closed(killed):
    older = shutil.copyfile(killed, killed.with_name("older"))
    database = Database(f"sqlite:///{killed}")
    database.write_together(write(9))
    database.dispose()
    older.replace(killed)

    refuse_missing_log(killed)


def test_a_new_database_may_take_the_place_of_one_that_was_removed(killed):
    for file in (killed, *log_of(killed)):
        file.unlink()
    refuse_missing_log(killed)
    Database(f"sqlite:///{killed}").open_reader().close()

    refuse_missing_log(killed)


def test_what_was_not_saved_is_not_missed(killed):
    database = Database(f"sqlite:///{killed}")
    with pytest.raises(RuntimeError, match="no"), database.write() as session:
        session.execute(text("INSERT INTO note VALUES (9)"))
        raise RuntimeError("no")
    with database.write() as session:
        session.execute(text("SELECT 1"))

    refuse_missing_log(killed)
    database.dispose()


def test_the_count_of_what_was_saved_begins_again_after_its_last_number(killed):
    with closing(sqlite3.connect(killed, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA user_version = {2**31 - 1}")
    database = Database(f"sqlite:///{killed}")
    database.write_together(write(9))

    assert Path(f"{killed}.lock").read_bytes().startswith(b"0 ")
    refuse_missing_log(killed)
    database.dispose()


@pytest.mark.parametrize("index", [b"", b"\0" * 32768, bytes(range(256)) * 128])
def test_an_index_that_a_crash_of_the_machine_left_half_written_misses_no_log(tmp_path, index):
    (tmp_path / "site.sqlite3-shm").write_bytes(index)

    refuse_missing_log(tmp_path / "site.sqlite3")


@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_what_postgresql_has_planned_for_a_statement_outlives_the_snapshot_that_asked_it(database):
    for _ in range(10):
        with database.read() as session:
            session.execute(text("SELECT 40 + 2"))
    with database.read() as session:
        kept = session.scalars(text("SELECT statement FROM pg_prepared_statements")).all()
    assert "SELECT 40 + 2" in kept


@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_a_connection_that_postgresql_has_ended_is_replaced_before_it_is_used(database):
    with database.read() as one, database.read() as other:
        ended = [session.scalar(text("SELECT pg_backend_pid()")) for session in (one, other)]
    administrator = Database(database.url)
    with administrator.read() as session:
        for number in ended:
            assert session.scalar(text("SELECT pg_terminate_backend(:number, 10000)"), {"number": number})
    administrator.dispose()
    with database.read() as one, database.write() as other:
        assert one.scalar(text("SELECT pg_backend_pid()")) not in ended
        assert other.scalar(text("SELECT pg_backend_pid()")) not in ended


@pytest.mark.parametrize("database_kind", ["postgresql"])
@pytest.mark.parametrize("asks_again", [False, True])
def test_a_snapshot_whose_connection_postgresql_ends_is_closed_all_the_same(database, asks_again):
    with database.read() as reader:
        ended = reader.scalar(text("SELECT pg_backend_pid()"))
        administrator = Database(database.url)
        with administrator.read() as session:
            assert session.scalar(text("SELECT pg_terminate_backend(:number, 10000)"), {"number": ended})
        administrator.dispose()
        if asks_again:
            with pytest.raises(OperationalError):
                reader.scalar(text("SELECT 1"))


@pytest.mark.parametrize("database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_several_serve_postgresql_and_say_so_again_after_their_connections_were_ended(database):
    servers = [Database(database.url, serves=True) for _ in range(2)]

    def is_unserved():
        with database.unserved() as answer:
            return answer

    assert is_unserved()
    for server in servers:
        with server.read() as session:
            ended = session.scalar(text("SELECT pg_backend_pid()"))
        with database.read() as session:
            session.execute(text("SELECT pg_terminate_backend(:ended, 5000)"), {"ended": ended})
        assert is_unserved()
    for server in servers:
        with server.read() as session:
            session.execute(text("SELECT 1"))

    servers[0].dispose()
    assert not is_unserved()
    servers[1].dispose()
    # PostgreSQL frees what a connection held a moment after it was closed.
    deadline = time.monotonic() + 5
    while not is_unserved():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("database_kind", [pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_nobody_begins_to_serve_postgresql_while_its_tables_change(database):
    server = Database(database.url, serves=True)
    with (
        database.unserved(),
        pytest.raises(OperationalError, match="changes its tables") as refused,
        server.read() as session,
    ):
        session.execute(text("SELECT 1"))
    assert is_unavailable(refused.value)

    with server.read() as session:
        assert session.scalar(text("SELECT 1")) == 1
    server.dispose()
