"""Print the time of exact bounds and of paired tests: `make bench-certainty`.

Budget: bounds 5 µs per run and query.
"""

import argparse
import sys
from collections.abc import Callable

import numpy as np

from app.scoring.bounds import ndcg_bounds, pair_bounds
from app.scoring.judged import Judged
from app.scoring.lists import Lists
from app.scoring.ruler import ScoringRuler
from tests.benchmarks.timing import Taken, in_turns, machine, shown, table
from tests.scoring.collected import judged_grades
from tests.scoring.paired import compare_rankers

DEPTH = 10
POOL = 44


def pooled(runs: int, queries: int, share: float) -> tuple[Lists, Judged]:
    """Return lists of ten out of a pool of 44 documents per query, of which a share is judged from 0 to 3."""
    rng = np.random.default_rng(7)
    picked = np.argsort(rng.random((runs, queries, POOL)), axis=2)[:, :, :DEPTH]
    positions = picked + np.arange(queries)[:, None] * POOL
    lists = Lists(
        np.ascontiguousarray(positions.transpose(2, 0, 1)), np.full((runs, queries), DEPTH, dtype=np.int64)
    )
    grades = np.where(rng.random(queries * POOL) < share, rng.integers(0, 4, queries * POOL), -1)
    numbers = np.repeat(np.arange(queries), POOL)
    return lists, judged_grades(grades, numbers, ScoringRuler(), queries=queries)


def bounds_rows(rounds: int) -> list[list[str]]:
    """Return the time per run and query, and per pair and query, by how much is judged."""
    rows = []
    for runs, queries in ((8, 225), (8, 1_000)):
        for share in (0.9, 0.5, 0.0):
            taken = in_turns(bounds_tasks(runs, queries, share), rounds)
            pairs = runs * (runs - 1) // 2
            rows.append(
                [
                    f"{runs} runs, {queries:,} queries, {share:.0%} judged",
                    per(taken["single"], runs * queries),
                    per(taken["pairs"], pairs * queries),
                ]
            )
    return rows


def bounds_tasks(runs: int, queries: int, share: float) -> dict[str, Callable[[], object]]:
    """Return what is timed: both bounds of all runs, and of all pairs of runs."""
    lists, judged = pooled(runs, queries, share)
    first, second = np.triu_indices(runs, 1)
    return {
        "single": lambda: ndcg_bounds(lists, judged, DEPTH),
        "pairs": lambda: pair_bounds(lists, judged, DEPTH, first, second),
    }


def per(taken: Taken, cells: int) -> str:
    """Return the time of one cell by the clock, and of the processor."""
    return f"{taken.clock / cells * 1e6:.2f} µs ({taken.cpu / cells * 1e6:.2f} µs)"


def both(taken: Taken) -> str:
    """Return a time by the clock, and of the processor."""
    return f"{shown(taken.clock)} ({shown(taken.cpu)})"


def other_rows(rounds: int) -> list[list[str]]:
    """Return the time of paired tests."""
    rng = np.random.default_rng(7)
    two, eight = rng.random((2, 500)), rng.random((8, 500))
    taken = in_turns(
        {
            "sign-flip test, 2 rankers, 500 queries, 9,999 patterns": lambda: compare_rankers(two, seed=1),
            "max-t test, 8 rankers (28 pairs), 500 queries": lambda: compare_rankers(eight, seed=1),
        },
        rounds,
    )
    return [[name, both(one)] for name, one in taken.items()]


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    print(f"Medians of {rounds} rounds by the clock, processor time in brackets. {machine()}.")
    table(["both exact bounds of nDCG@10", "per run and query", "per pair and query"], bounds_rows(rounds))
    table(["all at once", "time"], other_rows(rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
