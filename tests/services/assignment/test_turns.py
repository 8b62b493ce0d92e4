"""Whose turn it is: pages that were given back unfinished take none, and requests come before pages ahead."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from app.jobs.assignment import assign_next_ahead, find_next_batch
from app.models import Assignment, Reason, now_utc
from app.services.assignment.batch_lifecycle import decline_query, park_batch, take_back_decline
from app.services.assignment.batches import open_batches, other_parts, take_up
from app.services.assignment.requests import request_question
from app.services.assignment.selection import next_numbers
from app.services.evidence.store import evidence_of
from app.services.judging.pages import batch_page
from app.services.judging.recording import record_judgment
from tests.furniture.contest import make_contest, rate_next
from tests.furniture.databases import made_in
from tests.furniture.rating import rating


@pytest.fixture
def contest(database):
    def make(**values):
        return made_in(database, make_contest, **{"share_twice": 0, **values})

    return make


def assigned(database):
    """Return number, kind and question of every batch, in the order in which they were assigned."""
    with database.read() as session:
        return [
            (one.batch, one.kind, one.query_id)
            for one in session.scalars(select(Assignment).order_by(Assignment.id))
        ]


def end_leases(database):
    with database.write() as session:
        session.execute(update(Assignment).values(lease_end=now_utc() - timedelta(minutes=1)))


def states(database):
    with database.read() as session:
        return dict(session.execute(select(Assignment.batch, Assignment.state)).all())


def rate_one_and_leave(database, shop, person):
    """Let somebody rate one answer of their next page and leave it for later."""
    batch = find_next_batch(database, shop.project.id, person.id)
    with database.write() as session:
        answer = batch_page(session, shop.project.id, person.id, batch).answers[0]
        record_judgment(session, shop.annotator(person), answer.public_id, rating(1, batch=batch))
        park_batch(session, shop.project.id, person.id, batch)


def test_pages_fetched_ahead_and_never_opened_take_no_turn(database, contest):
    shop = contest(queries=8, answers=10)
    first = find_next_batch(database, shop.project.id, shop.owner.id)
    assign_next_ahead(database, shop.project.id, shop.owner.id, after=first)
    rate_next(database, shop, shop.owner, lambda card: 1)
    rate_next(database, shop, shop.owner, lambda card: 1)
    end_leases(database)

    for _ in range(2):
        rate_next(database, shop, shop.ada, lambda card: 1)

    kinds = [kind for _, kind, _ in assigned(database)]
    assert kinds == ["finish", "front", "finish", "finish", "front"]


def test_finishing_pages_that_were_left_with_one_rating_take_no_turn(database, contest):
    shop = contest(queries=8, answers=60, pool_depth=60)
    for _ in range(5):
        rate_one_and_leave(database, shop, shop.owner)
    begun = assigned(database)
    assert [row[:2] for row in begun] == [(number, "finish") for number in (1, 3, 5, 7, 9)]
    end_leases(database)

    for _ in range(6):
        rate_next(database, shop, shop.ada, lambda card: 1)

    mine = assigned(database)[5:]
    assert [kind for _, kind, _ in mine] == ["finish"] * 5 + ["front"]
    assert {query for _, _, query in mine[:5]} == {begun[0][2]}, "what was begun is finished"


def test_a_page_that_was_rated_whole_and_left_open_has_had_its_turn(database, contest):
    shop = contest(queries=8, answers=10)
    rate_next(database, shop, shop.owner, lambda card: 1)
    end_leases(database)

    find_next_batch(database, shop.project.id, shop.ada.id)

    assert assigned(database)[-1][:2] == (2, "front")
    assert states(database) == {1: "done", 2: "open"}


def test_a_question_that_was_declined_gives_its_turn_back_until_that_is_undone(database, contest):
    shop = contest(queries=8, answers=10)
    place = (shop.project.id, shop.ada.id, find_next_batch(database, shop.project.id, shop.ada.id))

    def turn(session):
        return next_numbers(session, shop.project.id, now_utc()).next

    with database.write() as session:
        assert turn(session) == 2
        decline_query(session, *place, Reason.EXPERTISE)
        assert turn(session) == 3
        take_back_decline(session, *place)
        assert turn(session) == 2


def ask(database, shop, query):
    evidence = evidence_of(database, shop.project.id)
    with database.write() as session:
        request_question(session, shop.project, query.id, evidence=evidence, actor_id=shop.owner.id)


def test_what_is_requested_comes_before_pages_that_were_fetched_ahead(database, contest):
    shop = contest(queries=8, answers=10)
    place = (database, shop.project.id, shop.ada.id)
    first = find_next_batch(*place)
    assert assign_next_ahead(*place, after=first) == [2, 3]
    held = {query for _, _, query in assigned(database)}
    ask(database, shop, next(query for query in shop.queries if query.id not in held))

    assert assign_next_ahead(*place, after=first) == assign_next_ahead(*place, after=first) == [4, 2]

    assert assigned(database)[-1][:2] == (4, "requested")
    assert [rate_next(database, shop, shop.ada, lambda card: 1) for _ in range(4)] == [1, 4, 2, 3]


def test_an_opened_page_is_gone_on_with_before_what_is_requested(database, contest):
    shop = contest(queries=8, answers=10)
    place = (database, shop.project.id, shop.ada.id)
    first = find_next_batch(*place)
    assign_next_ahead(*place, after=first)
    rate_next(database, shop, shop.ada, lambda card: 1)
    with database.write() as session:
        take_up(session, session.scalars(select(Assignment).where(Assignment.batch == 2)).one())
    held = {query for _, _, query in assigned(database)}
    ask(database, shop, next(query for query in shop.queries if query.id not in held))

    assert assign_next_ahead(*place, after=2) == [4, 3]

    assert [rate_next(database, shop, shop.ada, lambda card: 1) for _ in range(3)] == [2, 4, 3]


@pytest.mark.thorough
def test_no_more_than_two_requested_pages_are_ahead(database, contest):
    shop = contest(queries=8, answers=10)
    place = (database, shop.project.id, shop.ada.id)
    first = find_next_batch(*place)
    assign_next_ahead(*place, after=first)
    for query in shop.queries:
        ask(database, shop, query)

    for _ in range(3):
        assert assign_next_ahead(*place, after=first) == [4, 5]

    assert len(assigned(database)) == 5


def test_a_page_says_how_it_goes_on_as_the_pages_come(database, contest):
    shop = contest(queries=3, answers=50, pool_depth=50)
    place = (database, shop.project.id, shop.ada.id)
    first = find_next_batch(*place)
    assert assign_next_ahead(*place, after=first) == [3, 5]
    ask(database, shop, next(query for query in shop.queries if query.id != assigned(database)[0][2]))
    assert assign_next_ahead(*place, after=first) == [2, 4]

    with database.read() as session:
        pages = {one.batch: one for one in open_batches(session, shop.project.id, shop.ada.id)}
        parts = {number: other_parts(session, page, ahead=number > 1) for number, page in pages.items()}
    assert [*pages] == [1, 2, 4, 3, 5]
    # The requested question comes after the first page, and after it what had been begun.
    assert [one.goes_on for one in parts.values()] == [False, True, False, True, True]
    assert [one.more for one in parts.values()] == [38, 38, 26, 26, 14]


def test_a_page_whose_lease_is_over_is_no_other_part_of_its_question(database, contest):
    shop = contest(queries=1, answers=24, pool_depth=24)
    batch = find_next_batch(database, shop.project.id, shop.ada.id)

    def elsewhere():
        with database.read() as session:
            return other_parts(session, session.scalars(select(Assignment).filter_by(batch=batch)).one()).more

    before = elsewhere()
    end_leases(database)

    assert (before, elsewhere()) == (12, 12)
