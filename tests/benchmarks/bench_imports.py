"""Print how long imports take, and check what they stored: `make bench-imports`.

First Cranfield through the commands alone, into a fresh SQLite file, with the stored lists compared with
the files; then a made run of a million lines, by a command and pushed over the API. Budget: 20 s, and 256 MB
above what a command needs anyway. With `--unknown`, the memory that files of unknown ids take: each as many as
it has lines. Budget: 100 MB above a file of one line. With `--added`, the memory of imports that add as many
documents, and of a million ratings of known ones. Budget: 250 MB for two million, 110 MB for the ratings.
"""

import argparse
import contextlib
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sqlalchemy import func, select

from app.api.client import Touchstone
from app.database import Database
from app.models import Candidate, Document, Judgment, Query, Ranker, Ranking, Run

ROOT = Path(__file__).resolve().parents[2]
CRANFIELD = ROOT.parent / "shared" / "data" / "cranfield"
PORT = 8117
UNKNOWN_LINES = (1, 300_000, 4_600_000)
ADDED_LINES = (1, 300_000, 2_000_000)
RATED_LINES = (1, 1_000_000)
ADDING = ("--unknown-documents", "add")
QUERIES, DOCUMENTS, PLACES = 10_000, 500_000, 100


class Commands:
    """Runs the product's commands on an instance folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.environ = {**os.environ, "INSTANCE_PATH": str(folder), "DATABASE_URL": ""}
        self.database = Database(f"sqlite:///{folder / 'touchstone.sqlite3'}")
        self.folder = folder

    def run(self, *words: object, refused: bool = False) -> tuple[float, float, float, str]:
        """Return seconds, those of the processor, peak megabytes, and what was said; `refused`: it must fail."""
        started = time.perf_counter()
        command = [sys.executable, "-m", "flask", "--app", "app", *map(str, words)]
        with subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if refused else None,
            text=True,
        ) as process:
            message = process.stdout.read() if process.stdout else ""
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if bool(process.returncode) is not refused:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
        seconds, busy = time.perf_counter() - started, usage.ru_utime + usage.ru_stime
        return seconds, busy, usage.ru_maxrss / 1024, message.strip()

    def show(self, *words: object) -> None:
        """Run a command and print what it took."""
        seconds, busy, megabytes, message = self.run(*words)
        print(f"{seconds:7.2f} s ({busy:.2f}) {megabytes:6.0f} MB  {message.partition(chr(10))[0]}")

    def size(self) -> str:
        """Return how large the database is."""
        return f"{sum(path.stat().st_size for path in self.folder.glob('*.sqlite3*')) / 1e6:.1f} MB"


def lists_in(path: Path) -> dict[str, tuple[list[str], list[float]]]:
    """Return the lists of a TREC run: score descending, then document id descending by bytes."""
    lists: dict[str, list[tuple[float, bytes]]] = {}
    for line in path.read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        lists.setdefault(query, []).append((float(score), document.encode()))
    return {
        query: (
            [d.decode() for _, d in sorted(rows, reverse=True)],
            [s for s, _ in sorted(rows, reverse=True)],
        )
        for query, rows in lists.items()
    }


def stored_lists(database: Database, ranker: str) -> dict[str, tuple[list[str], list[float]]]:
    """Return the lists that the database holds for a ranker."""
    with database.read() as session:
        names = dict(session.execute(select(Document.id, Document.external_id)).all())
        rows = session.execute(
            select(Query.external_id, Ranking.document_ids, Ranking.scores)
            .join(Query, Query.id == Ranking.query_id)
            .join(Run, Run.id == Ranking.run_id)
            .join(Ranker, Ranker.id == Run.ranker_id)
            .where(Ranker.name == ranker)
        ).all()
    return {
        query: (
            [names[each] for each in np.frombuffer(ids, "<i4").tolist()],
            np.frombuffer(scores, "<f8").tolist(),
        )
        for query, ids, scores in rows
    }


def cranfield(commands: Commands) -> None:
    """Import Cranfield with commands only, and compare what is stored with the files."""
    if not CRANFIELD.is_dir():
        raise SystemExit(f"Cranfield is missing: it is looked for in {CRANFIELD}.")
    commands.show(
        "project", "create", "cranfield", "--name", "Cranfield", "--scale", "1-5", "--gain", "linear"
    )
    commands.show("import", "queries", "cranfield", CRANFIELD / "queries.tsv")
    commands.show("import", "documents", "cranfield", CRANFIELD / "documents.jsonl")
    runs = sorted((CRANFIELD / "runs").glob("*.run"))
    for path in runs:
        commands.show("import", "run", "cranfield", path, "--ranker", path.stem)
    commands.show("project", "price", "cranfield")
    commands.show("import", "qrels", "cranfield", CRANFIELD / "qrels.txt")
    same = sum(stored_lists(commands.database, path.stem) == lists_in(path) for path in runs)
    print(f"{same} of {len(runs)} runs are stored exactly as their files order them.")
    for name, count in counts(commands.database):
        print(f"{count:7,} {name}")
    print(f"The database takes {commands.size()}.")


def counts(database: Database) -> Iterator[tuple[str, int]]:
    """Yield what Cranfield's pool and grades must come to."""
    judged = select(Judgment.candidate_id)
    wanted = {
        "answers in the pool": Candidate.in_pool.is_(True),
        "of them judged": Candidate.in_pool.is_(True) & Candidate.id.in_(judged),
        "judged outside it": Candidate.in_pool.is_(False) & Candidate.id.in_(judged),
    }
    with database.read() as session:
        for name, condition in wanted.items():
            yield name, session.scalar(select(func.count()).where(condition)) or 0


def million(commands: Commands, folder: Path) -> None:
    """Import a made run of a million lines into a project of half a million documents."""
    rng = np.random.default_rng(1)
    (folder / "queries.tsv").write_text("".join(f"q{q:05d}\tquestion {q}\n" for q in range(QUERIES)))
    with (folder / "documents.tsv").open("w") as file:
        file.write("doc_id\ttext\n")
        file.writelines(f"document-{d:06d}\tThe text of document {d}.\n" for d in range(DOCUMENTS))
    for name in ("made.run", "other.run"):
        write_run(folder / name, rng)
    commands.show("project", "create", "made", "--name", "Made", "--scale", "0-3")
    commands.show("import", "queries", "made", folder / "queries.tsv")
    commands.show("import", "documents", "made", folder / "documents.tsv")
    commands.show("import", "run", "made", folder / "made.run", "--ranker", "made")
    push(commands, folder / "other.run")


def unknown(commands: Commands, folder: Path) -> None:
    """Print the peak of memory of imports that are refused for their unknown ids, above that of one line."""
    commands.show("project", "create", "made", "--name", "Made", "--scale", "0-3")
    (folder / "queries.tsv").write_text("".join(f"q{q:05d}\tquestion {q}\n" for q in range(QUERIES)))
    commands.show("import", "queries", "made", folder / "queries.tsv")
    for kind, ending, options in (("run", "1 1 made", ("--ranker", "made")), ("qrels", "1", ())):
        base = 0.0
        for lines in UNKNOWN_LINES:
            path = folder / f"unknown.{kind}"
            with path.open("w") as file:
                file.writelines(f"q{n // 1000:05d} Q0 unknown-{n:08d} {ending}\n" for n in range(lines))
            seconds, _, megabytes, _ = commands.run("import", kind, "made", path, *options, refused=True)
            base = base or megabytes
            print(
                f"{kind:6} {lines:9,} unknown ids {seconds:6.2f} s {megabytes:4.0f} MB, "
                f"{megabytes - base:+4.0f} MB, {megabytes / base:.2f} of one line"
            )


def added(commands: Commands, folder: Path) -> None:
    """Print the peak of memory of imports that add documents, and of ratings of these, above that of one line."""
    commands.show("project", "create", "made", "--name", "Made", "--scale", "0-3")
    (folder / "queries.tsv").write_text("".join(f"q{q:05d}\tquestion {q}\n" for q in range(QUERIES)))
    commands.show("import", "queries", "made", folder / "queries.tsv")
    for kind, what, sizes, options in (
        ("run", "new ids", ADDED_LINES, ("--ranker", "made", *ADDING)),
        ("qrels", "known ids", RATED_LINES, ("--annotator", "made")),
    ):
        base = 0.0
        for lines in sizes:
            path = folder / f"{lines}.{kind}"
            with path.open("w") as file:
                file.writelines(f"{_added_line(kind, n, max(sizes))}\n" for n in range(lines))
            seconds, busy, megabytes, _ = commands.run("import", kind, "made", path, *options)
            base = base or megabytes
            print(
                f"{kind:6} {lines:9,} {what} {seconds:6.2f} s ({busy:.2f}) {megabytes:4.0f} MB, "
                f"{megabytes - base:+4.0f} MB, {(megabytes - base) * (1 << 20) / lines:4.0f} bytes per line"
            )


def _added_line(kind: str, number: int, most: int) -> str:
    """Return a line of a run, each of another document, or of ratings of these."""
    query, document = f"q{number * QUERIES // most:05d}", f"new-{number:08d}"
    if kind == "run":
        return f"{query} Q0 {document} 1 {most - number} made"
    return f"{query} 0 {document} {number % 4}"


def write_run(path: Path, rng: np.random.Generator, queries: int = QUERIES) -> None:
    """Write a run of a million lines, or of other than ten thousand queries."""
    with path.open("w") as file:
        for query in range(queries):
            listed = rng.choice(DOCUMENTS, PLACES, replace=False)
            scores = np.sort(rng.random(PLACES))[::-1]
            file.writelines(
                f"q{query:05d} Q0 document-{document:06d} {rank} {score:.9f} made\n"
                for rank, (document, score) in enumerate(zip(listed, scores, strict=True), 1)
            )


def push(commands: Commands, run: Path) -> None:
    """Push a run over the API, as it is and then packed, for another ranker; print what it took of whom."""
    *_, printed = commands.run("token", "create", "--project", "made", "--scope", "runs")
    token = printed.splitlines()[-1]
    packed = run.with_suffix(".run.gz")
    with run.open("rb") as plain, gzip.open(packed, "wb", compresslevel=1) as file:
        shutil.copyfileobj(plain, file)
    command = [sys.executable, "-m", "flask", "--app", "app", "serve"]
    with subprocess.Popen(
        command, cwd=ROOT, env={**commands.environ, "PORT": str(PORT)}, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        server.stdout.readline()  # once it listens
        site = Touchstone(f"http://127.0.0.1:{PORT}", project="made", token=token)
        for path in (run, packed):
            before, started = seconds_of(server.pid), time.perf_counter()
            done = site.push_run(path, ranker=path.suffix)
            took = time.perf_counter() - started
            own, children = (now - then for now, then in zip(seconds_of(server.pid), before, strict=True))
            print(
                f"{took:7.2f} s         pushed {path.name}: {done['counts']['lines']:,} lines, processor time ",
                end="",
            )
            print(f"{own:.2f} s of the server, {children:.2f} s of its worker")
        server.terminate()


def seconds_of(pid: int) -> tuple[float, float]:
    """Return the processor time of a process so far, and that of its children, those that have ended included."""
    rows = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = stat.read_text().rpartition(")")[2].split()
            rows[int(stat.parent.name)] = int(words[1]), *map(int, words[11:15])
    tick = os.sysconf("SC_CLK_TCK")
    mine = rows[pid]
    children = [row for row in rows.values() if row[0] == pid]
    return sum(mine[1:3]) / tick, (sum(mine[3:5]) + sum(sum(row[1:3]) for row in children)) / tick


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", action="store_true", help="also import a made run of a million lines")
    parser.add_argument("--unknown", action="store_true", help="only the memory that unknown ids take")
    parser.add_argument("--added", action="store_true", help="only the memory of documents that are added")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        commands = Commands(Path(name))
        commands.show("db", "upgrade")
        if options.unknown:
            unknown(commands, Path(name))
            return
        if options.added:
            added(commands, Path(name))
            return
        cranfield(commands)
        if options.million:
            million(commands, Path(name))


if __name__ == "__main__":
    main()
