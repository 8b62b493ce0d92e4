"""Counts of requests for Prometheus, in memory that all processes of one server share.

Each process counts in a part of its own, so no process waits for another, and whichever is asked knows
the sum.
"""

from __future__ import annotations

import math
import mmap
import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from http import HTTPStatus

import numpy as np

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
STATUSES = {status.value: column for column, status in enumerate(HTTPStatus)}
# Columns of a route: one for each status, one for each bound and one beyond, and the seconds in all.
FIRST_BOUND = len(STATUSES)
SECONDS = FIRST_BOUND + len(BOUNDS) + 1
WIDTH = SECONDS + 1
# What no route answered: an address that does not exist.
NOWHERE = "none"


class Counts:
    """Requests by route, status and time taken, and ratings acknowledged."""

    def __init__(self, routes: Iterable[str], processes: int = 1) -> None:
        self.routes = (*sorted(set(routes)), NOWHERE)
        self._rows = {route: row for row, route in enumerate(self.routes)}
        self._shape = (processes, len(self.routes) + 1, WIDTH)
        # Memory without a file; processes that are forked from here on share it.
        self._memory = mmap.mmap(-1, math.prod(self._shape) * 8)
        self._cells = memoryview(self._memory).cast("d")
        self._guard = threading.Lock()
        self.count_for(0)

    def count_for(self, process: int) -> None:
        """Count in the part of this process: a row for each route, and one for ratings."""
        self._start = process * self._shape[1] * WIDTH

    def add(self, route: str, status: int, seconds: float) -> None:
        """Count one answer."""
        cells, row = self._cells, self._start + self._rows.get(route, self._rows[NOWHERE]) * WIDTH
        with self._guard:
            cells[row + STATUSES.get(status, STATUSES[500])] += 1
            cells[row + FIRST_BOUND + bisect_left(BOUNDS, seconds)] += 1
            cells[row + SECONDS] += seconds

    def add_ratings(self, number: int) -> None:
        """Count ratings that were saved and are acknowledged now."""
        with self._guard:
            self._cells[self._start + len(self.routes) * WIDTH] += number

    def lines(self) -> Iterator[str]:
        """Return what all processes have counted, in Prometheus's text format."""
        total = np.frombuffer(self._memory).reshape(self._shape).sum(axis=0)
        by_route = {route: total[row] for row, route in enumerate(self.routes) if total[row].any()}
        yield from metric(
            "touchstone_requests_total",
            "counter",
            "Requests answered, by route and status.",
            [
                ({"route": route, "status": str(status)}, row[column])
                for route, row in by_route.items()
                for status, column in STATUSES.items()
                if row[column]
            ],
        )
        name = "touchstone_request_seconds"
        yield from _head(name, "histogram", "Time taken by a request, without its way through the network.")
        for route, row in by_route.items():
            labels = {"route": route}
            up_to = np.cumsum(row[FIRST_BOUND:SECONDS])
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), up_to, strict=True):
                yield _sample(f"{name}_bucket", {**labels, "le": bound}, count)
            yield _sample(f"{name}_sum", labels, row[SECONDS])
            yield _sample(f"{name}_count", labels, up_to[-1])
        yield from metric(
            "touchstone_ratings_acknowledged_total",
            "counter",
            "Ratings of single answers that were saved and acknowledged.",
            [({}, total[-1, 0])],
        )


def metric(
    name: str, kind: str, help_text: str, samples: Sequence[tuple[dict[str, str], float]]
) -> Iterator[str]:
    """Return the lines of one metric in Prometheus's text format."""
    yield from _head(name, kind, help_text)
    for labels, value in samples:
        yield _sample(name, labels, value)


def _head(name: str, kind: str, help_text: str) -> tuple[str, str]:
    return f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"


def _sample(name: str, labels: dict[str, str], value: float) -> str:
    named = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{named}}} {float(value):.17g}" if named else f"{name} {float(value):.17g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
