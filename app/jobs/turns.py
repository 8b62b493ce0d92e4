"""Whose work is done next: one piece for each person at a time, and turns between all who wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from itertools import count
from pathlib import Path
from typing import NamedTuple

from app.database import Database
from app.jobs.children import Ended
from app.models import Upload
from app.services.collection.near_duplicates import note_progress, searches_at_work
from app.services.collection.pictures import note_failed, projects_with_waiting_pictures
from app.services.mail import is_mail_due
from app.services.projects.copies import copies_at_work, fail_copy, find_copy
from app.services.uploads import AT_WORK, turn_upload, uploads_at_work
from app.services.webhooks import projects_to_look_at, projects_with_due_deliveries
from config import read_mail

# How long a piece of work may take: some time for any, and more for a large file.
SECONDS = 120
BYTES_A_SECOND = 250_000
# What a packed file may grow to; few grow beyond it.
PACKED = 10
COMPARING_SECONDS = 3600
WEBHOOK_SECONDS = 600
# What these do is over when it is done, though more may have come meanwhile; nobody calls them off.
RECURRING = {"sending", "looking", "mailing"}
END_TEXTS = {
    Ended.TOOK_TOO_LONG: (
        "Reading this file took longer than {minutes} minutes and was stopped. Nothing was saved. "
        "Split it into smaller files, or import it with the command line."
    ),
    Ended.KILLED: (
        "The process that read this file was ended from outside, perhaps for lack of memory. "
        "Nothing was saved. Split the file into smaller ones, or try again."
    ),
    Ended.DONE: ("Something went wrong on our side while reading this file. Nothing was saved. Try again."),
}


def queue_path(instance_path: Path) -> Path:
    """Return the file of the waiting jobs."""
    return instance_path / "jobs.sqlite3"


class WorkItem(NamedTuple):
    """A piece of work: of which kind, on what, for whom, and how long it may take."""

    work: str
    number: str
    whose: Hashable
    seconds: float


class Turns:
    """Gives out pieces of work; `waiting` returns those there are, oldest first."""

    def __init__(self, waiting: Callable[[], list[WorkItem]]) -> None:
        self._waiting = waiting
        self._guard = threading.Lock()
        self._turn = count(1)
        self._last: dict[Hashable, int] = {}
        self._served: set[Hashable] = set()
        self._later: dict[str, float] = {}

    def take(self) -> WorkItem | None:
        """Return the next piece, to be given back; None while there is none to begin."""
        with self._guard:
            now = time.monotonic()
            free = [
                piece
                for piece in self._waiting()
                if piece.whose not in self._served and self._later.get(piece.number, now) <= now
            ]
            if not free:
                return None
            # Among those whose last turn was as long ago, the oldest piece.
            piece = min(free, key=lambda each: self._last.get(each.whose, 0))
            self._served.add(piece.whose)
            self._last[piece.whose] = next(self._turn)
            return piece

    def give_back(self, piece: WorkItem, later: float = 0) -> None:
        """Let the next piece of this person be taken; this one again only after some seconds."""
        with self._guard:
            self._served.discard(piece.whose)
            self._later.pop(piece.number, None)
            if later:
                self._later[piece.number] = time.monotonic() + later


def work_items_of(database: Database, folder: Path) -> list[WorkItem]:
    """Return what is to be done here: work on uploads whose files are here, then searches and images."""
    with database.read() as session:
        uploads = uploads_at_work(session)
        searches = searches_at_work(session)
        pictures, copies = projects_with_waiting_pictures(session), copies_at_work(session)
        sending, looking = projects_with_due_deliveries(session), projects_to_look_at(session)
        mailing = ["mail"] if read_mail() is not None and is_mail_due(session) else []
    here = [each for each in uploads if each.state in AT_WORK and (folder / each.id).exists()]
    return [
        *(WorkItem(each.state, each.id, ("person", each.person_id), seconds_for(each)) for each in here),
        *(WorkItem("comparing", str(number), ("search", number), COMPARING_SECONDS) for number in searches),
        *(WorkItem("fetching", str(number), ("pictures", number), COMPARING_SECONDS) for number in pictures),
        *(WorkItem("copying", str(number), ("copy", number), COMPARING_SECONDS) for number in copies),
        *(WorkItem("sending", str(number), ("messages", number), WEBHOOK_SECONDS) for number in sending),
        *(WorkItem("looking", str(number), ("scores", number), WEBHOOK_SECONDS) for number in looking),
        *(WorkItem("mailing", number, number, WEBHOOK_SECONDS) for number in mailing),
    ]


def seconds_for(upload: Upload) -> float:
    """Return how long the work on a file may take."""
    size = upload.size * (PACKED if upload.options.get("packed") else 1)
    return SECONDS + size / BYTES_A_SECOND


def is_wanted(database: Database, piece: WorkItem) -> bool:
    """Return whether a piece of work is still to be done."""
    if piece.work in RECURRING:
        return True
    with database.read() as session:
        if piece.work == "comparing":
            return int(piece.number) in searches_at_work(session)
        if piece.work == "fetching":
            return int(piece.number) in projects_with_waiting_pictures(session)
        if piece.work == "copying":
            copy = find_copy(session, int(piece.number))
            return copy is not None and copy.state != "failed"
        upload = session.get(Upload, piece.number)
        # What is done is noted before it is tidied up.
        return upload is not None and upload.state in {piece.work, "done"}


def is_undone(database: Database, piece: WorkItem) -> bool:
    """Return whether a piece of work is still to be done after it ended; tidying up comes later."""
    if piece.work not in AT_WORK:
        return is_wanted(database, piece)
    with database.read() as session:
        upload = session.get(Upload, piece.number)
        return upload is not None and upload.state == piece.work


def fail(database: Database, piece: WorkItem, ended: Ended) -> None:
    """Say why a piece of work was not done."""
    if piece.work in RECURRING:
        return  # it is tried again by itself
    with database.write() as session:
        if piece.work == "comparing":
            note_progress(session, int(piece.number), "failed")
            return
        if piece.work == "fetching":
            note_failed(session, int(piece.number), "the work was stopped: fetch the images again")
            return
        if piece.work == "copying":
            fail_copy(session, int(piece.number), "")
            return
        saying = END_TEXTS[ended].format(minutes=round(piece.seconds / 60))
        turn_upload(session, piece.number, [piece.work], "failed", report={"refusal": saying})
