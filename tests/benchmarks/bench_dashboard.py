"""Print how quickly the overview follows a rating, at every size: `make bench-dashboard`.

Each project is made once and measured in a process of its own, so that its memory can be told. Requests
go through the whole application (session, permission, evidence, scores, template) but over no network.
`--keep FOLDER` keeps the projects for the next time.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import re
import sys
import tempfile
import time
import uuid
from dataclasses import astuple
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import create_app
from app.database import Database
from app.services.evidence.store import evidence_of
from app.services.ledger import append_judgments
from app.services.scores.history import history_as_of
from app.services.scores.timeline import moments_of
from config import ROOT, Settings
from tests.benchmarks.made_projects import Shape
from tests.benchmarks.owner_pages import made_once, seconds_of, signed_in
from tests.benchmarks.processes import run
from tests.benchmarks.timing import Taken, machine, middle, shown, table
from tests.furniture.evidence import forget_evidence

if TYPE_CHECKING:
    from flask.testing import FlaskClient

SHAPES = {
    "1,000 queries, 10 rankers, 55,000 judgments": Shape(slug="small"),
    "1,000,000 judgments, 10 rankers": Shape(slug="ten", judgments=1_000_000, days=200),
    "1,000,000 judgments, 200 rankers": Shape(slug="many", judgments=1_000_000, rankers=200, days=200),
    "1,000,000 judgments, 10 rankers of 20 versions": Shape(
        slug="versions", judgments=1_000_000, versions=20, days=200
    ),
}
BUDGETS = {
    "small": {"after one rating": 0.020, "unchanged, 304": 0.005},
    "ten": {"cold": 3.0, "after one rating": 0.3, "200 points": 1.0},
    "many": {"cold": 5.0, "after one rating": 0.5, "200 points": 3.0},
    "versions": {"cold": 5.0, "after one rating": 0.5, "200 points": 3.0},
}
LARGEST_EVIDENCE, LARGEST_PAGE = 150e6, 150e3
PART = "/p/{}/overview/part"


def main() -> int:
    """Measure every size in turn, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=list(BUDGETS), nargs="*", default=list(BUDGETS))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        print(json.dumps(measure(Path(asked.measure[0]), asked.measure[1], asked.rounds)))
        return 0
    print(
        f"By the clock, of the processor in brackets; medians of {asked.rounds} (cold and points: once). {machine()}.",
        flush=True,
    )
    rows = []
    with tempfile.TemporaryDirectory() as passing:
        folder = asked.keep or Path(passing)
        for name, shape in SHAPES.items():
            if shape.slug in asked.only:
                file = made_once(folder, shape)
                line = [sys.executable, __file__, "--rounds", asked.rounds, "--measure", file, shape.slug]
                rows.append([name, *_cells(shape.slug, json.loads(run(line).output.splitlines()[-1]))])
    table(
        ["project", "cold", "after one rating", "unchanged, 304", "200 points", "evidence", "page, gzip"],
        rows,
    )
    return 0


def measure(file: Path, slug: str, rounds: int) -> dict[str, Any]:
    """Return seconds and bytes of one project, in a process that has measured nothing else."""
    settings = Settings(instance_path=file.parent, database_url=f"sqlite:///{file}", secret_key="-" * 32)
    app = create_app(settings)
    database = Database(settings.database_url)
    project_id, owner_id = 1, 1
    client = signed_in(app, database, owner_id)
    client.get("/help")
    # As the server does at its start.
    gc.collect()
    gc.freeze()
    before = _resident()
    evidence_of(database, project_id)
    evidence = _resident() - before
    forget_evidence(database, project_id)
    part = PART.format(slug)
    cold = seconds_of(client, part)
    taken: dict[str, list[Taken]] = {"after": [], "same": []}
    for number in range(rounds):
        _rate(database, project_id, number)
        taken["after"].append(seconds_of(client, part))
        tag = client.get(part).headers["ETag"]
        taken["same"].append(seconds_of(client, part, {"If-None-Match": tag}, wanted=304))
    return {
        "cold": astuple(cold),
        "after one rating": astuple(middle(taken["after"])),
        "unchanged, 304": astuple(middle(taken["same"])),
        "200 points": astuple(_history(database, project_id)),
        "evidence": evidence,
        "page": _weight(client, slug),
    }


def _rate(database: Database, project_id: int, number: int) -> None:
    """Append one rating of a candidate, as an annotator would."""
    evidence = evidence_of(database, project_id)
    candidates, annotators = evidence.structure.candidate_id, evidence.ledger.annotator
    with database.write() as session:
        row = {
            "candidate_id": int(candidates[number * 7919 % len(candidates)]),
            "annotator_id": int(annotators[number]),
            "grade": number % 4,
            "reason": None,
            "client_uuid": uuid.uuid4().bytes,
            "judged_at": datetime.now(UTC),
            "received_at": datetime.now(UTC),
        }
        append_judgments(session, project_id, [row], 1)


def _history(database: Database, project_id: int) -> Taken:
    """Return the time of 200 moments of every ranker as they looked then, nothing of them known yet."""
    forget_evidence(database, project_id)
    evidence = evidence_of(database, project_id)
    with database.read() as session:
        started, worked = time.perf_counter(), time.process_time()
        moments = moments_of(session, evidence)
        history_as_of(evidence, moments)
        taken = Taken(time.perf_counter() - started, time.process_time() - worked)
    if len(moments) < 180:
        raise RuntimeError(f"only {len(moments)} moments")
    return taken


def _weight(client: FlaskClient, slug: str) -> float:
    """Return the bytes of the page with its styles and all scripts, each of them compressed."""
    page = client.get(f"/p/{slug}/").data
    named = {*re.findall(rb'/static/[^"/]+/((?:css|js)/[^"]+)', page)}
    files = {ROOT / "static" / name.decode() for name in named}
    scripts = ROOT / "static" / "js"
    files |= {scripts / "main.js", scripts / "lib/http.js"}
    files |= {scripts / f"controllers/{name}.js" for name in ("chart", "refresh", "menu", "theme", "times")}
    return len(gzip.compress(page)) + sum(len(gzip.compress(file.read_bytes())) for file in files)


def _resident() -> float:
    """Return the memory that this process holds, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024  # type: ignore[index]


def _cells(slug: str, found: dict[str, Any]) -> list[str]:
    budgets = BUDGETS[slug]
    times = ["cold", "after one rating", "unchanged, 304", "200 points"]
    cells = [_cell(Taken(*found[name]), budgets.get(name)) for name in times]
    cells.append(f"{found['evidence'] / 1e6:.0f} MB of {LARGEST_EVIDENCE / 1e6:.0f}")
    cells.append(f"{found['page'] / 1e3:.0f} kB of {LARGEST_PAGE / 1e3:.0f}")
    return cells


def _cell(taken: Taken, budget: float | None) -> str:
    """Return a time by the clock and of the processor, with its budget."""
    return f"{shown(taken.clock)} ({shown(taken.cpu)})" + (f" of {shown(budget)}" if budget else "")


if __name__ == "__main__":
    sys.exit(main())
