"""The background worker: a queue in a file of its own, and threads that have the work done beside the site.

What there is to do is in the rows of the database; the queue only says that there is something. So a job may
run twice or never: whoever starts next finds what was killed and does it again. The work itself is done in
processes of their own (`app.jobs.children`), with limits on time and memory.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from huey import SqliteHuey, crontab
from huey.consumer import Consumer
from sqlalchemy.exc import SQLAlchemyError

from app.database import Database, make_private
from app.jobs.child import WORKS
from app.jobs.children import Children, Ended
from app.jobs.erasing import clean
from app.jobs.steps import sweep
from app.jobs.turns import RECURRING, Turns, WorkItem, fail, is_undone, is_wanted, queue_path, work_items_of
from app.jobs.uploads import resume_uploads, tidy_uploads
from app.services.accounts.audit import forget_old_entries
from app.services.deliveries import forget_old_deliveries
from app.services.mail import queue_mail
from app.services.uploads import at_work_together
from config import read_mail

log = logging.getLogger(__name__)
NAME = "touchstone"
IDLE_SECONDS = 0.5
TIDY_MINUTE = "17"
COMPARING = "comparing"
COPYING = "copying"
FETCHING = "fetching"
SENDING = "sending"
MAILING = "mailing"
# So many people have work done for them at the same time.
AT_ONCE = 4
# What cannot even be said to have failed, because the disk is full, is looked at again after so long.
LATER_SECONDS = 10
# The next messages of the same project, and the next e-mails, are sent after so long.
SENDING_PAUSE = 1.0


class EmbeddedConsumer(Consumer):
    """A consumer whose threads live in the web process; signals belong to the web server."""

    def _set_signal_handlers(self) -> None:
        pass


class Worker:
    """Takes work, and has it done in turns: at once and here when immediate, else in processes of their own.

    Of all processes with one instance folder a single one works: it holds the lock of that folder, which
    the system gives to the next one when it and its processes have ended, however they ended.
    """

    def __init__(
        self,
        database: Database,
        instance_path: Path,
        *,
        megabytes: int = 2048,
        immediate: bool = False,
        back_up: Callable[[], Any] = lambda: None,
        audit_days: int = 0,
    ) -> None:
        self._database = database
        self._instance_path = instance_path
        self._folder = instance_path / "uploads"
        self._megabytes = megabytes
        self._immediate = immediate
        self._huey = _queue(instance_path, immediate=immediate)
        self._thread: threading.Thread | None = None
        self._consumer: EmbeddedConsumer | None = None
        self._children: Children | None = None
        self._lock: int | None = None
        self._stopped = threading.Event()
        # Held to start or stop: nothing starts after a stop, and nothing is stopped half started.
        self._starting = threading.Lock()
        self._turns = Turns(partial(work_items_of, database, self._folder))
        self._ring: Callable[[], Any] = self._huey.task(name="work")(self._work_off)
        self._huey.periodic_task(crontab(minute=TIDY_MINUTE), name="tidy_uploads")(self._tidy)
        self._audit_days = audit_days
        self._back_up = back_up
        # Each minute it looks whether one is due.
        self._huey.periodic_task(crontab(), name="back_up")(back_up)
        # Each minute it looks whether a webhook is to be told something.
        self._huey.periodic_task(crontab(), name="webhooks")(self._ring)
        # Every few minutes it looks what is to be told by e-mail.
        self._huey.periodic_task(crontab(minute="*/5"), name="mail")(self._queue_mail)
        self._clean: Callable[[], Any] = self._huey.task(name="clean")(partial(clean, database))

    def take(self, number: str, work: str) -> None:
        """Do what an upload in this state waits for: check it, or import it."""
        if self._immediate:
            WORKS[work](self._database, self._folder, number)
            self._follow(number)
            return
        self._ring()
        self.start()

    def _follow(self, number: str) -> None:
        """Do what follows for files that were chosen together; in turns, that is found among what waits."""
        while True:
            with self._database.read() as session:
                following = at_work_together(session, number)
            if following is None:
                return
            WORKS[following.state](self._database, self._folder, following.id)

    def compare(self, project_id: int) -> None:
        """Find the documents of a project that are alike."""
        self.take(str(project_id), COMPARING)

    def fetch(self, project_id: int) -> None:
        """Fetch the images of a project that wait."""
        self.take(str(project_id), FETCHING)

    def copy(self, project_id: int) -> None:
        """Make the copy of a project that was asked for."""
        self.take(str(project_id), COPYING)

    def send(self, project_id: int) -> None:
        """Send what waits for the webhooks of a project."""
        self.take(str(project_id), SENDING)

    def mail(self) -> None:
        """Send the e-mails that wait."""
        self.take("mail", MAILING)

    def clean(self) -> None:
        """Rewrite the files of the database without what was erased."""
        if self._immediate:
            clean(self._database)
            return
        self._clean()
        self.start()

    def start(self) -> None:
        """Begin to work, here or as soon as no other process does; more than once changes nothing."""
        with self._starting:
            if self._immediate or self._stopped.is_set() or self._thread is not None:
                return
            self._thread = threading.Thread(target=self._work, name="worker", daemon=True)
            self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether work is done here, or in another process of this instance for as long as that one lives."""
        if self._immediate:
            return True
        if self._consumer is not None:
            return all(thread.is_alive() for _, thread in self._consumer.worker_threads)
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """End the work: what is being done is begun again at the next start, here or in another process."""
        with self._starting:
            self._stopped.set()
        if self._children is not None:
            self._children.stop()
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
            lock = os.open(self._instance_path / "worker.lock", os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            with self._starting:
                if self._stopped.is_set():
                    os.close(lock)
                    return
                self._lock = lock
                self._children = Children(self._database.url, self._folder, self._megabytes, lock)
            self._tidy()
            resume_uploads(self._database, self._folder)
            self._ring()
            with self._starting:
                if self._stopped.is_set():
                    return
                consumer = EmbeddedConsumer(
                    self._huey,
                    workers=AT_ONCE,
                    worker_type="thread",
                    initial_delay=0.02,
                    max_delay=IDLE_SECONDS,
                )
                consumer.start()
                self._consumer = consumer
            self._back_up()
        except Exception:
            # Once stopped, what it starts with may be closed already.
            if not self._stopped.is_set():
                log.exception("the background worker could not start")

    def _work_off(self) -> None:
        """Have everything done that waits, as far as other threads do not."""
        assert self._children is not None
        # Once stopped, what waits still waits: it would be taken again and again.
        while not self._children.is_stopped and (piece := self._turns.take()) is not None:
            later = SENDING_PAUSE if piece.work in RECURRING else 0.0
            try:
                self._have_done(piece)
            except SQLAlchemyError:
                log.exception("%s %s is left for later", piece.work, piece.number)
                later = LATER_SECONDS
            finally:
                self._turns.give_back(piece, later)
            if later:
                timer = threading.Timer(later, self._ring)
                timer.daemon = True
                timer.start()

    def _have_done(self, piece: WorkItem) -> None:
        assert self._children is not None
        order = {"work": piece.work, "number": piece.number, "seconds": piece.seconds}
        ended = self._children.do(order, partial(is_wanted, self._database, piece))
        if piece.work in RECURRING and ended is Ended.DONE:
            return
        if piece.work == "importing" and ended is Ended.UNWANTED:
            sweep(self._database)  # it was cancelled: what it wrote so far is removed
        if ended is not Ended.UNWANTED and is_undone(self._database, piece):
            log.warning("%s %s: %s", piece.work, piece.number, ended.value)
            fail(self._database, piece, ended)

    def _queue_mail(self) -> None:
        if read_mail() is not None:
            with self._database.write() as session:
                queue_mail(session)
            self._ring()

    def _tidy(self) -> None:
        tidy_uploads(self._database, self._folder)
        # Where it was in somebody's way before.
        clean(self._database)
        with self._database.write() as session:
            forget_old_deliveries(session)
            if self._audit_days:
                forget_old_entries(session, self._audit_days)


def _queue(instance_path: Path, *, immediate: bool) -> SqliteHuey:
    jobs = queue_path(instance_path)
    if not immediate:  # else nothing is queued
        make_private(jobs)
    return SqliteHuey(NAME, filename=str(jobs), immediate=immediate, results=False)
