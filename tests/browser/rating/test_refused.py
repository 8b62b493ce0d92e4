"""What leaves the device, and what does not: only the server's own word takes a rating off it."""

import re

import pytest
from playwright.sync_api import expect

from tests.furniture.live import start_rating


def hold(page):
    """Let nothing through to the server from this tab."""
    page.route("**/api/v1/**", lambda route: route.abort())


def close(live_site, shop, state="closed"):
    with live_site.making() as make:
        make.session.get_one(type(shop.project), shop.project.id).state = state


def choose(rater, letter, grade):
    rater.star(letter, grade).check(force=True)


def none(rater):
    rater.page.get_by_role("button", name="No good answer").click()


@pytest.fixture
def ada(rate, live_site):
    for expected in ("ERR_FAILED", "409"):
        live_site.forgive(expected)
    ada = rate()
    ada.page.on("dialog", lambda dialog: dialog.accept())
    return ada


def test_ratings_after_no_good_answer_are_sent_from_any_other_page(ada):
    hold(ada.page)
    none(ada)
    choose(ada, "A", 2)
    choose(ada, "B", 3)
    assert ada.waiting() == 3

    ada.page.unroute("**/api/v1/**")
    ada.page.goto("/")

    expect(ada.page.locator("main")).to_contain_text("3 done by you")
    expect(ada.page.locator("[data-quiet]")).to_be_hidden()
    assert ada.current() == [2, 3, 0]


def test_a_rating_after_no_good_answer_that_another_tab_has_sent_is_stored(ada):
    hold(ada.page)
    none(ada)
    tab = ada.page.context.new_page()
    tab.goto("/")
    ada.expect_saved()
    ada.page.unroute("**/api/v1/**")

    choose(ada, "B", 3)
    ada.expect_saved()

    assert ada.chosen() == [0, 3, 0]
    assert ada.current() == [0, 3, 0]
    expect(ada.page.locator('[data-ref="clash"]')).to_be_hidden()


IN_BETWEEN = [
    (200, "text/html", "<html>Welcome to the hotel</html>"),
    (200, "application/json", "{}"),
    (403, "text/html", "blocked"),
    (404, "application/json", "{}"),
    (413, "text/html", "too large"),
]


def test_what_stands_in_between_takes_no_rating_off_the_device(ada, live_site):
    answer = {}
    ada.page.route("**/judgment", lambda route: route.fulfill(**answer))
    for number, (status, kind, body) in enumerate(IN_BETWEEN):
        live_site.forgive(str(status))
        answer = {"status": status, "content_type": kind, "body": body}
        with ada.page.expect_response("**/judgment") as met:
            ada.page.get_by_role("button", name="Try now").click() if number else ada.press("2")
        assert met.value.status == status
        ada.expect_status(re.compile("Not saved, retrying"))
        assert ada.waiting() == 1, answer

    ada.page.unroute("**/judgment")
    ada.page.get_by_role("button", name="Try now").click()
    ada.expect_saved()

    assert ada.stored() == [(2, None)]


def test_what_is_refused_is_kept_named_and_sent_again_or_dropped(ada, live_site, shop, axe):
    hold(ada.page)
    choose(ada, "A", 2)
    choose(ada, "B", 3)
    close(live_site, shop)
    ada.page.unroute("**/api/v1/**")

    ada.page.goto("/")
    refused = ada.page.get_by_role("region", name="Not saved: 2 ratings")
    expect(refused).to_contain_text("Answer A is 2 stars in “Question number 0?”: An owner has closed rating")
    axe(ada.page)
    refused.get_by_role("button", name="Drop Answer A is 2 stars").click()
    expect(refused).to_have_count(0)
    # Wherever the account goes on: the page of the question says it, and leads to the list.
    close(live_site, shop, "open")
    start_rating(ada.page, f"/p/{shop.project.slug}/rate")
    ada.expect_status("Not accepted, so not saved: 1 rating. See details")
    ada.page.get_by_role("link", name="See details").click()
    refused = ada.page.get_by_role("region", name="Not saved: 1 rating")
    expect(refused).to_be_in_viewport()
    refused.get_by_role("button", name="Try again").click()
    expect(refused).to_be_hidden()
    expect(ada.page.locator('[data-ref="waiting"]')).to_contain_text("Everything you sent is saved")

    assert ada.stored() == [(3, None)]


def test_what_is_refused_for_good_is_not_saved_and_can_only_be_dropped(ada, shop):
    answer = {"content_type": "application/problem+json", "body": "{}", "status": 409}
    ada.page.route("**/judgment", lambda route: route.fulfill(**answer))
    for star, code in ((2, "rating_closed"), (3, "taken")):
        answer["body"] = f'{{"status": 409, "code": "{code}", "detail": "This is too late."}}'
        choose(ada, "A", star)
        ada.expect_status("This is too late. See details")
    ada.page.goto(f"/p/{shop.project.slug}/rate/done")
    line = ada.page.locator('[data-ref="waiting"]')
    expect(line).to_contain_text("Some changes were not accepted, so they are not saved.")
    refused = ada.page.get_by_role("region", name="Not saved: 1 rating")
    expect(refused).to_contain_text("Only this device has a copy. Try again, or drop it.")

    ada.page.unroute("**/judgment")
    refused.get_by_role("button", name="Try again").click()
    expect(refused).to_contain_text("Only this device has a copy. Trying again would not help.")
    expect(refused.get_by_role("listitem")).to_have_count(1)
    expect(refused.get_by_role("button", name="Try again")).to_be_hidden()
    refused.get_by_role("button", name="Drop").click()
    expect(refused).to_be_hidden()
    assert ada.stored() == [(2, None)]


def test_a_clock_that_is_set_back_puts_no_rating_before_another(ada):
    ada.page.add_init_script(
        "{ const now = Date.now.bind(Date); const lag = Number(sessionStorage.getItem('lag')); Date.now = () => now() - lag; }"
    )
    hold(ada.page)
    choose(ada, "A", 1)
    ada.page.evaluate("sessionStorage.setItem('lag', 3600000)")
    ada.page.reload()
    ada.expect_ready()

    choose(ada, "A", 3)
    ada.page.reload()
    ada.expect_ready()
    assert ada.chosen() == [3, None, None]
    ada.page.unroute("**/api/v1/**")
    ada.page.get_by_role("button", name="Try now").or_(ada.page.locator("body")).first.click()
    ada.page.evaluate("dispatchEvent(new Event('online'))")
    ada.expect_saved()

    assert ada.stored() == [(1, None), (3, None)]


def test_a_conflict_about_another_question_is_named_and_found_from_home(ada, rate, shop):
    ada.press("1", "1", "1")
    ada.expect_saved()
    elsewhere = rate(shop.ada, "/1")
    choose(elsewhere, "A", 0)
    elsewhere.expect_saved()
    hold(ada.page)
    choose(ada, "A", 3)
    ada.page.unroute("**/api/v1/**")

    ada.page.goto("/")
    ada.page.get_by_role("link", name="Open “Question number 0?” and choose one.").click()
    ada.expect_ready()
    clash = ada.page.locator('[data-ref="clash"]')
    expect(clash).to_contain_text("You gave answer A two different ratings")
    # Going on is not possible before, and that is said.
    ada.page.locator('[data-act="next"]').click()
    ada.expect_status("Choose which rating to keep, then go on")
    expect(clash).to_be_focused()
    second = ada.page.context.new_page()
    start_rating(second, f"/p/{shop.project.slug}/rate")
    expect(second.locator("h1")).to_have_text("Question number 1?")
    expect(second.locator('[data-ref="clash-title"]')).to_have_text(
        "You gave answer A to “Question number 0?” two different ratings"
    )
    clash.get_by_role("button", name="Keep: 3 stars").click()
    ada.expect_saved()

    assert ada.current() == [3, 1, 1]
