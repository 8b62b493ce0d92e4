"""The stored pool is a pure function of the active runs and the depth."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app.models import Candidate, Document, Query, Ranker, Run
from app.services.collection.pool import (
    NO_PLACES,
    apply_change,
    best_places,
    change_of_pool,
    pairs_of,
    pool_places,
    union_of,
)
from app.services.collection.withdrawal import restore_run, withdraw_run
from app.services.evidence.state import full_lists
from app.services.evidence.store import evidence_of
from app.services.ledger import head_of
from tests.furniture.factories import Make
from tests.furniture.files import bring_run, corpus
from tests.furniture.properties import tried
from tests.scoring.collected import pool_of

DOCUMENTS = [f"d{number}" for number in range(1, 7)]
lists = st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True).map(" ".join)
runs = st.lists(
    st.dictionaries(st.sampled_from(["q1", "q2"]), lists, min_size=1),
    min_size=1,
    max_size=4,
    unique_by=lambda run: str(sorted(run.items())),
)


def stored_pool(session, project):
    rows = session.execute(
        select(Query.external_id, Document.external_id, Candidate.best_rank)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.project_id == project.id, Candidate.in_pool.is_(True))
    )
    return {(query, document): rank for query, document, rank in rows}


def pool_by_definition(runs, depth):
    pool = {}
    for run in runs:
        for query, documents in run.items():
            for rank, document in enumerate(documents.split()[:depth], 1):
                pool[query, document] = min(rank, pool.get((query, document), rank))
    return pool


def project_with(session, runs, depth=3):
    project = Make(session).project(k=1, pool_depth=depth)
    corpus(session, project)
    for run in runs:
        bring_run(session, project, f"r{sorted(run.items())}", run)
    return project


@given(runs=runs, depth=st.integers(1, 4), random=st.randoms(use_true_random=False))
@settings(
    max_examples=tried(20), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@pytest.mark.thorough
def test_the_pool_does_not_depend_on_the_order_of_the_runs(session, runs, depth, random):
    shuffled = random.sample(runs, len(runs))

    pools = [stored_pool(session, project_with(session, order, depth)) for order in (runs, shuffled)]

    assert pools[0] == pools[1] == pool_by_definition(runs, depth)


@given(runs=runs, gone=st.integers(0, 3))
@settings(
    max_examples=tried(15), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_without_a_run_the_pool_is_that_of_the_others_and_with_it_again_the_old_one(session, runs, gone):
    project = project_with(session, runs)
    before = stored_pool(session, project)
    run = runs[gone % len(runs)]
    named = select(Run).join(Ranker).where(Ranker.name == f"r{sorted(run.items())}")
    stored = session.scalars(named.where(Run.project_id == project.id)).one()

    withdraw_run(session, stored)
    without = stored_pool(session, project)
    restore_run(session, stored)

    assert without == pool_by_definition([other for other in runs if other is not run], 3)
    assert stored_pool(session, project) == before


def test_a_projection_that_went_wrong_is_formed_anew(session, make):
    project = project_with(session, [{"q1": "d1 d2", "q2": "d3"}, {"q1": "d4"}])
    before = stored_pool(session, project)
    members = session.scalars(select(Candidate).where(Candidate.project_id == project.id)).all()
    members[0].in_pool = False
    members[1].best_rank = 9
    session.delete(members[2])
    session.flush()

    change = change_of_pool(session, project, pool_places(session, project.id, project.pool_depth))
    apply_change(session, change, head_of(session, project.id))

    assert stored_pool(session, project) == before


def test_evidence_and_the_scoring_floor_see_the_same_pool(database):
    with database.write() as session:
        project = project_with(session, [{"q1": "d1 d2 d3 d4", "q2": "d3"}, {"q1": "d4 d1"}], depth=2)
        stored = stored_pool(session, project)

    evidence = evidence_of(database, project.id)
    structure = evidence.structure
    with database.read() as session:
        names = dict(session.execute(select(Document.id, Document.external_id)).all())
        whole = full_lists(session, evidence, range(len(structure.runs)))
    pooled = np.flatnonzero(evidence.pooled())
    seen = {(structure.query_name[structure.query[at]], names[structure.document[at]]) for at in pooled}
    listed = np.append(structure.document, -1).astype(np.int32).take(whole.positions)
    formed = pool_of(listed, 2)
    assert seen == set(stored)
    assert {
        (structure.query_name[query], names[document])
        for query, document in zip(formed.query, formed.document, strict=True)
    } == set(stored)


def test_places_joined_in_any_order_are_the_same():
    rng = np.random.default_rng(3)
    parts = []
    for _ in range(4):
        document = rng.permutation(8)[:5]
        parts.append(best_places(pairs_of(np.ones(5, int), document), np.arange(1, 6, dtype=np.int16)))

    unions = [union_of(order) for order in permutations([*parts, NO_PLACES])]

    assert all(np.array_equal(union.key, unions[0].key) for union in unions)
    assert all(np.array_equal(union.rank, unions[0].rank) for union in unions)
    assert unions[0].rank.min() == 1


@pytest.mark.parametrize("key", [[], [5], [3, 9]])
def test_stored_candidates_are_found_by_pair(key):
    from app.services.collection.pool import StoredCandidates

    keys = np.array(key, dtype=np.int64)
    stored = StoredCandidates(keys, keys, np.zeros(len(keys), bool), np.zeros(len(keys), np.int16))

    wanted = np.array([3, 5, 9, 11])
    assert stored.find(wanted).tolist() == [key.index(one) if one in key else -1 for one in wanted]
