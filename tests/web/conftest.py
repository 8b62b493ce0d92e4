"""A project with rated answers, for pages that show scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import select

from app.models import Candidate, Person, Project, Query, Run
from tests.furniture.databases import Made
from tests.furniture.factories import Make


@dataclass
class Rated:
    """Two rankers over twelve queries of three documents; all answers of the first eleven queries are rated."""

    project: Project
    owner: Person
    annotator: Person
    queries: list[Query]
    candidates: list[Candidate]
    runs: list[Run]


def make_rated(make: Make) -> Rated:
    """Make the project, and return it."""
    project = make.project(k=3, name="Help centre", slug="help-centre")
    owner = make.member(project, "owner", name="Olga Owner")
    annotator = make.member(project, "annotator", name="Anna Annotator")
    queries = [make.query(project, f"q{number:02}") for number in range(12)]
    documents = {query: [make.document(project) for _ in range(3)] for query in queries}
    runs = [
        make.run(make.ranker(project, "Forward"), documents),
        make.run(make.ranker(project, "Backward"), {q: found[::-1] for q, found in documents.items()}),
    ]
    candidates = []
    for query in queries:
        for document, grade in zip(documents[query], (3, 1, 0), strict=True):
            candidate = make.session.scalars(
                select(Candidate).where(Candidate.query_id == query.id, Candidate.document_id == document.id)
            ).one()
            candidates.append(candidate)
            if query is not queries[-1]:
                make.judgment(candidate, annotator, grade)
    return Rated(project, owner, annotator, queries, candidates, runs)


@pytest.fixture(scope="session")
def rated_made(made_once: Callable[[Callable[[Make], Rated]], Made]) -> Made:
    """Return a database file that holds the project, to be copied for each test."""
    return made_once(make_rated)


@pytest.fixture
def sqlite_beginning(request: pytest.FixtureRequest, sqlite_template: Path) -> Path:
    """Return the file that holds the project for tests that ask for it, and an empty one for others."""
    is_rated = "rated" in request.fixturenames
    return request.getfixturevalue("rated_made").path if is_rated else sqlite_template


@pytest.fixture
def rated(rated_made: Made) -> Rated:
    """Return the project, which the database of `app` holds."""
    return rated_made.objects()
