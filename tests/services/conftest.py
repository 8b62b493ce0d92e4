"""A small project whose every number can be worked out by hand, built in sessions of its own."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from app.models import Candidate
from app.services.evidence.state import Evidence
from app.services.evidence.store import evidence_of
from app.services.ledger import record_event
from tests.furniture.databases import made_in
from tests.furniture.factories import Make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.database import Database
    from app.models import Document, Event, EventKind, Person, Project, Query, Ranker, Run


@dataclass
class Small:
    """Two rankers, two queries, four documents; the first ranker lists d1 d2 d3, the second d3 d4."""

    database: Database
    project: Project
    queries: list[Query]
    documents: list[Document]
    rankers: list[Ranker]
    runs: list[Run]
    annotator: Person

    @contextmanager
    def making(self) -> Iterator[Make]:
        with self.database.write() as session:
            yield Make(session)

    def rate(self, query: int, document: int, grade: int | None, **values: Any) -> None:
        annotator = values.pop("annotator", self.annotator)
        with self.making() as make:
            candidate = make.session.scalars(
                select(Candidate).where(
                    Candidate.query_id == self.queries[query].id,
                    Candidate.document_id == self.documents[document].id,
                )
            ).one()
            make.judgment(candidate, annotator, grade, **values)

    def event(self, kind: EventKind, payload: dict[str, Any]) -> Event:
        with self.database.write() as session:
            return record_event(session, self.project.id, kind, payload)

    def member(self, role: str, **values: Any) -> Person:
        with self.making() as make:
            return make.member(self.project, role, **values)

    def run(self, ranker: str | Ranker, lists: dict[Query, list[Document]]) -> Run:
        with self.making() as make:
            if isinstance(ranker, str):
                ranker = make.ranker(self.project, ranker)
            return make.run(ranker, lists)


@pytest.fixture
def small(database: Database) -> Small:
    """Return the small project, committed, beside another project with rows of the same names."""
    return Small(database, *made_in(database, make_small))


def make_small(make: Make) -> tuple[Any, ...]:
    """Return what `Small` has besides the database."""
    project = make.project(k=2, pool_depth=3)
    queries = [make.query(project, name) for name in ("qa", "qb")]
    documents = [make.document(project, name) for name in ("d1", "d2", "d3", "d4")]
    rankers = [make.ranker(project, name) for name in ("First", "Second")]
    runs = [
        make.run(ranker, dict.fromkeys(queries, listed))
        for ranker, listed in zip(rankers, (documents[:3], documents[2:]), strict=True)
    ]
    noise = make.project()
    make.judgment(make.candidate(make.query(noise, "qa")), make.member(noise, "annotator"), 3)
    return project, queries, documents, rankers, runs, make.member(project, "annotator")


@pytest.fixture
def evidence_now(small: Small) -> Callable[[], Evidence]:
    """Return what reads the evidence of the small project."""
    return lambda: evidence_of(small.database, small.project.id)
