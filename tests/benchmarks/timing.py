"""How benchmarks take time: in turns, several times, and the middle of it."""

import gc
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

Task = Callable[[], object]
TURN = 0.1


@dataclass(frozen=True)
class Taken:
    """The median seconds of a task: by the clock, and of the processor (all threads together).

    On a busy machine the clock also counts what other programs do; the processor's time does not.
    """

    clock: float
    cpu: float


def in_turns(tasks: Mapping[str, Task], rounds: int) -> dict[str, Taken]:
    """Return the medians of each task; all are run in turn, so that a busy moment hits all alike.

    A turn repeats a short task until it has taken ``TURN`` seconds and counts the mean, as ``timeit`` does:
    else it would be timed with whatever the task before has left in the processor's caches.
    """
    repeats = {name: _repeats_of(task) for name, task in tasks.items()}
    taken: dict[str, list[Taken]] = {name: [] for name in tasks}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, task in tasks.items():
                taken[name].append(_taken(task, repeats[name]))
    finally:
        gc.enable()
    return {name: middle(turns) for name, turns in taken.items()}


def middle(turns: list[Taken]) -> Taken:
    """Return the medians of both times."""
    clock, cpu = zip(*((turn.clock, turn.cpu) for turn in turns), strict=True)
    return Taken(statistics.median(clock), statistics.median(cpu))


def _repeats_of(task: Task) -> int:
    task()
    return max(1, round(TURN / max(_taken(task, 1).cpu, 1e-6)))


def _taken(task: Task, repeats: int) -> Taken:
    started, worked = time.perf_counter(), time.process_time()
    for _ in range(repeats):
        task()
    return Taken((time.perf_counter() - started) / repeats, (time.process_time() - worked) / repeats)


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Print a Markdown table."""
    names = list(head)
    print(f"\n| {' | '.join(names)} |\n|{' --- |' * len(names)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def shown(seconds: float) -> str:
    """Return a time with a unit that suits it."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def times(theirs: Taken, ours: Taken) -> str:
    """Return how many times as long they took, by the clock and of the processor."""
    return f"{_ratio(theirs.clock / ours.clock)} ({_ratio(theirs.cpu / ours.cpu)})"


def _ratio(ratio: float) -> str:
    return f"{ratio:.0f}x" if ratio >= 20 else f"{ratio:.1f}x"


def machine() -> str:
    """Return what was measured on, with the load that other programs put on it."""
    load = os.getloadavg()[0]
    return f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {load:.1f} at the start"
