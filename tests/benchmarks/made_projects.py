"""Projects of any size, written straight into a SQLite file: what the speed of the dashboard is measured on.

`PYTHONPATH=. python tests/benchmarks/made_projects.py FILE --rankers 200 --judgments 1000000` makes one to
look at. Lists, grades and days are drawn with a fixed seed, so that two runs measure the same project.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sqlite3
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.database import Database
from app.migrating import upgrade_schema
from app.models import EventKind, LedgerHead, Person, Ranker, Role, Run
from app.services.accounts.memberships import give_role
from app.services.current_judgments import rebuild_current_judgments
from app.services.ledger import record_event
from app.services.projects.projects import NewProject, create_project

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy.orm import Session

    from app.models import Project

ROWS = 50_000
JUDGMENT = (
    "INSERT INTO judgment (project_id, revision, candidate_id, annotator_id, grade, place, length, batch,"
    " client_uuid, judged_at, received_at, active_ms, input, guideline_version, role, blind)"
    " VALUES (?, ?, ?, ?, ?, 1, 12, 1, ?, ?, ?, 4000, 1, 1, 1, 1)"
)


@dataclass(frozen=True)
class Shape:
    """How large a project is.

    Attributes
    ----------
    rankers, versions
        Every ranker has so many versions; all are published in turn while people rate.
    returned, reach
        Answers in each list, and the answers of a question that lists are drawn from.
    depth
        Of the pool.
    days
        Over which the judgments are spread.
    """

    slug: str = "made"
    queries: int = 1_000
    rankers: int = 10
    versions: int = 1
    returned: int = 100
    reach: int = 130
    depth: int = 10
    judgments: int = 55_000
    annotators: int = 20
    days: int = 180


@dataclass(frozen=True)
class Made:
    """A project and who owns it, both by number."""

    project_id: int
    owner_id: int
    candidates: int


def make_project(database: Database, shape: Shape, *, seed: int = 1) -> Made:
    """Write a project into a migrated SQLite database and return it."""
    rng = np.random.default_rng(seed)
    start = datetime.now(UTC) - timedelta(days=shape.days)
    with database.write() as session:
        project = create_project(
            session,
            NewProject(slug=shape.slug, name="Made to measure", pool_depth=shape.depth, guidelines="# Rate"),
        )
        people = _people(session, project, shape)
        runs = _runs(session, project, shape)
        added = record_event(session, project.id, EventKind.QUERIES_ADDED, {"count": shape.queries}, at=start)
    path = str(database.engine.url.database)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute("BEGIN IMMEDIATE")
    candidates, quality = _lists(connection, project.id, added.revision, runs, shape, rng)
    connection.execute("COMMIT")
    rounds = np.array_split(np.arange(shape.judgments), shape.versions)
    for version, rows in enumerate(rounds):
        day = shape.days * version / shape.versions
        _publish(database, project, runs[version :: shape.versions], start + timedelta(days=day))
        when = start + timedelta(days=1) * (day + shape.days * np.arange(len(rows)) / shape.judgments)
        drawn = rng.integers(0, len(candidates), len(rows))
        noisy = np.clip(np.rint(quality[drawn] + rng.normal(0, 0.4, len(rows))), 0, 3)
        annotator = np.array(people[1:])[rng.integers(0, shape.annotators, len(rows))]
        _judge(connection, database, project.id, candidates[drawn], annotator, noisy.astype(int), when)
    connection.close()
    with database.write() as session:
        rebuild_current_judgments(session)
    return Made(project.id, people[0], len(candidates))


def _people(session: Session, project: Project, shape: Shape) -> list[int]:
    """Return the owner and the annotators."""
    people = [
        Person(name=f"Person {number}", email=f"p{number}-{shape.slug}@example.org")
        for number in range(shape.annotators + 1)
    ]
    session.add_all(people)
    session.flush()
    for number, person in enumerate(people):
        give_role(session, project.id, person.id, Role.ANNOTATOR if number else Role.OWNER)
    return [person.id for person in people]


def _runs(session: Session, project: Project, shape: Shape) -> list[int]:
    """Return unpublished runs, the versions of one ranker side by side."""
    numbers = []
    for mark in range(1, shape.rankers + 1):
        ranker = Ranker(project_id=project.id, name=f"Ranker {mark}", mark=mark)
        session.add(ranker)
        session.flush()
        runs = [
            Run(
                project_id=project.id,
                ranker_id=ranker.id,
                version=f"v{version + 1}",
                note="tuned" if version else "",
                file_hash=secrets.token_bytes(32),
            )
            for version in range(shape.versions)
        ]
        session.add_all(runs)
        session.flush()
        numbers += [run.id for run in runs]
    return numbers


def _lists(
    connection: sqlite3.Connection,
    project_id: int,
    added: int,
    runs: list[int],
    shape: Shape,
    rng: np.random.Generator,
) -> tuple[Any, Any]:
    """Write questions, answers, rankings and the pool; return the candidates' numbers and their true grades."""
    documents = _rows_after(connection, "document", 20 * shape.reach)
    queries = _rows_after(connection, "query", shape.queries)
    _many(
        connection,
        "INSERT INTO document (id, project_id, external_id, title, text, url, source, extra,"
        " content_hash, created_at)"
        " VALUES (?, ?, ?, ?, 'An answer.', '', '', '{}', ?, '2026-01-01 00:00:00.000000')",
        ((number, project_id, f"d{number}", f"Answer {number}", os.urandom(32)) for number in documents),
    )
    _many(
        connection,
        "INSERT INTO query (id, project_id, external_id, text, intent, tags, weight, added_revision)"
        " VALUES (?, ?, ?, ?, '', '[]', 1.0, ?)",
        ((number, project_id, f"q{number:06d}", f"What about {number}?", added) for number in queries),
    )
    scores = np.arange(shape.returned, 0, -1).astype("<f8").tobytes()
    first = last = _rows_after(connection, "candidate", 1)[0]
    grades = []
    skill = np.linspace(0.5, 1.5, len(runs))[:, None]
    for query in queries:
        reach = rng.choice(documents, shape.reach, replace=False).astype("<i4")
        true = np.minimum(rng.exponential(0.7, shape.reach), 3)
        order = np.argsort(-true - skill * rng.normal(0, 1, (len(runs), shape.reach)), axis=1)
        order = order[:, : shape.returned]
        _many(
            connection,
            "INSERT INTO ranking (run_id, query_id, document_ids, scores) VALUES (?, ?, ?, ?)",
            ((run, query, reach[row].tobytes(), scores) for run, row in zip(runs, order, strict=True)),
        )
        pooled = np.unique(order[:, : shape.depth])
        _many(
            connection,
            "INSERT INTO candidate (id, public_id, project_id, query_id, document_id, in_pool,"
            " best_rank, created_at) VALUES (?, ?, ?, ?, ?, 1, 1, '2026-01-01 00:00:00.000000')",
            (
                (last + n, secrets.token_urlsafe(12), project_id, query, int(document))
                for n, document in enumerate(reach[pooled])
            ),
        )
        last += len(pooled)
        grades.append(true[pooled])
    return np.arange(first, last), np.concatenate(grades)


def _publish(database: Database, project: Project, runs: list[int], at: datetime) -> None:
    with database.write() as session:
        for number in runs:
            run = session.get_one(Run, number)
            payload = {"run_id": number, "new_candidates": 0}
            run.revision = record_event(session, project.id, EventKind.RUN_PUBLISHED, payload, at=at).revision
            run.state, run.registered_at = "published", at


def _judge(
    connection: sqlite3.Connection,
    database: Database,
    project_id: int,
    candidate: Any,
    annotator: Any,
    grade: Any,
    when: Any,
) -> None:
    """Append judgments, and move the ledger's head."""
    with database.read() as session:
        head = session.get_one(LedgerHead, project_id).revision
    numbers = zip(candidate.tolist(), annotator.tolist(), grade.tolist(), when, strict=True)
    rows = (
        (
            project_id,
            head + number,
            *row[:3],
            os.urandom(16),
            f"{row[3]:%Y-%m-%d %H:%M:%S.%f}",
            f"{row[3]:%Y-%m-%d %H:%M:%S.%f}",
        )
        for number, row in enumerate(numbers, start=1)
    )
    connection.execute("BEGIN IMMEDIATE")
    _many(connection, JUDGMENT, rows)
    connection.execute(
        "UPDATE ledger_head SET revision = ? WHERE project_id = ?", (head + len(candidate), project_id)
    )
    connection.execute("COMMIT")


def _rows_after(connection: sqlite3.Connection, table: str, count: int) -> range:
    """Return the next free numbers of a table."""
    (last,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    return range(last + 1, last + 1 + count)


def _many(connection: sqlite3.Connection, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert rows in chunks."""
    left: Iterator[tuple[Any, ...]] = iter(rows)
    while chunk := list(islice(left, ROWS)):
        connection.executemany(statement, chunk)


def main() -> None:
    """Make one project in a new file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    for field in fields(Shape):
        parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    options = vars(parser.parse_args())
    database = Database(f"sqlite:///{options.pop('file')}")
    upgrade_schema(database)
    made = make_project(database, Shape(**options))
    print(f"project {made.project_id}, owner {made.owner_id}, {made.candidates:,} candidates")


if __name__ == "__main__":
    main()
