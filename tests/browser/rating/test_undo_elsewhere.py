"""Undo and redo of an answer that was changed in another tab since: the newer rating stays."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.rating.conftest import Rater

UNDONE = "Nothing undone: answer A has been rated again since"


def rate_in_another_tab(first, letter):
    """Give an answer 3 stars in another tab of the same device, and return that tab once the first one shows it."""
    tab = first.page.context.new_page()
    tab.goto(first.page.url)
    second = Rater(first.site, first.shop, tab)
    second.expect_ready()
    second.star(letter, 3).check(force=True)
    expect(first.star(letter, 3)).to_be_checked()
    second.expect_saved()
    return second


@pytest.fixture
def two_tabs(rate):
    """Return two tabs of one device; in the first, answer A got 1 star, in the second then 3."""
    first = rate()
    first.press("1")
    first.expect_saved()
    return first, rate_in_another_tab(first, "A")


@pytest.mark.parametrize("is_reloaded", [False, True])
def test_a_step_whose_answer_was_changed_in_another_tab_is_not_undone(two_tabs, is_reloaded):
    first, second = two_tabs
    if is_reloaded:
        first.page.reload()
        first.expect_ready()

    first.press("u")

    first.expect_status(UNDONE)
    first.expect_saved()
    assert first.chosen() == second.chosen() == [3, None, None]
    assert first.stored() == [(1, None), (3, None)]
    # That step is gone; those of the other tab are its own.
    first.press("u")
    first.expect_status("Nothing to undo")
    second.press("u")
    expect(first.star("A", 1)).to_be_checked()
    # What holds now is not what a redo of it would build on.
    first.star("A", 2).check(force=True)
    expect(second.star("A", 2)).to_be_checked()
    second.press("Shift+U")
    second.expect_status("Nothing redone: answer A has been rated again since")
    first.expect_saved()
    assert first.current() == [2]


def test_a_step_between_two_of_another_tab_is_undone_and_the_one_before_is_not(two_tabs):
    first, _ = two_tabs
    first.star("A", 0).check(force=True)
    first.expect_saved()

    first.press("u")
    first.expect_status("Undone. Now answer A is 3 stars")
    first.press("u")
    first.expect_status(UNDONE)
    first.expect_saved()

    assert first.stored() == [(1, None), (3, None), (0, None), (3, None)]


def test_on_another_page_it_is_not_even_asked_about(two_tabs):
    first, _ = two_tabs
    first.press("Enter", "Enter")
    first.page.locator('[data-act="next"]').click()
    first.page.get_by_role("button", name="Leave for later").click()
    expect(first.page.locator("h1")).to_have_text("Question number 1?")
    first.expect_ready()

    first.press("u")

    first.expect_status(re.compile(r"Nothing undone: “Title \d of q0” has been rated again since"))
    expect(first.page.locator('[data-ref="ask-back"]')).to_be_hidden()
    first.expect_saved()
    assert first.current() == [3]


def test_of_no_good_answer_what_was_changed_in_another_tab_stays(rate):
    first = rate()
    first.page.locator('[data-act="none"]').click()
    first.expect_saved()
    rate_in_another_tab(first, "B")

    first.press("u")
    first.expect_saved()

    assert first.chosen() == [None, 3, None]
    assert first.current() == [None, 3, None]
