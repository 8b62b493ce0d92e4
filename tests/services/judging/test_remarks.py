"""Notes and flags stand beside the ledger and move no revision."""

import pytest
from sqlalchemy import select

from app.models import Candidate, Flag, JudgmentNote
from app.services.assignment.batch_lifecycle import get_assignment
from app.services.errors import InvalidError, NotFoundError
from app.services.judging.pages import batch_page
from app.services.judging.remarks import flag_answer, flag_query, write_note
from app.services.ledger import head_of
from tests.furniture.assigning import assign_best_batch
from tests.furniture.rating import make_workshop


@pytest.fixture
def shop(session, make):
    shop = make_workshop(make, queries=1, answers=1)
    assign_best_batch(session, shop.project.id, shop.ada.id)
    return shop


@pytest.fixture
def answer(session, shop):
    return session.scalar(select(Candidate.public_id))


def test_a_note_is_kept_changed_and_taken_away(session, shop, answer):
    head = head_of(session, shop.project.id)

    write_note(session, shop.annotator(), answer, "  Old price.  ")
    assert batch_page(session, shop.project.id, shop.ada.id, 1).answers[0].note == "Old price."
    write_note(session, shop.annotator(), answer, "Old price, old photo.")
    assert len(session.scalars(select(JudgmentNote)).all()) == 1
    write_note(session, shop.annotator(), answer, " ")

    assert session.scalars(select(JudgmentNote)).all() == []
    assert head_of(session, shop.project.id) == head


def test_a_note_that_is_too_long_is_refused(session, shop, answer):
    with pytest.raises(InvalidError, match="2000"):
        write_note(session, shop.annotator(), answer, "x" * 2001)


def test_a_flag_is_raised_once_and_taken_back(session, shop, answer):
    for _ in range(2):
        flag_answer(session, shop.annotator(), answer, flagged=True)
    assert batch_page(session, shop.project.id, shop.ada.id, 1).answers[0].flagged

    flag_answer(session, shop.annotator(), answer, flagged=False)

    assert [flag.state for flag in session.scalars(select(Flag))] == ["withdrawn"]


def test_the_question_has_a_flag_of_its_own(session, shop, answer):
    assignment = get_assignment(session, shop.project.id, shop.ada.id, 1)

    flag_query(session, shop.annotator(), assignment, flagged=True)

    page = batch_page(session, shop.project.id, shop.ada.id, 1)
    assert page.flagged
    assert not page.answers[0].flagged


def test_nobody_remarks_on_what_they_were_never_dealt(session, shop, answer):
    with pytest.raises(NotFoundError):
        write_note(session, shop.annotator(shop.bo), answer, "x")
    with pytest.raises(NotFoundError):
        flag_answer(session, shop.annotator(shop.bo), answer, flagged=True)
