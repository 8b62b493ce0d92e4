"""Undo and redo on the server: the ledger only grows, and knows which steps stand."""

from datetime import timedelta

import pytest

from app.models import Document, Reason
from app.services.errors import ConflictError
from app.services.judging.no_good_answer import record_no_good_answer
from app.services.judging.pages import batch_page
from app.services.judging.recording import record_judgment
from app.services.judging.undo import redo_last, undo_last
from app.services.ledger import head_of
from tests.furniture.assigning import assign_best_batch
from tests.furniture.rating import NOON, make_workshop, rating


@pytest.fixture
def shop(session, make):
    shop = make_workshop(make, queries=2, answers=3)
    assign_best_batch(session, shop.project.id, shop.ada.id)
    return shop


@pytest.fixture
def page(session, shop):
    def page():
        return batch_page(session, shop.project.id, shop.ada.id, 1).answers

    return page


@pytest.fixture
def rate(session, shop, page):
    clock = [NOON]

    def rate(place, grade=None, **values):
        clock[0] += timedelta(seconds=1)
        card = page()[place]
        sent = rating(grade, base=card.last_id, batch=1, at=clock[0], **values)
        return record_judgment(session, shop.annotator(), card.public_id, sent)

    return rate


def shown(page):
    return [card.reason or card.grade for card in page()]


def test_steps_are_undone_and_redone_in_their_order(session, shop, page, rate):
    rate(0, 3)
    rate(1, reason=Reason.EXPERTISE)
    rate(0, 1)
    rate(1, reason=Reason.CLEARED)
    after = [shown(page)]
    for _ in range(4):
        undo_last(session, shop.annotator())
        after.append(shown(page))

    assert after == [
        [1, None, None],
        [1, "expertise", None],
        [3, "expertise", None],
        [3, None, None],
        [None, None, None],
    ]
    assert undo_last(session, shop.annotator()) is None
    assert head_of(session, shop.project.id) >= 8, "nothing is taken out of the ledger"
    for expected in reversed(after[:-1]):
        redo_last(session, shop.annotator())
        assert shown(page) == expected
    assert redo_last(session, shop.annotator()) is None
    undo_last(session, shop.annotator())
    assert shown(page) == after[1]


def test_a_new_rating_ends_what_can_be_redone(session, shop, page, rate):
    rate(0, 3)
    undo_last(session, shop.annotator())
    rate(1, 2)

    assert redo_last(session, shop.annotator()) is None
    moved = undo_last(session, shop.annotator())

    assert (moved.batch, moved.public_id, moved.several) == (1, page()[1].public_id, 1)
    assert shown(page) == [None, None, None]


def test_a_step_of_several_answers_goes_as_one(session, shop, page, rate):
    rate(1, 2)
    record_no_good_answer(session, shop.annotator(), rating(None, batch=1))

    assert undo_last(session, shop.annotator()).several == 2
    assert shown(page) == [None, 2, None]
    redo_last(session, shop.annotator())
    assert shown(page) == [0, 2, 0]


def test_nobody_undoes_what_others_did_nor_what_was_said_of_another_text(session, make, shop, page, rate):
    rate(0, 3)
    rate(1, 2)
    assert undo_last(session, shop.annotator(shop.bo)) is None
    card = page()[1]
    by_title = {document.title: document for document in shop.documents[shop.queries[0].id]}
    by_title |= {document.title: document for document in shop.documents[shop.queries[1].id]}
    make.edit(session.get_one(Document, by_title[card.title].id))

    assert undo_last(session, shop.annotator()).public_id == page()[0].public_id
    assert shown(page) == [None, None, None]


def test_a_closed_project_takes_no_step_back(session, shop, page, rate):
    rate(0, 3)
    shop.project.state = "closed"

    with pytest.raises(ConflictError, match="closed"):
        undo_last(session, shop.annotator())
    assert shown(page) == [3, None, None]
