"""Move a project with a million judgments from SQLite to PostgreSQL and back, and compare its scores.

`make trial-copying` writes the project, starts a PostgreSQL server, and runs `db copy` twice, `db verify` and
`db backup`, each in a process of its own whose memory is measured; the quick form that every start runs is timed
too. Exit status 1 where a score at one of a hundred revisions differs, or a copy took more than 300 MB.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import create_engine, make_url, text

from app.database import Database
from app.migrating import upgrade_schema
from app.services.ledger import head_of
from app.services.verification import current_problems, holdings_of, ledger_problems
from tests.benchmarks import processes
from tests.benchmarks.made_projects import Shape, make_project
from tests.furniture.postgresql import serve_postgresql
from tests.furniture.revisions import scores_at

MEGABYTES = 300


def run(instance: Path, url: str, *words: str) -> tuple[float, float, float]:
    """Run a command, and return its seconds, those of the processor, and the megabytes it had at most."""
    os.environ.update(INSTANCE_PATH=str(instance), DATABASE_URL=url)
    done = processes.run([*processes.FLASK, *words])
    return done.taken.clock, done.taken.cpu, done.peak / 2**20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgments", type=int, default=1_000_000)
    asked = parser.parse_args()
    rows: list[tuple[str, float, float, float]] = []
    server, stop = serve_postgresql()
    plain = make_url(server)
    name = f"copied_{os.getpid()}"
    with create_engine(plain, isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    there = plain.set(database=name).render_as_string(hide_password=False)
    try:
        with tempfile.TemporaryDirectory() as folder:
            instance = Path(folder)
            here, back = (f"sqlite:///{folder}/{each}.sqlite3" for each in ("here", "back"))
            source = Database(here)
            upgrade_schema(source)
            made = make_project(source, Shape(judgments=asked.judgments))
            quick = quick_check(source)
            rows.append(("to PostgreSQL", *run(instance, here, "db", "copy", there)))
            rows.append(("back to SQLite", *run(instance, there, "db", "copy", back)))
            rows.append(("db verify", *run(instance, here, "db", "verify")))
            rows.append(("db backup", *run(instance, here, "db", "backup", f"{folder}/backup.sqlite3")))
            databases = [source, Database(there), Database(back)]
            with source.read() as session:
                head = head_of(session, made.project_id)
                held = holdings_of(session).sentence
            revisions = [head * turn // 100 for turn in range(1, 101)]
            scores = [scores_at(each, made.project_id, revisions) for each in databases]
            for each in databases:
                each.dispose()
    finally:
        stop()
    is_same = scores[0] == scores[1] == scores[2]
    print(f"\n{held}\n\n| | seconds | of the processor | megabytes at most |\n| --- | --- | --- | --- |")
    for what, seconds, cpu, megabytes in rows:
        print(f"| {what} | {seconds:.0f} | {cpu:.0f} | {megabytes:.0f} |")
    print(f"| quick form at every start | {quick:.2f} | | |")
    print(
        f"\n{len(scores[0])} scores at {len(revisions)} revisions, {'all equal' if is_same else 'DIFFERENT'} on all three."
    )
    return 0 if is_same and all(megabytes < MEGABYTES for *_, megabytes in rows[:2]) else 1


def quick_check(database: Database) -> float:
    began = time.perf_counter()
    with database.read() as session:
        assert not ledger_problems(session, is_quick=True) + current_problems(session, is_quick=True)
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
