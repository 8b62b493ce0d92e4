"""Annotators who send each rating until it is acknowledged, and what became of what they were told."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from itertools import cycle
from typing import TYPE_CHECKING

from sqlalchemy import func, select, text

from app.database import Database
from app.models import Judgment
from tests.furniture.served import Rater

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Self

    from tests.furniture.served import Served, Work

# A rating is sent again after this many seconds.
AGAIN = 0.05


class Stubborn(threading.Thread):
    """Sends each rating until it is acknowledged, always with the same id."""

    def __init__(
        self, rater: Rater, answers: list[tuple[str, int]], stopped: threading.Event, pause: float
    ) -> None:
        super().__init__(daemon=True)
        self.rater, self.answers, self.stopped, self.pause = rater, answers, stopped, pause
        self.told: list[bytes] = []
        # When each of them was acknowledged, by the clock that is never set.
        self.told_at: list[float] = []
        # How often each status came instead of an acknowledgement; 0 is a connection that was cut off.
        self.refused: Counter[int] = Counter()

    def run(self) -> None:
        """Rate answer after answer, and then each again, until they are told to stop."""
        last: dict[str, str] = {}
        for place, (candidate, batch) in enumerate(cycle(self.answers)):
            number, status = uuid.uuid4(), 0
            while status not in {200, 201}:
                if self.stopped.is_set():
                    return
                try:
                    status, _ = self.rater.rate(
                        candidate, batch, place % 4, number=str(number), base=last.get(candidate)
                    )
                except OSError:
                    status = 0
                if status not in {200, 201}:
                    self.refused[status] += 1
                    time.sleep(AGAIN)
            self.told_at.append(time.monotonic())
            self.told.append(number.bytes)
            last[candidate] = str(number)
            time.sleep(self.pause)


class StubbornCrowd:
    """Several of them, each with a batch of every question, who rate while the block runs."""

    def __init__(self, served: Served, work: Work, *, pause: float = 0.05, patience: float = 10) -> None:
        self.stopped, self.people = threading.Event(), []
        for person in work.people:
            rater = Rater(served.port, person.email or "")
            rater.patience = patience
            rater.sign_in()
            self.people.append(Stubborn(rater, work.leased[person.id], self.stopped, pause))

    def __enter__(self) -> Self:
        for one in self.people:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        for one in self.people:
            one.join(30)

    @property
    def told(self) -> list[bytes]:
        """The ids of all ratings that were acknowledged."""
        return [number for one in self.people for number in one.told]

    @property
    def refused(self) -> Counter[int]:
        """How often each status came instead of an acknowledgement."""
        return sum((one.refused for one in self.people), Counter())

    def seconds_until_saved(self, within: float = 30) -> float:
        """Wait until one more rating is acknowledged, and return how long that took."""
        started, before = time.perf_counter(), len(self.told)
        while len(self.told) == before:
            if time.perf_counter() - started > within:
                raise RuntimeError(f"no rating was acknowledged within {within:.0f} seconds")
            time.sleep(0.01)
        return time.perf_counter() - started


def lost_and_doubled(url: str, told: Iterable[bytes]) -> tuple[int, int]:
    """Return how many acknowledged ratings a ledger lacks, and how many it has twice or out of order."""
    database = Database(url)
    with database.read() as session:
        stored = list(session.scalars(select(Judgment.client_uuid)))
        last, count = session.execute(
            select(func.max(Judgment.revision), func.count(Judgment.revision.distinct()))
        ).one()
        first = session.scalar(select(func.min(Judgment.revision))) or 0
    database.dispose()
    gaps = (last or 0) - first + 1 - count if count else 0
    return len(set(told) - set(stored)), len(stored) - len(set(stored)) + gaps


def is_whole(file: Path) -> bool:
    """Return whether SQLite finds nothing wrong with a database's file."""
    database = Database(f"sqlite:///{file}")
    with database.read() as session:
        found = session.execute(text("PRAGMA integrity_check")).scalars().all()
    database.dispose()
    return found == ["ok"]
