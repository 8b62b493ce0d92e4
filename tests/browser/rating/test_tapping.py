"""A star that is tapped or clicked moves on where the account wants it, and a phone may show one answer at a time.

Which answer a key acts on holds in each of these ways to rate, as test_current.py has it for the list.
"""

import pytest
from playwright.sync_api import expect

from app.models import Document, Person, Query
from tests.browser.rating.conftest import LOOK, Rater
from tests.furniture.live import DESK, PHONE, overflow_of, start_rating
from tests.furniture.rating import make_workshop

NARROW = {"width": 320, "height": 640}
STATUS = '[data-ref="status"]'


@pytest.fixture
def read(live_site):
    """Return what opens a question of four answers: `read({"single": True}, words=400)`."""

    def read(preferences=None, *, words=10, answers=4, paused=True, asked="", direction="ltr", **options):
        with live_site.making() as make:
            shop = make_workshop(make, queries=2, answers=answers)
            make.session.get_one(Person, shop.ada.id).preferences = preferences or {}
            for document in shop.documents[shop.queries[0].id]:
                make.session.get_one(Document, document.id).text = "Some words about this. " * words
            if asked:
                make.session.get_one(Query, shop.queries[0].id).text = asked
        page = live_site.page_of(shop.ada, **options)
        page.add_init_script(
            f"addEventListener('DOMContentLoaded', () => document.documentElement.dir = '{direction}')"
        )
        start_rating(page, f"/p/{shop.project.slug}/rate")
        ada = Rater(live_site, shop, page)
        ada.expect_ready()
        return ada

    return read


def touch(viewport):
    return {"viewport": viewport, "has_touch": True, "is_mobile": True}


PRESS_RIGHT_AFTER = """(first, [card, late]) => new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    if (!card.classList.contains("ans--now")) return;
    observer.disconnect();
    late.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }));
    resolve();
  }).observe(card, { attributes: true });
  first.click();
})"""


def current(ada):
    return ada.page.locator(".ans--now").evaluate_all("cards => cards.map(card => card.dataset.letter)")


def shown(ada):
    return ada.page.locator(".ans:visible").evaluate_all("cards => cards.map(card => card.dataset.letter)")


def tap(ada, letter, grade):
    ada.star(letter, grade).tap(force=True)


def tap_and_move(ada, letter, grade, *, to=""):
    """Tap a star, and wait until the page is at another answer, or at its button after the last, and takes a tap."""
    tap(ada, letter, grade)
    if to:
        expect(ada.card(to)).to_contain_class("ans--now")
    else:
        expect(ada.page.locator('[data-act="next"]')).to_be_focused()
    ada.page.wait_for_timeout(350)


def swipe(ada, by, *, down=0):
    finger = ada.page.context.new_cdp_session(ada.page)
    x, y = ada.page.viewport_size["width"] // 2, 380
    for kind, at in (("touchStart", 0), ("touchMove", 0.5), ("touchMove", 1), ("touchEnd", None)):
        points = [] if at is None else [{"x": x + by * at, "y": y + down * at}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


# What the account says, how the star is given, and whether the page moves on.
WAYS = [
    ({}, "click", False),
    ({"tap": "always"}, "click", True),
    ({"tap": "never"}, "tap", False),
]


@pytest.mark.parametrize(("preferences", "way", "moves"), WAYS)
def test_a_star_moves_on_by_tap_unless_the_account_says_otherwise(read, preferences, way, moves):
    ada = read(preferences, **touch(PHONE) if way == "tap" else {"viewport": DESK})

    getattr(ada.star("B", 2), way)(force=True)
    if not moves:
        ada.page.wait_for_timeout(400)

    expect(ada.star("C", 0) if moves else ada.star("B", 2)).to_be_focused()
    assert current(ada) == ["C" if moves else "B"]
    ada.expect_saved()
    assert ada.stored() == [(2, None)]


def test_the_last_tap_leads_to_the_next_question_undo_is_one_tap_away_and_a_swipe_turns_nothing(read):
    ada = read(answers=2, **touch(PHONE))
    # A question that fits has no button to see more of it.
    expect(ada.page.locator('[data-ref="unfold"]')).to_be_hidden()

    tap_and_move(ada, "A", 1, to="B")
    tap_and_move(ada, "B", 1)
    ada.page.locator('[data-act="undo"]').tap()

    assert ada.chosen() == [1, None]
    assert current(ada) == ["B"]
    swipe(ada, 150)
    assert current(ada) == ["B"]


def test_a_second_star_before_the_page_moves_on_counts_and_a_press_right_after_rates_nothing(read):
    ada = read({"single": True, "tap": "always"}, **touch(PHONE))

    # Each in one step: however slow the machine, the page does not move on between the two ...
    better = ada.star("A", 3).element_handle()
    ada.star("A", 1).evaluate("(one, other) => { one.click(); other.click(); }", better)
    expect(ada.card("B")).to_contain_class("ans--now")
    ada.expect_saved()
    assert ada.chosen() == [3, None, None, None]
    assert ada.stored() == [(1, None), (3, None)]
    ada.page.wait_for_timeout(350)

    # ... and the press comes right after.
    card, late = ada.card("C").element_handle(), ada.star("C", 3).element_handle()
    ada.star("B", 1).evaluate(PRESS_RIGHT_AFTER, [card, late])
    assert ada.chosen() == [3, 1, None, None]
    ada.page.wait_for_timeout(350)
    tap(ada, "C", 3)

    assert ada.chosen() == [3, 1, 3, None]


@pytest.mark.thorough
@pytest.mark.everyday
def test_who_is_new_is_offered_both_and_the_account_keeps_the_choice(read):
    ada = read(**touch(PHONE))
    offer = ada.page.locator(".note", has_text="New here?")
    tapping = offer.get_by_role("button", name="Go to the next answer after a tap or click")
    single = offer.get_by_role("button", name="One answer at a time")
    expect(tapping).to_have_attribute("aria-pressed", "true")
    expect(single).to_have_attribute("aria-pressed", "false")

    for button in (tapping, single):
        with ada.page.expect_response("**/preferences"):
            button.tap()

    assert shown(ada) == ["A"]
    ada.page.reload()
    ada.expect_ready()
    assert shown(ada) == ["A"]
    with ada.site.database.read() as session:
        kept = session.get_one(Person, ada.shop.ada.id).preferences
    assert (kept["tap"], kept["single"]) == ("never", True)


def test_on_a_desk_nobody_is_offered_one_answer_at_a_time(read):
    ada = read({"single": True}, viewport=DESK)

    assert shown(ada) == ["A", "B", "C", "D"]
    expect(ada.page.get_by_role("button", name="One answer at a time")).to_have_count(0)


def test_one_answer_at_a_time_is_rated_by_taps_alone_without_the_network_too(read):
    ada = read({"single": True}, **touch(NARROW))
    ada.site.forgive("ERR_INTERNET_DISCONNECTED")
    ada.page.wait_for_timeout(400)
    ada.page.context.set_offline(True)

    for place, letter in enumerate("ABCD"):
        assert shown(ada) == current(ada) == [letter]
        tap_and_move(ada, letter, place % 4, to="BCD"[place : place + 1])
    assert ada.waiting() == 4
    ada.page.context.set_offline(False)
    ada.expect_saved()
    assert ada.stored() == [(0, None), (1, None), (2, None), (3, None)]
    ada.page.locator('[data-act="next"]').tap()

    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()
    assert shown(ada) == ["A"]


def seen_after(ada, *moves):
    """Return the answers that are on the screen after each movement."""
    seen = []
    for move in moves:
        move()
        ada.page.wait_for_timeout(400)
        seen += shown(ada)
    return seen


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_swipes_turn_forth_and_back_and_change_nothing(read, direction):
    ada = read({"single": True}, direction=direction, **touch(PHONE))
    forth = -150 if direction == "ltr" else 150

    seen = seen_after(
        ada,
        lambda: swipe(ada, forth),
        lambda: swipe(ada, forth),
        lambda: swipe(ada, -forth),
        # Mostly downwards, or not far enough: that scrolls.
        lambda: swipe(ada, forth, down=-200),
        lambda: swipe(ada, forth // 5),
    )

    assert seen == ["B", "C", "B", "B", "B"]
    assert ada.chosen() == [None] * 4


# On a page of its own: the browser takes a tap right after a swipe for the end of its movement.
def test_buttons_turn_forth_and_back_and_change_nothing(read):
    ada = read({"single": True}, **touch(PHONE))

    seen = seen_after(
        ada, *(ada.page.locator(f'[data-act="{act}"]').tap for act in ("forth", "forth", "back"))
    )

    assert seen == ["B", "C", "B"]
    assert ada.chosen() == [None] * 4


@pytest.mark.parametrize(("viewport", "words"), [(NARROW, 10), (PHONE, 400)], ids=["320", "390-long"])
def test_of_one_answer_at_a_time_a_digit_rates_the_one_that_is_shown(read, viewport, words):
    ada = read({"single": True}, words=words, viewport=viewport)

    ada.page.keyboard.press("j")
    ada.page.mouse.wheel(0, 900)
    assert shown(ada) == current(ada) == ["B"]
    ada.page.keyboard.press("2")
    expect(ada.card("C")).to_contain_class("ans--now")
    ada.page.wait_for_timeout(LOOK)
    ada.page.keyboard.press("3")

    assert ada.chosen() == [None, 2, 3, None]


def test_of_one_answer_at_a_time_undo_shows_what_it_changed_first(read):
    ada = read({"single": True, "advance": False}, viewport=PHONE)
    ada.page.keyboard.press("3")
    ada.page.keyboard.press("j")
    ada.page.keyboard.press("j")

    ada.page.keyboard.press("u")

    assert shown(ada) == ["A"]
    assert ada.chosen() == [None] * 4
    ada.page.wait_for_timeout(LOOK)
    ada.page.keyboard.press("1")
    assert ada.chosen() == [1, None, None, None]


@pytest.mark.parametrize(
    ("direction", "theme", "viewport"),
    [("ltr", "dark", NARROW), ("rtl", "light", PHONE)],
)
def test_one_answer_at_a_time_is_for_everybody(read, axe, viewport, theme, direction):
    long = "What happens to a very long question that nobody could read in one line of a telephone? " * 2
    ada = read({"single": True}, asked=long, direction=direction, color_scheme=theme, **touch(viewport))

    axe(ada.page)
    assert overflow_of(ada.page) == 0
    ada.page.locator('[data-ref="unfold"]').tap()
    tap(ada, "A", 2)
    # A tap turns to the next answer a moment later.
    expect(ada.card("B")).to_be_visible()
    axe(ada.page)
    for name in (".star", '[data-act="back"]', '[data-act="forth"]'):
        for box in (one.bounding_box() for one in ada.page.locator(f"{name}:visible").all()):
            assert min(box["width"], box["height"]) >= 44, name
    ada.page.get_by_role("button", name="Options").tap()
    expect(ada.page.get_by_role("heading", name="Options", exact=True)).to_be_visible()
    axe(ada.page)
    assert overflow_of(ada.page) == 0


# Words that no place on a page shows whole.
ASKED = (
    "Which of these many words of a question that goes on and on is the last one that somebody reads? " * 3
)


@pytest.mark.parametrize(("preferences", "viewport"), [({}, NARROW), ({"single": True}, PHONE), ({}, DESK)])
def test_a_question_that_is_cut_says_so_and_opens(read, preferences, viewport):
    ada = read(preferences, asked=ASKED * 2, viewport=viewport)
    more = ada.page.get_by_role("button", name="More of the question")
    heading = ada.page.locator("h1")
    hidden = "one => one.scrollHeight > one.clientHeight + 2 || one.scrollWidth > one.clientWidth + 2"
    assert heading.evaluate(hidden)
    expect(more).to_have_attribute("aria-expanded", "false")
    if viewport == NARROW:
        # It is cut between two lines, and its frame touches no letter.
        lines = heading.evaluate("one => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)")
        assert abs(lines - round(lines)) < 0.05
        offset = heading.evaluate("one => (one.focus(), getComputedStyle(one).outlineOffset)")
        assert offset == "2px"

    more.click()
    expect(ada.page.get_by_role("button", name="Less of the question")).to_have_attribute(
        "aria-expanded", "true"
    )
    assert (
        not heading.evaluate(hidden) or heading.evaluate("one => getComputedStyle(one).overflowY") == "auto"
    )
    ada.page.get_by_role("button", name="Less of the question").press("Enter")

    assert heading.evaluate(hidden)


@pytest.mark.parametrize("preferences", [{}, {"single": True}])
def test_the_next_answer_begins_below_a_long_question(read, preferences):
    ada = read(preferences, words=200, asked=ASKED * 2, **touch(PHONE))
    if preferences:
        ada.page.locator('[data-ref="unfold"]').tap()

    tap_and_move(ada, "A", 2, to="B")

    title, bar = ada.card("B").locator("h2").bounding_box(), ada.page.locator(".ask").bounding_box()
    assert title["y"] >= bar["y"] + bar["height"]


@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_the_stars_stay_in_sight_beside_an_answer_of_twenty_thousand_words(read, viewport):
    ada = read(words=5000, viewport=viewport)
    ada.page.locator(".full summary").first.click()
    for _ in range(4):
        ada.page.mouse.wheel(0, 900)
        ada.page.wait_for_timeout(60)

        box = ada.card("A").locator(".stars").bounding_box()
        bar = ada.page.locator(".act").bounding_box()
        assert box["y"] + box["height"] <= bar["y"] + 1
        assert box["y"] > 200

    ada.star("A", 3).click(force=True)
    assert ada.chosen()[0] == 3


def test_stars_beside_a_text_that_has_hardly_begun_make_it_no_answer_in_sight(read):
    ada = read(words=60, viewport={"width": 1280, "height": 700})
    ada.star("A", 1).click(force=True)
    ada.expect_saved()
    ada.page = ada.page.context.new_page()
    ada.page.goto(f"/p/{ada.shop.project.slug}/rate/1")
    ada.expect_ready()
    # Only the title of B and its stars are above the bar.
    ada.page.evaluate(
        """() => scrollBy(0, document.querySelector('[data-letter="B"]').getBoundingClientRect().top
          - document.querySelector('.act').getBoundingClientRect().top + 190)"""
    )
    stars, bar = ada.card("B").locator(".stars").bounding_box(), ada.page.locator(".act").bounding_box()
    assert stars["y"] + stars["height"] <= bar["y"]

    ada.page.keyboard.press("3")

    assert ada.chosen() == [1, None, None, None]
    ada.expect_status("Key ignored. Press it again for answer B.")
