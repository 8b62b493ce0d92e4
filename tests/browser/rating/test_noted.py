"""A page that is older than what this device saved learns of it; one that is newer does not."""

import re

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.models import JudgmentNote
from tests.browser.rating.conftest import Rater
from tests.furniture.live import LiveSite


def stale(page):
    """Serve the page as it is now for every later visit, as if it had been asked for just before."""
    reply = page.request.get(page.url)
    page.route(page.url, lambda route: route.fulfill(response=reply, body=reply.body()))


def choose(rater, letter, *grades):
    for grade in grades:
        rater.star(letter, grade).check(force=True)


def test_a_page_that_was_asked_for_just_before_the_last_ratings_shows_them(rate):
    ada = rate()
    choose(ada, "A", 1)
    ada.expect_saved()
    stale(ada.page)
    # Twice on one answer: the page lags two ratings behind.
    choose(ada, "B", 0)
    choose(ada, "A", 3, 2)
    ada.expect_saved()

    for _ in range(2):
        ada.page.reload()
        ada.expect_ready()
        assert ada.chosen() == [2, 0, None]
    # What is rated next builds on what was saved: no question is asked about it.
    choose(ada, "A", 1)
    ada.expect_saved()

    assert ada.chosen() == [1, 0, None]
    assert ada.page.locator('[data-ref="clash"]').is_hidden()
    assert len(ada.stored()) == 5


def test_a_page_that_is_newer_than_what_is_noted_is_left_alone(rate, live_site: LiveSite, shop):
    ada = rate()
    choose(ada, "A", 3)
    ada.expect_saved()
    elsewhere = rate(shop.ada)
    choose(elsewhere, "A", 1)
    elsewhere.expect_saved()

    ada.page.reload()
    ada.expect_ready()

    assert ada.chosen() == [1, None, None]


def test_a_rating_that_is_not_confirmed_yet_is_not_taken_back_by_a_note(rate):
    ada = rate()
    choose(ada, "A", 3)
    ada.expect_saved()
    # The second rating arrives, and its reply is held back while a third one waits.
    held = []
    ada.page.route("**/judgment", lambda route: held.append((route, route.fetch())))
    choose(ada, "A", 2, 1)
    assert ada.waiting() == 2
    ada.page.on("dialog", lambda dialog: dialog.accept())
    ada.page.unroute("**/judgment")
    ada.page.reload()
    ada.expect_ready()

    assert ada.chosen() == [1, None, None]
    ada.expect_saved()
    assert ada.stored() == [(3, None), (2, None), (1, None)]


def test_a_note_that_arrives_while_its_page_is_loading_is_on_it(rate):
    ada = rate()
    # The page as it is now, written before the note and the flags were taken: it comes after them.
    stale(ada.page)
    ada.press("j", "n")
    ada.page.keyboard.type("Wrong unit")
    ada.press("Escape", "f")
    ada.page.get_by_role("button", name="Report the question").click()
    ada.expect_status("The question is reported. Press the button again to take it back")
    expect(
        ada.page.get_by_role("button", name="Question reported Press again to take it back")
    ).to_be_visible()
    ada.expect_saved()

    ada.page.reload()
    ada.expect_ready()

    expect(ada.card("A").locator("textarea")).to_have_value("Wrong unit")
    expect(ada.card("A").locator('[data-ref="noted"]')).to_have_text("Your note")
    for act in ("flag", "flag-question"):
        expect(ada.page.locator(f'[data-act="{act}"]').first).to_have_attribute("aria-pressed", "true")


def write(rater, letter, text):
    remark = rater.card(letter).locator(".remark")
    if not remark.locator("textarea").is_visible():
        remark.locator("summary").click()
    remark.locator("textarea").fill(text)
    remark.locator("textarea").blur()
    rater.expect_saved()


def test_a_note_that_was_written_elsewhere_too_keeps_both_texts(rate, live_site, shop):
    live_site.forgive("409")
    ada, elsewhere = rate(), rate(shop.ada)
    write(ada, "A", "first")

    write(elsewhere, "A", "second")
    elsewhere.expect_status("The note on answer A was changed elsewhere too. It now holds both texts")
    expect(elsewhere.card("A").locator("textarea")).to_have_value("first\nsecond")
    # What is written next goes on from there, and nothing is asked of a page that knows of it.
    write(elsewhere, "A", "third")
    ada.page.reload()
    ada.expect_ready()

    expect(ada.card("A").locator("textarea")).to_have_value("third")


def test_another_tab_shows_the_note_that_is_written_here_but_never_over_what_is_typed(rate, live_site):
    live_site.forgive("409")
    ada = rate()
    other = beside(ada)
    typed = other.card("B").locator("textarea")
    # Typed, and not taken yet.
    typed.evaluate("field => { field.value = 'mine'; }")
    write(ada, "A", "a long and thoughtful note")
    write(ada, "B", "a word")

    expect(other.card("A").locator("textarea")).to_have_value("a long and thoughtful note")
    expect(other.card("A").locator('[data-ref="noted"]')).to_have_text("Your note")
    typed.dispatch_event("change")
    other.expect_status(re.compile("both texts"))
    expect(typed).to_have_value("a word\nmine")
    other.expect_saved()
    with live_site.database.read() as session:
        stored = sorted(session.scalars(select(JudgmentNote.text)))
    assert stored == ["a long and thoughtful note", "a word\nmine"]


def beside(rater):
    """Return the same page in another tab of the same device."""
    tab = rater.page.context.new_page()
    tab.goto(rater.page.url)
    other = Rater(rater.site, rater.shop, tab)
    other.expect_ready()
    return other


def test_another_tab_shows_what_is_saved_here(rate):
    ada = rate()
    other = beside(ada)
    choose(ada, "B", 2)
    expect(other.star("B", 2)).to_be_checked()

    # What is changed there builds on it, and nobody is asked anything.
    choose(other, "B", 1)
    expect(ada.star("B", 1)).to_be_checked()
    expect(ada.page.locator('[data-ref="count"]')).to_have_text("1 of 3 answers done")
    assert ada.stored() == [(2, None), (1, None)]


@pytest.mark.parametrize(("press", "grade"), [("Keep: 3 stars", 3), ("Keep: 1 star", 1)])
def test_a_tab_that_was_asked_nothing_hears_what_was_decided_in_another(rate, live_site, shop, press, grade):
    live_site.forgive("409")
    ada, elsewhere = rate(), rate(shop.ada)
    other = beside(ada)
    choose(elsewhere, "A", 1)
    elsewhere.expect_saved()

    choose(ada, "A", 3)
    ada.page.get_by_role("button", name=press).click()
    ada.expect_saved()

    expect(other.star("A", grade)).to_be_checked()
    choose(other, "A", 2)
    ada.expect_saved()
    assert ada.stored()[-1] == (2, None)
    expect(other.page.locator('[data-ref="clash"]')).to_be_hidden()
