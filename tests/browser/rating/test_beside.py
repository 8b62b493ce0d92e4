"""The guidelines and the list of keys: beside the answers they stay while somebody rates, over them they make room."""

from playwright.sync_api import expect

from tests.browser.rating.conftest import LOOK
from tests.furniture.live import PHONE

UNDER = """selector => {
  const one = document.querySelector(selector);
  const box = one.getBoundingClientRect();
  const top = document.elementFromPoint(box.right - 4, box.top + box.height / 2);
  return one === top || one.contains(top);
}"""


def test_whoever_reads_the_guidelines_goes_on_rating(rate):
    ada = rate()
    guide = ada.page.locator("#guide")

    ada.press("j", "g")
    expect(guide.get_by_role("heading", name="How to rate")).to_be_focused()
    ada.press("3")
    ada.star("B", 1).click(force=True)
    ada.press("j", "0")
    ada.expect_saved()

    assert ada.chosen() == [3, 1, 0]
    expect(guide).to_be_visible()
    for seen in ('[data-act="next"]', '[data-ref="status"]', '[data-letter="A"] .stars'):
        assert ada.page.evaluate(UNDER, seen), f"{seen} lies under the guidelines"
    ada.press("Escape")
    expect(guide).to_be_hidden()
    expect(ada.page.locator('[data-act="next"]')).to_be_focused()


def test_one_list_makes_room_for_the_other_whatever_opens_it(rate):
    ada = rate()
    guide, keys = ada.page.locator("#guide"), ada.page.locator("#keys")

    ada.press("g", "?")
    expect(keys).to_be_visible()
    expect(guide).to_be_hidden()
    ada.press("?")
    expect(keys).to_be_hidden()
    opener = ada.page.get_by_role("button", name="Full guidelines")
    opener.click()
    expect(guide.get_by_role("heading", name="How to rate")).to_be_focused()
    # Nothing that lies under them takes the focus.
    expect(opener).to_be_hidden()
    guide.get_by_role("button", name="Close").click()
    expect(opener).to_be_focused()


def test_the_focus_comes_back_to_where_the_next_digit_belongs(rate):
    ada = rate(paused=True, viewport={"width": 1280, "height": 1400})

    ada.press("j", "g", "g")
    expect(ada.star("A", 0)).to_be_focused()
    # Faster than the pause after a digit.
    ada.page.keyboard.press("2")
    ada.press("g", "Escape", "1")
    ada.expect_saved()

    assert ada.chosen() == [2, 1, None]


def test_the_guidelines_stay_open_from_question_to_question(rate):
    ada = rate()
    ada.press("g", "3", "2", "1", "Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")

    ada.expect_ready()
    if ada.page.locator("#guide").is_hidden():
        ada.press("g")
    ada.press("2")
    ada.expect_saved()
    expect(ada.page.locator("#guide")).to_be_visible()
    assert ada.chosen() == [2, None, None]


def test_on_a_phone_one_press_closes_the_guidelines_and_rates_nothing(rate):
    ada = rate(viewport=PHONE, has_touch=True, is_mobile=True)
    guide = ada.page.locator("#guide")
    for closing in ("Escape", "Close", "beside"):
        ada.page.get_by_role("button", name="How to rate").tap()
        expect(guide).to_be_visible()

        if closing == "beside":
            # Where a star lies under the finger, too.
            ada.page.evaluate("document.querySelector('.stars').scrollIntoView({ block: 'start' })")
            expect(guide).to_be_visible()
            box = ada.card("A").locator(".star").nth(2).bounding_box()
            ada.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        elif closing == "Escape":
            ada.page.keyboard.press("Escape")
        else:
            guide.get_by_role("button", name="Close").tap()

        expect(guide).to_be_hidden()
        assert ada.chosen() == [None, None, None], closing
    ada.card("A").locator(".star").nth(2).tap()
    ada.expect_saved()
    assert ada.stored() == [(2, None)]


def test_a_key_shows_an_answer_that_is_covered_before_it_rates_it(rate):
    ada = rate(viewport={"width": 900, "height": 700})

    for _ in range(2):
        ada.press("g")
        expect(ada.page.locator("#guide")).to_be_visible()
        ada.page.keyboard.press("3")
        expect(ada.page.locator("#guide")).to_be_hidden()
        ada.expect_status("Key ignored. Press it again for answer A.")
        assert ada.chosen() == [None, None, None]
    ada.page.wait_for_timeout(LOOK)
    ada.press("3")
    ada.expect_saved()

    assert ada.chosen() == [3, None, None]
