"""Large and small, by keyboard, by name, without motion or colours: the acceptance list of the rating page."""

import re

from playwright.sync_api import expect
from sqlalchemy import insert

from app.jobs.assignment import find_next_batch
from app.models import Candidate, Document, Query
from tests.browser.rating.conftest import AT_ONCE, Rater
from tests.furniture.live import overflow_of, start_rating, weight_of
from tests.furniture.rating import make_workshop

# What a window of 1280 by 1024 holds at 400 %.
FOUR_TIMES = {"width": 320, "height": 256}
NEXT = '[data-act="next"]'


def test_three_questions_of_nine_answers_by_keyboard_alone(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=3, answers=9)
    page = live_site.page_of(shop.ada)
    page.add_init_script(AT_ONCE)
    start_rating(page, f"/p/{shop.project.slug}/rate")
    ada = Rater(live_site, shop, page)

    for number in range(3):
        expect(page.locator("h1")).to_have_text(f"Question number {number}?")
        expect(page.locator("h1")).to_be_focused()
        for place in range(9):
            page.keyboard.press(str((number + place) % 4))
            if place < 8:
                expect(ada.cards.nth(place + 1).locator(".stars input").first).to_be_focused()
        expect(page.locator(NEXT)).to_be_focused()
        # Nobody rates as fast as this: what nine ratings take to arrive is not waited for as a part of the next page.
        ada.expect_saved()
        page.keyboard.press("Enter")

    expect(page.locator("h1")).to_have_text("Nothing left to rate")
    assert [grade for grade, _ in ada.stored()] == [
        (number + place) % 4 for number in range(3) for place in range(9)
    ]


def test_a_question_is_rated_and_left_by_the_names_that_screen_readers_say(rate):
    ada = rate()
    page = ada.page

    for letter, name in zip("ABC", ("3: Solves it", "0: No help", re.compile("^1: ")), strict=True):
        group = page.get_by_role("article", name=f"Answer {letter}").get_by_role("group")
        # Some read in a mode in which letters are theirs: Space on the star that is read.
        group.get_by_role("radio", name=name).focus()
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
    ada.expect_saved()
    expect(page.get_by_role("status").filter(has_text="saved")).to_have_count(1)
    page.get_by_role("button", name="Next question").press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("Question number 1?")
    assert ada.stored() == [(3, None), (0, None), (1, None)]


def test_a_question_of_36_answers_comes_in_batches_of_twelve(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=36)
    ada = Rater(live_site, shop, start_rating(live_site.page_of(shop.ada), f"/p/{shop.project.slug}/rate"))
    seen = []

    for batch in range(3):
        ada.expect_ready()
        expect(ada.cards).to_have_count(12)
        seen += ada.cards.evaluate_all("cards => cards.map(card => card.dataset.answer)")
        ada.cards.evaluate_all("cards => cards.forEach(card => card.querySelector('.stars input').click())")
        expect(ada.page.locator('[data-ref="count"]')).to_have_text("12 of 12 answers done")
        ada.page.locator(NEXT).click()
        if batch < 2:
            expect(ada.page.locator('[data-ref="count"]')).to_have_text("0 of 12 answers done")

    expect(ada.page.locator("h1")).to_have_text("Nothing left to rate")
    assert len(set(seen)) == 36
    assert ada.stored() == [(0, None)] * 36


def test_with_ten_thousand_questions_and_all_texts_the_page_weighs_at_most_60_kilobytes(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=12)
        for one in shop.documents[shop.queries[0].id]:
            make.session.merge(one).text = f"A sentence with some words about {one.id}. " * 12
        project, document = shop.project.id, shop.documents[shop.queries[0].id][0].id
        first = 100_000
        questions = [
            {
                "id": first + number,
                "project_id": project,
                "external_id": f"n{number}",
                "text": f"{number}?",
                "added_revision": 0,
            }
            for number in range(10_000)
        ]
        make.session.execute(insert(Query), questions)
        pooled = [
            {
                "project_id": project,
                "query_id": one["id"],
                "document_id": document,
                "in_pool": True,
                "best_rank": 2,
            }
            for one in questions
        ]
        make.session.execute(insert(Candidate), pooled)
        assert make.session.get_one(Document, document).content_hash
    page = live_site.page_of(shop.ada)

    assert find_next_batch(live_site.database, shop.project.id, shop.ada.id) == 1
    assert weight_of(page, f"/p/{shop.project.slug}/rate") <= 60 * 1024
    expect(page.get_by_text("Question 1", exact=True)).to_have_count(1)


def test_at_four_times_the_size_nothing_scrolls_sideways_or_hides_the_focus(rate, axe):
    ada = rate(viewport=FOUR_TIMES)

    assert overflow_of(ada.page) == 0
    axe(ada.page)
    for _ in range(25):
        ada.page.keyboard.press("Tab")
        covered = ada.page.evaluate(
            """() => {
              const one = document.activeElement;
              if (!one || one === document.body) return false;
              const box = one.getBoundingClientRect();
              const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
              const top = document.elementFromPoint(x, y);
              // Radios lie under the stars that stand for them.
              return Boolean(top && top.closest(".ask, .act") && !one.closest(".ask, .act"));
            }"""
        )
        assert not covered, ada.page.evaluate("document.activeElement.outerHTML")


def test_in_forced_colours_every_state_still_shows_and_without_motion_nothing_moves(rate, axe):
    ada = rate(forced_colors="active", reduced_motion="reduce")
    star = ada.card("A").locator(".star").nth(2)

    def look():
        return star.screenshot(animations="disabled")

    plain = look()
    assert look() == plain
    # What is chosen, and where the focus is, shows by shape and line: the colours are gone.
    ada.press("2", "k")
    focused = look()
    ada.page.evaluate("document.activeElement.blur()")
    chosen = look()

    assert len({plain, focused, chosen}) == 3
    axe(ada.page)

    ada.press("3", "s")
    moving = (
        "() => document.getAnimations().filter(one => one.effect.getComputedTiming().duration > 20).length"
    )
    assert ada.page.evaluate(moving) == 0
    assert ada.page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_in_a_page_from_right_to_left_keys_mean_the_same(rate):
    ada = rate()
    ada.page.evaluate("document.documentElement.dir = 'rtl'")

    with ada.page.expect_response("**/judgment"):
        ada.press("j", "ArrowRight")
    ada.press("3", "0")
    ada.expect_saved()

    assert ada.chosen()[:2] == [3, 0]
