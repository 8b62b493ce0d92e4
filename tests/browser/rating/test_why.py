"""A grade that needs a note: two keys rate it, nothing is stored without a reason, offline as well."""

import re

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.models import JudgmentNote, Project
from app.services.projects.notes import change_note_rule


@pytest.fixture
def ruled(live_site, shop):
    with live_site.making() as make:
        project = make.session.get_one(Project, shop.project.id)
        change_note_rule(make.session, project, [0], ["Off topic", "Out of date"])


@pytest.fixture
def ada(ruled, rate):
    return rate()


def notes(ada):
    with ada.site.database.read() as session:
        return [row.text for row in session.scalars(select(JudgmentNote).order_by(JudgmentNote.id))]


FETCHED = "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/why.js'))"


def test_what_asks_for_notes_is_fetched_only_where_a_project_wants_some(rate, live_site, shop):
    ada = rate()
    assert not ada.page.evaluate(FETCHED)
    with live_site.making() as make:
        project = make.session.get_one(Project, shop.project.id)
        change_note_rule(make.session, project, [], ["Off topic"])
    ada.page.reload()
    ada.expect_ready()

    assert ada.page.evaluate(FETCHED)
    # Quick reasons fill a note, whatever the grade.
    ada.press("n", "1")
    expect(ada.card("A").locator(".remark textarea")).to_have_value("Off topic")


@pytest.mark.thorough
@pytest.mark.everyday
def test_two_keys_give_the_grade_and_its_reason_and_move_on(ada):
    ada.press("0")
    expect(ada.card("A").locator('[data-ref="why"]')).to_contain_text("Why 0 stars for answer A?")
    assert ada.waiting() == 0
    ada.press("2", "3")
    ada.expect_saved()

    assert ada.stored() == [(0, None), (3, None)]
    assert ada.chosen() == [0, 3, None]
    assert notes(ada) == ["Out of date"]
    # While a reason is asked for, a digit is one, even after a look at the text.
    ada.press("0")
    ada.card("C").locator(".ans__text").first.click()
    ada.press("1")
    ada.expect_saved()
    assert ada.chosen() == [0, 3, 0]
    assert notes(ada) == ["Out of date", "Off topic"]


def test_leaving_the_question_why_leaves_the_answer_unrated_and_another_star_takes_its_place(ada):
    ada.press("0", "Escape")

    ada.expect_status("Answer A: not rated")
    assert ada.chosen() == [None, None, None]
    ada.press("0", "1")
    ada.expect_saved()
    assert ada.stored() == [(0, None)]

    ada.star("B", 0).click(force=True)
    ada.star("B", 2).click(force=True)
    ada.expect_saved()
    assert ada.stored() == [(0, None), (2, None)]
    expect(ada.card("B").locator('[data-ref="why"]')).to_be_hidden()


def test_a_tap_on_a_reason_moves_on_where_a_tap_on_a_star_does(ruled, rate):
    phone = rate(viewport={"width": 390, "height": 844}, has_touch=True)

    phone.star("A", 0).locator("xpath=..").tap()
    phone.page.wait_for_timeout(600)
    expect(phone.card("A").locator(".quick button").first).to_be_focused()
    phone.card("A").locator(".quick button").nth(1).tap()

    expect(phone.card("B")).to_have_class(re.compile("ans--now"))
    phone.expect_saved()
    assert phone.stored() == [(0, None)]


def test_own_words_are_a_reason_too_and_one_note_does_for_the_next_change(ada):
    ada.press("0")
    ada.card("A").locator("textarea").fill("It is about cats, 100 % sure.")
    ada.page.keyboard.press("Control+Enter")
    ada.press("k", "1", "k", "0")
    ada.expect_saved()

    assert [grade for grade, _ in ada.stored()] == [0, 1, 0]
    assert notes(ada) == ["It is about cats, 100 % sure."]


def test_offline_the_note_goes_out_before_its_rating_also_when_it_was_changed(ada):
    ada.site.forgive("ERR_INTERNET_DISCONNECTED")
    ada.page.context.set_offline(True)
    ada.press("0", "1")
    ada.card("A").locator(".remark summary").click()
    ada.card("A").locator("textarea").fill("Off topic, and rude")
    ada.page.keyboard.press("Escape")
    ada.page.wait_for_timeout(900)
    ada.page.context.set_offline(False)
    ada.expect_saved()

    assert ada.stored() == [(0, None)]
    assert notes(ada) == ["Off topic, and rude"]
