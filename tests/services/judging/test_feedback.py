"""What the others gave: never without the owner's leave, never of an open question, and no rating moves after it."""

import pytest
from sqlalchemy import select

from app.models import AssignmentCandidate, Candidate, Judgment, Origin, Reason
from app.services.assignment import deal_batch
from app.services.errors import ConflictError
from app.services.judging import (
    closed_queries,
    others_gave,
    record_judgment,
    record_no_good_answer,
    take_back_no_good_answer,
)
from app.services.quality import Quality, change_quality
from tests.furniture.rating import make_workshop, rating

FED = Quality(dealing="depth", gold=0, feedback=True)


@pytest.fixture
def shop(make):
    """Return a question of two answers for three ratings each: Bo and the owner have rated both."""
    return make_workshop(make, queries=1, answers=2, overlap=3)


@pytest.fixture
def answers(session, make, shop):
    deal_batch(session, shop.project.id, shop.ada.id)
    found = session.scalars(select(Candidate).order_by(Candidate.best_rank)).all()
    for person, grades in ((shop.bo, (1, 3)), (shop.owner, (2, 3))):
        for answer, grade in zip(found, grades, strict=True):
            make.judgment(answer, person, grade)
    return found


@pytest.fixture
def rate(session, shop):
    def rate(answer, grade=None, base=None, **values):
        given = rating(grade, base=base, batch=1, **values)
        return record_judgment(session, shop.annotator(), answer.public_id, given).rating.id

    return rate


def told(session, shop, person):
    return others_gave(session, shop.project, person.id, [shop.queries[0].id])


def is_closed(session, shop):
    return bool(closed_queries(session, shop.project, [shop.queries[0].id]))


def test_nobody_is_told_anything_unless_an_owner_allows_it(session, make, shop, answers, rate):
    first, second = answers
    rate(first, 0)
    rate(second, 2)
    # Two steps apart: the first one wants one more.
    make.judgment(first, make.member(shop.project, "annotator"), 2)

    assert told(session, shop, shop.ada) == {}
    change_quality(session, shop.project, FED)
    assert told(session, shop, shop.ada) == {first.id: (2, 2), second.id: (3, 3)}
    assert told(session, shop, shop.bo) == {first.id: (2, 2), second.id: (2, 3)}


def test_a_question_is_closed_when_every_answer_has_its_ratings(session, shop, answers, rate):
    change_quality(session, shop.project, FED)
    first, second = answers
    rate(first, 2)
    # Passing on an answer gives no rating: somebody else is asked.
    passed = rate(second, reason=Reason.EXPERTISE)

    assert not is_closed(session, shop)
    assert told(session, shop, shop.bo) == {}
    rate(second, 3, passed)
    assert is_closed(session, shop)


def test_a_question_is_open_while_somebody_is_at_it(session, make, shop, answers):
    for answer in answers:
        make.judgment(answer, make.member(shop.project, "annotator"), 2)

    # Ada holds both answers, and has rated neither.
    assert not is_closed(session, shop)


def test_what_was_told_about_stays_as_it_is(session, shop, answers, rate):
    change_quality(session, shop.project, FED)
    first, second = answers
    mine = rate(first, 1, rate(first, 2))
    rate(second, 3)

    for change in ({"grade": 3}, {"reason": Reason.CLEARED}):
        with pytest.raises(ConflictError) as refusal:
            rate(first, base=mine, **change)
        assert refusal.value.code == "question_closed"
    change_quality(session, shop.project, Quality(dealing="depth", gold=0))
    rate(first, 3, mine)


def test_taking_back_no_good_answer_changes_no_closed_question(session, make, shop, answers, rate):
    change_quality(session, shop.project, FED)
    step = rating(0, batch=1)
    for answer in answers:
        make.judgment(answer, make.member(shop.project, "annotator"), 2)
    record_no_good_answer(session, shop.annotator(), step)
    assert is_closed(session, shop)

    with pytest.raises(ConflictError) as refusal:
        take_back_no_good_answer(session, shop.annotator(), step.id, rating(0, batch=1))
    assert refusal.value.code == "question_closed"


def test_a_check_is_rated_in_a_closed_question(session, make, shop, answers, rate):
    change_quality(session, shop.project, FED)
    for answer in answers:
        make.judgment(answer, make.member(shop.project, "annotator"), 2)
    for held in session.scalars(select(AssignmentCandidate)):
        held.arm = "gold"
    session.flush()
    assert is_closed(session, shop)

    given = rate(answers[0], 3)
    stored = session.scalars(select(Judgment).where(Judgment.client_uuid == given.bytes)).one()
    assert stored.role == Origin.GOLD
