"""Undo and redo: across answers and questions, each a new row, each said in words."""

import re

from playwright.sync_api import expect

from tests.furniture.live import NARROWEST


def test_undo_and_redo_say_what_they_did_and_take_nothing_out(rate):
    ada = rate()
    ada.press("3", "k", "1")

    ada.press("u")
    ada.expect_status(re.compile("Undone: answer A is 3 stars"))
    ada.press("u")
    ada.expect_status(re.compile("Undone: answer A is not rated"))
    ada.press("Shift+U")
    ada.expect_status(re.compile("Redone: answer A is 3 stars"))
    ada.expect_saved()

    assert ada.chosen() == [3, None, None]
    assert ada.stored() == [(3, None), (1, None), (3, None), (None, "cleared"), (3, None)]


def test_after_u_the_next_digit_lands_on_the_answer_that_changed(rate):
    ada = rate()
    ada.press("3", "2", "u")

    expect(ada.star("B", 0)).to_be_focused()
    ada.press("1")

    assert ada.chosen() == [3, 1, None]


def test_the_buttons_undo_and_redo_and_keep_focus(rate):
    ada = rate(viewport=NARROWEST)
    ada.press("3", "2")

    button = ada.page.locator('[data-act="undo"]')
    button.click()
    button.press("Enter")

    expect(button).to_be_focused()
    assert ada.chosen() == [None, None, None]
    again = ada.page.get_by_role("button", name="Redo", exact=True)
    again.click()
    ada.expect_status(re.compile("Redone: answer A is 3 stars"))
    again.press("Enter")
    expect(again).to_be_focused()
    assert ada.chosen() == [3, 2, None]
    box = again.bounding_box()
    assert min(box["width"], box["height"]) >= 44


def test_control_z_works_too_and_nothing_is_left_to_undo(rate):
    ada = rate()
    ada.press("2", "Control+z")
    assert ada.chosen() == [None, None, None]
    ada.press("Control+Shift+Z")
    assert ada.chosen() == [2, None, None]
    ada.press("Control+z", "Control+z")

    ada.expect_status("Nothing to undo")


def test_a_step_of_the_question_before_is_undone_from_the_next_one(rate):
    ada = rate()
    ada.press("1", "2", "3", "Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")

    ada.press("u")
    ada.expect_status(re.compile("Undone: answer C is not rated in “Question number 0\\?”"))
    ada.expect_saved()
    ada.page.get_by_role("link", name="go there").click()

    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    assert ada.chosen() == [1, 2, None]


def test_fifty_steps_are_undone(rate):
    ada = rate()
    ada.press("j")
    for number in range(50):
        ada.page.keyboard.press(str(number % 2 + 1))

    for _ in range(50):
        ada.page.keyboard.press("u")
    ada.expect_saved()

    assert ada.chosen() == [None, None, None]
    assert len(ada.stored()) == 100


def test_no_good_answer_is_one_step_back_and_forth(rate):
    ada = rate()
    ada.press("2")
    ada.page.get_by_role("button", name="No good answer here").click()
    ada.expect_status("2 unrated answers got the lowest grade")
    assert ada.chosen() == [2, 0, 0]

    ada.press("u")
    assert ada.chosen() == [2, None, None]
    ada.press("Shift+U")
    assert ada.chosen() == [2, 0, 0]
    ada.expect_saved()

    assert ada.current() == [2, 0, 0]


def test_undoing_what_came_after_no_good_answer_and_then_the_step_leaves_nothing(rate):
    ada = rate()
    ada.press("1")
    ada.page.get_by_role("button", name="No good answer here").click()
    ada.star("C", 2).check(force=True)
    ada.expect_saved()

    ada.press("u", "u")
    ada.expect_saved()

    ada.expect_status("Undone: no good answer here")
    assert ada.chosen() == [1, None, None]
    assert ada.current() == [1, None, None]


def test_an_answer_is_rated_anew_right_after_no_good_answer(rate):
    ada = rate()
    ada.page.get_by_role("button", name="No good answer here").click()

    ada.star("B", 3).check(force=True)
    ada.expect_saved()

    assert ada.current() == [0, 3, 0]
    expect(ada.page.locator('[data-ref="clash"]')).to_be_hidden()


def test_no_good_answer_beside_a_top_grade_asks_once(rate):
    ada = rate()
    ada.press("3")

    ada.page.get_by_role("button", name="No good answer here").click()
    assert ada.chosen() == [3, None, None]
    ada.page.get_by_role("button", name="Grade the rest").click()
    ada.expect_saved()

    assert ada.current() == [3, 0, 0]


def test_a_question_that_was_passed_on_is_said_and_comes_back_with_undo(rate, shop):
    ada = rate()
    ada.press("2")
    ada.expect_saved()
    ada.page.get_by_text("Can’t judge this question").click()
    ada.page.locator(".cant-all button").first.click()

    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_status("Passed on: “Question number 0?”. Undo takes it back")
    ada.press("u")
    ada.expect_status(re.compile("Undone: can’t judge this question in “Question number 0\\?”"))
    ada.expect_saved()
    ada.page.get_by_role("link", name="go there").click()

    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    assert ada.chosen() == [2, None, None]
    declined = ada.page.get_by_text("Passed on to other annotators")
    expect(declined).to_have_count(0)
    # Redo passes it on again, and the next undo is the rating's no more than before.
    ada.expect_ready()
    ada.press("Shift+U")
    ada.expect_status("Redone: can’t judge this question")
    ada.expect_saved()
    ada.page.reload()
    expect(declined).to_be_visible()
    ada.expect_ready()
    ada.press("u")
    ada.expect_status("Undone: can’t judge this question")
    expect(declined).to_be_hidden()
    assert ada.chosen() == [2, None, None]
