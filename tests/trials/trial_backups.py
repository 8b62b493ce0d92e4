"""Restore backups that were made while people rated: what was acknowledged before is there, and scores the same.

`make trial-backups` has twenty people rate. A backup is made by command, and one by schedule in the
server itself; then everything is destroyed and each is restored. Then a backup and a restore are killed with
SIGKILL again and again, after times drawn at random. Exit status 1 where a rating that was acknowledged before the
start of a backup is missing, a score differs from that of the same revision before, or a kill left something half.
`--plain-copy` copies the file instead, as one must not. `--postgresql` does all but the kills on a PostgreSQL of its own, in two
processes: each backup is restored into an empty database.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier
from sqlalchemy import make_url, select

from app.database import Database
from app.jobs.backups import backups_in, check_file, problems_of
from app.models import Judgment, Project
from app.services.ledger import head_of
from tests.furniture.postgresql import programs_for, serve_postgresql
from tests.furniture.revisions import scores_at
from tests.furniture.served import ROOT, Rater, Served, prepare_work

PEOPLE = 20
FLASK = [sys.executable, "-m", "flask", "--app", "app"]


class Annotator(threading.Thread):
    """Rates ten times a second at most, and notes when each rating was acknowledged."""

    def __init__(self, rater: Rater, answers: list[tuple[str, int]], stopped: threading.Event) -> None:
        super().__init__(daemon=True)
        self.rater, self.answers, self.stopped = rater, answers, stopped
        self.told: list[tuple[float, bytes]] = []

    def run(self) -> None:
        turn = 0
        while not self.stopped.is_set() and turn < len(self.answers):
            candidate, batch = self.answers[turn]
            number = uuid.uuid4()
            try:
                status, _ = self.rater.rate(candidate, batch, (turn * 7 + turn // 5) % 4, number=str(number))
            except OSError:
                return
            if status == 201:
                self.told.append((time.time(), number.bytes))
            turn += 1
            time.sleep(0.1)


def run(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*FLASK, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(done.stdout, done.stderr, file=sys.stderr)
    return done


def drill(
    name: str, file: Path, began: float, served: Served, crowd: list[Annotator], before: Database
) -> bool:
    """Restore a backup into an empty place, and say what of the time before its start is missing."""
    with tempfile.TemporaryDirectory() as elsewhere:
        url = f"sqlite:///{elsewhere}/touchstone.sqlite3"
        if not before.is_sqlite:
            url = make_empty(before.url, name.replace(" ", "_"))
        environment = {**served.environment, "INSTANCE_PATH": elsewhere, "DATABASE_URL": url}
        started = time.perf_counter()
        done = run(environment, "db", "restore", str(file))
        taken = time.perf_counter() - started
        restored = Database(url)
        with restored.read() as session:
            stored = set(session.scalars(select(Judgment.client_uuid)))
            project = session.scalars(select(Project.id).where(Project.slug == "load")).one()
            head = head_of(session, project)
        wanted = {number for one in crowd for at, number in one.told if at < began}
        revisions = sorted({*range(max(head // 50, 1), head, max(head // 50, 1)), head})
        same = scores_at(restored, project, revisions) == scores_at(before, project, revisions)
        problems = problems_of(restored)
        restored.dispose()
    missing = len(wanted - stored)
    told = sum(len(one.told) for one in crowd)
    print(
        f"| {name} | {told:,} | {len(wanted):,} | {missing} | {len(stored):,} | "
        f"{len(revisions)}, {'all equal' if same else 'DIFFERENT'} | {taken:.1f} s |"
    )
    return not (done.returncode or missing or not same or problems)


def make_empty(url: str, name: str) -> str:
    """Create a database beside another one of PostgreSQL, and return its address."""
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    return make_url(url).set(database=name).render_as_string(hide_password=False)


def kill_in_between(served: Served, folder: Path, good: Path, times: int) -> bool:
    """Kill backups and restores after random times; what is there must be whole, and is done again."""
    rng = random.Random(5)
    environment, file = served.environment, folder / "killed.sqlite3"
    database = Path(environment["INSTANCE_PATH"]) / "touchstone.sqlite3"
    whole = finished = 0
    for turn in range(times):
        words = ["backup", str(file), "--force"] if turn % 2 else ["restore", str(good), "--force"]
        process = subprocess.Popen(
            [*FLASK, "db", *words],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(rng.uniform(0.2, 3.5))
        process.send_signal(signal.SIGKILL)
        finished += process.wait() == 0
        for each in (file, database):
            if each.exists():
                found = Database(f"sqlite:///{each}")
                assert problems_of(found) == [], each
                found.dispose()
        whole += database.exists()
    assert run(environment, "db", "backup", str(file), "--force").returncode == 0
    assert run(environment, "db", "restore", str(file), "--force").returncode == 0
    left = [path for path in (*folder.iterdir(), *database.parent.iterdir()) if path.name.endswith(".part")]
    print(
        f"\n{times} times killed during backup and restore ({finished} had finished): the database was there and "
        f"whole {whole} times, and after one more of each {len(left)} drafts were left."
    )
    return whole == times and not left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--plain-copy", action="store_true", help="show what is lost by copying the file")
    parser.add_argument("--postgresql", action="store_true", help="on a PostgreSQL of its own")
    asked = parser.parse_args()
    with ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory()))
        kept, instance = folder / "kept", folder / "instance"
        instance.mkdir()
        url, workers = None, "1"
        if asked.postgresql:
            url, stop = serve_postgresql()
            held.callback(stop)
            os.environ["PATH"] = f"{programs_for(Database(url))}:{os.environ['PATH']}"
            workers = "2"
        served = Served(instance, url, BACKUP_PATH=str(kept), WEB_WORKERS=workers)
        held.callback(served.kill)
        work = prepare_work(served.url, people=PEOPLE, queries=24, batches=20)
        served.start()
        stopped, crowd = threading.Event(), []
        for person in work.people:
            rater = Rater(served.port, person.email or "")
            rater.patience = 60
            rater.sign_in()
            crowd.append(Annotator(rater, work.leased[person.id], stopped))
        for one in crowd:
            one.start()
        time.sleep(asked.seconds / 3)
        by_command, began = folder / "by-command.sqlite3", time.time()
        if asked.plain_copy:
            shutil.copyfile(instance / "touchstone.sqlite3", by_command)
        elif run(served.environment, "db", "backup", str(by_command)).returncode:
            return 1
        backup_seconds = time.time() - began
        time.sleep(asked.seconds / 3)
        # By schedule: the one of the start goes, and the server's next look is waited for.
        for each in backups_in(kept):
            each.unlink()
        scheduled = wait_for_scheduled(kept)
        time.sleep(asked.seconds / 3)
        stopped.set()
        for one in crowd:
            one.join(60)
        served.kill()
        if url is None:
            before = folder / "before"
            shutil.copytree(instance, before)
            shutil.rmtree(instance)
            instance.mkdir()
        print(
            "| backup | acknowledged in all | before its start | missing of these | in it | revisions | restored in |"
        )
        print("| --- | --- | --- | --- | --- | --- | --- |")
        reference = Database(url or f"sqlite:///{before}/touchstone.sqlite3")
        fine = drill("by command", by_command, began, served, crowd, reference)
        if asked.plain_copy:
            return 0 if fine else 1
        # Its name is the second in which it began.
        began = datetime.strptime(scheduled.name[11:27], "%Y%m%dT%H%M%S%z").timestamp()
        fine &= drill("by schedule", scheduled, began, served, crowd, reference)
        reference.dispose()
        print(f"\nThe backup by command took {backup_seconds:.1f} s while {PEOPLE} people rated.")
        if url is None:
            assert run(served.environment, "db", "restore", str(by_command)).returncode == 0
            fine &= kill_in_between(served, folder, by_command, asked.kills)
            check_file(by_command)
    return 0 if fine else 1


def wait_for_scheduled(kept: Path) -> Path:
    """Return the next backup that the server makes by itself, within two minutes."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if found := backups_in(kept):
            return found[0]
        time.sleep(0.5)
    raise TimeoutError("the server made no backup within two minutes")


if __name__ == "__main__":
    os.environ.pop("BACKUP_PATH", None)
    sys.exit(main())
