"""Print how ten annotators are served while an owner exports a million ratings, and pushes a large run.

`make trial-beside-rating` serves one site on SQLite with two projects: the annotators' own, and one of a million
judgments. They rate with a pause of a third of a second, first alone, then beside each export and beside a
pushed run of a million lines. For each it prints how long it took, how much was sent, the times of the ratings
meanwhile, and the memory of all processes of the server at its highest. Exit status 1 where a rating failed.
`ARGS="--raters 50 --pause 5 --queries 44000 --push-only"` lets fifty people rate beside a run of 200 MB.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.api.client import Touchstone
from tests.benchmarks.bench_imports import DOCUMENTS, PLACES, QUERIES, Commands, write_run
from tests.benchmarks.bench_quality import NAME, SHAPES
from tests.benchmarks.owner_pages import made_once
from tests.furniture.annotators import run_crowd
from tests.furniture.served import Served, prepare_work
from tests.trials.trial_annotators import signed_in
from tests.trials.trial_hostile_files import Memory, memory_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.furniture.annotators import Crowd

RATERS, PAUSE, LONGEST = 10, 0.3, 600.0
PIECE = 1 << 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="that they rate alone")
    parser.add_argument("--raters", type=int, default=RATERS)
    parser.add_argument(
        "--pause", type=float, default=PAUSE, help="seconds between two ratings of one of them"
    )
    parser.add_argument("--queries", type=int, default=QUERIES, help="of the run, with a hundred lines each")
    parser.add_argument("--push-only", action="store_true", help="no exports")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = made_once(folder, SHAPES[NAME]).rename(folder / "touchstone.sqlite3")
        url = f"sqlite:///{file}"
        work = prepare_work(url, people=asked.raters, queries=400)
        prepare_run(folder, asked.queries)
        read, push = (token_of(folder, project) for project in ("ten", "made"))
        served = Served(folder, url)
        served.start()
        try:
            people = signed_in(served, work)
            site = f"http://127.0.0.1:{served.port}"
            tasks: dict[str, Callable[[], int]] = {
                f"export of ratings, {form}": lambda form=form: fetched(
                    f"{site}/api/v1/projects/ten/exports/ratings?format={form}", read
                )
                for form in ("csv", "jsonl")
            }
            tasks["export of qrels"] = lambda: fetched(f"{site}/api/v1/projects/ten/exports/qrels", read)
            if asked.push_only:
                tasks.clear()
            lines = asked.queries * PLACES
            tasks[f"push of {lines:,} lines"] = lambda: pushed(site, push, folder / "made.run", lines)
            print(f"At rest the server takes {memory_of(served.pid):.0f} MB.\n")
            print("| beside | s | MB sent | ratings | p50 ms | p95 ms | longest ms | memory, MB |")
            print("| --- | --- | --- | --- | --- | --- | --- | --- |")
            tasks = {"nothing": lambda: time.sleep(asked.seconds) or 0, **tasks}
            crowds = [beside(served, people, what, task, asked.pause) for what, task in tasks.items()]
        finally:
            served.kill()
    errors = [error for crowd in crowds for told in crowd.told.values() for error in told.errors]
    print("\n" + ("\n".join(errors[:20]) or "No rating failed."))
    return int(bool(errors))


def prepare_run(folder: Path, queries: int) -> None:
    """Make a project of half a million documents, and a run with a hundred lines for each query."""
    commands = Commands(folder)
    (folder / "queries.tsv").write_text("".join(f"q{q:05d}\tquestion {q}\n" for q in range(queries)))
    with (folder / "documents.tsv").open("w") as file:
        file.write("doc_id\ttext\n")
        file.writelines(f"document-{d:06d}\tThe text of document {d}.\n" for d in range(DOCUMENTS))
    write_run(folder / "made.run", np.random.default_rng(1), queries)
    commands.run("project", "create", "made", "--name", "Made", "--scale", "0-3")
    commands.run("import", "queries", "made", folder / "queries.tsv")
    commands.run("import", "documents", "made", folder / "documents.tsv")


def token_of(folder: Path, project: str) -> str:
    """Return a token for a project."""
    *_, printed = Commands(folder).run(
        "token", "create", "--project", project, "--scope", "scores", "--scope", "runs"
    )
    return printed.splitlines()[-1]


def fetched(address: str, token: str) -> int:
    """Read an answer to its end, piece by piece, and return its bytes."""
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=LONGEST) as answer:
        return sum(iter(lambda: len(answer.read(PIECE)), 0))


def pushed(site: str, token: str, run: Path, lines: int) -> int:
    """Push a run, wait until it is imported, and return its bytes."""
    done = Touchstone(site, project="made", token=token).push_run(run, ranker="made")
    assert done["counts"]["lines"] == lines
    return run.stat().st_size


def beside(
    served: Served, people: dict[int, tuple[str, str]], what: str, task: Callable[[], int], pause: float
) -> Crowd:
    """Let people rate until a task has ended, and print a row about it."""
    memory, found, ended = Memory(served.pid), list[tuple[float, int]](), threading.Event()

    def work() -> None:
        time.sleep(1)
        began = time.perf_counter()
        try:
            sent = task()
            found.append((time.perf_counter() - began, sent))
        finally:
            ended.set()

    memory.start()
    thread = threading.Thread(target=work)
    thread.start()
    crowd = run_crowd(served.port, LONGEST, people, pause=pause, until=ended)
    thread.join()
    memory.stopped.set()
    (seconds, sent), took = found[0], np.sort(crowd.times["rating"]) * 1000
    print(
        f"| {what} | {seconds:.1f} | {sent / 1e6:.0f} | {len(took):,} | {np.median(took):.0f} | "
        f"{np.quantile(took, 0.95):.0f} | {took[-1]:.0f} | {memory.most:.0f} |",
        flush=True,
    )
    return crowd


if __name__ == "__main__":
    sys.exit(main())
