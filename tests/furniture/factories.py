"""Rows with sensible values: `make.person()`, `make.run(...)`. Each call flushes; nothing is committed here."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sqlalchemy import func, select

from app.formats.content import content_hash
from app.models import (
    Candidate,
    Document,
    EventKind,
    Input,
    Judgment,
    Person,
    Project,
    Query,
    Ranker,
    Ranking,
    Role,
    Run,
    now_utc,
)
from app.services.accounts.memberships import give_role
from app.services.current_judgments import void_judgments
from app.services.ledger import append_judgments, record_event
from app.services.projects.projects import NewProject, create_project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.database import Database


class Make:
    """Makes rows in one session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._numbers = count(1)

    def person(self, name: str = "Ada Example", **values: Any) -> Person:
        """Return a new person; without a password hash nobody can sign in with a password."""
        values.setdefault("email", f"person{next(self._numbers)}-{uuid.uuid4().hex[:6]}@example.org")
        return self._added(Person(name=name, **values))

    def member(self, project: Project, role: str, **values: Any) -> Person:
        """Return a new person with a role in a project."""
        person = self.person(**values)
        give_role(self.session, project.id, person.id, Role(role))
        return person

    def project(self, **values: Any) -> Project:
        """Return a new project on grades 0-3 with k = 10, or with other values of `NewProject`.

        It wants every answer rated once, unless told otherwise.
        """
        slug = f"project-{next(self._numbers)}-{uuid.uuid4().hex[:6]}"
        plain = {"slug": slug, "name": "Workshop help", "share_twice": 0.0}
        return create_project(self.session, NewProject(**{**plain, **values}))

    def query(
        self, project: Project, external_id: str | None = None, *, at: datetime | None = None, **values: Any
    ) -> Query:
        """Return a new query, added by an event."""
        event = record_event(self.session, project.id, EventKind.QUERIES_ADDED, {"count": 1}, at=at)
        name = external_id or f"q{next(self._numbers)}"
        values.setdefault("text", f"How do I mend {name}?")
        query = Query(project_id=project.id, external_id=name, added_revision=event.revision, **values)
        return self._added(query)

    def document(self, project: Project, external_id: str | None = None, **values: Any) -> Document:
        """Return a new document with a text of its own."""
        name = external_id or f"d{next(self._numbers)}"
        values = {"title": f"Answer {name}", "text": f"Turn the screw of {name}.", **values}
        says = content_hash(values["title"], values["text"])
        document = Document(
            project_id=project.id,
            external_id=name,
            content_hash=None if says is None else bytes.fromhex(says),
            **values,
        )
        return self._added(document)

    def candidate(
        self, query: Query, document: Document | None = None, *, in_pool: bool = True, best_rank: int = 1
    ) -> Candidate:
        """Return a new candidate, in the pool unless told otherwise."""
        project = self.session.get_one(Project, query.project_id)
        document = document or self.document(project)
        return self._added(
            Candidate(
                project_id=query.project_id,
                query_id=query.id,
                document_id=document.id,
                in_pool=in_pool,
                best_rank=best_rank if in_pool else 0,
            )
        )

    def ranker(self, project: Project, name: str | None = None, **values: Any) -> Ranker:
        """Return a new ranker."""
        marks = self.session.scalar(select(func.count()).where(Ranker.project_id == project.id)) or 0
        name = name or f"ranker {marks + 1}"
        return self._added(Ranker(project_id=project.id, name=name, mark=marks + 1, **values))

    def run(
        self, ranker: Ranker, lists: dict[Query, list[Document]], *, version: str | None = None, **values: Any
    ) -> Run:
        """Return a new published run that returns these documents, pooled to the project's depth."""
        versions = self.session.scalar(select(func.count()).where(Run.ranker_id == ranker.id)) or 0
        run = self._added(
            Run(
                project_id=ranker.project_id,
                ranker_id=ranker.id,
                version=version or f"v{versions + 1}",
                file_hash=uuid.uuid4().bytes * 2,
                **values,
            )
        )
        self.session.add_all(ranking_of(run, query, found) for query, found in lists.items())
        pooled = self._pool(run, lists)
        payload = {"run_id": run.id, "new_candidates": pooled}
        event = record_event(self.session, run.project_id, EventKind.RUN_PUBLISHED, payload)
        run.revision, run.state = event.revision, "published"
        self.session.flush()
        return run

    def judgment(self, candidate: Candidate, annotator: Person, grade: int | None, **values: Any) -> Judgment:
        """Return a new judgment with a revision of its own; grade None wants a reason."""
        row = {
            "candidate_id": candidate.id,
            "annotator_id": annotator.id,
            "grade": grade,
            "reason": None,
            "client_uuid": uuid.uuid4().bytes,
            "judged_at": now_utc(),
            "received_at": now_utc(),
            "input": Input.KEY,
            **values,
        }
        (revision,) = append_judgments(self.session, candidate.project_id, [row], 1)
        return self.session.get_one(Judgment, (candidate.project_id, revision))

    def edit(self, document: Document) -> Document:
        """Let a document have another text from now on."""
        payload = {"document_ids": [document.id]}
        event = record_event(self.session, document.project_id, EventKind.DOCUMENTS_EDITED, payload)
        document.edited_revision = event.revision
        void_judgments(self.session, [document.id])
        self.session.flush()
        return document

    def _pool(self, run: Run, lists: dict[Query, list[Document]]) -> int:
        depth = self.session.get_one(Project, run.project_id).pool_depth
        wanted = select(Candidate).where(Candidate.query_id.in_([query.id for query in lists]))
        there = {(one.query_id, one.document_id): one for one in self.session.scalars(wanted)}
        before = sum(one.in_pool for one in there.values())
        for query, documents in lists.items():
            for rank, document in enumerate(documents[:depth], start=1):
                pair = query.id, document.id
                if pair not in there:
                    ids = {"query_id": query.id, "document_id": document.id}
                    there[pair] = Candidate(project_id=query.project_id, in_pool=False, best_rank=0, **ids)
                    self.session.add(there[pair])
                one = there[pair]
                one.in_pool, one.best_rank = True, min(rank, one.best_rank or rank)
        self.session.flush()
        return sum(one.in_pool for one in there.values()) - before

    def _added(self, row: Any) -> Any:
        self.session.add(row)
        self.session.flush()
        return row


def ranking_of(run: Run, query: Query, documents: list[Document]) -> Ranking:
    """Return the row that says what a run returns for a query."""
    ids = np.array([document.id for document in documents], dtype="<i4").tobytes()
    scores = np.arange(len(documents), 0, -1).astype("<f8").tobytes()
    return Ranking(run_id=run.id, query_id=query.id, document_ids=ids, scores=scores)


@pytest.fixture
def make(session: Session) -> Make:
    """Return what makes rows in the test's session."""
    return Make(session)


def making_in(database: Database) -> Callable[[], AbstractContextManager[Make]]:
    """Return `with making() as make:` for a database: what is made is committed at the end of the block."""

    @contextmanager
    def making() -> Iterator[Make]:
        with database.write() as session:
            yield Make(session)

    return making
