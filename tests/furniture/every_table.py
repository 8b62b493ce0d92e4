"""A database with rows in every table: what migrations are tried on, and what a release is stored from."""

import datetime as dt
import random
from typing import Any

from sqlalchemy import Column, Table, func, insert, select
from sqlalchemy.orm import Session

from app.database import Database
from app.models import Base, Candidate, Document, Project, Query
from app.models.base import UtcTime
from app.services.evidence.store import evidence_of
from app.services.scores.leaderboard import leaderboard_of
from tests.furniture.factories import Make

SLUG = "kept"
WHEN = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)
GRADES = (3, 0, 1, 2, 0, 0, 1, 3, 0)
# Where a table wants a certain value. The project that is purged is none of these; a request names one thing only: here a question.
CERTAIN: dict[tuple[str, str], Any] = {
    ("purge", "project_id"): 999,
    ("audit_entry", "kind"): "signed_in",
    ("invitation", "kind"): "invite",
    ("upload", "kind"): "run",
    ("webhook_delivery", "state"): "waiting",
    ("project_copy", "state"): "done",
    ("mail_message", "kind"): "weekly",
    ("mail_message", "state"): "waiting",
    ("remark_resolution", "kind"): "note",
    ("request", "candidate_id"): None,
    ("request", "first_run_id"): None,
    ("request", "second_run_id"): None,
}
VALUES: dict[type, Any] = {int: 1, str: "x", bool: True, float: 0.5, dict: {}, object: {}}


def fill_every_table(session: Session) -> Project:
    """Make a project with two rankers and ratings, and a row in every table that is empty after that."""
    project = _rated_project(Make(session))
    for table in Base.metadata.sorted_tables:
        if not rows_in(session, table):
            session.execute(insert(table).values(_row_of(session, table)))
    return project


def rows_in(session: Session, table: Table) -> int:
    """Return the number of rows of a table."""
    return session.scalar(select(func.count()).select_from(table)) or 0


def _rated_project(make: Make) -> Project:
    project = make.project(slug=SLUG, name="Kept", pool_depth=10)
    annotator = make.member(project, "annotator", name="Ada Example", email="ada@example.org")
    grades = iter(GRADES)
    lists = {
        make.query(project, f"q{number}"): [make.document(project, f"d{number}{place}") for place in range(3)]
        for number in range(3)
    }
    shuffled = {
        query: random.Random(place).sample(documents, 3)
        for place, (query, documents) in enumerate(lists.items())
    }
    make.run(make.ranker(project, "First"), lists)
    make.run(make.ranker(project, "Second"), shuffled)
    in_order = (
        select(Candidate)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.project_id == project.id)
        .order_by(Query.external_id, Document.external_id)
    )
    for candidate in make.session.scalars(in_order).all():
        make.judgment(candidate, annotator, next(grades), judged_at=WHEN, received_at=WHEN)
    return project


def _row_of(session: Session, table: Table) -> dict[str, Any]:
    """Return a row that refers to the first row of every table it points to."""
    return {
        column.name: _value_of(session, table.name, column)
        for column in table.columns
        if not _is_given(table, column) and (column.foreign_keys or not column.nullable)
    }


def _is_given(table: Table, column: Column[Any]) -> bool:
    is_number = column.name == "id" and column.type.python_type is int
    has_default = column.default is not None and column.default.is_scalar
    return not column.foreign_keys and (is_number or has_default)


def _value_of(session: Session, table: str, column: Column[Any]) -> Any:
    if (table, column.name) in CERTAIN:
        return CERTAIN[table, column.name]
    if column.foreign_keys:
        (key,) = column.foreign_keys
        return session.scalar(select(key.column).order_by(key.column).limit(1))
    if isinstance(column.type, UtcTime):
        return WHEN
    if column.type.python_type is bytes:
        return b"\1" * (getattr(column.type, "length", None) or 16)
    return VALUES[column.type.python_type]


def what_it_says(database: Database) -> dict[str, Any]:
    """Return the rows of each table, and the scores of the project's rankers."""
    with database.read() as session:
        rows = {table.name: rows_in(session, table) for table in Base.metadata.sorted_tables}
        number = session.scalar(select(Project.id).where(Project.slug == SLUG))
    assert number is not None
    board = leaderboard_of(evidence_of(database, number))
    return {"rows": rows, "scores": {one.run.ranker: one.score for one in board.rankers}}
