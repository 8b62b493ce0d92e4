"""The background worker: a queue beside the site, one process that empties it, and nothing lost in between."""

from __future__ import annotations

import fcntl
import signal
import stat
import threading
import time

import pytest

from app.jobs.worker import EmbeddedConsumer
from app.models import Upload


def state_of(stored, upload_id):
    with stored.read() as session:
        return session.get(Upload, upload_id).state


@pytest.mark.thorough
def test_work_is_done_in_the_background_of_one_thread_that_leaves_the_signals_alone(
    stored, folder, arrived, new_worker, wait_for
):
    signals = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    upload, worker = arrived("checking"), new_worker()

    worker.start()
    thread = worker._thread
    worker.start()
    worker.take(upload, "checking")

    assert worker._thread is thread
    wait_for(upload, "checked")
    found = [path for path in folder.iterdir() if path.name.startswith(("jobs", "worker"))]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in found}
    assert {"jobs.sqlite3", "worker.lock"} <= set(modes)
    assert set(modes.values()) == {0o600}
    assert {number: signal.getsignal(number) for number in signals} == signals


@pytest.mark.thorough
def test_killed_work_is_taken_up_at_the_next_start_once_no_other_process_works(
    stored, folder, arrived, new_worker, wait_for
):
    checking, importing = arrived("checking"), arrived("importing")
    with (folder / "worker.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        new_worker().start()
        time.sleep(0.2)
        assert state_of(stored, checking) == "checking"

    wait_for(checking, "checked")
    wait_for(importing, "done")


def test_under_test_the_work_is_done_at_once_and_no_thread_starts(stored, folder, arrived, new_worker):
    upload = arrived("importing")

    worker = new_worker(immediate=True)
    worker.take(upload, "importing")

    assert worker._thread is None
    assert state_of(stored, upload) == "done"
    assert not (folder / "jobs.sqlite3").exists()


@pytest.mark.thorough
def test_stopped_while_its_threads_start_it_ends_them(stored, folder, new_worker, monkeypatch, caplog):
    worker, starting, ended = new_worker(), threading.Event(), []
    start, join = EmbeddedConsumer.start, EmbeddedConsumer._join_workers

    def start_slowly(consumer):
        starting.set()
        time.sleep(0.2)
        start(consumer)

    monkeypatch.setattr(EmbeddedConsumer, "start", start_slowly)
    monkeypatch.setattr(
        EmbeddedConsumer, "_join_workers", lambda consumer: ended.append(consumer) or join(consumer)
    )
    worker.start()
    assert starting.wait(30)

    worker.stop()

    assert ended
    worker._thread.join(30)
    assert not worker.is_alive
    assert not caplog.records


def test_stopped_before_its_threads_start_it_starts_none(stored, folder, new_worker, monkeypatch, caplog):
    worker, started = new_worker(), []
    monkeypatch.setattr("app.jobs.worker.resume_uploads", lambda *_: worker.stop())
    monkeypatch.setattr(EmbeddedConsumer, "start", started.append)

    worker.start()

    worker._thread.join(30)
    assert not started
    assert not worker.is_alive
    assert not caplog.records


@pytest.mark.thorough
def test_stopped_before_its_turn_it_gives_the_lock_back(stored, folder, new_worker, caplog):
    worker = new_worker()
    with (folder / "worker.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        worker.start()
        time.sleep(0.2)
        worker.stop()
    worker._thread.join(30)

    with (folder / "worker.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    worker.start()
    assert not worker.is_alive
    assert not caplog.records
