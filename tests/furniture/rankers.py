"""Two rankers whose every score can be worked out by hand.

Each question has a good answer (grade 3) and a bad one (grade 0). A list with the good one first scores 1,
the other list LOW = 1 / log2(3).
"""

from __future__ import annotations

import hashlib
import math
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sqlalchemy import select

from app.models import (
    Candidate,
    Document,
    Event,
    EventKind,
    Input,
    Membership,
    Project,
    Query,
    Ranker,
    Ranking,
    Reason,
    now_utc,
)
from app.services.collection.rankers import set_production
from app.services.evidence.store import evidence_of
from app.services.ledger import append_judgments, record_event
from app.services.projects.settings import change_ruler
from app.services.scores.context import scoring_context
from app.services.scores.verdicts import pair_verdicts
from tests.furniture.databases import made_in
from tests.furniture.factories import Make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy.orm import Session

    from app.database import Database
    from app.models import Person, Run
    from app.services.scores.context import ScoringContext
    from app.services.scores.verdicts import Family, PairVerdict

LOW = 1 / math.log2(3)
GAP = 1 - LOW


@dataclass
class TwoRankers:
    """A project with `Ahead`, whose lists begin with the good answer, and `Behind`, whose do not."""

    database: Database
    project: Project
    annotator: Person
    runs: list[Run]
    queries: list[Query]
    answers: dict[int, tuple[Document, Document]] = field(default_factory=dict)

    @property
    def context(self) -> ScoringContext:
        return scoring_context(evidence_of(self.database, self.project.id))

    def verdict(self, first: int = 0, second: int = 1, *, family: Family | None = None) -> PairVerdict:
        """Return the verdict on two of the runs; they may be older versions."""
        evidence = evidence_of(self.database, self.project.id)
        numbers = [run.id for run in evidence.structure.runs]
        places = [numbers.index(self.runs[one].id) for one in (first, second)]
        (found,) = pair_verdicts(scoring_context(evidence, places), [(0, 1)], family)
        return found

    def ordered(self) -> list[Query]:
        """Return the questions in the drawn order of the project."""
        by_id = {query.id: query for query in self.queries}
        evidence = evidence_of(self.database, self.project.id)
        return [by_id[int(number)] for number in evidence.structure.query_id[evidence.structure.drawn]]

    def rate(self, queries: Sequence[Query], grades: tuple[int, int] = (3, 0)) -> None:
        """Rate both answers of some questions: the good one first."""
        with self.database.write() as session:
            found = session.scalars(select(Candidate).where(Candidate.project_id == self.project.id))
            candidates = {(one.query_id, one.document_id): one.id for one in found}
            rated = [
                (candidates[query.id, document.id], grade)
                for query in queries
                for document, grade in zip(self.answers[query.id], grades, strict=True)
            ]
            rows = [self._row(self.annotator, candidate, grade) for candidate, grade in rated]
            append_judgments(session, self.project.id, rows, len(rows))

    def pass_on(self, query: Query, annotator: Person) -> None:
        """Say "can't judge" about both answers of a question."""
        with self.database.write() as session:
            candidates = session.scalars(select(Candidate.id).where(Candidate.query_id == query.id)).all()
            rows = [self._row(annotator, candidate, None, Reason.UNCLEAR) for candidate in candidates]
            append_judgments(session, self.project.id, rows, len(rows))

    def let_nobody_here_judge(self, *queries: Query) -> None:
        """Let the annotator leave, and the only one after them say "can't judge" about some questions."""
        with self.making() as make:
            key = (self.annotator.id, self.project.id)
            make.session.get_one(Membership, key).role = None
            newcomer = make.member(self.project, "annotator")
        for query in queries:
            self.pass_on(query, newcomer)

    def _row(
        self, annotator: Person, candidate: int, grade: int | None, reason: Reason | None = None
    ) -> dict[str, Any]:
        return {
            "candidate_id": candidate,
            "annotator_id": annotator.id,
            "grade": grade,
            "reason": reason,
            "client_uuid": uuid.uuid4().bytes,
            "input": Input.KEY,
            "judged_at": now_utc(),
            "received_at": now_utc(),
        }

    def add_queries(self, count: int, *, prefix: str = "late") -> list[Query]:
        with self.database.write() as session:
            made = [Make(session).query(self.project, f"{prefix}{number:02}") for number in range(count)]
            self.answers |= _answers(session, self.project, made)
        self.queries += made
        return made

    def add_run(self, ranker: str, *, good_first: bool = True) -> Run:
        """Register a new version of a ranker, or a new ranker, over all questions."""
        with self.database.write() as session:
            make = Make(session)
            known = session.scalar(
                select(Ranker).where(Ranker.project_id == self.project.id, Ranker.name == ranker)
            )
            step = 1 if good_first else -1
            lists = {query: self.answers[query.id][::step] for query in self.queries}
            run = _run(make, known or make.ranker(self.project, ranker), lists)
        self.runs.append(run)
        return run

    def put_in_production(self, run: Run) -> None:
        with self.database.write() as session:
            project = session.get_one(Project, self.project.id)
            set_production(session, project, session.get_one(type(run), run.id))

    @contextmanager
    def making(self) -> Iterator[Make]:
        with self.database.write() as session:
            yield Make(session)

    def set_ruler(self, **values: Any) -> None:
        with self.database.write() as session:
            change_ruler(session, session.get_one(Project, self.project.id), values)

    def events(self, kind: EventKind) -> list[Event]:
        with self.database.read() as session:
            return list(
                session.scalars(
                    select(Event)
                    .where(Event.project_id == self.project.id, Event.kind == kind.value)
                    .order_by(Event.revision)
                )
            )


@pytest.fixture
def make_rankers(database: Database) -> Callable[..., TwoRankers]:
    """Return what makes two rankers, on both databases: `make_rankers(40, behind_wins=3)`."""
    return partial(rankers_in, database)


@pytest.fixture
def rankers(make_rankers: Callable[..., TwoRankers]) -> TwoRankers:
    """Return two rankers on 25 questions that `Ahead` wins each time."""
    return make_rankers()


def rankers_in(database: Database, count: int = 25, *, behind_wins: int = 0, **project: Any) -> TwoRankers:
    """Return two rankers on `count` questions, `behind_wins` of which turn out the other way, committed."""
    return TwoRankers(database, *made_in(database, _make_rankers, count, behind_wins, **project))


def _make_rankers(make: Make, count: int, behind_wins: int, **project: Any) -> tuple[Any, ...]:
    made = make.project(k=2, pool_depth=2, **project)
    queries = _queries(make.session, made, count)
    answers = _answers(make.session, made, queries)
    turned = {query.id for query in queries[:behind_wins]}
    runs = [
        _run(
            make,
            make.ranker(made, name),
            {query: answers[query.id][:: 1 if (query.id in turned) == backward else -1] for query in queries},
        )
        for name, backward in (("Ahead", False), ("Behind", True))
    ]
    return made, make.member(made, "annotator"), runs, queries, answers


def _queries(session: Session, project: Project, count: int) -> list[Query]:
    event = record_event(session, project.id, EventKind.QUERIES_ADDED, {"count": count})
    made = [
        Query(
            project_id=project.id,
            external_id=f"q{number:03}",
            text=f"How do I mend {number}?",
            added_revision=event.revision,
        )
        for number in range(count)
    ]
    session.add_all(made)
    session.flush()
    return made


def _answers(
    session: Session, project: Project, queries: list[Query]
) -> dict[int, tuple[Document, Document]]:
    """Return the good and the bad answer of every question, both in the pool."""
    made = {
        query.id: tuple(
            Document(
                project_id=project.id,
                external_id=f"{query.external_id}-{kind}",
                title=kind,
                text=kind,
                content_hash=hashlib.sha256(f"{query.external_id}-{kind}".encode()).digest(),
            )
            for kind in ("good", "bad")
        )
        for query in queries
    }
    session.add_all(document for pair in made.values() for document in pair)
    session.flush()
    session.add_all(
        Candidate(project_id=project.id, query_id=query_id, document_id=one.id, in_pool=True, best_rank=1)
        for query_id, pair in made.items()
        for one in pair
    )
    session.flush()
    return made


def _run(make: Make, ranker: Ranker, lists: dict[Query, tuple[Document, ...]]) -> Run:
    """Return a published run, its rankings written at once."""
    run = make.run(ranker, {})
    make.session.add_all(
        Ranking(
            run_id=run.id,
            query_id=query.id,
            document_ids=np.array([one.id for one in listed], dtype="<i4").tobytes(),
            scores=np.arange(len(listed), 0, -1).astype("<f8").tobytes(),
        )
        for query, listed in lists.items()
    )
    make.session.flush()
    return run
