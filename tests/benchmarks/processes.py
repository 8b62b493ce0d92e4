"""Whole processes under the clock: what they take from start to end, and how much memory at most."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.timing import Taken, middle

ROOT = Path(__file__).resolve().parents[2]
FLASK = (sys.executable, "-m", "flask", "--app", "app")


@dataclass(frozen=True)
class Process:
    """One process that has ended: its times, its peak of memory in bytes, and what it printed."""

    taken: Taken
    peak: int
    output: str


def run(words: Sequence[object]) -> Process:
    """Run a command in the project's folder; raise where it fails."""
    started = time.perf_counter()
    with subprocess.Popen(
        [str(word) for word in words], cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    clock = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError(f"exit status {process.returncode}: {' '.join(map(str, words))[:300]}")
    return Process(Taken(clock, usage.ru_utime + usage.ru_stime), usage.ru_maxrss * 1024, output)


def run_in_turns(commands: Mapping[str, Sequence[object]], rounds: int) -> dict[str, Taken]:
    """Return the median times of each command; all are run in turn, once before any counts."""
    turns: dict[str, list[Taken]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, words in commands.items():
            taken = run(words).taken
            if number:
                turns[name].append(taken)
    return {name: middle(taken) for name, taken in turns.items()}


def peak_of(words: Sequence[object], rounds: int = 3) -> int:
    """Return the median peak of memory of a command, in bytes."""
    return int(statistics.median(run(words).peak for _ in range(rounds)))
