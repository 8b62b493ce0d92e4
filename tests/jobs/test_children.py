"""Processes that work: what hangs, dies or takes too much memory ends in one sentence, and stops nobody else."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

from app.jobs import turns
from app.jobs.children import Child, Children, Ended
from app.jobs.uploads.work import TOO_MUCH

BETWEEN = "import os, time; from app.jobs import child; from app.jobs.uploads import checking\n"
HANG = "child.WORKS['checking'] = lambda *_: time.sleep(120)"
DIE = "child.WORKS['checking'] = lambda *_: os.kill(os.getpid(), 9)"
SPIN = """
def spin(*_):
    while True: pass
child.WORKS['checking'] = spin
"""
SWELL = "checking.CHECKS['queries'] = lambda *_: {'x': len(bytearray(3 << 30))}"


@pytest.fixture
def broken(monkeypatch):
    """Return what makes all further processes do their work in a broken way."""

    def broken(how):
        monkeypatch.setattr(Child, "command", (sys.executable, "-c", f"{BETWEEN}{how}\nchild.main()"))

    return broken


@pytest.fixture
def children(tmp_path):
    lock = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    children = Children(f"sqlite:///{tmp_path / 'empty.sqlite3'}", tmp_path, 512, lock)
    yield children
    children.stop()
    os.close(lock)


def order(seconds=60.0):
    return {"work": "checking", "number": "none", "seconds": seconds}


@pytest.mark.thorough
def test_one_process_does_one_piece_after_the_other_and_is_replaced_if_it_ended_while_idle(children):
    memory = bytearray(400 << 20)  # the bytes are written, so they are resident: the server's do not count

    assert children.do(order(), lambda: True) is Ended.DONE
    (child,) = children._idle
    assert len(memory) == 400 << 20
    assert children.do(order(), lambda: True) is Ended.DONE
    assert children._idle == [child]

    child._process.kill()

    assert children.do(order(), lambda: True) is Ended.DONE
    assert children._idle != [child]


@pytest.mark.thorough
def test_what_takes_too_long_is_stopped(children, broken):
    broken(SPIN)

    assert children.do(order(0.5), lambda: True) is Ended.TOOK_TOO_LONG


@pytest.mark.thorough
def test_what_nobody_waits_for_any_more_is_stopped(children, broken):
    broken(HANG)

    assert children.do(order(), lambda: False) is Ended.UNWANTED


@pytest.mark.thorough
def test_what_never_begins_is_told_from_what_is_done(children, monkeypatch):
    monkeypatch.setattr(Child, "command", (sys.executable, "-c", "raise SystemExit"))

    assert children.do(order(), lambda: True) is Ended.KILLED


@pytest.mark.thorough
def test_a_process_ends_with_the_one_that_started_it_even_at_work(children, broken):
    broken(HANG)
    child = Child(children._settings, children._lock)
    child._send(order())
    while not (said := child._answer()):
        assert said is not None

    child._process.stdin.close()  # as the system does when the server ends, however it ends

    assert child._process.wait(timeout=10) == 0
    child.end()


def test_stopping_ends_what_is_at_work_within_three_seconds(children, broken):
    broken(HANG)
    child = children._take()
    child._send(order())
    began = time.monotonic()

    children.stop()

    assert time.monotonic() - began < 3
    assert child._process.returncode == -signal.SIGKILL
    assert children.do(order(), lambda: True) is Ended.UNWANTED


class TestUploads:
    """The whole way: the row of an upload whose process fails."""

    @pytest.mark.thorough
    def test_a_hung_check_says_so_and_the_next_file_is_checked(
        self, stored, arrived, new_worker, broken, monkeypatch, wait_for
    ):
        broken(HANG)
        monkeypatch.setattr(turns, "SECONDS", 1)
        hung, worker = arrived("checking"), new_worker()
        worker.take(hung, "checking")

        assert "was stopped. Nothing was saved." in wait_for(hung, "failed").report["refusal"]
        monkeypatch.undo()
        well = arrived("checking")
        worker.take(well, "checking")
        wait_for(well, "checked")

    @pytest.mark.thorough
    def test_a_killed_check_says_so_and_is_not_tried_for_ever(self, arrived, new_worker, broken, wait_for):
        broken(DIE)
        killed = arrived("checking")

        new_worker().take(killed, "checking")

        assert "ended from outside" in wait_for(killed, "failed").report["refusal"]

    @pytest.mark.thorough
    def test_a_check_that_takes_too_much_memory_says_so(self, arrived, new_worker, broken, wait_for):
        broken(SWELL)
        swollen = arrived("checking")

        new_worker(megabytes=1024).take(swollen, "checking")

        assert wait_for(swollen, "failed").report["refusal"] == TOO_MUCH

    @pytest.mark.thorough
    def test_a_file_that_hangs_does_not_hold_up_another_persons(
        self, arrived, new_worker, broken, wait_for, stored
    ):
        broken("""
def hang_on_first(database, folder, number):
    if (folder / number).stat().st_size > 100: time.sleep(120)
    check(database, folder, number)
check, child.WORKS['checking'] = child.WORKS['checking'], hang_on_first
""")
        first, second = arrived("checking", padding=b"q9,x\n" * 50), arrived("checking")

        worker = new_worker()
        worker.take(first, "checking")
        worker.take(second, "checking")

        wait_for(second, "checked")
