"""A project of two rankers in which three people rate, whose every figure can be worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from app.models import Candidate
from app.services.evidence.store import evidence_of
from app.services.quality.annotators import AnnotatorReport, rated_of
from tests.furniture.databases import made_in
from tests.furniture.factories import Make

if TYPE_CHECKING:
    from app.database import Database
    from app.models import Person, Project

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass
class Panel:
    """Twelve questions with four answers each; `Up` lists them 0 1 2 3, `Down` 3 2 1 0, both cut at `depth`."""

    database: Database
    project: Project
    ada: Person
    bo: Person
    cy: Person
    answers: list[list[Candidate]]
    given: list[tuple[Candidate, Person, int | None, dict[str, Any]]] = field(default_factory=list)

    def say(self, person: Person, query: int, answer: int, grade: int | None, **values: Any) -> None:
        """Remember a judgment; all are written, in this order, when the evidence is asked for."""
        self.given.append((self.answers[query][answer], person, grade, values))

    def write(self) -> None:
        with self.database.write() as session:
            make = Make(session)
            for candidate, person, grade, values in self.given:
                make.judgment(candidate, person, grade, **values)
        self.given.clear()

    def rated(self) -> AnnotatorReport:
        self.write()
        with self.database.read() as session:
            return rated_of(session, evidence_of(self.database, self.project.id))


def at(week: int, minute: int = 0) -> dict[str, datetime]:
    """Return when a judgment arrived."""
    return {"received_at": MONDAY + timedelta(weeks=week, minutes=minute)}


@pytest.fixture
def panel(database: Database, request: pytest.FixtureRequest) -> Panel:
    """Return the project; a test may ask for another depth than 2."""
    return make_panel(database, depth=getattr(request, "param", 2))


def make_panel(database: Database, *, depth: int) -> Panel:
    return Panel(database, *made_in(database, _make_panel, depth))


def _make_panel(make: Make, depth: int) -> tuple[Any, ...]:
    project = make.project(k=depth, pool_depth=depth)
    queries = [make.query(project, f"q{number:02}") for number in range(12)]
    documents = [make.document(project, name) for name in ("d0", "d1", "d2", "d3")]
    for name, step in (("Up", 1), ("Down", -1)):
        make.run(make.ranker(project, name), dict.fromkeys(queries, documents[::step]))
    people = [make.member(project, "annotator", name=name) for name in ("Ada", "Bo", "Cy")]
    found = make.session.scalars(
        select(Candidate)
        .where(Candidate.project_id == project.id)
        .order_by(Candidate.query_id, Candidate.document_id)
    ).all()
    answers = [list(found[start : start + 4]) for start in range(0, len(found), 4)]
    return project, *people, answers
