"""The start: it refuses in one sentence, or says one line and serves until it is stopped."""

import os
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import click
import pytest
from sqlalchemy import text

from app.cli import serve
from app.cli.session import open_database
from app.database import Database, path_of, take_folder
from app.schema import is_current
from config import Settings
from tests.furniture.every_table import fill_every_table

ROOT = Path(__file__).parents[2]


@pytest.fixture
def settings(tmp_path):
    def with_values(**values):
        given = {"instance_path": tmp_path, "database_url": f"sqlite:///{tmp_path}/new.sqlite3"}
        return Settings(**{**given, "secret_key": "x" * 32, "port": free_port(), **values})

    return with_values


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_an_old_sqlite_is_refused_where_it_is_the_database(settings):
    with pytest.raises(click.ClickException, match=r"^SQLite 3.34.1 is too old: .* DATABASE_URL"):
        serve.refuse_old_sqlite(settings(), (3, 34, 1))

    serve.refuse_old_sqlite(settings(), (3, 35, 0))
    serve.refuse_old_sqlite(settings(database_url="postgresql+psycopg://x/y"), (3, 34, 1))


def test_a_taken_port_is_said_with_another_one_to_try(settings):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(click.ClickException, match=rf"^Port {port} is taken: .*PORT={port + 1}"):
            serve.refuse_taken_address(settings(port=port))


def test_a_free_port_is_left_free(settings):
    free = settings()

    serve.refuse_taken_address(free)
    serve.refuse_taken_address(free)


def test_an_address_of_another_machine_is_refused(settings):
    with pytest.raises(click.ClickException, match=r"^HOST '192\.0\.2\.1' is not an address of this machine"):
        serve.refuse_taken_address(settings(host="192.0.2.1"))


@pytest.mark.thorough
def test_a_second_server_of_one_database_is_refused_with_the_first_ones_number_and_address(settings):
    first = settings()
    command = (
        "import sys; from app.cli.serve import take_database; from config import Settings; from pathlib import Path;"
        "take_database(Settings(instance_path=Path(sys.argv[1]), database_url=sys.argv[2], secret_key='x' * 32));"
        "print('taken', flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", command, str(first.instance_path), first.database_url]
    with subprocess.Popen(
        words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "taken\n"

        with pytest.raises(click.ClickException) as refused:
            serve.take_database(first)
        holder.kill()

    assert str(refused.value) == (
        f"The database {first.instance_path}/new.sqlite3 is served already, by process {holder.pid} at "
        "http://127.0.0.1:8000: open that, stop it, or set INSTANCE_PATH to another folder."
    )
    # However it ended.
    serve.take_database(first)


@pytest.mark.parametrize("damage", ["no database", "a page", "nothing"])
def test_a_damaged_database_is_named_before_anything_is_done(settings, sqlite_url, damage):
    asked = settings(database_url=sqlite_url)
    path = asked.instance_path / "touchstone.sqlite3"
    if damage == "no database":
        path.write_bytes(b"no database " * 1000)
    elif damage == "a page":
        with path.open("r+b") as file:
            file.seek(4096 * 3)
            file.write(b"\xff" * 4096 * 20)
    else:
        serve.refuse_damaged_database(asked)
        return

    with pytest.raises(click.ClickException, match=f"^The database {path} is damaged \\(.*: put a copy"):
        serve.refuse_damaged_database(asked)


def test_a_damaged_database_that_is_refused_keeps_its_log(settings, tmp_path):
    asked = settings()
    path = path_of(asked.database_url)
    subprocess.run([sys.executable, "-c", ENDED, path], check=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(FULL)")
        connection.execute("INSERT INTO saved VALUES (2)")
        connection.commit()
        for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            shutil.copyfile(file, tmp_path / f"{file.name}.before")
    for file in tmp_path.glob("*.before"):
        file.replace(file.with_suffix(""))
    path.write_bytes(b"no database " * 1000)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert len(before) == 3

    for _ in range(2):
        with pytest.raises(click.ClickException, match="is damaged"):
            serve.refuse_damaged_database(asked)

        assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_damaged_list_of_waiting_jobs_is_named(settings):
    asked = settings()
    (asked.instance_path / "jobs.sqlite3").write_bytes(b"garbage " * 100)

    with pytest.raises(click.ClickException, match=r"jobs\.sqlite3 is damaged \(.*\): remove it\."):
        serve.refuse_damaged_database(asked)


def test_another_name_of_the_same_file_is_the_same_database(settings, tmp_path):
    first = settings()
    serve.take_database(first)
    other = tmp_path / "other.sqlite3"
    other.symlink_to(path_of(first.database_url))

    with pytest.raises(click.ClickException, match="is served already"):
        serve.take_database(settings(database_url=f"sqlite:///{other}"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sqlite:///{}/one.sqlite3", "sqlite:///{}/other.sqlite3"),
        ("sqlite:///{}/one.sqlite3", "postgresql+psycopg://me:secret@host/name"),
        ("postgresql+psycopg://me:secret@host/name", "postgresql+psycopg://me:secret@host/other"),
    ],
)
def test_servers_of_two_databases_never_share_a_folder(settings, tmp_path, one, other):
    held = take_folder(tmp_path, one.format(tmp_path))

    for _ in range(2):
        with pytest.raises(click.ClickException) as refused:
            serve.take_database(settings(database_url=other.format(tmp_path)))

        assert str(refused.value) == (
            f"The folder {tmp_path} is in use by a server of another database: stop that, "
            "or set INSTANCE_PATH to another folder."
        )
    # However it ended.
    os.close(held)
    serve.take_database(settings(database_url=other.format(tmp_path)))


def test_servers_of_one_postgresql_database_may_share_a_folder(settings, tmp_path):
    url = "postgresql+psycopg://me:secret@host/name"
    first = take_folder(tmp_path, url)
    serve.take_database(settings(database_url=url.replace("secret", "changed")))
    os.close(first)

    with pytest.raises(click.ClickException, match="in use by a server of another database"):
        serve.take_database(settings())


def test_neither_the_server_nor_a_command_opens_a_database_whose_last_ratings_were_removed(
    settings, tmp_path, monkeypatch
):
    asked = settings()
    serve.refuse_lost_ratings(asked)
    head = struct.pack("=16xI28x", 5)
    (tmp_path / "new.sqlite3-shm").write_bytes(head * 2 + struct.pack("=I", 3))
    monkeypatch.setattr("app.cli.session.current_settings", lambda: asked)

    with pytest.raises(click.ClickException, match=r"new\.sqlite3-wal was removed") as refused:
        serve.refuse_lost_ratings(asked)
    with pytest.raises(click.ClickException, match=re.escape(str(refused.value))), open_database():
        pass

    assert not Path(f"{tmp_path}/new.sqlite3").exists()


@pytest.mark.parametrize(
    ("public_url", "proxies", "is_warned"),
    [
        ("https://rate.example.org", 0, True),
        ("https://rate.example.org", 1, False),
        ("http://rate.example.org", 0, False),
        (None, 0, False),
    ],
)
def test_a_proxy_that_hides_who_visits_is_warned_of(settings, capsys, public_url, proxies, is_warned):
    serve.warn_of_unknown_visitors(settings(public_url=public_url, trusted_proxies=proxies))

    assert ("Set TRUSTED_PROXIES=1" in capsys.readouterr().err) == is_warned


@pytest.mark.thorough
def test_a_new_database_is_migrated_and_holds_the_demo(settings):
    database = Database(settings().database_url)

    serve.bring_up_to_date(database)

    assert is_current(database)
    with database.read() as session:
        assert session.scalars(text("SELECT is_demo FROM project")).all() == [True]
    database.dispose()


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_database_that_holds_somebody_gets_no_demo(database):
    with database.write() as session:
        session.execute(
            text(
                "INSERT INTO person (public_id, kind, name, is_admin, session_epoch, preferences, created_at) "
                "VALUES ('x', 'person', 'Ada', false, 0, '{}', '2026-01-01')"
            )
        )

    serve.bring_up_to_date(database)

    with database.read() as session:
        assert session.scalar(text("SELECT count(*) FROM project")) == 0


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_database_of_a_later_version_is_refused_and_left_alone(database):
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(click.ClickException, match=r"cannot be used: .*another version of Touchstone"):
        serve.bring_up_to_date(database)


STUCK = """
import sys, time
from app.jobs.worker import Worker
from flask.cli import main
Worker.stop = lambda self: time.sleep(600)
sys.argv = ["flask", "--app", "app", "serve"]
main()
"""


class Started:
    """A server in a process of its own."""

    def __init__(self, folder, command=("-m", "flask", "--app", "app", "serve")):
        self._start(folder, command)
        # Another test took the port between the look at it and the start.
        while f"Port {self.port} is taken" in self.line:
            self.process.communicate(timeout=30)
            self._start(folder, command)

    def _start(self, folder, command):
        self.port = free_port()
        clean = {
            name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "PUBLIC_URL"}
        }
        self.process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env={**clean, "INSTANCE_PATH": str(folder), "PORT": str(self.port)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.line = self.process.stdout.readline()

    def stop(self, number=signal.SIGTERM):
        """Stop it and return what else it said."""
        self.process.send_signal(number)
        try:
            return self.process.communicate(timeout=30)[0]
        finally:
            self.process.kill()


@pytest.fixture
def start(tmp_path):
    running = []

    def start(*command):
        running.append(Started(tmp_path, *command))
        return running[-1]

    yield start
    for server in running:
        if server.process.poll() is None:
            server.stop(signal.SIGKILL)


def save_something(path):
    database = Database(f"sqlite:///{path}")
    with database.write() as session:
        session.execute(text("UPDATE person SET name = name"))
        session.execute(text("UPDATE project SET name = name"))
    database.dispose()


def answers_of(port, path):
    """Yield what a path answers, again and again, for ten seconds at most."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            with urlopen(f"http://127.0.0.1:{port}{path}") as answer:
                yield answer.read().decode()
        except HTTPError as error:
            with error:
                yield error.read().decode()
        time.sleep(0.05)


@pytest.mark.thorough
def test_a_start_says_one_line_with_a_link_that_works_until_the_next_start(start):
    first = start()
    assert next(answers_of(first.port, "/healthz")) == "ok\n"
    assert "ready\n" in answers_of(first.port, "/readyz")
    (link,) = re.findall(r"http://127\.0\.0\.1:\d+/set-up/\S+", first.line)
    with urlopen(link) as page:
        assert page.status == 200
    assert first.stop(signal.SIGINT) == ""
    assert first.process.returncode == 0

    second = start(("-c", STUCK))
    with pytest.raises(HTTPError) as refused:
        urlopen(link.replace(str(first.port), str(second.port)))
    refused.value.close()

    assert refused.value.code == 410
    assert "/set-up/" in second.line
    # It ends when told to, whatever a thread waits for.
    (refusal,) = second.stop().splitlines()
    assert second.process.returncode == 0
    assert "WARNING touchstone.refused: 127.0.0.1 GET /set-up/<token> 410 " in refusal


@pytest.mark.thorough
def test_it_starts_with_an_older_copy_after_a_stop_and_after_a_kill_but_not_without_what_was_saved_last(
    start, tmp_path
):
    path, older = tmp_path / "touchstone.sqlite3", tmp_path / "older"
    database = Database(f"sqlite:///{path}")
    serve.bring_up_to_date(database)
    database.dispose()
    shutil.copyfile(path, older)

    server = start()
    assert "ready\n" in answers_of(server.port, "/readyz")
    save_something(path)
    server.stop()
    assert not Path(f"{path}-wal").exists()
    older.replace(path)

    for _ in range(2):
        server = start()
        assert "Touchstone is at" in server.line
        assert "ready\n" in answers_of(server.port, "/readyz")
        save_something(path)
        server.stop(signal.SIGKILL)
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink()

    refused = start()

    assert refused.line.startswith("Error: What was saved last is not in ")
    refused.process.communicate(timeout=10)
    assert refused.process.returncode == 1


@pytest.mark.thorough
def test_no_process_that_imports_outlives_the_server(start, tmp_path):
    server = start()
    environment = {**os.environ, "INSTANCE_PATH": str(tmp_path), "DATABASE_URL": ""}
    for words in ("project create big --name Big --scale 0-3", "token create --scope manage --name all"):
        command = [sys.executable, "-m", "flask", "--app", "app", *words.split()]
        made = subprocess.run(
            command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        ).stdout
    request = Request(
        f"http://127.0.0.1:{server.port}/api/v1/projects/big/documents?wait=0",
        data=b"doc_id,text\n" + b"".join(b"d%d,Some text\n" % number for number in range(100_000)),
        headers={"Authorization": f"Bearer {made.split()[-1]}", "Content-Type": "text/csv"},
    )
    with urlopen(request) as answer:
        assert answer.status == 202
    until, children = time.monotonic() + 10, []
    while not children and time.monotonic() < until:
        found = Path(f"/proc/{server.process.pid}/task").glob("*/children")
        children = " ".join(path.read_text() for path in found).split()

    server.stop()

    assert children
    assert [child for child in children if Path(f"/proc/{child}").exists()] == []


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_ledger_with_a_gap_stops_the_start_and_a_whole_one_does_not(database):
    with database.write() as session:
        fill_every_table(session)
    serve.refuse_broken_ledger(database)
    with database.write() as session:
        session.execute(text("UPDATE ledger_head SET revision = revision + 1"))

    with pytest.raises(
        click.ClickException, match=r"^The database is not whole: the ledger of kept holds \d+ of"
    ):
        serve.refuse_broken_ledger(database)


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_what_counts_now_and_is_not_in_the_ledger_stops_the_start(database):
    with database.write() as session:
        fill_every_table(session)
        session.execute(text("UPDATE current_judgment SET grade = 3 WHERE grade = 0"))

    with pytest.raises(click.ClickException, match=r"current ratings of kept are not what the ledger says"):
        serve.refuse_broken_ledger(database)


ENDED = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("CREATE TABLE saved (number INTEGER)")
connection.execute("INSERT INTO saved VALUES (1)")
connection.commit()
os._exit(0)
"""


def test_what_a_process_left_beside_the_file_is_brought_into_it(settings, tmp_path):
    path = tmp_path / "new.sqlite3"
    subprocess.run([sys.executable, "-c", ENDED, path], check=True)
    log = Path(f"{path}-wal")
    assert log.stat().st_size > 0

    serve.finish_log(settings())

    assert not log.exists()
    database = Database(settings().database_url)
    with database.read() as session:
        assert session.scalars(text("SELECT number FROM saved")).all() == [1]
    database.dispose()
