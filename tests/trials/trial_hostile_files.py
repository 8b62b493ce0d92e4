"""Print how long hostile files hold the site up, and whether people who rate notice.

`make trial-hostile-files` starts the site, lets 10 people rate, and gives it a header of 900,000 commas 16 times
at once: first by one owner, then by 16 owners. It prints how each was answered and when its check had ended, the
times of the ratings, before and meanwhile, and the memory of all processes of the server at its highest.
`ARGS='--postgresql URL'` does the same on an empty PostgreSQL database. Exit status 1 where a rating failed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from sqlalchemy import select

from app.database import Database
from app.models import Person, Project
from app.services.accounts.sign_in import hash_password
from tests.furniture.factories import Make
from tests.furniture.served import PASSWORD, Rater, Served, Work, prepare_work

RATERS, OWNERS = 10, 16
COMMAS = b"," * 900_000 + b"\n"
LIMIT = b"--limit"
THINKS, QUIET = 0.3, 8.0


class Rating(threading.Thread):
    """Somebody who rates until told to stop, and notes (when, how long, status)."""

    def __init__(self, rater: Rater, leased: list[tuple[str, int]]) -> None:
        super().__init__(daemon=True)
        self.rater, self.leased = rater, leased
        self.stopped = threading.Event()
        self.noted: list[tuple[float, float, int]] = []

    def run(self) -> None:
        for candidate, batch in self.leased:
            if self.stopped.wait(THINKS):
                return
            began = time.perf_counter()
            try:
                status, _ = self.rater.rate(candidate, batch, 1)
            except OSError:
                status = 0
            self.noted.append((began, time.perf_counter() - began, status))


def give(owner: Rater, slug: str, answered: list[tuple[int, float, float]]) -> None:
    """Upload the file and wait for the end of its check; notes (status, seconds to it, seconds to the end)."""
    # The server closes what was idle for half a minute.
    owner.close()
    began = time.perf_counter()
    body = b'--limit\r\nContent-Disposition: form-data; name="file"; filename="commas.csv"\r\n\r\n'
    body += COMMAS + b"\r\n" + LIMIT + b"--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=limit", "X-CSRFToken": owner.token}
    status, _ = owner._ask("POST", f"/p/{slug}/import/documents", body, headers)
    message = time.perf_counter() - began
    while status == 302:
        time.sleep(1)
        _, index = owner.get(f"/p/{slug}/import")
        if b"being checked" not in index and b"waiting to be checked" not in index:
            break
    answered.append((status, message, time.perf_counter() - began))


def family(pid: int) -> set[int]:
    """Return a process and all that it started."""
    found, children = {pid}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    waiting = [pid]
    while waiting:
        new = children.get(waiting.pop(), [])
        found.update(new)
        waiting += new
    return found


class Memory(threading.Thread):
    """Looks now and then how much memory the server takes in all."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.most, self.stopped = pid, 0.0, threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(0.2):
            self.most = max(self.most, memory_of(self.pid))


def memory_of(pid: int) -> float:
    """Return the memory of a server's processes, in MB; what they share counts once."""
    total = 0
    for one in family(pid):
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def prepare(url: str) -> tuple[Work, list[str], str]:
    """Make people who rate and people who own the project; return the work, the owners and the project."""
    work = prepare_work(url, people=RATERS, queries=60, answers=12, batches=20)
    database = Database(url)
    with database.write() as session:
        make, project = Make(session), session.get_one(Project, work.project.id)
        password = hash_password(PASSWORD)
        emails = [f"owner{number}@example.org" for number in range(OWNERS)]
        for email in emails:
            make.member(project, "owner", email=email, password_hash=password)
        slug = project.slug
    with database.read() as session:
        found = session.scalars(select(Person.email).where(Person.email.in_(emails))).all()
    database.dispose()
    return work, sorted(found), slug


def times(label: str, noted: list[tuple[float, float, int]]) -> None:
    """Print the times of some ratings."""
    took = sorted(seconds for _, seconds, _ in noted) or [0.0]
    statuses = dict(Counter(status for _, _, status in noted))
    middle, late = took[len(took) // 2], took[int(len(took) * 0.95)]
    print(
        f"  ratings {label}: {len(noted)}, p50 {middle * 1000:.0f} ms, p95 {late * 1000:.0f} ms, "
        f"slowest {took[-1] * 1000:.0f} ms, statuses {statuses}"
    )


def attack(served: Served, owners: list[Rater], slug: str, ratings: list[Rating], label: str) -> None:
    """Give the file 16 times at once, and print what came of it."""
    answered: list[tuple[int, float, float]] = []
    memory, began = Memory(served.pid), time.perf_counter()
    memory.start()
    threads = [threading.Thread(target=give, args=(owner, slug, answered)) for owner in owners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ended = time.perf_counter()
    memory.stopped.set()
    print(f"{OWNERS} files at once, {label}: {dict(Counter(status for status, _, _ in answered))}")
    print(
        f"  answered after at most {max(message for _, message, _ in answered):.1f} s, "
        f"all checked after {ended - began:.1f} s, memory at its highest {memory.most:.0f} MB"
    )
    times("meanwhile", [one for each in ratings for one in each.noted if began <= one[0] <= ended])


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--postgresql", metavar="URL")
    url = options.parse_args().postgresql
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder), url)
        work, emails, slug = prepare(served.url)
        served.start()
        try:
            resting = memory_of(served.pid)
            raters = [Rater(served.port, str(person.email)) for person in work.people]
            owners = [Rater(served.port, email) for email in emails]
            for each in [*raters, *owners]:
                each.sign_in()
            leased = work.leased.values()
            ratings = [Rating(rater, answers) for rater, answers in zip(raters, leased, strict=True)]
            for each in ratings:
                each.start()
            began = time.perf_counter()
            time.sleep(QUIET)
            print(f"{RATERS} people rate; memory of the server {resting:.0f} MB; {os.cpu_count()} processors")
            times("before", [one for each in ratings for one in each.noted if one[0] >= began])
            mine = [owners[0]] + [copied(owners[0]) for _ in range(OWNERS - 1)]
            attack(served, mine, slug, ratings, "by one person")
            attack(served, owners, slug, ratings, f"by {OWNERS} people")
            for each in ratings:
                each.stopped.set()
                each.join()
            began = time.perf_counter()
            served.stop()
            print(f"the server ended {time.perf_counter() - began:.1f} s after SIGTERM")
        finally:
            served.kill()
    return int(any(status != 201 and status != 200 for each in ratings for _, _, status in each.noted))


def copied(owner: Rater) -> Rater:
    """Return another browser window of the same person."""
    other = Rater(owner.port, owner.email)
    other.cookie, other.token = owner.cookie, owner.token
    return other


if __name__ == "__main__":
    sys.exit(main())
