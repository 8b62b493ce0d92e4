"""Print how fifty annotators without a pause are served, and whether the ledger says what they were told.

`make trial-annotators` serves the site as it starts by default, on SQLite, for a minute. With
`ARGS="--postgresql"` three processes serve it from a PostgreSQL that a power cut would not harm. Each
annotator opens page after page, rates every answer with a PUT of its own and finishes the batch; some
ratings are changed, sent twice, or cut off and sent again. Exit status 1 where anything differs.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import psycopg
from sqlalchemy import make_url

from app.database import Database
from tests.benchmarks.bench_rating import processes_of, processor_seconds
from tests.furniture.annotators import run_crowd
from tests.furniture.postgresql import CARELESS, serve_postgresql
from tests.furniture.served import Rater, Served, prepare_work
from tests.furniture.told import differences

if TYPE_CHECKING:
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
    parser.add_argument("--processes", type=int, default=3, help="with --postgresql")
    asked = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        url, settings = None, {}
        if asked.postgresql:
            url, settings = careful_postgresql(stack), {"WEB_WORKERS": str(asked.processes)}
        served = Served(Path(folder), url, **settings)
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
        pids = processes_of(served.pid)
        before = processor_seconds(pids)
        resident = megabytes(pids)
        mine = time.process_time()
        crowd = run_crowd(served.port, asked.seconds, people, pause=asked.pause)
        used, mine = processor_seconds(pids) - before, time.process_time() - mine
        print(f"Resident memory {resident:.0f} MB before, {megabytes(pids):.0f} MB after.")
        print(f"The annotators took {mine / asked.seconds:.0%} of one processor themselves.")
        report(crowd, asked.seconds, used, f"{asked.processes} processes, PostgreSQL" if url else "SQLite")
        return verdict(served.url, work, crowd)


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
