"""What the others gave: never without the owner's leave, never of an open question, and no rating moves after it."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from app.models import Assignment, AssignmentCandidate, Candidate, Document, Judgment, Origin, Reason
from app.services.assignment.batch_lifecycle import finish_batch
from app.services.assignment.selection import Proposal
from app.services.errors import ConflictError
from app.services.judging.feedback import closed_queries, others_gave, record_disclosure, untold
from app.services.judging.no_good_answer import record_no_good_answer, take_back_no_good_answer
from app.services.judging.recording import record_judgment
from app.services.projects.assignment_settings import Quality, change_quality
from tests.furniture.assigning import assign_best_batch
from tests.furniture.rating import make_workshop, rating

FED = Quality(gold=0, feedback=True)


@pytest.fixture
def shop(make):
    """Return a question of two answers for three ratings each: Bo and the owner have rated both."""
    return make_workshop(make, queries=1, answers=2, overlap=3)


@pytest.fixture
def answers(session, make, shop):
    assign_best_batch(session, shop.project.id, shop.ada.id)
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


def tell(session, shop, person):
    """Tell a person what the page of all their ratings tells them."""
    answers = told(session, shop, person)
    record_disclosure(session, shop.project, person.id, untold(session, person.id, answers))
    return answers


def close(make, shop, answers):
    for answer in answers:
        make.judgment(answer, make.member(shop.project, "annotator"), 2)


def test_what_somebody_was_told_about_they_do_not_change(session, make, shop, answers, rate):
    change_quality(session, shop.project, FED)
    first, second = answers
    mine = rate(first, 2)
    other = rate(second, 3)
    # The question is closed, but they have not seen what the others gave.
    mine = rate(first, 1, mine)
    close(make, shop, answers)
    assert set(tell(session, shop, shop.ada)) == {first.id, second.id}
    assert untold(session, shop.ada.id, {first.id, second.id}) == set()

    # One more answer opens the question again, and an owner forbids to tell more: they know what they know.
    asked = shop.queries[0]
    make.candidate(asked, make.document(shop.project, "late"), in_pool=True)
    assert not is_closed(session, shop)
    change_quality(session, shop.project, Quality(gold=0))
    for change in ({"grade": 3}, {"reason": Reason.CLEARED}):
        with pytest.raises(ConflictError) as refusal:
            rate(first, base=mine, **change)
        assert refusal.value.code == "others_known"
    # Of a text before its edit: the new one is rated again.
    make.edit(session.get_one(Document, second.document_id))
    rate(second, 1, None)
    assert other


def test_a_first_rating_is_taken_however_late_it_arrives(session, make, shop, answers, rate):
    change_quality(session, shop.project, FED)
    for lease in session.scalars(select(Assignment)):
        lease.lease_end = lease.lease_end - timedelta(days=30)
    close(make, shop, answers)
    assert is_closed(session, shop)
    assert tell(session, shop, shop.ada) == {}, "nothing stands beside an answer that they have not graded"

    given = rate(answers[0], 3)

    stored = session.scalars(select(Judgment).where(Judgment.client_uuid == given.bytes)).one()
    assert stored.role == Origin.EXTRA


def test_taking_back_no_good_answer_changes_nothing_that_was_told_about(session, make, shop, answers):
    change_quality(session, shop.project, FED)
    step = rating(0, batch=1)
    close(make, shop, answers)
    record_no_good_answer(session, shop.annotator(), step)
    tell(session, shop, shop.ada)

    with pytest.raises(ConflictError) as refusal:
        take_back_no_good_answer(session, shop.annotator(), step.id, rating(0, batch=1))
    assert refusal.value.code == "others_known"


def test_nothing_is_told_of_a_question_that_waits_for_a_check(session, make, shop, answers, rate):
    change_quality(session, shop.project, FED)
    first, second = answers
    for answer in answers:
        rate(answer, 2)
    close(make, shop, answers)
    finish_batch(session, shop.project.id, shop.ada.id, 1)
    again = Proposal(query_id=shop.queries[0].id, kind="check", checks={first.id: "repeat"})
    assert assign_best_batch(session, shop.project.id, shop.ada.id, proposal=again).batch == 2

    assert tell(session, shop, shop.ada) == {}
    record_judgment(session, shop.annotator(), first.public_id, rating(2, batch=2))
    assert set(tell(session, shop, shop.ada)) == {first.id, second.id}


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
