"""Keys pressed one right after the other rate what was in sight, and nothing that the page has only just brought there."""

import pytest
from playwright.sync_api import expect

from tests.browser.rating.conftest import LOOK, Rater
from tests.furniture.live import PHONE, PRESS_TOGETHER, start_rating
from tests.furniture.rating import make_workshop

ASKED = "Key ignored. Press it again for answer {}."
# The second of two keys as soon as the page has moved on by itself.
PRESS_AFTER_MOVE = """([card, key]) => new Promise(resolve => {
  const press = () => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })
  );
  new MutationObserver((_, observer) => {
    observer.disconnect();
    press();
    resolve();
  }).observe(card, { attributes: true });
  press();
})"""
LOW, HIGH = {"width": 1280, "height": 800}, {"width": 1280, "height": 2200}


@pytest.fixture
def read(live_site):
    """Return what opens a question of five answers, with the pauses that people have."""

    def read(viewport, **preferences):
        with live_site.making() as make:
            shop = make_workshop(make, queries=1, answers=5)
            make.session.merge(shop.ada).preferences = preferences
            for document in shop.documents[shop.queries[0].id]:
                make.session.merge(document).text = "Some words about this. " * 20
        page = live_site.page_of(shop.ada, viewport=viewport)
        start_rating(page, f"/p/{shop.project.slug}/rate")
        ada = Rater(live_site, shop, page)
        ada.expect_ready()
        return ada

    return read


@pytest.mark.parametrize(("viewport", "preferences"), [(LOW, {}), (PHONE, {"single": True})])
def test_a_digit_right_after_another_rates_no_answer_that_was_out_of_sight(read, viewport, preferences):
    ada = read(viewport, **preferences)

    ada.page.evaluate(PRESS_TOGETHER, ["3"] * 5)

    assert ada.chosen() == [3, None, None, None, None]
    ada.expect_status(ASKED.format("B"))
    ada.page.wait_for_timeout(LOOK)
    ada.page.keyboard.press("2")
    assert ada.chosen() == [3, 2, None, None, None]


def test_digits_right_after_each_other_rate_all_that_was_in_sight(read):
    ada = read(HIGH)

    ada.page.evaluate(PRESS_TOGETHER, list("32102"))

    assert ada.chosen() == [3, 2, 1, 0, 2]


def test_a_digit_right_after_the_page_has_moved_on_asks(read):
    ada = read(LOW)

    ada.page.evaluate(PRESS_AFTER_MOVE, [ada.card("B").element_handle(), "3"])

    assert ada.chosen() == [3, None, None, None, None]
    ada.expect_status(ASKED.format("B"))


@pytest.mark.parametrize("key", ["s", "f", "n", " ", "ArrowRight"])
def test_no_other_key_acts_on_an_answer_that_has_only_just_come_into_sight(read, key):
    ada = read(LOW)

    # The digit there is refused; by then the focus is on the stars of B.
    _, _, is_held = ada.page.evaluate(PRESS_TOGETHER, ["3", "3", key])

    assert is_held
    ada.expect_status(ASKED.format("B"))
    expect(ada.card("B").locator("details[open], [aria-pressed=true], input:checked")).to_have_count(0)


def test_what_a_key_has_brought_back_into_sight_is_looked_at_before_it_is_rated(read):
    ada = read(LOW)
    ada.card("A").locator("h2").click()
    ada.page.keyboard.press("End")
    ada.page.wait_for_function("() => scrollY + innerHeight >= document.documentElement.scrollHeight - 2")

    ada.page.evaluate(PRESS_TOGETHER, ["3", "3"])

    assert ada.chosen() == [None] * 5
    ada.expect_status(ASKED.format("A"))
    ada.page.wait_for_timeout(LOOK)
    ada.page.keyboard.press("3")
    assert ada.chosen() == [3, None, None, None, None]


def test_what_undo_has_brought_back_into_sight_is_looked_at_before_it_is_rated(read):
    ada = read(LOW)
    ada.page.keyboard.press("3")
    ada.page.wait_for_timeout(LOOK)
    ada.page.keyboard.press("End")
    ada.page.wait_for_function("() => scrollY + innerHeight >= document.documentElement.scrollHeight - 2")

    ada.page.evaluate(PRESS_TOGETHER, ["u", "2"])

    assert ada.chosen() == [None] * 5
    ada.page.wait_for_timeout(LOOK)
    ada.page.keyboard.press("2")
    assert ada.chosen() == [2, None, None, None, None]
