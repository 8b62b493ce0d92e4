"""Ratings saved per second through the whole path, beside a bare commit of the same row; the page's weight.

Sign-in, CSRF, permission, lease, idempotency, ledger and fsync are all on the path. Both sides run in one
run on one machine; what counts is the ratio. `make bench-rating` prints the tables of the README here.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.furniture.served import Rater, Served, prepare_work  # noqa: E402

CLIENTS = (1, 8)
EACH = 360
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]


def rate_all(rater: Rater, answers: list[tuple[str, int]], times: list[float]) -> None:
    for place, (candidate, batch) in enumerate(answers):
        started = time.perf_counter()
        status, _ = rater.rate(candidate, batch, place % 4)
        times.append(time.perf_counter() - started)
        if status != 201:
            raise RuntimeError(f"a rating was answered {status}")


def processor_seconds(pids: list[int]) -> float:
    """The processor time of the server's processes so far."""
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def processes_of(leader: int) -> list[int]:
    found = [leader]
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) in found:
                found.append(int(entry.name))
    return found


def resident_megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def whole_path(clients: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder))
        work = prepare_work(served.url, people=clients, queries=EACH // 12, batches=EACH // 12)
        served.start()
        try:
            raters = [Rater(served.port, person.email) for person in work.people]
            for rater in raters:
                rater.sign_in()
            times: list[float] = []
            threads = [
                threading.Thread(target=rate_all, args=(rater, work.leased[person.id], times))
                for rater, person in zip(raters, work.people, strict=True)
            ]
            pids = processes_of(served.pid)
            before, started = processor_seconds(pids), time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            elapsed, used = time.perf_counter() - started, processor_seconds(pids) - before
            memory = max(resident_megabytes(pid) for pid in pids)
        finally:
            served.stop()
    ordered = sorted(times)
    return {
        "rate": len(times) / elapsed,
        "p50": statistics.median(ordered) * 1000,
        "p95": ordered[int(len(ordered) * 0.95)] * 1000,
        "cpu": used / len(times) * 1000,
        "memory": memory,
    }


def bare_commits(count: int) -> float:
    """Commits per second of the same row by one connection with the same settings."""
    with tempfile.TemporaryDirectory() as folder:
        served_url = f"sqlite:///{folder}/bare.sqlite3"
        work = prepare_work(served_url, people=1, queries=EACH // 12, batches=EACH // 12)
        connection = sqlite3.connect(f"{folder}/bare.sqlite3", isolation_level=None)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        answers = dict(connection.execute("SELECT public_id, id FROM candidate"))
        person = work.people[0].id
        row = (
            "INSERT INTO judgment (project_id, revision, candidate_id, annotator_id, grade, place, length, batch,"
            " client_uuid, judged_at, received_at, active_ms, input, guideline_version, role, blind)"
            " VALUES (?, ?, ?, ?, 2, 1, 12, ?, ?, '2026-03-01', '2026-03-01', 1500, 1, 0, 1, 1)"
        )
        started = time.perf_counter()
        for candidate, batch in work.leased[person][:count]:
            connection.execute("BEGIN IMMEDIATE")
            (revision,) = connection.execute(
                "UPDATE ledger_head SET revision = revision + 1 WHERE project_id = ? RETURNING revision",
                (work.project.id,),
            ).fetchone()
            connection.execute(
                row, (work.project.id, revision, answers[candidate], person, batch, uuid.uuid4().bytes)
            )
            connection.execute("COMMIT")
        elapsed = time.perf_counter() - started
        connection.close()
    return count / elapsed


def page_in_browser() -> tuple[int, int, float] | None:
    """Bytes on the wire of the rating page with everything, its requests, and the seconds until its text shows.

    By Chromium and with nothing in its cache; None where there is no Chromium.
    """
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        return None
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        served = Served(Path(folder))
        work = prepare_work(served.url, people=1, queries=1)
        served.start()
        try:
            rater = Rater(served.port, work.people[0].email)
            rater.sign_in()
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            loads = [_load(browser, f"http://127.0.0.1:{served.port}", rater.cookie) for _ in range(5)]
            browser.close()
        finally:
            served.stop()
    weight, requests, _ = loads[0]
    return weight, requests, statistics.median(seconds for _, _, seconds in loads)


def _load(browser, site: str, cookie: str) -> tuple[int, int, float]:
    name, _, value = cookie.partition("=")
    context = browser.new_context()
    context.add_cookies([{"name": name, "value": value, "url": site}])
    page = context.new_page()
    network, sizes = context.new_cdp_session(page), {}
    network.send("Network.enable")
    network.on(
        "Network.loadingFinished",
        lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}),
    )
    page.goto(f"{site}/p/load/rate")
    page.wait_for_load_state("networkidle")
    seconds = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000")
    context.close()
    return sum(sizes.values()), len(sizes), seconds


def main() -> None:
    bare = statistics.median(bare_commits(EACH) for _ in range(3))
    print(
        "| ratings through the whole path | per second | p50 ms | p95 ms | processor ms each | of a bare commit |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    print(f"| bare commit of the same row, one connection | {bare:.0f} | {1000 / bare:.2f} | | | 1 |")
    for clients in CLIENTS:
        found = whole_path(clients)
        print(
            f"| {clients} client{'s' * (clients > 1)} | {found['rate']:.0f} | {found['p50']:.1f} | {found['p95']:.1f} "
            f"| {found['cpu']:.1f} | {found['rate'] / bare:.3f} |"
        )
    print(f"\nResident memory of the serving process afterwards: {found['memory']:.0f} MB.")
    measured = page_in_browser()
    if measured is None:
        print("Rating page: not measured, there is no Chromium.")
        return
    weight, requests, seconds = measured
    print(
        f"Rating page with 12 answers: {weight / 1000:.1f} kB in {requests} requests, text visible after {seconds:.2f} s."
    )


if __name__ == "__main__":
    main()
