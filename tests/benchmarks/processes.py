"""Whole processes under the clock: what they take from start to end, and how much memory at most."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.timing import Taken, middle

ROOT = Path(__file__).resolve().parents[2]
FLASK = (sys.executable, "-m", "flask", "--app", "app")
# A process starts with the peak of the one that started it, so a small one starts them all, and holds the clock.
LAUNCHER = """
import json, os, sys, time
started = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
taken = [time.perf_counter() - started, usage.ru_utime + usage.ru_stime]
print(json.dumps([os.waitstatus_to_exitcode(status), taken, usage.ru_maxrss * 1024]), file=sys.stderr)
"""


@dataclass(frozen=True)
class Process:
    """One process that has ended: its times, its peak of memory in bytes, and what it printed."""

    taken: Taken
    peak: int
    output: str


def run(words: Sequence[object]) -> Process:
    """Run a command in the project's folder; raise where it fails."""
    launcher = [sys.executable, "-S", "-E", "-c", LAUNCHER, *map(str, words)]
    done = subprocess.run(
        launcher, cwd=ROOT, capture_output=True, text=True, env=dict(os.environ), check=True
    )
    exit_status, taken, peak = json.loads(done.stderr.splitlines()[-1])
    if exit_status:
        raise RuntimeError(f"exit status {exit_status}: {' '.join(map(str, words))[:300]}")
    return Process(Taken(*taken), peak, done.stdout)


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
