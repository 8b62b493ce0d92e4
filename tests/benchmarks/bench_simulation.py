"""Print how much rating each order of answers needs on Cranfield: `make bench-simulation`.

Complete judgments are replayed in batches as they are really assigned, by the very functions that assign them,
to one annotator. What is printed is the share of the pool after which Kendall's tau against the complete ranking
is at least 0.9 and stays, unrated answers counting 0.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.discounts import discounts
from app.scoring.priority import NOT_RETURNED, front_first, random_first
from app.scoring.priority_batches import NO_REQUEST, UNTOUCHED, AssignmentState, BatchNumbers, next_batch
from app.scoring.seeds import seed_of, seeded_order
from app.scoring.tau import kendall_tau

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "cranfield"
DEPTH = 10
QUERIES = 50
RANKERS = (2, 4, 8)
ORDERS = ("front first", "random", "random, item by item", "depth, item by item")
ENOUGH = 0.9
GRID = 0.02
MOST_OF_RANDOM = 0.8


def lists_of(path: Path) -> dict[str, list[str]]:
    """Return each query's documents: score descending, then document id descending by bytes."""
    lines: dict[str, list[tuple[float, bytes]]] = {}
    for line in path.read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        lines.setdefault(query, []).append((float(score), document.encode()))
    return {query: [d.decode() for _, d in sorted(rows, reverse=True)] for query, rows in lines.items()}


def grades_of(path: Path) -> dict[str, dict[str, int]]:
    """Return each query's documents of gain above 0 with their gain, stars - 1."""
    grades: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines():
        query, _, document, stars = line.split()
        if int(stars) > 1:
            grades.setdefault(query, {})[document] = int(stars) - 1
    return grades


def cranfield() -> tuple[Ints, Ints, Floats]:
    """Return of every pool item its query, its ranks (runs, items), 0 for none, and its gain."""
    runs = [lists_of(path) for path in sorted((DATA / "runs").glob("*.run"))]
    grades = grades_of(DATA / "qrels.txt")
    queries = [line.split("\t")[0] for line in (DATA / "queries.tsv").read_text().splitlines()]
    rows = []
    for number, query in enumerate(queries):
        tops = [run.get(query, [])[:DEPTH] for run in runs]
        for document in sorted(set().union(*tops)):
            ranks = [top.index(document) + 1 if document in top else 0 for top in tops]
            rows.append((number, *ranks, grades.get(query, {}).get(document, 0)))
    table = np.array(rows)
    return table[:, 0], table[:, 1:-1].T, table[:, -1].astype(np.float64)


@dataclass(frozen=True)
class Collection:
    """The pool of some rankers on some queries: of each item its query, its ranks and its gain."""

    query: Ints
    ranks: Ints
    gains: Floats
    queries: int

    def scores(self, known: Floats) -> Floats:
        """Return the mean nDCG@10 of every run, with the gains known so far, others 0."""
        weights = np.append(0.0, discounts(depth=DEPTH).weights)
        order = np.lexsort((-known, self.query))
        first = np.searchsorted(self.query, np.arange(self.queries))
        place = np.arange(len(order)) - first[self.query[order]]
        worth = np.where(place < DEPTH, weights[np.minimum(place, DEPTH - 1) + 1], 0.0) * known[order]
        ideal = np.bincount(self.query[order], worth, minlength=self.queries)
        found = [np.bincount(self.query, weights[run] * known, minlength=self.queries) for run in self.ranks]
        return np.divide(found, ideal, out=np.zeros((len(found), self.queries)), where=ideal > 0).mean(axis=1)


def drawn(pool: tuple[Ints, Ints, Floats], rankers: int, draw: int) -> Collection:
    """Return a random subset of the queries with a random choice of rankers."""
    query, ranks, gains = pool
    queries = np.sort(seeded_order(seed_of("queries", draw), np.unique(query))[:QUERIES])
    runs = np.sort(seeded_order(seed_of("rankers", draw), np.arange(len(ranks)))[:rankers])
    mine = np.isin(query, queries) & (ranks[runs] > 0).any(axis=0)
    return Collection(np.searchsorted(queries, query[mine]), ranks[runs][:, mine], gains[mine], len(queries))


def state_of(collection: Collection, seed: int, *, is_random: bool) -> AssignmentState:
    """Return what is ready when nothing is rated yet."""
    items = len(collection.query)
    keys, returned = np.arange(items), collection.ranks > 0
    best = np.where(returned, collection.ranks, NOT_RETURNED).min(axis=0)
    order = seeded_order(seed_of(str(seed), "drawn"), np.arange(collection.queries))
    place = front_first(best, returned.sum(axis=0), keys, seed)
    return AssignmentState(
        query=collection.query,
        key=keys,
        place=random_first(keys, seed) if is_random else place,
        eligible=np.ones(items, dtype=np.bool_),
        touched=np.full(items, UNTOUCHED),
        waited=np.zeros(items),
        requested=np.full(items, NO_REQUEST),
        drawn=np.argsort(order),
        unfinished=np.ones(collection.queries, dtype=np.bool_),
        is_random=is_random,
    )


def batches_of(state: AssignmentState, seed: int) -> Iterator[Ints]:
    """Yield the batches of one annotator until nothing is left. Here a query is closed with its last answer."""
    numbers, begun = BatchNumbers(), None
    while (batch := next_batch(state, numbers, seed=seed, begun=begun)) is not None:
        yield batch.items
        left = state.eligible.copy()
        left[batch.items] = False
        state, numbers = replace(state, eligible=left), numbers.after(batch.number)
        begun = batch.query if batch.kind == "finish" else None


def order_of(collection: Collection, order: str, seed: int) -> Ints:
    """Return the items in the order in which they are rated.

    The first two come in batches as they are assigned, by either setting of a project; the others without.
    """
    state = state_of(collection, seed, is_random=order.startswith("random"))
    if order.endswith("item by item"):
        return np.argsort(state.place)
    return np.concatenate(list(batches_of(state, seed)))


def share_needed(collection: Collection, order: Ints) -> float:
    """Return the share of the pool after which tau is at least 0.9 and stays, on a grid of 2 %."""
    items, truth = len(order), collection.scores(collection.gains)
    points = np.unique(np.ceil(np.arange(GRID, 1 + GRID / 2, GRID) * items - 1e-9).clip(1, items).astype(int))
    taus = []
    for point in points:
        known = np.zeros(items)
        known[order[:point]] = collection.gains[order[:point]]
        taus.append(kendall_tau(truth, collection.scores(known)) or 0.0)
    wrong = np.flatnonzero(np.array(taus) < ENOUGH - 1e-12)
    return float(points[wrong[-1] + 1] / items) if len(wrong) else float(points[0] / items)


def replayed(pool: tuple[Ints, Ints, Floats], rankers: int, draws: int) -> dict[str, Floats]:
    """Return what every order needed in every draw."""
    found: dict[str, list[float]] = {order: [] for order in ORDERS}
    for draw in range(draws):
        collection = drawn(pool, rankers, draw)
        for order, shares in found.items():
            shares.append(share_needed(collection, order_of(collection, order, seed_of("draw", draw))))
    return {order: np.array(shares) for order, shares in found.items()}


def error_of(values: Floats) -> float:
    """Return the standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def gates_of(found: dict[str, Floats], rankers: int) -> list[tuple[str, bool]]:
    """Return what is promised of the order as it is assigned, and whether it holds."""
    gap = found["front first"] - found["random"]
    text = f"{rankers} rankers: front first - random {gap.mean():+.3f}, standard error {error_of(gap):.3f}"
    gates = [(f"{text} (at most 2 of them)", bool(gap.mean() <= 2 * error_of(gap)))]
    if rankers == max(RANKERS):
        ratio = found["front first"].mean() / found["random"].mean()
        text = f"{rankers} rankers: front first / random {ratio:.2f} (at most {MOST_OF_RANDOM})"
        gates.append((text, bool(ratio <= MOST_OF_RANDOM)))
    return gates


def main() -> int:
    """Run the simulation and return 0 if every promise is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=60)
    options = parser.parse_args()
    if not DATA.is_dir():
        print(f"NOT RUN: the Cranfield files are not at {DATA}", file=sys.stderr)
        return 1
    pool, start, gates = cranfield(), time.perf_counter(), []
    print(
        f"Cranfield, {QUERIES} queries drawn, {options.draws} draws, depth {DEPTH}: share of the pool until"
    )
    print("tau >= .9 stays (standard error)\n")
    print(f"| rankers | {' | '.join(ORDERS)} |\n| --- |{' --- |' * len(ORDERS)}")
    for rankers in RANKERS:
        found = replayed(pool, rankers, options.draws)
        cells = [f"{found[order].mean():.3f} ({error_of(found[order]):.3f})" for order in ORDERS]
        print(f"| {rankers} | {' | '.join(cells)} |", flush=True)
        gates += gates_of(found, rankers)
    print()
    for text, holds in gates:
        print(f"- {text}: {'holds' if holds else 'does not hold'}")
    print(f"- {time.perf_counter() - start:.0f} s")
    return 0 if all(holds for _, holds in gates) else 1


if __name__ == "__main__":
    sys.exit(main())
