"""A project with rated answers, for pages that show scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from app.models import Candidate, Person, Project, Query, Run
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


@pytest.fixture
def rated(making: Callable[[], AbstractContextManager[Make]]) -> Rated:
    """Return the project, committed."""
    with making() as make:
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
        from sqlalchemy import select

        from app.models import Candidate

        for query in queries:
            for document, grade in zip(documents[query], (3, 1, 0), strict=True):
                candidate = make.session.scalars(
                    select(Candidate).where(
                        Candidate.query_id == query.id, Candidate.document_id == document.id
                    )
                ).one()
                candidates.append(candidate)
                if query is not queries[-1]:
                    make.judgment(candidate, annotator, grade)
    return Rated(project, owner, annotator, queries, candidates, runs)
