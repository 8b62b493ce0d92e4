"""Print what people notice when PostgreSQL goes away for a moment while they rate.

`make trial-postgresql-away` serves the site from a PostgreSQL of its own (Debian's programs) in two processes.
Eight annotators rate and read pages, ten times a second each; nobody sends anything twice. Meanwhile the server is
restarted three times, then all its sessions are terminated three times, then it is killed (SIGKILL) and started
again three times; `ARGS="--times 10"` does each ten times. At the end the ledger is compared with what they were
told. Exit status 1 where anything was lost or doubled, where anybody was refused though nothing was killed, or
where the site takes more than five seconds to serve again once a killed server is ready.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter, deque
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

import psycopg
from sqlalchemy import select

from app.database import Database
from app.models import Judgment
from tests.furniture.postgresql import _find_binaries, _free_port, _owner_of
from tests.furniture.served import Rater, Served, Work, prepare_work

PEOPLE = 8
BATCHES = 6
APART = 2.5
PAUSE = 0.1
# From the moment when a killed server is ready to the first answer of the site.
RECOVERY_SECONDS = 5


class Cluster:
    """A PostgreSQL of this trial's own that waits for the disk."""

    def __init__(self, folder: Path) -> None:
        self.binaries, self.data, self.port = _find_binaries(), folder / "data", _free_port()
        self.quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.quiet |= _owner_of(folder)
        self._run("initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "--encoding=UTF8")
        self.control("start")

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def control(self, what: str, *words: str) -> None:
        options = f"-k {self.data.parent} -h 127.0.0.1 -p {self.port}"
        self._run("pg_ctl", "-D", self.data, "-o", options, "-w", *words, what)

    def restart(self) -> None:
        self.control("restart", "-m", "fast")

    def kill(self) -> None:
        """Kill the whole server, and start it again: it recovers from its log."""
        note = self.data / "postmaster.pid"
        leader = int(note.read_text().split()[0])
        backends = Path(f"/proc/{leader}/task/{leader}/children").read_text().split()
        killed = [leader, *map(int, backends)]
        for pid in killed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while any(map(is_running, killed)):
            time.sleep(0.01)
        # Where nobody takes note of its end, the dead one still has its number.
        for left in (note, self.data.parent / f".s.PGSQL.{self.port}.lock"):
            left.unlink()
        self.control("start")

    def terminate_all(self) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )

    def _run(self, name: str, *words: object) -> None:
        subprocess.run([self.binaries / name, *map(str, words)], check=True, **self.quiet)


def is_running(pid: int) -> bool:
    """Return whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except FileNotFoundError:
        return False


class Answer(NamedTuple):
    """An answer to rate, and the rating of it before."""

    candidate: str
    batch: int
    base: str | None = None
    grade: int = 0


class Person(threading.Thread):
    """Rates and reads until told to stop; sends nothing twice.

    What was rated is rated again after all others, with another grade: there is always something to rate.
    """

    def __init__(self, rater: Rater, answers: deque[Answer], stopped: threading.Event) -> None:
        super().__init__(daemon=True)
        self.rater, self.answers, self.stopped = rater, answers, stopped
        self.told: list[bytes] = []
        self.refused: list[int] = []
        self.slowest = 0.0
        # When an answer came: for how soon after a fault.
        self.answered: list[float] = []

    def run(self) -> None:
        for place in count():
            if not self.answers or self.stopped.wait(PAUSE):
                return
            self._rate(self.answers.popleft())
            if place % 6 == 0:
                self._note(lambda: self.rater.get("/account")[0])

    def _rate(self, answer: Answer) -> None:
        number, grade = uuid.uuid4(), (answer.grade + 1) % 4
        if self._note(lambda: self.rater.rate(*answer[:2], grade, number=str(number), base=answer.base)[0]):
            self.told.append(number.bytes)
            self.answers.append(answer._replace(base=str(number), grade=grade))

    def _note(self, act) -> bool:
        started = time.perf_counter()
        status = 0
        with suppress(OSError):
            status = act()
        self.slowest = max(self.slowest, time.perf_counter() - started)
        if status not in {200, 201}:
            self.refused.append(status)
            return False
        self.answered.append(time.perf_counter())
        return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="how often each fault comes")
    times = parser.parse_args().times
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        place = folder / "pg"
        place.mkdir()
        cluster = Cluster(place)
        stack.callback(cluster.control, "stop", "-m", "immediate")
        served = Served(
            folder / "site", cluster.url.replace("postgresql:", "postgresql+psycopg:"), WEB_WORKERS="2"
        )
        work = prepare_work(served.url, people=PEOPLE, queries=BATCHES, batches=BATCHES)
        served.start()
        stack.callback(served.stop)
        print(
            "| fault | times | requests | refused | slowest, s | serves again after, s |\n"
            "| --- | --- | --- | --- | --- | --- |",
            flush=True,
        )
        people, is_bad = [], False
        answers = {number: deque(Answer(*each) for each in leased) for number, leased in work.leased.items()}
        faults = {
            "fast restart": cluster.restart,
            "all sessions ended": cluster.terminate_all,
            "killed": cluster.kill,
        }
        for name, fault in faults.items():
            crowd, ready = suffer(served, work, answers, fault, times)
            people += crowd
            answered = sorted(moment for one in crowd for moment in one.answered)
            if not answered or answered[-1] < ready[-1]:
                sys.exit(f"Nobody was answered after the last fault ({name}): its row would show nothing.")
            again = max(next(moment - then for moment in answered if moment > then) for then in ready)
            asked = sum(len(one.told) + len(one.refused) for one in crowd)
            refused = [status for one in crowd for status in one.refused]
            slowest = max(one.slowest for one in crowd)
            print(
                f"| {name} | {times} | {asked} | {dict(Counter(refused)) or 0} | {slowest:.1f} | {again:.1f} |",
                flush=True,
            )
            is_bad |= again > RECOVERY_SECONDS or (bool(refused) and name != "killed")
        return verdict(served, people) or int(is_bad)


def suffer(
    served: Served, work: Work, answers: dict[int, deque[Answer]], fault, times: int
) -> tuple[list[Person], list[float]]:
    """Let everybody rate while the fault comes again and again.

    Returns
    -------
    They, and when the database was ready again after each fault.
    """
    stopped, crowd = threading.Event(), []
    for person in work.people:
        rater = Rater(served.port, person.email or "")
        rater.sign_in()
        crowd.append(Person(rater, answers[person.id], stopped))
    for one in crowd:
        one.start()
    ready = []
    for _ in range(times):
        time.sleep(APART)
        fault()
        ready.append(time.perf_counter())
    time.sleep(APART)
    stopped.set()
    for one in crowd:
        one.join(30)
    return crowd, ready


def verdict(served: Served, people: list[Person]) -> int:
    """Compare what is stored with what people were told."""
    database = Database(served.url)
    with database.read() as session:
        stored = list(session.scalars(select(Judgment.client_uuid)))
    database.dispose()
    told = [number for one in people for number in one.told]
    lost, doubled = len(set(told) - set(stored)), len(stored) - len(set(stored))
    refused = sum(len(one.refused) for one in people)
    print(f"\n{len(told)} ratings acknowledged, {lost} lost, {doubled} doubled, {refused} requests refused.")
    return 1 if lost or doubled else 0


if __name__ == "__main__":
    sys.exit(main())
