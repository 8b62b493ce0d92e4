"""The background worker: a queue beside the site, one process that empties it, and nothing lost in between."""

from __future__ import annotations

import fcntl
import signal
import stat
import time

import pytest

from app.models import Upload


def state_of(stored, upload_id):
    with stored.read() as session:
        return session.get(Upload, upload_id).state


@pytest.mark.thorough
def test_work_is_done_in_the_background(stored, folder, arrived, new_worker, wait_for):
    upload = arrived("checking")

    new_worker().take(upload, "checking")

    wait_for(upload, "checked")
    found = [path for path in folder.iterdir() if path.name.startswith(("jobs", "worker"))]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in found}
    assert {"jobs.sqlite3", "worker.lock"} <= set(modes)
    assert set(modes.values()) == {0o600}


@pytest.mark.thorough
def test_killed_work_is_taken_up_at_the_next_start(stored, folder, arrived, new_worker, wait_for):
    checking, importing = arrived("checking"), arrived("importing")

    new_worker().start()

    wait_for(checking, "checked")
    wait_for(importing, "done")


@pytest.mark.thorough
def test_a_process_waits_while_another_one_works(stored, folder, arrived, new_worker, wait_for):
    upload = arrived("checking")
    with (folder / "worker.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        new_worker().start()
        time.sleep(0.2)
        assert state_of(stored, upload) == "checking"

    wait_for(upload, "checked")


@pytest.mark.thorough
def test_starting_twice_starts_once(stored, folder, arrived, new_worker, wait_for):
    upload, worker = arrived("checking"), new_worker()

    worker.start()
    thread = worker._thread
    worker.start()

    assert worker._thread is thread
    wait_for(upload, "checked")


def test_under_test_the_work_is_done_at_once_and_no_thread_starts(stored, folder, arrived, new_worker):
    upload = arrived("importing")

    worker = new_worker(immediate=True)
    worker.take(upload, "importing")

    assert worker._thread is None
    assert state_of(stored, upload) == "done"
    assert not (folder / "jobs.sqlite3").exists()


@pytest.mark.thorough
def test_the_consumer_leaves_the_signals_to_the_web_server(stored, folder, arrived, new_worker, wait_for):
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    upload = arrived("checking")

    new_worker().take(upload, "checking")
    wait_for(upload, "checked")

    assert {number: signal.getsignal(number) for number in before} == before
