"""Print what pages about very many questions weigh, and how long they take: `make bench-pages`.

Requests go through the whole application but over no network; the weight is the page alone, compressed.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
from pathlib import Path

from app import create_app
from app.database import Database
from config import Settings
from tests.benchmarks.made_projects import Shape
from tests.benchmarks.owner_pages import made_once, seconds_of, signed_in
from tests.benchmarks.timing import machine, middle, shown, table

SHAPE = Shape(slug="pages", queries=3_000, rankers=8, judgments=90_000)
PAGES = {
    "overview": "/p/pages/",
    "scores of three measures over the API": "/api/v1/projects/pages/scores?measures=nDCG@10%20P@5%20RR",
    "compare": "/p/pages/compare",
    "compare, page 20 of its list": "/p/pages/compare?list=20",
    "questions, hardest first": "/p/pages/questions",
    "questions, page 40, by name": "/p/pages/questions?sort=name&page=40",
}


def main() -> int:
    """Measure every page in turn, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    asked = parser.parse_args()
    print(f"By the clock, of the processor in brackets; medians of {asked.rounds}. {machine()}.", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        file = made_once(Path(folder), SHAPE)
        settings = Settings(instance_path=file.parent, database_url=f"sqlite:///{file}", secret_key="-" * 32)
        client = signed_in(create_app(settings), Database(settings.database_url), 1)
        rows = []
        for name, path in PAGES.items():
            page = client.get(path).data
            taken = middle([seconds_of(client, path) for _ in range(asked.rounds)])
            weight = f"{len(gzip.compress(page)) / 1e3:.1f} kB of {len(page) / 1e3:.0f}"
            rows.append([name, weight, f"{shown(taken.clock)} ({shown(taken.cpu)})"])
    table(["page", "gzip", "time"], rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
