"""Recording a rating: checked, idempotent, append-only, under the next revision."""

import threading
import uuid
from dataclasses import replace

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from app.models import AssignmentCandidate, Candidate, Document, Input, Judgment, Origin, Reason, now_utc
from app.services.assignment.batches import LEASE
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.judging.pages import batch_page
from app.services.judging.recording import record_judgment
from app.services.ledger import head_of
from app.services.projects.projects import change_guidelines
from tests.furniture.assigning import assign_best_batch
from tests.furniture.factories import making_in
from tests.furniture.rating import NOON, make_workshop, rating

pytestmark = pytest.mark.everyday


@pytest.fixture
def shop(session, make):
    shop = make_workshop(make, queries=1, answers=3)
    assign_best_batch(session, shop.project.id, shop.ada.id)
    return shop


@pytest.fixture
def answer(session, shop):
    return session.scalars(select(Candidate.public_id).order_by(Candidate.best_rank)).first()


def card_of(session, shop, answer):
    page = batch_page(session, shop.project.id, shop.ada.id, 1)
    return next(card for card in page.answers if card.public_id == answer)


def test_a_rating_is_a_row_with_the_next_revision_and_all_that_was_said(session, shop, answer):
    change_guidelines(session, shop.project, "Version two.")
    head = head_of(session, shop.project.id)
    given = rating(3, place=2, of=3, batch=1, active_ms=4200, input=Input.TOUCH)

    result = record_judgment(session, shop.annotator(), answer, given)

    row = session.scalars(select(Judgment)).one()
    assert result.is_new
    assert (row.revision, head_of(session, shop.project.id)) == (head + 1, head + 1)
    assert (row.grade, row.reason, row.place, row.length, row.batch) == (3, None, 2, 3, 1)
    assert (row.client_uuid, row.active_ms, row.input, row.judged_at) == (
        given.id.bytes,
        4200,
        Input.TOUCH,
        NOON,
    )
    assert (row.guideline_version, row.role, row.blind) == (2, Origin.PLANNED, True)
    assert (result.progress.settled, result.progress.of) == (1, 3)


def test_not_rated_and_the_lowest_grade_are_different(session, shop, answer):
    assert card_of(session, shop, answer).grade is None
    assert not card_of(session, shop, answer).is_settled

    result = record_judgment(session, shop.annotator(), answer, rating(0, batch=1))

    assert card_of(session, shop, answer).grade == 0
    assert card_of(session, shop, answer).is_settled
    assert result.progress.settled == 1
    assert session.scalars(select(Judgment)).one().grade == 0


def test_the_same_rating_sent_again_is_stored_once(session, shop, answer):
    given = rating(2, batch=1)
    first = record_judgment(session, shop.annotator(), answer, given)

    again = record_judgment(session, shop.annotator(), answer, given)

    assert not again.is_new
    assert again.rating == first.rating
    assert again.progress.settled == 1
    assert len(session.scalars(select(Judgment)).all()) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("other", [{"grade": 1}, {"place": 2, "of": 3}, {"batch": 2}, {"active_ms": 1}])
def test_an_id_is_not_used_for_another_rating(session, shop, answer, other):
    given = rating(2)
    record_judgment(session, shop.annotator(), answer, given)

    with pytest.raises(ConflictError) as refusal:
        record_judgment(session, shop.annotator(), answer, replace(given, **other))

    assert refusal.value.code == "id_reused"


def test_two_people_may_use_the_same_id(session, make):
    shop = make_workshop(make, queries=1, answers=1, overlap=2)
    answer = session.scalar(select(Candidate.public_id))
    for person in (shop.ada, shop.bo):
        assign_best_batch(session, shop.project.id, person.id)
    given = rating(2)

    results = [
        record_judgment(session, shop.annotator(person), answer, given) for person in (shop.ada, shop.bo)
    ]

    assert [result.is_new for result in results] == [True, True]


def test_a_rating_builds_on_the_last_one_that_was_seen(session, shop, answer):
    first = rating(2)
    record_judgment(session, shop.annotator(), answer, first)

    record_judgment(session, shop.annotator(), answer, rating(3, base=first.id))

    assert card_of(session, shop, answer).grade == 3
    assert len(session.scalars(select(Judgment)).all()) == 2


@pytest.mark.parametrize("base", [None, uuid.uuid4()])
def test_a_rating_changed_elsewhere_is_shown_and_not_overwritten(session, shop, answer, base):
    elsewhere = rating(2)
    record_judgment(session, shop.annotator(), answer, elsewhere)

    with pytest.raises(ConflictError) as refusal:
        record_judgment(session, shop.annotator(), answer, rating(0, base=base))

    assert refusal.value.code == "changed_elsewhere"
    assert refusal.value.details["current"]["id"] == str(elsewhere.id)
    assert refusal.value.details["current"]["grade"] == 2
    assert card_of(session, shop, answer).grade == 2


@pytest.mark.thorough
@pytest.mark.parametrize("grade", [-1, 4, 5, 2**31])
def test_a_grade_off_the_scale_is_refused(session, shop, answer, grade):
    with pytest.raises(InvalidError, match="0 to 3"):
        record_judgment(session, shop.annotator(), answer, rating(grade))


@pytest.mark.parametrize("given", [rating(None), rating(2, reason=Reason.OTHER)])
def test_a_rating_holds_a_grade_or_a_reason(session, shop, answer, given):
    with pytest.raises(InvalidError, match="a grade or a reason"):
        record_judgment(session, shop.annotator(), answer, given)


@pytest.mark.thorough
@pytest.mark.parametrize("number", [{"place": -1}, {"of": 2**15}, {"batch": 2**31}, {"active_ms": -5}])
def test_a_number_that_cannot_be_stored_is_refused(session, shop, answer, number):
    with pytest.raises(InvalidError, match=next(iter(number))):
        record_judgment(session, shop.annotator(), answer, rating(2, **number))


def test_an_answer_that_was_never_dealt_cannot_be_rated(session, shop, answer):
    for person in (shop.bo, shop.owner):
        with pytest.raises(NotFoundError):
            record_judgment(session, shop.annotator(person), answer, rating(2))

    with pytest.raises(NotFoundError):
        record_judgment(session, shop.annotator(), "no-such-answer", rating(2))


def test_an_answer_of_another_project_cannot_be_rated(session, make, shop, answer):
    other = make_workshop(make, queries=1)
    elsewhere = replace(shop.annotator(), project=other.project)

    with pytest.raises(NotFoundError):
        record_judgment(session, elsewhere, answer, rating(2))


def test_a_late_rating_beyond_the_overlap_is_extra(session, make, shop, answer):
    late = now_utc() + LEASE
    assign_best_batch(session, shop.project.id, shop.bo.id, now=late)
    record_judgment(session, shop.annotator(shop.bo), answer, rating(3))

    result = record_judgment(session, shop.annotator(), answer, rating(1))

    assert result.rating.role is Origin.EXTRA


def test_a_late_rating_takes_no_place_from_whoever_holds_the_lease_now(session, shop, answer):
    held = session.scalars(select(AssignmentCandidate.assignment_id)).first()
    assign_best_batch(session, shop.project.id, shop.bo.id, now=now_utc() + LEASE)
    assert held is not None

    late = record_judgment(session, shop.annotator(), answer, rating(1))
    held_now = record_judgment(session, shop.annotator(shop.bo), answer, rating(3))

    assert (late.rating.role, held_now.rating.role) == (Origin.EXTRA, Origin.PLANNED)


@pytest.mark.thorough
def test_a_new_grade_keeps_the_role_of_the_old_one(session, shop, answer):
    first = rating(1)
    record_judgment(session, shop.annotator(), answer, first)

    result = record_judgment(session, shop.annotator(), answer, rating(2, base=first.id))

    assert result.rating.role is Origin.PLANNED


def test_after_an_edit_of_the_text_the_old_rating_is_no_base(session, make, shop, answer):
    before = rating(1)
    record_judgment(session, shop.annotator(), answer, before)
    document = session.scalars(
        select(Document)
        .join(Candidate, Candidate.document_id == Document.id)
        .where(Candidate.public_id == answer)
    ).one()
    make.edit(document)

    with pytest.raises(ConflictError) as refusal:
        record_judgment(session, shop.annotator(), answer, rating(2, base=before.id))

    assert refusal.value.details == {"current": None}
    assert card_of(session, shop, answer).grade is None


@pytest.mark.thorough
@pytest.mark.parametrize("state", ["closed", "archived"])
def test_a_closed_project_takes_no_rating_but_knows_those_it_has(session, shop, answer, state):
    given = rating(1)
    record_judgment(session, shop.annotator(), answer, given)
    shop.project.state = state

    with pytest.raises(ConflictError) as refusal:
        record_judgment(session, shop.annotator(), answer, rating(2, base=given.id))

    assert refusal.value.code == "rating_closed"
    assert not record_judgment(session, shop.annotator(), answer, given).is_new


def test_a_paused_project_still_takes_what_it_has_dealt(session, shop, answer):
    shop.project.state = "paused"

    assert record_judgment(session, shop.annotator(), answer, rating(1)).is_new


def test_ratings_of_people_who_could_see_rankers_are_marked(session, make):
    shop = make_workshop(make, queries=1, answers=1)
    assign_best_batch(session, shop.project.id, shop.owner.id)
    answer = session.scalar(select(Candidate.public_id))

    record_judgment(session, shop.annotator(shop.owner), answer, rating(1))

    assert session.scalars(select(Judgment)).one().blind is False


@pytest.mark.thorough
def test_two_tabs_at_once_keep_one_rating_each_in_turn(database):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=1, answers=1)
        assign_best_batch(make.session, shop.project.id, shop.ada.id)
        answer = make.session.scalar(select(Candidate.public_id))
    started, outcomes = threading.Barrier(4), []

    def rate(grade):
        started.wait()
        try:
            with database.write() as session:
                record_judgment(session, shop.annotator(), answer, rating(grade))
            outcomes.append("stored")
        except ConflictError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=rate, args=(grade,)) for grade in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert sorted(outcomes) == ["changed_elsewhere"] * 3 + ["stored"]


@pytest.mark.thorough
def test_one_rating_that_arrives_twice_at_once_is_stored_once(database):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=1, answers=1)
        assign_best_batch(make.session, shop.project.id, shop.ada.id)
        answer = make.session.scalar(select(Candidate.public_id))
    given, started, outcomes = rating(2), threading.Barrier(4), []

    def rate():
        started.wait()
        try:
            with database.write() as session:
                outcomes.append(record_judgment(session, shop.annotator(), answer, given).is_new)
        except IntegrityError:
            outcomes.append(None)

    threads = [threading.Thread(target=rate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert len(outcomes) == 4
    assert outcomes.count(True) == 1
    with database.read() as session:
        assert len(session.scalars(select(Judgment)).all()) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("batch", [2, 777])
def test_a_batch_in_which_the_answer_was_never_dealt_is_refused(session, shop, answer, batch):
    with pytest.raises(
        InvalidError, match=f"batch is {batch}, in which you did not get this answer"
    ) as refusal:
        record_judgment(session, shop.annotator(), answer, rating(2, batch=batch))

    assert refusal.value.code == "not_in_batch"
    assert session.scalars(select(Judgment)).all() == []
    record_judgment(session, shop.annotator(), answer, rating(2))
