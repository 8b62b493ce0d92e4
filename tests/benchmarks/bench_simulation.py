"""Print how much rating each order of questions needs on Cranfield: `make bench-simulation`.

The complete set of judgments is replayed one rating at a time under every rule. What is printed is the
share of the pool after which Kendall's tau against the complete ranking is at least 0.9 and stays.
"""

import argparse
import dataclasses
import sys
import time
from pathlib import Path

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.discounts import discounts
from app.scoring.priority import candidates_of
from app.scoring.seeds import seed_of, seeded_order
from app.scoring.simulation import RULES, Needed, Replay, Truth, needed_of, replay, share_first

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "cranfield"
DEPTH = 10
HIGHEST = 4.0
COARSE = 4
PROMISED = 50


def lists_of(path: Path) -> dict[str, list[str]]:
    """Return each query's documents: score descending, then document id descending by bytes."""
    lines: dict[str, list[tuple[float, bytes]]] = {}
    for line in path.read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        lines.setdefault(query, []).append((float(score), document.encode()))
    return {query: [d.decode() for _, d in sorted(rows, reverse=True)] for query, rows in lines.items()}


def cranfield(*, ideal: bool = False) -> tuple[Ints, Ints, Floats]:
    """Return of every pool item its query, its ranks (runs, items) and its gain.

    With ``ideal`` one more run returns each query's best judged documents, pooled by the others or not.
    """
    runs = [lists_of(path) for path in sorted((DATA / "runs").glob("*.run"))]
    grades = grades_of(DATA / "qrels.txt")
    if ideal:
        runs.append({query: sorted(found, key=lambda d: (-found[d], d)) for query, found in grades.items()})
    queries = [line.split("\t")[0] for line in (DATA / "queries.tsv").read_text().splitlines()]
    rows = []
    for number, query in enumerate(queries):
        tops = [run.get(query, [])[:DEPTH] for run in runs]
        for document in sorted(set().union(*tops)):
            ranks = [top.index(document) + 1 if document in top else 0 for top in tops]
            rows.append((number, *ranks, grades.get(query, {}).get(document, 0)))
    table = np.array(rows)
    return table[:, 0], table[:, 1:-1].T, table[:, -1].astype(np.float64)


def grades_of(path: Path) -> dict[str, dict[str, int]]:
    """Return each query's documents of gain above 0 with their gain, stars - 1."""
    grades: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines():
        query, _, document, stars = line.split()
        if int(stars) > 1:
            grades.setdefault(query, {})[document] = int(stars) - 1
    return grades


def truth_of(query: Ints, ranks: Ints, gains: Floats, chosen: Ints) -> Truth:
    """Return the complete judgments of the chosen queries."""
    mine = np.isin(query, chosen)
    numbers = np.searchsorted(np.sort(chosen), query[mine])
    every = np.ones(len(ranks), dtype=np.bool_)
    candidates = candidates_of(numbers, ranks[:, mine], discounts(depth=DEPTH), current=every)
    return Truth(candidates, gains[mine], discounts(depth=DEPTH), len(chosen), HIGHEST)


def coarse(run: Replay) -> Replay:
    """Return every fourth point of a replay."""
    points = slice(COARSE - 1, None, COARSE)
    return dataclasses.replace(
        run, shares=run.shares[points], zero_fill=run.zero_fill[points], smoothed=run.smoothed[points]
    )


def draws_of(
    pool: tuple[Ints, Ints, Floats], queries: int, draws: int
) -> dict[str, list[tuple[Needed, Needed]]]:
    """Return what every rule needed in every draw, on the grid of 1% and on that of 4%."""
    query, ranks, gains = pool
    found: dict[str, list[tuple[Needed, Needed]]] = {rule: [] for rule in RULES}
    for draw in range(draws):
        chosen = seeded_order(seed_of("subset", queries, draw), np.unique(query))[:queries]
        truth = truth_of(query, ranks, gains, chosen)
        for rule in RULES:
            run = replay(truth, rule, seed=seed_of("draw", draw))
            found[rule].append((needed_of(run), needed_of(coarse(run))))
    return found


def column(found: list[tuple[Needed, Needed]], field: str, grid: int = 0) -> Floats:
    """Return one outcome of all draws."""
    return np.array([getattr(pair[grid], field) for pair in found])


def error_of(values: Floats) -> float:
    """Return the standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def print_table(found: dict[str, list[tuple[Needed, Needed]]], queries: int, draws: int) -> None:
    """Print the shares needed, by rule and estimator."""
    print(f"\n{queries} queries, {draws} draws: share of the pool until tau >= .9 stays (standard error)\n")
    print("| rule | zero-fill | smoothed | zero-fill, gaps >= .02 | smoothed, gaps >= .02 | on a 4% grid |")
    print("| --- | --- | --- | --- | --- | --- |")
    fields = ("zero_fill", "smoothed", "zero_fill_apart", "smoothed_apart")
    for rule, pairs in found.items():
        fine = [column(pairs, field) for field in fields]
        rough = [column(pairs, field, 1).mean() for field in fields]
        cells = " | ".join(f"{values.mean():.3f} ({error_of(values):.3f})" for values in fine)
        print(f"| {rule} | {cells} | {rough[0]:.3f} / {rough[1]:.3f} ({rough[2]:.3f} / {rough[3]:.3f}) |")


def print_gates(found: dict[str, list[tuple[Needed, Needed]]]) -> bool:
    """Print how the open race stands to chance and to depth order; return if it keeps its promises."""
    race, chance, depth = (found[rule] for rule in ("open race", "random", "depth"))
    kept = True
    for field in ("zero_fill", "smoothed"):
        ratio = column(race, field).mean() / column(chance, field).mean()
        kept &= print_gate(f"open race / random, {field}: {ratio:.2f} (at most .75)", holds=ratio <= 0.75)
    gap = column(race, "zero_fill") - column(depth, "zero_fill")
    text = f"open race - depth, zero_fill: {gap.mean():+.3f} (at most {2 * error_of(gap):.3f}, 2 standard errors)"
    return print_gate(text, holds=bool(gap.mean() <= 2 * error_of(gap))) and kept


def print_gate(text: str, *, holds: bool) -> bool:
    """Print one promise and return whether it is kept."""
    print(f"- {text}: {'holds' if holds else 'does not hold'}")
    return holds


def ideal_run_gate(draws: int) -> bool:
    """Print after which share of the whole pool an added ideal run is first; return if by .10."""
    query, ranks, gains = cranfield(ideal=True)
    truth = truth_of(query, ranks, gains, np.unique(query))
    shares = []
    for draw in range(draws):
        run = replay(truth, "open race", seed=seed_of("ideal", draw))
        shares.append(
            [share_first(run, scores, len(ranks) - 1) or 1.0 for scores in (run.zero_fill, run.smoothed)]
        )
    first, smoothed = np.mean(shares, axis=0)
    text = f"ideal run added to all queries is put first from {first:.3f} by zero-fill (at most .10)"
    return print_gate(f"{text}, {smoothed:.3f} by the estimate, {draws} draws", holds=max(shares)[0] <= 0.10)


def main() -> int:
    """Run the simulation and return 0 if every promise is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, nargs="+", default=[50])
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--ideal-draws", type=int, default=5)
    options = parser.parse_args()
    if not DATA.is_dir():
        print(f"NOT RUN: the Cranfield files are not at {DATA}", file=sys.stderr)
        return 1
    pool = cranfield()
    print(f"Cranfield, {len(pool[1])} runs, pool of {len(pool[0])} items at depth {DEPTH}")
    kept = True
    for queries in options.queries:
        start = time.perf_counter()
        found = draws_of(pool, queries, options.draws)
        print_table(found, queries, options.draws)
        print(f"\n{'Promised' if queries == PROMISED else 'Not promised'} at this size:\n")
        kept &= print_gates(found) or queries != PROMISED
        print(f"- {time.perf_counter() - start:.0f} s", flush=True)
    return 0 if ideal_run_gate(options.ideal_draws) and kept else 1


if __name__ == "__main__":
    sys.exit(main())
