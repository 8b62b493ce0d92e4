"""A key acts on the current answer: focused, clicked or opened by its address, or else the first unrated one in sight.

One that is out of sight is shown first, and nothing changes until the key is pressed again.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.rating.conftest import AT_ONCE, LOOK, Rater
from tests.furniture.live import DESK, PHONE, start_rating
from tests.furniture.rating import make_workshop

# What a window of 1280 by 800 holds at 200 %.
TWICE = {"width": 640, "height": 400}
LETTERS = "ABCDEFG"
SHORT, LONG = 20, 400
ASKED = "Key ignored. Press it again for answer {}."
# The letters of answers that can be seen between the two bars, wholly or in part.
IN_SIGHT = """cards => {
  const edge = (selector, side, other) => document.querySelector(selector)?.getBoundingClientRect()[side] ?? other;
  const [above, below] = [Math.max(0, edge(".ask", "bottom", 0)), Math.min(innerHeight, edge(".act", "top", innerHeight))];
  return cards.filter(card => {
    const { top, bottom } = card.getBoundingClientRect();
    return bottom > above && top < below;
  }).map(card => card.dataset.letter);
}"""


@pytest.fixture
def read(live_site):
    """Return what opens a question of seven answers: `read(LONG)` for long ones, `direction="rtl"`."""

    def read(words=SHORT, direction="ltr", **options):
        with live_site.making() as make:
            shop = make_workshop(make, queries=1, answers=7)
            for document in shop.documents[shop.queries[0].id]:
                make.session.merge(document).text = "Some words about this. " * words
        page = live_site.page_of(shop.ada, **options)
        page.add_init_script(AT_ONCE)
        page.add_init_script(
            f"addEventListener('DOMContentLoaded', () => document.documentElement.dir = '{direction}')"
        )
        start_rating(page, f"/p/{shop.project.slug}/rate")
        ada = Rater(live_site, shop, page)
        ada.expect_ready()
        return ada

    return read


def by_wheel(ada, pixels):
    # Over the answers in both directions: what is beside them scrolls by itself.
    ada.page.mouse.move(ada.page.viewport_size["width"] // 2, 300)
    ada.page.mouse.wheel(0, pixels)


def by_touch(ada, pixels):
    finger = ada.page.context.new_cdp_session(ada.page)
    x, y = ada.page.viewport_size["width"] // 2, ada.page.viewport_size["height"] - 100
    for _ in range(1 + pixels // 200):
        for kind, at in (
            ("touchStart", y),
            ("touchMove", y - 20),
            ("touchMove", y - 220),
            ("touchEnd", None),
        ):
            points = [] if at is None else [{"x": x, "y": at}]
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def by_keyboard(ada, pixels):
    for _ in range(1 + pixels // 500):
        ada.page.keyboard.press("PageDown")


def scrolled(ada, way=by_wheel, pixels=2000):
    """Scroll until nothing moves any more, and return the letters in sight."""
    way(ada, pixels)
    ada.page.wait_for_function("() => scrollY > 0")
    ada.page.evaluate(
        """async () => {
          for (let was = -1; was !== scrollY;) {
            was = scrollY;
            await new Promise(done => setTimeout(done, 150));
          }
        }"""
    )
    return ada.cards.evaluate_all(IN_SIGHT)


def current(ada):
    return ada.page.locator(".ans--now").evaluate_all("cards => cards.map(card => card.dataset.letter)")


def rated(ada):
    return {letter: grade for letter, grade in zip(LETTERS, ada.chosen(), strict=True) if grade is not None}


@pytest.mark.parametrize(
    ("way", "viewport", "words", "direction"),
    [
        pytest.param(by_wheel, DESK, SHORT, "rtl", id="wheel-desk"),
        pytest.param(by_touch, PHONE, LONG, "rtl", id="touch-phone-long"),
        pytest.param(by_keyboard, TWICE, LONG, "rtl", id="keyboard-twice-long"),
    ],
)
def test_wherever_somebody_scrolled_a_digit_rates_what_is_marked_there(read, way, viewport, words, direction):
    ada = read(words, direction, viewport=viewport, has_touch=way is by_touch)
    assert current(ada) == ["A"]

    seen = scrolled(ada, way)
    [marked] = current(ada)
    ada.page.keyboard.press("3")

    assert "A" not in seen or words == LONG
    assert marked in seen
    assert rated(ada) == {marked: 3}


@pytest.mark.parametrize(
    ("viewport", "words", "direction"),
    [
        pytest.param(DESK, SHORT, "rtl", id="desk"),
        pytest.param({"width": 320, "height": 256}, LONG, "rtl", id="four-times"),
    ],
)
def test_a_digit_asks_before_it_rates_the_focused_answer_out_of_sight(read, viewport, words, direction):
    ada = read(words, direction, viewport=viewport)
    ada.press("j")

    ada.page.keyboard.press("End")
    assert "A" not in scrolled(ada)
    ada.page.keyboard.press("3")

    assert rated(ada) == {}
    ada.expect_status(ASKED.format("A"))
    expect(ada.page.locator('[data-ref="status"] svg')).to_have_count(0)
    expect(ada.card("A")).to_be_in_viewport()
    ada.page.wait_for_timeout(LOOK)
    ada.page.keyboard.press("3")
    assert rated(ada) == {"A": 3}


def test_a_click_on_the_text_or_the_letter_makes_an_answer_the_current_one(read):
    ada = read()

    for letter, part in (("B", ".ans__text"), ("C", ".ans__letter")):
        ada.card(letter).locator(part).click()
        assert current(ada) == [letter]
        ada.page.keyboard.press("3")

    assert rated(ada) == {"B": 3, "C": 3}


def test_what_was_tapped_stays_current_and_is_asked_about_out_of_sight(read):
    ada = read(has_touch=True)
    ada.card("A").locator(".ans__text").tap()

    seen = scrolled(ada, by_touch)
    ada.page.keyboard.press("3")

    assert "A" not in seen
    assert rated(ada) == {}
    ada.expect_status(ASKED.format("A"))
    expect(ada.card("A")).to_be_in_viewport()


# What each key does to an answer, as the page shows it.
DONE = {
    "3": '.stars input[value="3"]:checked',
    "s": ".cant[open]",
    "n": ".remark[open]",
    "f": '[data-act="flag"][aria-pressed="true"]',
    "e": ".full[open]",
    "c": ".stars:not(:has(input:checked))",
}


def test_every_key_asks_before_it_changes_a_rated_answer_out_of_sight(read):
    ada = read(LONG)

    for key, done in DONE.items():
        ada.star("A", 2).click(force=True)
        effect = ada.card("A").locator(done)
        assert "A" not in scrolled(ada, pixels=5000), key
        ada.page.keyboard.press(key)
        ada.expect_status(ASKED.format("A"))
        expect(effect).to_have_count(0)
        ada.page.wait_for_timeout(LOOK)
        ada.page.keyboard.press(key)
        expect(effect).to_have_count(1)
        # Out of the reasons or of the note.
        ada.page.keyboard.press("Escape")


@pytest.mark.parametrize("key", ["s", "f"])
def test_other_keys_act_on_the_first_answer_in_sight_which_is_current_from_then_on(read, key):
    ada = read(LONG)

    scrolled(ada)
    [marked] = current(ada)
    ada.page.keyboard.press(key)

    assert ada.page.locator(f".ans:has({DONE[key]})").get_attribute("data-letter") == marked
    scrolled(ada, pixels=4000)
    assert current(ada) == [marked]


def test_a_link_to_an_answer_makes_it_the_current_one(read):
    ada = read(LONG, "rtl", viewport=TWICE)
    ada.star("D", 1).click(force=True)
    ada.expect_saved()
    ada.page.goto(f"/p/{ada.shop.project.slug}/rate/ratings")
    ada.page.locator('a[href*="#answer-"]').first.click()
    ada.expect_ready()
    assert current(ada) == ["D"]
    ada.page.keyboard.press("3")
    assert rated(ada) == {"D": 3}

    # Inside the page.
    before = ada.page.evaluate("performance.timeOrigin")
    for letter in "EBF":
        ada.page.evaluate("id => location.assign('#' + id)", ada.card(letter).get_attribute("id"))
        expect(ada.card(letter)).to_contain_class("ans--now")
        expect(ada.card(letter)).to_be_in_viewport()
        if letter != "F":
            ada.page.keyboard.press("3")
    assert rated(ada) == {"B": 3, "D": 3, "E": 3}
    assert ada.page.evaluate("performance.timeOrigin") == before, "the page was loaded again"

    ada.expect_saved()
    ada.page.reload()
    ada.expect_ready()
    assert current(ada) == ["F"]
    expect(ada.card("F")).to_be_in_viewport()
    ada.page.keyboard.press("3")
    assert rated(ada) == {"B": 3, "D": 3, "E": 3, "F": 3}


def test_with_nothing_unrated_in_sight_a_digit_changes_no_rating(read):
    ada = read()
    for letter in LETTERS[1:]:
        ada.star(letter, 1).click(force=True)
    ada.expect_saved()
    ada.page = ada.page.context.new_page()
    ada.page.goto(f"/p/{ada.shop.project.slug}/rate/1")
    ada.expect_ready()

    assert "A" not in scrolled(ada)
    ada.page.keyboard.press("3")

    assert rated(ada) == dict.fromkeys(LETTERS[1:], 1)
    ada.expect_status(ASKED.format("A"))
    ada.page.wait_for_timeout(LOOK)
    ada.page.keyboard.press("3")
    assert rated(ada)["A"] == 3


# What the browser itself does with a key at a star: it chooses one. Those that scroll elsewhere scroll here too.
SCROLLING = ["Space", "Shift+Space", "ArrowDown", "ArrowUp"]
ASKING = ["ArrowLeft", "ArrowRight"]


def scroll_out(ada, letter, *, down):
    """Give an answer's stars the focus and wheel on until they are out of sight."""
    if down:
        ada.press("j")
        for _ in LETTERS[: LETTERS.index(letter)]:
            ada.press("j")
    else:
        ada.page.keyboard.press("End")
        scrolled(ada, pixels=1)
    star = ada.star(letter, 0)
    star.focus()
    by_wheel(ada, 30_000 if down else -30_000)
    ada.page.wait_for_function(
        "down => down ? scrollY + innerHeight >= document.documentElement.scrollHeight - 2 : scrollY === 0",
        arg=down,
    )
    expect(star).to_be_focused()
    return star


def settled_scroll(ada):
    """Return where the page stands once nothing moves any more, later than a passing star would count."""
    ada.page.wait_for_timeout(700)
    return ada.page.evaluate("scrollY")


@pytest.mark.parametrize(
    ("viewport", "down"), [(DESK, True), (PHONE, False)], ids=["desk-above", "phone-below"]
)
def test_native_keys_choose_no_star_of_an_answer_out_of_sight_but_of_one_in_sight(read, viewport, down):
    ada = read(LONG, viewport=viewport)
    letter = "B" if down else "F"

    for key in SCROLLING + ASKING:
        star = scroll_out(ada, letter, down=down)
        before = ada.page.evaluate("scrollY")
        ada.page.keyboard.press(key)
        after = settled_scroll(ada)
        assert rated(ada) == {}, key
        if key in ASKING:
            ada.expect_status(ASKED.format(letter))
            expect(star).to_be_in_viewport()
        else:
            back = key in {"Shift+Space", "ArrowUp"}
            assert (
                (after < before)
                if back and before
                else (after > before)
                if not back and not down
                else after == before
            ), key
    assert ada.waiting() == 0
    assert ada.stored() == []

    # The second press of an arrow acts on the answer that the first has shown.
    for key, grade in [("ArrowRight", 1), ("ArrowDown", 2), ("ArrowLeft", 1), ("ArrowUp", 0)]:
        ada.page.keyboard.press(key)
        assert rated(ada) == {letter: grade}, key
    ada.press("c")
    ada.star(letter, 0).focus()
    ada.page.keyboard.press("Space")
    assert rated(ada) == {letter: 0}


def test_a_digit_and_a_wheel_leave_the_focused_answer_alone(read):
    ada = read(40)
    ada.press("2")
    expect(ada.star("B", 0)).to_be_focused()
    assert not {"A", "B"} & set(scrolled(ada, pixels=1500))

    for key in ("Space", "ArrowLeft"):
        ada.page.keyboard.press(key)
        settled_scroll(ada)

    assert rated(ada) == {"A": 2}
    ada.expect_saved()
    assert ada.stored() == [(2, None)]


def test_a_button_out_of_sight_is_not_pressed(read):
    ada = read(LONG)
    button = ada.card("B").locator('[data-act="flag"]')

    for key in ("Space", "Enter"):
        button.focus()
        by_wheel(ada, 30_000)
        ada.page.wait_for_function("() => scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
        ada.page.keyboard.press(key)
        settled_scroll(ada)
        expect(button).to_have_attribute("aria-pressed", "false")

    ada.expect_status(ASKED.format("B"))
    ada.page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")


def test_stars_alone_below_a_text_that_has_gone_by_make_it_no_answer_in_sight(read):
    ada = read(viewport=DESK)
    ada.card("B").locator("h2").click()
    bar = ada.page.locator(".ask").bounding_box()
    stars = ada.card("B").locator(".stars").bounding_box()
    by_wheel(ada, stars["y"] - bar["y"] - bar["height"] - 8)
    expect(ada.card("B").locator(".stars")).to_be_in_viewport(ratio=1)

    ada.page.keyboard.press("3")

    ada.expect_status(ASKED.format("B"))
    assert ada.chosen() == [None] * 7


def test_what_is_said_stays_in_sight_in_a_low_window(read):
    ada = read(LONG, viewport=TWICE)
    ada.press("2")
    ada.expect_saved()

    by_wheel(ada, 3000)

    expect(ada.page.locator('[data-ref="status"]')).to_be_in_viewport(ratio=1)


def test_that_a_key_did_nothing_is_said_for_some_seconds(rate):
    ada = rate()
    ada.press("3", "2", "0")
    ada.expect_saved()
    address, ada.page = ada.page.url, ada.page.context.new_page()
    ada.page.goto(address)
    ada.expect_ready()

    ada.page.keyboard.press("1")

    ada.expect_status(ASKED.format("A"))
    ada.page.wait_for_timeout(2000)
    ada.expect_status(ASKED.format("A"))
    expect(ada.page.locator('[data-ref="status"]')).to_have_text("All ratings saved", timeout=8000)
    assert ada.chosen() == [3, 2, 0]
