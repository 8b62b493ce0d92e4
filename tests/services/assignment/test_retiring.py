"""A question that is retired is taken from everybody who holds it, and given to people again once restored."""

import pytest
from sqlalchemy import select

from app.models import Assignment, Judgment, Origin, Query, Reason, now_utc
from app.services.assignment.batch_lifecycle import (
    decline_query,
    find_begun,
    finish_batch,
    get_assignment,
    park_batch,
    take_back_decline,
    unfinished_questions,
)
from app.services.assignment.batches import (
    SHORT_LEASE,
    assign_ahead,
    count_unsettled,
    keep_lease,
    take_up,
    take_up_parked,
)
from app.services.assignment.retiring import retire_questions
from app.services.collection.queries import restore_queries
from app.services.errors import ConflictError
from app.services.judging.no_good_answer import record_no_good_answer, take_back_no_good_answer
from app.services.judging.pages import batch_page
from app.services.judging.recording import record_judgment
from app.services.projects.settings import archive_project
from tests.furniture.assigning import assign_best_batch, progress_of
from tests.furniture.factories import making_in
from tests.furniture.rating import make_workshop, rating


@pytest.fixture
def shop(session, make):
    return make_workshop(make, queries=2, answers=3)


def retire(session, shop, query=0):
    return retire_questions(session, shop.project, [shop.queries[query].external_id])


def hold(session, shop, person, query=0, **more):
    return assign_best_batch(session, shop.project.id, person.id, query_id=shop.queries[query].id, **more)


def rate(session, shop, batch, person=None, place=0, **values):
    person = person or shop.ada
    card = batch_page(session, shop.project.id, person.id, batch).answers[place]
    return record_judgment(session, shop.annotator(person), card.public_id, rating(1, batch=batch, **values))


def test_open_pages_those_left_for_later_and_those_fetched_ahead_are_released(session, make):
    shop = make_workshop(make, queries=2, answers=30)
    here = (session, shop.project.id, shop.ada.id)
    held = [hold(session, shop, shop.ada), hold(session, shop, shop.bo)]
    ahead = hold(session, shop, shop.ada, lease=SHORT_LEASE)
    park_batch(session, shop.project.id, shop.bo.id, held[1].batch)
    other = hold(session, shop, shop.ada, query=1)

    assert retire(session, shop) == 1

    now = now_utc()
    assert {(one.state, one.lease_end <= now) for one in [*held, ahead]} == {("released", True)}
    assert other.state == "open"
    assert find_begun(*here) is other
    assert assign_ahead(*here, after=other.batch, proposals=[]) == []
    assert take_up_parked(session, shop.project.id, shop.bo.id) is None
    assert [one.batch for one in unfinished_questions(*here, now)] == [other.batch]
    assert unfinished_questions(session, shop.project.id, shop.bo.id, now) == []
    assert progress_of(*here).waiting == 30


def test_no_lease_of_a_retired_question_is_renewed(session, shop):
    page = hold(session, shop, shop.ada)
    retire(session, shop)
    until = page.lease_end

    take_up(session, page)
    keep_lease(session, shop.project.id, shop.ada.id, page.batch, now_utc())
    park_batch(session, shop.project.id, shop.ada.id, page.batch)

    session.refresh(page)
    assert (page.state, page.lease_end) == ("released", until)


def test_ratings_that_arrive_later_are_stored_and_the_page_can_be_left(session, shop):
    page = hold(session, shop, shop.ada)
    retire(session, shop)

    stored = rate(session, shop, page.batch)

    assert (stored.is_new, stored.wording) == (True, "")
    assert session.scalars(select(Judgment.role)).all() == [Origin.PLANNED]
    assert batch_page(session, shop.project.id, shop.ada.id, page.batch).is_retired
    finish_batch(session, shop.project.id, shop.ada.id, page.batch)
    assert page.state == "released"


def test_a_page_with_nothing_left_is_done(session, shop):
    page = hold(session, shop, shop.ada)
    for place in range(3):
        rate(session, shop, page.batch, place=place)

    retire(session, shop)

    assert page.state == "done"


def test_a_restored_question_is_assigned_again(session, shop):
    page = hold(session, shop, shop.ada)
    rate(session, shop, page.batch)
    retire(session, shop)
    assert hold(session, shop, shop.bo) is None

    restore_queries(session, shop.project, [shop.queries[0].external_id])

    fresh = hold(session, shop, shop.ada)
    assert (fresh.batch != page.batch, count_unsettled(session, fresh)) == (True, 2)
    assert rate(session, shop, fresh.batch).wording != ""


def test_a_finished_page_is_not_left_for_later(session, shop):
    page = hold(session, shop, shop.ada)
    given = [rate(session, shop, page.batch, place=place) for place in range(3)]
    retire(session, shop)
    card = batch_page(session, shop.project.id, shop.ada.id, page.batch).answers[0]
    cleared = rating(None, reason=Reason.CLEARED, base=given[0].rating.id, batch=page.batch)
    record_judgment(session, shop.annotator(), card.public_id, cleared)

    park_batch(session, shop.project.id, shop.ada.id, page.batch)

    assert page.state == "done"


def test_taking_back_that_it_cannot_be_judged_brings_no_page_back(session, shop):
    page = hold(session, shop, shop.ada)
    here = (session, shop.project.id, shop.ada.id, page.batch)
    decline_query(*here, Reason.UNCLEAR)
    retire(session, shop)

    take_back_decline(*here)

    assert (page.state, page.declined) == ("released", None)


def test_undoing_no_good_answer_brings_no_part_back(session, make):
    shop = make_workshop(make, queries=1, answers=30)
    page, part = (hold(session, shop, shop.ada) for _ in range(2))
    given = rating(None, reason=None, batch=page.batch)
    record_no_good_answer(session, shop.annotator(), given)
    retire(session, shop)

    undone = take_back_no_good_answer(
        session, shop.annotator(), given.id, rating(None, reason=None, batch=page.batch)
    )

    assert undone.wording == ""
    assert get_assignment(session, shop.project.id, shop.ada.id, part.batch).state == "released"
    assert find_begun(session, shop.project.id, shop.ada.id) is None


def test_nothing_is_released_where_the_question_cannot_be_retired(database):
    with making_in(database)() as make:
        shop = make_workshop(make)
        hold(make.session, shop, shop.ada)
        archive_project(make.session, shop.project)

    with pytest.raises(ConflictError, match="archived"), database.write() as session:
        retire(session, shop)

    with database.read() as session:
        assert session.scalars(select(Assignment.state)).all() == ["open"]
        assert session.scalars(select(Query.retired_revision)).all() == [None, None]
