"""What the arrays say is left agrees with what the database would deal."""

from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import select

from app.models import (
    Assignment,
    Candidate,
    Document,
    Origin,
    Project,
    Reason,
    now_utc,
)
from app.services.assignment.batch_lifecycle import STALE_AFTER, decline_query, others_at_work, park_batch
from app.services.assignment.batches import LEASE
from app.services.assignment.cost import finishing_of
from app.services.assignment.eligibility import open_work_for
from app.services.assignment.requests import unrated_answers
from app.services.assignment.wanted import BatchRequest
from app.services.collection.duplicates import merge_documents
from app.services.evidence.store import evidence_of
from app.services.judging.pages import batch_page
from app.services.judging.recording import record_judgment
from app.services.projects.settings import change_ruler
from tests.furniture.assigning import assign_best_batch, open_candidates, progress_of
from tests.furniture.factories import making_in
from tests.furniture.rating import make_workshop, rating

pytestmark = pytest.mark.everyday


def settle_something(make, shop, rng):
    """Let both people rate, pass on, clear, park, decline and leave some of what they are assigned."""
    session = make.session
    for turn in range(6):
        person = (shop.ada, shop.bo)[turn % 2]
        batch = assign_best_batch(session, shop.project.id, person.id)
        if batch is None:
            continue
        for card in batch_page(session, shop.project.id, person.id, batch.batch).answers:
            public_id = card.public_id
            given = rating(int(rng.integers(0, 4)), batch=batch.batch, base=card.last_id)
            kind = rng.integers(0, 5)
            if kind == 4:
                continue
            if kind == 3:
                given = rating(None, reason=Reason.OTHER, base=card.last_id)
            record_judgment(session, shop.annotator(person), public_id, given)
            if kind == 2:
                record_judgment(
                    session,
                    shop.annotator(person),
                    public_id,
                    rating(None, reason=Reason.CLEARED, base=given.id),
                )
        if turn == 2:
            park_batch(session, shop.project.id, person.id, batch.batch)
        if turn == 3:
            decline_query(session, shop.project.id, person.id, batch.batch, Reason.UNCLEAR)
        if turn in {0, 4}:
            batch.lease_end = now_utc() - timedelta(seconds=1)
            session.flush()


def change_texts(make, shop):
    """Let one text be edited after it was rated, and another be missing."""
    session = make.session
    edited, empty = session.scalars(select(Document).order_by(Document.id).limit(2)).all()
    make.edit(edited)
    empty.content_hash = None
    session.flush()


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "project",
    [{"overlap": 1}, {"overlap": 2}, {"overlap": 1, "share_twice": 0.5}],
    ids=["once", "twice", "share"],
)
def test_the_arrays_and_the_database_agree_on_what_is_left(database, project, seed):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=5, answers=7, **project)
        settle_something(make, shop, np.random.default_rng(seed))
        change_texts(make, shop)

    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        stored = session.get_one(Project, shop.project.id)
        for person in (shop.ada, shop.bo, shop.owner):
            now = now_utc()
            openings = open_work_for(session, evidence, BatchRequest(stored, person.id, now))
            slots = open_candidates(session, stored, person.id, now)
            assert Counter(openings.query_id.tolist()) == Counter(slot.query_id for slot in slots)
            assert openings.answers == len(slots)
            assert openings.first == sum(slot.taken == 0 for slot in slots)


def test_a_lease_that_ended_counts_no_more(database):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=1, answers=3)
        assign_best_batch(make.session, shop.project.id, shop.ada.id)
    evidence = evidence_of(database, shop.project.id)

    with database.read() as session:
        stored = session.get_one(Project, shop.project.id)
        assert session.scalars(select(Assignment)).one().state == "open"
        assert open_work_for(session, evidence, BatchRequest(stored, shop.bo.id, now_utc())).answers == 0
        assert (
            open_work_for(session, evidence, BatchRequest(stored, shop.bo.id, now_utc() + LEASE)).answers == 3
        )


@pytest.mark.thorough
@pytest.mark.parametrize(("answers", "batches", "suffices"), [(36, 3, False), (37, 4, True)])
def test_what_is_left_suffices_where_everybody_at_work_may_look_as_far_ahead(
    database, answers, batches, suffices
):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=1, answers=answers)
    evidence = evidence_of(database, shop.project.id)

    with database.read() as session:
        stored = session.get_one(Project, shop.project.id)
        left = open_work_for(session, evidence, BatchRequest(stored, shop.ada.id, now_utc()))
    assert left.batches == batches
    assert left.suffices(2, others=1) is suffices
    assert left.suffices(2, others=0)


@pytest.mark.thorough
def test_whoever_was_dealt_something_a_short_while_ago_is_at_work(database):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=2, answers=3)
        assign_best_batch(make.session, shop.project.id, shop.ada.id)

    with database.read() as session:
        assert others_at_work(session, shop.project.id, shop.bo.id, now_utc()) == 1
        assert others_at_work(session, shop.project.id, shop.bo.id, now_utc() + STALE_AFTER) == 0
        assert others_at_work(session, shop.project.id, shop.ada.id, now_utc()) == 0


@pytest.mark.thorough
def test_first_ratings_are_told_apart_from_second_ones(database):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=2, answers=3, overlap=2)
        candidate = make.session.scalars(
            select(Candidate).where(Candidate.project_id == shop.project.id)
        ).first()
        make.judgment(candidate, shop.bo, 2)

    with database.read() as session:
        progress = progress_of(session, shop.project.id, shop.ada.id)
    assert (progress.waiting, progress.first) == (6, 5)


@pytest.mark.parametrize("is_merged", [False, True])
def test_a_decided_answer_waits_for_no_rating_until_the_decision_is_taken_back(database, is_merged):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=1, answers=4)
        first, second, *_ = make.session.scalars(select(Candidate).order_by(Candidate.id)).all()
        if is_merged:
            merge_documents(make.session, shop.project, [first.document_id, second.document_id])
        number = second.id

    def decide(grade, reason=None):
        with making_in(database)() as make:
            second = make.session.get_one(Candidate, number)
            make.judgment(second, shop.owner, grade, reason=reason, role=Origin.ADJUDICATION)

    all_of_them = 4 - is_merged
    assert left_for_ada(database, shop) == (all_of_them,) * 3
    decide(2)
    assert left_for_ada(database, shop) == (all_of_them - 1,) * 3
    decide(None, Reason.CLEARED)
    assert left_for_ada(database, shop) == (all_of_them,) * 3


@pytest.mark.thorough
@pytest.mark.parametrize("is_merged", [False, True])
def test_a_rating_that_the_scores_leave_out_is_asked_for_again(database, is_merged):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=1, answers=4)
        first, second, *_ = make.session.scalars(select(Candidate).order_by(Candidate.id)).all()
        if is_merged:
            merge_documents(make.session, shop.project, [first.document_id, second.document_id])
        make.judgment(second, shop.owner, 3, blind=False)
        number = second.id

    all_of_them = 4 - is_merged
    assert left_for_ada(database, shop) == (all_of_them - 1,) * 3
    with making_in(database)() as make:
        change_ruler(make.session, make.session.get_one(Project, shop.project.id), {"only_blind": True})
    assert left_for_ada(database, shop) == (all_of_them,) * 3
    with making_in(database)() as make:
        make.judgment(make.session.get_one(Candidate, number), shop.bo, 2)
    assert left_for_ada(database, shop) == (all_of_them - 1,) * 3


def left_for_ada(database, shop):
    """Return what waits for Ada, by the evidence and by the database, and how much is unrated."""
    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        stored = session.get_one(Project, shop.project.id)
        request = BatchRequest(stored, shop.ada.id, now_utc())
        price = finishing_of(session, evidence, stored).at(stored.pool_depth, stored.overlap)
        assert price.unrated == np.count_nonzero(unrated_answers(evidence))
        stored_ones = open_candidates(session, stored, shop.ada.id, request.now)
        return open_work_for(session, evidence, request).answers, len(stored_ones), price.unrated
