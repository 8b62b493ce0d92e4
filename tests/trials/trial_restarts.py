"""Print how soon the site serves again after it was killed, and how soon it ends when it is asked to.

`make trial-restarts` kills the site ten times (SIGKILL) while four people rate and starts it again, then ends it
five times with SIGTERM. The time is that from the start of the process to an answered page.
At the end the ledger is compared with what people were told. Exit status 1 where anything was lost or doubled,
where the median start takes more than 3 seconds, or an end does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path
from statistics import median

from sqlalchemy import select

from app.database import Database
from app.models import Judgment
from tests.furniture.served import Rater, Served, prepare_work

PEOPLE = 4
SECONDS = 3.0


class Stubborn(threading.Thread):
    """Sends each rating until it is acknowledged, always with the same id."""

    def __init__(self, rater: Rater, answers: list[tuple[str, int]], stopped: threading.Event) -> None:
        super().__init__(daemon=True)
        self.rater, self.answers, self.stopped = rater, answers, stopped
        self.told: list[bytes] = []

    def run(self) -> None:
        for place, (candidate, batch) in enumerate(self.answers):
            number, status = uuid.uuid4(), 0
            while status not in {200, 201}:
                if self.stopped.is_set():
                    return
                try:
                    status, _ = self.rater.rate(candidate, batch, place % 4, number=str(number))
                except OSError:
                    time.sleep(0.02)
            self.told.append(number.bytes)
            time.sleep(0.05)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--ends", type=int, default=5)
    asked = parser.parse_args()
    starts, ends = [], []
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder))
        work = prepare_work(served.url, people=PEOPLE, queries=40, batches=40)
        served.start()
        stopped, crowd = threading.Event(), []
        for person in work.people:
            rater = Rater(served.port, person.email or "")
            rater.patience = 10
            rater.sign_in()
            crowd.append(Stubborn(rater, work.leased[person.id], stopped))
        for one in crowd:
            one.start()
        for _ in range(asked.kills):
            time.sleep(1)
            served.kill()
            starts.append(taken(served.start))
        for _ in range(asked.ends):
            time.sleep(1)
            ends.append(taken(served.stop))
            served.start()
        stopped.set()
        for one in crowd:
            one.join(30)
        served.stop()
        database = Database(served.url)
        with database.read() as session:
            stored = list(session.scalars(select(Judgment.client_uuid)))
        database.dispose()
    told = [number for one in crowd for number in one.told]
    lost, doubled = len(set(told) - set(stored)), len(stored) - len(set(stored))
    print("| | times | median s | longest s |\n| --- | --- | --- | --- |")
    print(f"| killed, then serving again | {len(starts)} | {median(starts):.1f} | {max(starts):.1f} |")
    print(f"| asked to end, then ended | {len(ends)} | {median(ends):.1f} | {max(ends):.1f} |")
    print(f"\n{len(told)} ratings acknowledged, {lost} lost, {doubled} doubled.")
    return 1 if lost or doubled or median(starts) > SECONDS or max(ends) > SECONDS else 0


def taken(act) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
