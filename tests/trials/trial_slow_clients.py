"""Print whether people are still served while slow or silent connections are open, and how quickly.

`make trial-slow-clients` starts the site, signs an annotator in, and opens 20, then 200 connections that send
the head of a request, or a body, at one byte a second, or nothing at all. Meanwhile the annotator rates and a
visitor opens new connections. `ARGS='--command "gunicorn ..."'` does the same to another server, which gets
the settings as environment variables; "PORT" in the command stands for the port.
Exit status 1 where anybody was refused or waited for more than two seconds.
"""

from __future__ import annotations

import argparse
import re
import selectors
import socket
import sys
import tempfile
import threading
import time
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median

from tests.benchmarks.bench_rating import processes_of
from tests.furniture.served import Rater, Served, prepare_work

PATIENCE = 2.0
BODY = (
    b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 100000\r\n\r\n"
)
STARTS = {"a head": b"GET /sign-in HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", "a body": BODY, "nothing": b""}


class Slow(threading.Thread):
    """Connections that send one byte a second, or nothing; what the server closes is opened again."""

    def __init__(self, port: int, kind: str, count: int) -> None:
        super().__init__(daemon=True)
        self.port, self.kind, self.count = port, kind, count
        self.stopped = threading.Event()
        self.closed = 0

    def run(self) -> None:
        with selectors.DefaultSelector() as selector:
            for _ in range(self.count):
                self._open(selector)
            while not self.stopped.wait(1):
                for key, _ in selector.select(0):
                    self._close(selector, key.fileobj)
                for key in list(selector.get_map().values()):
                    try:
                        if self.kind != "nothing":
                            key.fileobj.send(b"a")
                    except OSError:
                        self._close(selector, key.fileobj)
                for _ in range(self.count - len(selector.get_map())):
                    self._open(selector)
            for key in list(selector.get_map().values()):
                selector.unregister(key.fileobj)
                key.fileobj.close()

    def _open(self, selector: selectors.BaseSelector) -> None:
        with suppress(OSError):
            one = socket.create_connection(("127.0.0.1", self.port), timeout=1)
            one.sendall(STARTS[self.kind])
            one.setblocking(False)
            selector.register(one, selectors.EVENT_READ)

    def _close(self, selector: selectors.BaseSelector, one: socket.socket) -> None:
        selector.unregister(one)
        one.close()
        self.closed += 1


def memory_of(pid: int) -> float:
    """Return the megabytes of a process; what several share counts for each in part."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"Pss:\s+(\d+)", rollup)[1]) / 1024


def rate_for(seconds: float, rater: Rater, answers: list[tuple[str, int]]) -> tuple[list[float], int]:
    """Rate without a pause over one connection; return the times and how often it failed."""
    times, failures, until, place = [], 0, time.perf_counter() + seconds, 0
    while time.perf_counter() < until:
        candidate, batch = answers[place % len(answers)]
        place += 1
        started = time.perf_counter()
        try:
            status, _ = rater.rate(candidate, batch, place % 4)
        except OSError:
            status = 0
        times.append(time.perf_counter() - started)
        # 409: the same answer again, as another rating would be.
        failures += status not in {200, 201, 409}
    return times, failures


def visit_for(seconds: float, port: int, found: dict[str, list[float]]) -> None:
    """Open the sign-in page over a new connection each time."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        started = time.perf_counter()
        try:
            with closing(HTTPConnection("127.0.0.1", port, timeout=5)) as one:
                one.request("GET", "/sign-in")
                answer = one.getresponse()
                answer.read()
            is_served = answer.status == 200
        except (OSError, HTTPException):
            is_served = False
        taken = time.perf_counter() - started
        found["times"].append(taken)
        if not is_served or taken > PATIENCE:
            found["failures"].append(taken)
        time.sleep(0.1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", help="another server's command")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--counts", type=int, nargs="+", default=[20, 200])
    asked = parser.parse_args()
    lost = 0
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder), command=asked.command)
        work = prepare_work(served.url, people=1, queries=30, batches=30)
        answers = work.leased[work.people[0].id]
        served.start()
        try:
            print("| connections | they send | ratings a second | p50 ms | p95 ms | visits | lost | closed |")
            print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
            for kind, count in [("-", 0), *((kind, count) for count in asked.counts for kind in STARTS)]:
                rater = Rater(served.port, work.people[0].email or "")
                rater.patience = 5
                rater.sign_in()
                slow = Slow(served.port, kind, count)
                if count:
                    slow.start()
                time.sleep(2)
                lost += report(served.port, rater, answers, asked.seconds, kind, slow)
                slow.stopped.set()
                rater.close()
                if count:
                    slow.join()
            memory = sum(memory_of(pid) for pid in processes_of(served.pid))
            print(f"\nMemory of all processes afterwards: {memory:.0f} MB.")
        finally:
            served.kill()
    return 1 if lost else 0


def report(
    port: int, rater: Rater, answers: list[tuple[str, int]], seconds: float, kind: str, slow: Slow
) -> int:
    """Measure while the slow connections are open, print a row, and return how many were not served."""
    found: dict[str, list[float]] = {"times": [], "failures": []}
    visitor = threading.Thread(target=visit_for, args=(seconds, port, found))
    visitor.start()
    times, failures = rate_for(seconds, rater, answers)
    visitor.join()
    lost = failures + len(found["failures"])
    ordered = sorted(times)
    p95 = ordered[int(len(ordered) * 0.95)] * 1000
    print(
        f"| {slow.count} | {kind} | {(len(times) - failures) / seconds:.0f} | {median(times) * 1000:.1f} | {p95:.1f} "
        f"| {len(found['times'])} | {lost} | {slow.closed} |",
        flush=True,
    )
    return lost


if __name__ == "__main__":
    sys.exit(main())
