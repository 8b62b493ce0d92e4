"""Versions that came in by mistake are deleted while nothing rests on them."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import select

from app.models import (
    Assignment,
    AssignmentCandidate,
    Candidate,
    Event,
    Project,
    Ranker,
    Ranking,
    Request,
    Run,
    now_utc,
)
from app.services.assignment.requests import request_pair
from app.services.collection.import_undo import list_imports, preview_undo
from app.services.collection.rankers import set_production
from app.services.collection.withdrawal import delete_run, obstacle_to_deleting, restore_run, withdraw_run
from app.services.errors import ConflictError, NotFoundError
from app.services.scores.scoreboard import score_runs
from tests.furniture.factories import Make
from tests.furniture.files import bring_run, corpus


@pytest.fixture
def project(session, make):
    """Return a project in which only ranker "two" returns d6."""
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    bring_run(session, project, "one", {"q1": "d1 d2 d3", "q2": "d4 d5"})
    bring_run(session, project, "two", {"q1": "d2 d6", "q2": "d4"})
    return project


def run_of(session, ranker):
    return session.scalars(select(Run).join(Ranker).where(Ranker.name == ranker)).one()


def only_of_two(session):
    wanted = select(Candidate).where(Candidate.in_pool, Candidate.best_rank == 2)
    return max(session.scalars(wanted), key=lambda one: one.document_id)


def pool_of(session, project):
    rows = session.execute(
        select(Candidate.query_id, Candidate.document_id, Candidate.in_pool, Candidate.best_rank)
        .where(Candidate.project_id == project.id)
        .order_by(Candidate.query_id, Candidate.document_id)
    )
    return [tuple(row) for row in rows]


def test_a_version_goes_with_its_lists_its_answers_and_its_ranker(session, project):
    run = run_of(session, "two")
    number, published = run.id, run.revision
    assert obstacle_to_deleting(session, run) == ""

    delete_run(session, run)

    assert session.get(Run, number) is None
    assert session.scalars(select(Ranking).where(Ranking.run_id == number)).all() == []
    assert session.scalars(select(Ranker.name)).all() == ["one"]
    assert len(pool_of(session, project)) == 4
    event = session.scalars(select(Event).order_by(Event.revision.desc())).first()
    assert (event.kind, event.payload) == (
        "run_deleted",
        {"run_id": number, "ranker": "two", "version": "v1"},
    )
    assert "run two v1" not in [fact.what for fact in list_imports(session, project)]
    with pytest.raises(NotFoundError):
        preview_undo(session, project, published)


def test_the_pool_is_as_if_the_version_had_never_come(session, project):
    before = pool_of(session, project)
    bring_run(session, project, "three", {"q1": "d6 d5", "q2": "d1 d4"})
    assert pool_of(session, project) != before

    delete_run(session, run_of(session, "three"))

    assert pool_of(session, project) == before


@pytest.mark.thorough
@pytest.mark.parametrize("withdrawn", [False, True])
def test_an_answer_that_only_it_returns_keeps_it_once_rated(session, project, make, withdrawn):
    run = run_of(session, "two")
    make.judgment(only_of_two(session), make.member(project, "annotator"), 3)
    if withdrawn:
        withdraw_run(session, run)

    with pytest.raises(ConflictError, match="1 answer that only this version returns was rated or assigned"):
        delete_run(session, run)
    assert ("Withdraw the version instead" in obstacle_to_deleting(session, run)) is not withdrawn
    assert obstacle_to_deleting(session, run_of(session, "one")) == ""


def test_an_answer_that_is_assigned_keeps_it_too(session, project, make):
    candidate = only_of_two(session)
    batch = Assignment(
        project_id=project.id,
        person_id=make.member(project, "annotator").id,
        query_id=candidate.query_id,
        batch=1,
        lease_end=now_utc(),
    )
    session.add(batch)
    session.flush()
    session.add(AssignmentCandidate(assignment_id=batch.id, candidate_id=candidate.id, place=1))
    session.flush()

    assert "assigned already" in obstacle_to_deleting(session, run_of(session, "two"))


def test_what_another_version_returns_too_keeps_nothing(session, project, make):
    shared = session.scalars(select(Candidate).where(Candidate.best_rank == 1)).first()
    make.judgment(shared, make.member(project, "annotator"), 3)
    withdraw_run(session, run_of(session, "one"))

    # Withdrawn, the other can come back: its answers are not this one's alone.
    delete_run(session, run_of(session, "two"))
    restore_run(session, run_of(session, "one"))
    assert len(pool_of(session, project)) == 4


def test_a_version_in_production_is_not_deleted(session, project):
    run = run_of(session, "two")
    set_production(session, project, run)

    with pytest.raises(ConflictError, match="remove that mark first"):
        delete_run(session, run)
    set_production(session, project, None)
    delete_run(session, run)


def test_scores_at_every_revision_are_those_of_the_versions_that_are_left(small, evidence_now):
    small.rate(0, 0, 3)
    extra = small.run("Third", dict.fromkeys(small.queries, small.documents[1::-1]))
    small.rate(1, 1, 2)
    before = evidence_now()
    with small.database.write() as session:
        delete_run(session, session.get_one(Run, extra.id))

    after = evidence_now()
    assert [run.ranker for run in after.structure.runs] == ["First", "Second"]
    for revision in range(1, before.revision + 1):
        places = [place for place in before.active_runs(revision) if place < 2]
        then, now = (score_runs(one, places, revision=revision) for one in (before, after))
        assert [run.measures for run in then.runs] == [run.measures for run in now.runs]
        assert np.array_equal(after.active_runs(revision), places)


def test_the_number_of_a_deleted_version_is_given_to_no_other(small, evidence_now):
    lists = dict.fromkeys(small.queries, small.documents)
    extra = small.run("Third", lists)
    with small.database.write() as session:
        withdraw_run(session, session.get_one(Run, extra.id))
        delete_run(session, session.get_one(Run, extra.id))

    later = small.run("Third", lists)
    assert later.id > extra.id
    assert len(evidence_now().active_runs()) == 3


def test_a_request_for_a_deleted_version_goes_with_it(small, evidence_now):
    lists = dict.fromkeys(small.queries, small.documents)
    extra = small.run("Third", lists)
    evidence = evidence_now()
    runs = (evidence.structure.runs[0].id, extra.id)
    with small.database.write() as session:
        project = session.get_one(Project, extra.project_id)
        owner = Make(session).member(project, "owner")
        request_pair(session, project, runs, evidence=evidence, actor_id=owner.id)
        delete_run(session, session.get_one(Run, extra.id))

    with small.database.read() as session:
        assert session.scalars(select(Request)).all() == []
