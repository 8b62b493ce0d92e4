"""What somebody rated day by day: their own days, in their own time zone, pauses cut."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from app.models import Candidate, Judgment, Reason
from app.services.assignment.batch_lifecycle import get_assignment, park_batch, unfinished_questions
from app.services.judging.recording import record_judgment
from app.services.judging.today import rated_days
from tests.furniture.assigning import assign_best_batch
from tests.furniture.rating import make_workshop, rating
from tests.services.assignment.test_progress import public_ids

NOW = datetime(2026, 3, 10, 1, 30, tzinfo=UTC)


@pytest.fixture
def shop(make):
    return make_workshop(make, queries=2, answers=4)


def rate(make, shop, *moments, person=None):
    """Rate one more answer at each of some moments."""
    taken = make.session.scalars(select(Judgment.candidate_id)).all()
    free = make.session.scalars(
        select(Candidate).where(Candidate.project_id == shop.project.id, Candidate.id.not_in(taken))
    ).all()
    for candidate, at in zip(free, moments, strict=False):
        make.judgment(candidate, person or shop.ada, 2, received_at=at)


def answers(days):
    return {one.day: one.answers for one in days if one.answers}


def test_answers_are_counted_on_the_day_they_arrived(session, make, shop):
    rate(make, shop, NOW, NOW - timedelta(hours=1), NOW - timedelta(hours=2), NOW - timedelta(days=3))
    rate(make, shop, NOW, person=shop.bo)

    days = rated_days(session, shop.ada.id, NOW, UTC)

    assert [one.day for one in days[:2]] == [date(2026, 3, 10), date(2026, 3, 9)]
    assert len(days) == 14
    assert answers(days) == {
        date(2026, 3, 10): 2,
        date(2026, 3, 9): 1,
        date(2026, 3, 7): 1,
    }


def test_work_in_a_project_counts_for_people_who_are_no_members_of_it(session, make, shop):
    admin = make.person(is_admin=True)
    rate(make, shop, NOW, person=admin)

    assert answers(rated_days(session, admin.id, NOW, UTC)) == {date(2026, 3, 10): 1}


def test_days_begin_at_midnight_where_the_person_is(session, make, shop):
    rate(make, shop, NOW, NOW - timedelta(hours=2))

    new_york = rated_days(session, shop.ada.id, NOW, ZoneInfo("America/New_York"))
    tokyo = rated_days(session, shop.ada.id, NOW, ZoneInfo("Asia/Tokyo"))

    assert answers(new_york) == {date(2026, 3, 9): 2}
    assert answers(tokyo) == {date(2026, 3, 10): 2}


def test_a_rating_given_again_counts_once_and_one_taken_back_not(session, make, shop):
    assign_best_batch(session, shop.project.id, shop.ada.id)
    rate(make, shop, NOW - timedelta(days=1))
    (candidate,) = session.scalars(
        select(Candidate).join(Judgment, Judgment.candidate_id == Candidate.id)
    ).all()
    make.judgment(candidate, shop.ada, 3, received_at=NOW)

    assert answers(rated_days(session, shop.ada.id, NOW, UTC)) == {date(2026, 3, 10): 1}

    make.judgment(candidate, shop.ada, None, reason=Reason.CLEARED, received_at=NOW)

    assert answers(rated_days(session, shop.ada.id, NOW, UTC)) == {}


def test_ratings_that_a_copy_of_a_project_took_over_count_once(session, make, shop):
    copy = make_workshop(make, name="Copy", queries=2, answers=4)
    rate(make, shop, NOW, NOW, NOW - timedelta(hours=2))
    rate(make, copy, NOW, NOW - timedelta(minutes=1), person=shop.ada)

    assert answers(rated_days(session, shop.ada.id, NOW, UTC)) == {
        date(2026, 3, 10): 3,
        date(2026, 3, 9): 1,
    }


def test_today_alone_is_the_first_of_all_days(session, make, shop):
    copy = make_workshop(make, name="Copy", queries=2, answers=4)

    def both():
        alone = rated_days(session, shop.ada.id, NOW, UTC, days=1)
        assert alone == rated_days(session, shop.ada.id, NOW, UTC)[:1]
        return answers(alone)

    assert both() == {}
    rate(make, shop, NOW - timedelta(hours=2), NOW, NOW)
    assert both() == {date(2026, 3, 10): 2}
    rate(make, copy, NOW - timedelta(minutes=1), NOW, person=shop.ada)
    assert both() == {date(2026, 3, 10): 3}


def test_what_is_older_than_the_days_asked_for_is_left_out(session, make, shop):
    rate(make, shop, NOW - timedelta(days=20), NOW - timedelta(hours=3))

    assert answers(rated_days(session, shop.ada.id, NOW, UTC, days=1)) == {}
    assert answers(rated_days(session, shop.ada.id, NOW, UTC)) == {date(2026, 3, 9): 1}


def test_questions_left_for_later_are_listed_with_what_is_left_of_them(session, shop):
    first, *_ = public_ids(session, assign_best_batch(session, shop.project.id, shop.ada.id))
    record_judgment(session, shop.annotator(), first, rating(0))
    park_batch(session, shop.project.id, shop.ada.id, 1)
    now = datetime.now(UTC)

    (one,) = unfinished_questions(session, shop.project.id, shop.ada.id, now)

    assert (one.batch, one.left) == (1, 3)
    assert one.query.startswith("Question number")
    until = get_assignment(session, shop.project.id, shop.ada.id, 1).lease_end
    assert until > now
    assert unfinished_questions(session, shop.project.id, shop.bo.id, now) == []
    assert unfinished_questions(session, shop.project.id, shop.ada.id, until + timedelta(seconds=1)) == []
