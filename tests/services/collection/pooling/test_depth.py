"""Another depth is an event, re-forms the pool and takes no judgment away."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from app.models import Candidate, Document, Event, Judgment, Query
from app.services.assignment.cost import finishing_of
from app.services.collection.pool import change_depth, prepare_depth
from app.services.errors import InvalidError
from app.services.evidence.store import read_evidence
from app.services.ledger import head_of
from tests.furniture.files import bring_run, corpus


@pytest.fixture
def project(session, make):
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    bring_run(session, project, "one", {"q1": "d1 d2 d3 d4"})
    bring_run(session, project, "two", {"q1": "d4 d5"})
    return project


def ranks_of(session, project, query="q1"):
    rows = session.execute(
        select(Document.external_id, Candidate.best_rank)
        .join(Document, Document.id == Candidate.document_id)
        .join(Query, Query.id == Candidate.query_id)
        .where(Candidate.project_id == project.id, Candidate.in_pool.is_(True), Query.external_id == query)
    )
    return dict(rows.all())


@pytest.mark.parametrize("prepared", [True, False], ids=["prepared", "at once"])
def test_a_deeper_pool_takes_in_more(session, project, prepared):
    before = ranks_of(session, project)
    if prepared:
        for step in prepare_depth(session, project, 3):
            step.write(session)
    unchanged = ranks_of(session, project)

    change = change_depth(session, project, 3)

    event = session.get(Event, (project.id, head_of(session, project.id)))
    assert before == unchanged == {"d1": 1, "d2": 2, "d4": 1, "d5": 2}
    assert ranks_of(session, project) == {**before, "d3": 3}
    assert (event.kind, event.payload) == (
        "depth_changed",
        {"before": 2, "depth": 3, "new_candidates": 1},
    )
    assert len(change.joins) == 1


def test_back_again_is_the_old_pool_and_judgments_stay(session, project, make):
    before = ranks_of(session, project)
    change_depth(session, project, 4)
    third = session.scalars(select(Candidate).join(Document).where(Document.external_id == "d3")).one()
    make.judgment(third, make.member(project, "annotator"), 1)

    change = change_depth(session, project, 2)

    assert ranks_of(session, project) == before
    assert len(change.leaves) == 1
    assert session.scalars(select(Judgment.grade)).all() == [1]


def test_no_depth_cuts_what_people_added(session, project):
    own = {"d1": 1, "d2": 1, "d3": 1}

    done = bring_run(session, project, "By hand", {"q2": "d1 d2 d3"}, kind="manual")
    joined = ranks_of(session, project, "q2")
    for depth in (3, 2):
        change_depth(session, project, depth)
    evidence = read_evidence(session, project.id)

    assert done.new_candidates == 3
    assert joined == ranks_of(session, project, "q2") == own
    assert evidence.active_pool().sum() == len(own) + len(ranks_of(session, project, "q1")) == 7
    assert [finishing_of(session, evidence, project).at(depth, 1).answers for depth in (1, 2, 3)] == [5, 7, 8]


def test_the_same_depth_makes_no_event(session, project):
    before = head_of(session, project.id)

    assert change_depth(session, project, 2) is None
    assert head_of(session, project.id) == before


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("depth", "told"),
    [(0, "choose 1 to 100"), (101, "choose 1 to 100"), (1, "top answers that are scored: 2")],
)
def test_a_depth_that_cannot_be_is_refused(session, project, depth, told):
    with pytest.raises(InvalidError, match=told):
        change_depth(session, project, depth)
