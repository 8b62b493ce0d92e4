"""Acknowledged is committed: the server is killed while people rate, and nothing is lost or doubled."""

from __future__ import annotations

import threading
import time
import uuid
from pathlib import Path

import pytest
from sqlalchemy import select, text

from app.database import Database
from app.models import Event, Judgment
from tests.furniture.served import Rater, Served, prepare_work

PEOPLE = 4
KILLS = 2
BATCHES = 6


class Stubborn(threading.Thread):
    """An annotator who sends each rating until it is acknowledged, always with the same id."""

    def __init__(self, rater: Rater, answers: list[tuple[str, int]]) -> None:
        super().__init__(daemon=True)
        self.rater, self.answers = rater, answers
        self.acknowledged: list[bytes] = []
        self.refused: list[int] = []

    def run(self) -> None:
        self._until_done(self.rater.sign_in)
        for place, (candidate, batch) in enumerate(self.answers):
            number = uuid.uuid4()
            status, _ = self._until_done(
                lambda c=candidate, b=batch, g=place % 4, n=str(number): self.rater.rate(c, b, g, number=n)
            )
            (self.acknowledged if status in {200, 201} else self.refused).append(
                number.bytes if status in {200, 201} else status
            )
        self.rater.close()

    def _until_done(self, act):
        deadline = time.monotonic() + 60
        while True:
            try:
                return act()
            except (OSError, AssertionError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)


@pytest.mark.thorough
def test_killed_servers_lose_no_acknowledged_rating_and_double_none(tmp_path: Path) -> None:
    # Two processes write by the same code as one, and take turns besides.
    served = Served(tmp_path, WEB_WORKERS="2")
    work = prepare_work(served.url, people=PEOPLE, queries=BATCHES, batches=BATCHES)
    people = [
        Stubborn(Rater(served.port, person.email or ""), work.leased[person.id]) for person in work.people
    ]
    served.start()
    try:
        for person in people:
            person.start()
        for _ in range(KILLS):
            time.sleep(0.8)
            served.kill()
            served.start()
        for person in people:
            person.join(timeout=90)
    finally:
        served.stop()

    # Whoever is asked to end leaves one file.
    assert not Path(f"{tmp_path}/touchstone.sqlite3-wal").exists()
    database = Database(served.url)
    with database.read() as session:
        rows = session.execute(
            select(Judgment.revision, Judgment.client_uuid).where(Judgment.project_id == work.project.id)
        ).all()
        events = session.scalars(select(Event.revision).where(Event.project_id == work.project.id)).all()
        integrity = session.execute(text("PRAGMA integrity_check")).scalar_one()
    database.dispose()
    stored = [row.client_uuid for row in rows]
    acknowledged = [number for person in people for number in person.acknowledged]
    assert integrity == "ok"
    assert [person.refused for person in people] == [[]] * PEOPLE
    assert len(acknowledged) == PEOPLE * BATCHES * 12
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored))
    revisions = sorted([row.revision for row in rows] + list(events))
    assert revisions == list(range(1, len(revisions) + 1))
