"""Print how soon the site serves again after it was killed, and how soon it ends when it is asked to.

`make trial-restarts` kills the site ten times (SIGKILL) while four people rate and starts it again, then ends it
five times with SIGTERM; after each kill SQLite must find nothing wrong with the file. With several processes
(`ARGS="--processes 2"`, or three with `ARGS="--postgresql"`) ten times one of them is killed, ten times the one
that started them (a supervisor then starts the site again, until it can), ten times all of them. The time is that
until a page is answered.
At the end the ledger is compared with what people were told. Exit status 1 where anything was lost or doubled,
where the median start takes more than 3 seconds, or an end does.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tests.benchmarks.bench_rating import processes_of
from tests.furniture.served import Served, prepare_work
from tests.furniture.stubborn import StubbornCrowd, is_whole, lost_and_doubled
from tests.trials.trial_annotators import careful_postgresql

if TYPE_CHECKING:
    from collections.abc import Callable

PEOPLE = 4
QUESTIONS = 10
SECONDS = 3.0
# Seconds between two kills, in which people rate.
APART = 1.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10, help="of each kind")
    parser.add_argument("--workers", type=int, help="kills of one of several processes")
    parser.add_argument("--ends", type=int, default=5)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--processes", type=int, help="1 on SQLite, 3 on PostgreSQL")
    asked = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = careful_postgresql(stack) if asked.postgresql else None
        processes = asked.processes or (3 if url else 1)
        served = Served(folder, url, WEB_WORKERS=str(processes))
        work = prepare_work(served.url, people=PEOPLE, queries=QUESTIONS, batches=QUESTIONS)
        served.start()
        stack.callback(served.kill)
        kinds: dict[str, tuple[int, Callable[[], None]]] = {
            "all processes killed, then serving again": (asked.kills, lambda: restart(served, served.kill)),
        }
        if processes > 1:
            kinds["one process killed, then serving with all"] = (
                asked.kills if asked.workers is None else asked.workers,
                lambda: kill_one(served),
            )
            kinds["the one that starts them killed, then serving again"] = (
                asked.kills,
                lambda: restart(served, lambda: kill_first(served)),
            )
        times: dict[str, list[float]] = {}
        with StubbornCrowd(served, work) as crowd:
            for kind, (count, act) in kinds.items():
                times[kind] = [tried(served, crowd, act) for _ in range(count)]
            ends = []
            for _ in range(asked.ends):
                time.sleep(APART)
                ends.append(taken(served.stop))
                served.start()
        served.stop()
        lost, doubled = lost_and_doubled(served.url, crowd.told)
    print("| | times | median s | longest s |\n| --- | --- | --- | --- |")
    for kind, took in {**times, "asked to end, then ended": ends}.items():
        if took:
            print(f"| {kind} | {len(took)} | {median(took):.1f} | {max(took):.1f} |")
    print(f"\n{len(crowd.told):,} ratings acknowledged, {lost} lost, {doubled} doubled or out of order.")
    print(f"Sent again, by the status that came instead: {dict(crowd.refused)} (0: cut off).")
    late = [kind for kind, took in times.items() if took and median(took) > SECONDS]
    return 1 if lost or doubled or late or (ends and max(ends) > SECONDS) else 0


def tried(served: Served, crowd: StubbornCrowd, act: Callable[[], None]) -> float:
    """Let people rate for a moment, kill something, and return the seconds until the site serves again."""
    time.sleep(APART)
    seconds = taken(act)
    crowd.seconds_until_saved()
    file = Path(served.url.removeprefix("sqlite:///"))
    if served.url.startswith("sqlite:") and not is_whole(file):
        raise SystemExit(f"{file.name} is damaged after a kill")
    return seconds


def restart(served: Served, kill: Callable[[], None]) -> None:
    """Kill, and start again as a supervisor does: until it serves."""
    kill()
    until = time.monotonic() + 30
    while True:
        try:
            return served.start()
        except RuntimeError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def kill_first(served: Served) -> None:
    """Kill the process that starts the others, and only that one."""
    os.kill(served.pid, signal.SIGKILL)
    served.wait()


def kill_one(served: Served) -> None:
    """Kill one of the web processes, and wait until there are as many again and a page is answered."""
    before = children_of(served)
    os.kill(before[0], signal.SIGKILL)
    while len(children_of(served)) < len(before) or before[0] in children_of(served):
        time.sleep(0.02)
    served.wait_until_it_answers()


def children_of(served: Served) -> list[int]:
    """Return the processes that a site's first process started, without those that have ended."""
    found = []
    for pid in processes_of(served.pid)[1:]:
        with suppress(OSError):
            state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z" and int(parent) == served.pid:
                found.append(pid)
    return found


def taken(act: Callable[[], None]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
