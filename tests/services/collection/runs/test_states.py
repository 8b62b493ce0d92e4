"""Withdrawn runs leave the pool, restored ones bring exactly the same pool back."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from app.models import Candidate, Document, Event, Query
from app.services.collection.withdrawal import restore_run, withdraw_run
from app.services.errors import ConflictError
from app.services.ledger import head_of
from tests.furniture.files import bring_run, corpus, get_run


@pytest.fixture
def project(session, make):
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    bring_run(session, project, "one", {"q1": "d1 d2 d3", "q2": "d4 d5"})
    bring_run(session, project, "two", {"q1": "d2 d6", "q2": "d4"})
    return project


def pool_of(session, project):
    rows = session.execute(
        select(Query.external_id, Document.external_id, Candidate.best_rank)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.project_id == project.id, Candidate.in_pool.is_(True))
    )
    return sorted(tuple(row) for row in rows)


def test_withdrawing_takes_out_what_no_other_run_returns(session, project):
    change = withdraw_run(session, get_run(session, "two"))

    event = session.get(Event, (project.id, head_of(session, project.id)))
    assert pool_of(session, project) == [
        ("q1", "d1", 1),
        ("q1", "d2", 2),
        ("q2", "d4", 1),
        ("q2", "d5", 2),
    ]
    assert (len(change.leaves), len(change.moves), len(change.joins)) == (1, 1, 0)
    assert event.kind == "run_withdrawn"


def test_restoring_brings_back_the_same_pool(session, project):
    before = pool_of(session, project)
    run = get_run(session, "two")

    withdraw_run(session, run)
    restore_run(session, run)

    event = session.get(Event, (project.id, head_of(session, project.id)))
    assert pool_of(session, project) == before
    assert (event.kind, event.payload) == ("run_restored", {"run_id": run.id})


def test_a_withdrawn_runs_judgments_stay(session, project, make):
    candidate = session.scalars(select(Candidate).join(Document).where(Document.external_id == "d6")).one()
    judgment = make.judgment(candidate, make.member(project, "annotator"), 3)

    withdraw_run(session, get_run(session, "two"))

    session.refresh(judgment)
    session.refresh(candidate)
    assert (judgment.grade, candidate.in_pool, candidate.best_rank) == (3, False, 0)


def test_a_run_is_withdrawn_once(session, project):
    run = get_run(session, "two")
    withdraw_run(session, run)

    with pytest.raises(ConflictError, match="is withdrawn"):
        withdraw_run(session, run)
    restore_run(session, run)
    with pytest.raises(ConflictError, match="is published"):
        restore_run(session, run)
