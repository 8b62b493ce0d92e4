"""Print how long the pages about quality take at a million judgments, nothing known yet: `make bench-quality`.

Requests go through the whole application but over no network. `--keep FOLDER` keeps the project for the next
time; it is that of `make bench-dashboard`.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from app import create_app
from app.database import Database
from config import Settings
from tests.benchmarks.bench_dashboard import SHAPES
from tests.benchmarks.owner_pages import made_once, seconds_of, signed_in
from tests.benchmarks.timing import machine, shown, table
from tests.furniture.evidence import forget_evidence

NAME = "1,000,000 judgments, 10 rankers"
PAGES = {"quality": "/p/ten/quality", "annotators": "/p/ten/quality/annotators"}
BUDGETS = {"quality": " of 2.00 s"}


def main() -> int:
    """Measure every page a few times, each time as the first one, and print the quickest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    print(
        f"By the clock, of the processor in brackets; the least of {asked.rounds}. {machine()}.", flush=True
    )
    with tempfile.TemporaryDirectory() as passing:
        file = made_once(asked.keep or Path(passing), SHAPES[NAME])
        settings = Settings(instance_path=file.parent, database_url=f"sqlite:///{file}", secret_key="-" * 32)
        app, database = create_app(settings), Database(settings.database_url)
        client = signed_in(app, database, 1)
        client.get("/help")
        rows = []
        for name, path in PAGES.items():
            found = []
            for _ in range(asked.rounds):
                forget_evidence(database, 1)
                found.append(seconds_of(client, path))
            least = min(found, key=lambda one: one.cpu)
            again = seconds_of(client, path)
            rows.append(
                [name, f"{shown(least.clock)} ({shown(least.cpu)}){BUDGETS.get(name, '')}", shown(again.cpu)]
            )
    table(["page", "cold", "again"], rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
