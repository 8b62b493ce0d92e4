"""The processes that do the work: started when needed, ended when they take too long or nobody waits."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

from app.jobs.child import BEGAN, DONE
from config import ROOT

LOOKS_SECONDS = 1.0
"""How often it is asked whether anybody still waits for the work."""
TRIES = 3
"""How often a process is started that ends before it begins."""


class Ended(Enum):
    """How a piece of work ended."""

    DONE = "done"
    TOOK_TOO_LONG = "stopped, because it took too long"
    KILLED = "its process was ended from outside"
    UNWANTED = "stopped, because nobody waits for it any more"
    NOT_BEGUN = "its process had ended before"


class Child:
    """One process that works, and the pipes to it."""

    command = (sys.executable, "-m", "app.jobs.child")

    def __init__(self, settings: dict[str, Any], lock: int) -> None:
        # The lock stays until the last process that may still write has ended.
        self._process = subprocess.Popen(  # noqa: S603 - nothing of the command comes from outside
            self.command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(lock,), bufsize=0
        )
        self._answers = b""
        self._send(settings)

    @property
    def is_alive(self) -> bool:
        """Return whether the process has not ended."""
        return self._process.poll() is None

    def do(self, order: dict[str, Any], is_wanted: Callable[[], bool]) -> Ended:
        """Have a piece of work done, and return how it ended; only after `DONE` there can be another."""
        self._send(order)
        until, has_begun = time.monotonic() + order["seconds"], False
        while True:
            answer = self._answer()
            if answer is None:
                self.end()
                too_long = self._process.returncode == -signal.SIGXCPU
                return (Ended.TOOK_TOO_LONG if too_long else Ended.KILLED) if has_begun else Ended.NOT_BEGUN
            has_begun = has_begun or answer == BEGAN
            if answer == DONE:
                return Ended.DONE
            if time.monotonic() > until or not is_wanted():
                self.end()
                return Ended.TOOK_TOO_LONG if time.monotonic() > until else Ended.UNWANTED

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def _send(self, line: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        # If it has ended, so have its answers: it is seen there.
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(line).encode() + b"\n")

    def _answer(self) -> str | None:
        """Return the next line, nothing if there is none within a moment, None at the end."""
        assert self._process.stdout is not None
        if b"\n" not in self._answers:
            poll = select.poll()
            poll.register(self._process.stdout, select.POLLIN)
            if not poll.poll(LOOKS_SECONDS * 1000):
                return ""
            block = os.read(self._process.stdout.fileno(), 1024)
            if not block:
                return None
            self._answers += block
        line, _, self._answers = self._answers.partition(b"\n")
        return line.decode()


class Children:
    """All processes that work; one that is done is kept for the next piece, until it ends by itself."""

    def __init__(self, url: str, folder: Path, megabytes: int, lock: int) -> None:
        self._settings = {"url": url, "folder": str(folder), "megabytes": megabytes}
        self._lock = lock
        self._guard = threading.Lock()
        self._idle: list[Child] = []
        self._busy: set[Child] = set()
        self.is_stopped = False

    def do(self, order: dict[str, Any], is_wanted: Callable[[], bool]) -> Ended:
        """Have a piece of work done by a process of its own, and return how it ended."""
        for _ in range(TRIES):
            child = self._take()
            if child is None:
                return Ended.UNWANTED
            ended = child.do(order, is_wanted)
            with self._guard:
                self._busy.discard(child)
                if ended is Ended.DONE:
                    self._idle.append(child)
                if self.is_stopped:
                    return Ended.UNWANTED
            if ended is not Ended.NOT_BEGUN:
                return ended
        return Ended.KILLED

    def stop(self) -> None:
        """End all processes; what they were at is begun again at the next start."""
        with self._guard:
            self.is_stopped = True
            children = [*self._idle, *self._busy]
        for child in children:
            child.end()

    def _take(self) -> Child | None:
        with self._guard:
            if self.is_stopped:
                return None
            for child in [child for child in self._idle if not child.is_alive]:
                self._idle.remove(child)
                child.end()
            child = self._idle.pop() if self._idle else Child(self._settings, self._lock)
            self._busy.add(child)
        return child
