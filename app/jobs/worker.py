"""The background worker: a queue in a file of its own, and a thread that empties it beside the web server.

Doors put the number of an upload into the queue; what there is to do is in the upload's row. So a job
may run twice or never: the next worker to start finds what was killed and does it again.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from huey import RedisHuey, SqliteHuey, crontab
from huey.consumer import Consumer

from app.database import Database, make_private
from app.jobs.near_duplicates import find_near_duplicates
from app.jobs.uploads import check_upload, import_upload, resume_uploads, tidy_uploads
from app.services.collection.near_duplicates import searches_at_work

log = logging.getLogger(__name__)
NAME = "touchstone"
IDLE_SECONDS = 0.5
TIDY_MINUTE = "17"
COMPARING = "comparing"


class EmbeddedConsumer(Consumer):
    """A consumer whose threads live in the web process; signals belong to the web server."""

    def _set_signal_handlers(self) -> None:
        pass


class Worker:
    """Takes work on uploads, and does it: at once when immediate, else in a thread.

    Of all processes with one instance folder a single one works: it holds the lock of that folder, which
    the system gives to the next one when it ends, however it ends.
    """

    def __init__(
        self,
        database: Database,
        instance_path: Path,
        *,
        redis_url: str | None = None,
        immediate: bool = False,
    ) -> None:
        self._database = database
        self._instance_path = instance_path
        self._folder = instance_path / "uploads"
        self._immediate = immediate
        self._huey = _queue(instance_path, redis_url, immediate=immediate)
        self._thread: threading.Thread | None = None
        self._consumer: EmbeddedConsumer | None = None
        self._lock: int | None = None
        self._starting = threading.Lock()
        self._jobs: dict[str, Callable[[str], Any]] = {
            "checking": self._huey.task(name="check_upload")(self._check),
            "importing": self._huey.task(name="import_upload")(self._import),
            COMPARING: self._huey.task(name="find_near_duplicates")(self._compare),
        }
        self._huey.periodic_task(crontab(minute=TIDY_MINUTE), name="tidy_uploads")(self._tidy)

    def take(self, upload_id: str, state: str) -> None:
        """Do what an upload in this state waits for: check it, or import it."""
        self._jobs[state](upload_id)
        self.start()

    def compare(self, project_id: int) -> None:
        """Find the documents of a project that are alike."""
        self._jobs[COMPARING](str(project_id))
        self.start()

    def start(self) -> None:
        """Begin to work, here or as soon as no other process does; more than once changes nothing."""
        with self._starting:
            if self._immediate or self._thread is not None:
                return
            self._thread = threading.Thread(target=self._work, name="worker", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the work: what is being done is finished first, and another process may go on."""
        if self._consumer is not None:
            self._consumer.stop(graceful=True)
            self._consumer = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        self._huey.storage.close()

    def _work(self) -> None:
        try:
            # Open for the life of the process, whose end is the end of the lock.
            self._lock = os.open(self._instance_path / "worker.lock", os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            self._take_up()
            self._consumer = EmbeddedConsumer(
                self._huey, workers=1, worker_type="thread", initial_delay=0.02, max_delay=IDLE_SECONDS
            )
            self._consumer.start()
        except Exception:
            log.exception("the background worker could not start")

    def _take_up(self) -> None:
        self._tidy()
        for upload_id, state in resume_uploads(self._database, self._folder):
            self._jobs[state](upload_id)
        with self._database.read() as session:
            projects = searches_at_work(session)
        for project_id in projects:
            self._jobs[COMPARING](str(project_id))

    def _check(self, upload_id: str) -> None:
        check_upload(self._database, self._folder, upload_id)

    def _import(self, upload_id: str) -> None:
        import_upload(self._database, self._folder, upload_id)

    def _compare(self, project_id: str) -> None:
        find_near_duplicates(self._database, int(project_id))

    def _tidy(self) -> None:
        tidy_uploads(self._database, self._folder)


def _queue(instance_path: Path, redis_url: str | None, *, immediate: bool) -> Any:
    if redis_url:
        return RedisHuey(NAME, url=redis_url, immediate=immediate, results=False)
    jobs = instance_path / "jobs.sqlite3"
    if not immediate:  # else nothing is queued
        make_private(jobs)
    return SqliteHuey(NAME, filename=str(jobs), immediate=immediate, results=False)
