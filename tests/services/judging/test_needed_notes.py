"""A grade for which an owner wants a note is accepted only with one, and keeps it."""

import pytest

from app.services.errors import InvalidError
from app.services.judging.no_good_answer import record_no_good_answer
from app.services.judging.recording import record_judgment
from app.services.judging.remarks import write_note
from app.services.projects.notes import NoteRule, change_note_rule, note_rule_of
from tests.furniture.assigning import assign_best_batch
from tests.furniture.rating import make_workshop, rating
from tests.services.assignment.test_progress import public_ids


@pytest.fixture
def shop(make):
    shop = make_workshop(make, queries=1, answers=3)
    change_note_rule(make.session, shop.project, [0], [" Off  topic ", "", "Off topic", "Wrong"])
    return shop


@pytest.fixture
def answers(session, shop):
    return public_ids(session, assign_best_batch(session, shop.project.id, shop.ada.id))


def test_the_rule_is_kept_without_blanks_and_repeats(shop):
    assert note_rule_of(shop.project) == NoteRule((0,), ("Off topic", "Wrong"))


@pytest.mark.parametrize(
    ("grades", "reasons", "code"),
    [([4], [], "grades"), ([0], ["x" * 81], "reasons"), ([], list("abcdefghij"), "reasons")],
)
def test_a_rule_that_cannot_be_is_refused(session, shop, grades, reasons, code):
    with pytest.raises(InvalidError) as refused:
        change_note_rule(session, shop.project, grades, reasons)

    assert refused.value.code == code


def test_a_grade_that_needs_a_note_is_refused_without_one_and_taken_with_it(session, shop, answers):
    given = rating(0)
    with pytest.raises(InvalidError) as refused:
        record_judgment(session, shop.annotator(), answers[0], given)
    assert refused.value.code == "note_required"
    record_judgment(session, shop.annotator(), answers[0], rating(1))

    write_note(session, shop.annotator(), answers[1], "Off topic")
    recorded = record_judgment(session, shop.annotator(), answers[1], given)

    assert recorded.is_new
    assert not record_judgment(session, shop.annotator(), answers[1], given).is_new


def test_a_note_that_is_needed_cannot_be_taken_away(session, shop, answers):
    write_note(session, shop.annotator(), answers[0], "Off topic")
    first = record_judgment(session, shop.annotator(), answers[0], rating(0)).rating
    with pytest.raises(InvalidError) as refused:
        write_note(session, shop.annotator(), answers[0], " ")
    assert refused.value.code == "note_required"

    record_judgment(session, shop.annotator(), answers[0], rating(2, base=first.id))

    assert write_note(session, shop.annotator(), answers[0], "") == ""


def test_no_good_answer_says_by_itself_why(session, shop, answers):
    step = record_no_good_answer(session, shop.annotator(), rating(None, batch=1))

    assert len(step.ratings) == len(answers)
