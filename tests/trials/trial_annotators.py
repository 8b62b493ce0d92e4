"""Print how fifty annotators without a pause are served, and whether the ledger says what they were told.

`make trial-annotators` serves the site as it starts by default, on SQLite, for a minute; with
`ARGS="--processes 2"` from two processes. With `ARGS="--postgresql"` three serve it from a PostgreSQL that a
power cut would not harm. Each
annotator opens page after page, rates every answer with a PUT of its own and finishes the batch; some
ratings are changed, sent twice, or cut off and sent again. With `--dashboards 5` five owners read the overview
meanwhile, again and again with a second between. Memory and the write-ahead log are looked at every minute. Exit
status 1 where anything differs.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import psycopg
from sqlalchemy import make_url

from app.database import Database
from tests.benchmarks.bench_rating import processes_of, processor_seconds
from tests.furniture.annotators import PROJECT, run_crowd
from tests.furniture.factories import Make
from tests.furniture.postgresql import CARELESS, serve_postgresql
from tests.furniture.served import Rater, Served, prepare_work
from tests.furniture.told import differences

if TYPE_CHECKING:
    from typing import Self

    from tests.furniture.annotators import Crowd
    from tests.furniture.served import Work

ANSWERS = 12
OVERLAP = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--queries", type=int, default=600, help="with twelve answers each")
    parser.add_argument("--postgresql", action="store_true", help="three processes on PostgreSQL")
    parser.add_argument("--pause", type=float, default=0, help="seconds between two ratings of one annotator")
    parser.add_argument("--processes", type=int, help="1 on SQLite, 3 on PostgreSQL")
    parser.add_argument("--dashboards", type=int, default=0, help="owners who read the overview meanwhile")
    asked = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        url = careful_postgresql(stack) if asked.postgresql else None
        processes = asked.processes or (3 if url else 1)
        served = Served(Path(folder), url, WEB_WORKERS=str(processes))
        work = prepare_work(
            served.url,
            people=asked.people,
            queries=asked.queries,
            answers=ANSWERS,
            batches=0,
            overlap=OVERLAP,
        )
        served.start()
        stack.callback(served.stop)
        people = signed_in(served, work)
        owners = [owner_of(served, work, number) for number in range(asked.dashboards)]
        pids = processes_of(served.pid)
        before = processor_seconds(pids)
        watch = Watch(pids, None if url else Path(f"{folder}/touchstone.sqlite3-wal"))
        mine = time.process_time()
        with watch, Readers(owners) as readers:
            crowd = run_crowd(served.port, asked.seconds, people, pause=asked.pause)
        used, mine = processor_seconds(pids) - before, time.process_time() - mine
        print(watch.said())
        if owners:
            print(readers.said())
        print(f"The annotators took {mine / asked.seconds:.0%} of one processor themselves.")
        report(crowd, asked.seconds, used, f"{processes} processes, {'PostgreSQL' if url else 'SQLite'}")
        return verdict(served.url, work, crowd)


class Watch(threading.Thread):
    """Looks at the memory of processes and at the size of a file, at the start and every minute."""

    def __init__(self, pids: list[int], file: Path | None) -> None:
        super().__init__(daemon=True)
        self.pids, self.file, self.ended = pids, file, threading.Event()
        self.resident: list[float] = []
        self.largest = 0

    def run(self) -> None:
        looks = 0
        while True:
            if looks % 60 == 0:
                self.resident.append(megabytes(self.pids))
            if self.file and self.file.exists():
                self.largest = max(self.largest, self.file.stat().st_size)
            if self.ended.wait(1):
                return
            looks += 1

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.join()
        self.resident.append(megabytes(self.pids))

    def said(self) -> str:
        minutes = ", ".join(f"{one:.0f}" for one in self.resident)
        log = f" The write-ahead log had {self.largest / 1e6:.0f} MB at most." if self.file else ""
        return f"Resident memory before, each minute and after, in MB: {minutes}.{log}"


class Readers:
    """Owners who read the overview while the block runs, with a second between two looks."""

    def __init__(self, owners: list[Rater]) -> None:
        self.ended, self.times, self.errors = threading.Event(), list[float](), list[str]()
        self.threads = [threading.Thread(target=self.read, args=(owner,)) for owner in owners]

    def read(self, owner: Rater) -> None:
        while not self.ended.wait(1):
            started = time.perf_counter()
            try:
                status, _ = owner.get(f"/p/{PROJECT}/")
            except OSError as error:
                status = str(error)
            self.times.append(time.perf_counter() - started)
            if status != 200:
                self.errors.append(f"an overview was answered {status}")

    def __enter__(self) -> Self:
        for one in self.threads:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        for one in self.threads:
            one.join(60)

    def said(self) -> str:
        ordered = sorted(one * 1000 for one in self.times)
        p95 = ordered[int(len(ordered) * 0.95)] if ordered else 0
        return (
            f"{len(self.threads)} owners read {len(ordered)} overviews, p50 {median(ordered or [0]):.0f}, "
            f"p95 {p95:.0f} ms, {len(self.errors)} errors {self.errors[:3] or ''}".rstrip()
            + "."
        )


def owner_of(served: Served, work: Work, number: int) -> Rater:
    """Make an owner of the project who has signed in."""
    database = Database(served.url)
    with database.write() as session:
        person = Make(session).member(
            session.merge(work.project),
            "owner",
            email=f"owner{number}@example.org",
            password_hash=work.people[0].password_hash,
        )
        email = person.email or ""
    database.dispose()
    reader = Rater(served.port, email)
    reader.sign_in()
    return reader


def megabytes(pids: list[int]) -> float:
    """Return the resident memory of some processes."""
    lines = [line for pid in pids for line in Path(f"/proc/{pid}/status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def careful_postgresql(stack: ExitStack) -> str:
    """Start a PostgreSQL that waits for the disk, unlike that of the tests, and return its URL."""
    url, stop = serve_postgresql()
    stack.callback(stop)
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        for name in CARELESS:
            connection.execute(f"ALTER SYSTEM SET {name} = on")
        connection.execute("SELECT pg_reload_conf()")
    return url


def signed_in(served: Served, work: Work) -> dict[int, tuple[str, str]]:
    """Sign everybody in by the form, and return the cookie and the token of each."""
    people = {}
    for person in work.people:
        rater = Rater(served.port, person.email or "")
        rater.sign_in()
        rater.close()
        people[person.id] = (rater.cookie, rater.token)
    return people


def report(crowd: Crowd, seconds: float, used: float, served_by: str) -> None:
    requests = sum(map(len, crowd.times.values()))
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"{len(crowd.told)} annotators for {seconds:.0f} s, {served_by}; load average {load}")
    print(f"{requests / seconds:.0f} requests a second, {used / requests * 1000:.1f} ms of processor each\n")
    print("| | a second | p50 ms | p95 ms | p99 ms | longest ms |")
    print("| --- | --- | --- | --- | --- | --- |")
    for kind, times in crowd.times.items():
        ordered = sorted(one * 1000 for one in times)
        p95, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.95, 0.99))
        numbers = (median(ordered), p95, p99, ordered[-1])
        print(
            f"| {kind} | {len(times) / seconds:.1f} | " + " | ".join(f"{one:.0f}" for one in numbers) + " |"
        )


def verdict(url: str, work: Work, crowd: Crowd) -> int:
    database = Database(url)
    with database.read() as session:
        found = differences(session, work.project, crowd.told)
    database.dispose()
    told = sum(len(one.ratings) for one in crowd.told.values())
    found += [] if told else ["nobody rated anything"]
    if found:
        print(f"\n{len(found)} differences between what clients were told and the ledger:")
        print("\n".join(f"- {one}" for one in found[:20]))
        return 1
    print(f"\nAll {told:,} acknowledged ratings are in the ledger, once and in their order; no error.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
