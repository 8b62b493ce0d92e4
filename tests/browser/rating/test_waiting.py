"""Next is pressed and the next question is not here: it is said, and nobody is taken away from what they do meanwhile."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.rating.conftest import Rater
from tests.furniture.live import start_rating
from tests.furniture.rating import make_workshop

WAITS = "() => performance.getEntriesByType('resource').some(one => one.name.includes('judging/waiting'))"
STAYS = re.compile("You stay on this question")


@pytest.fixture
def ada(rate, live_site):
    """Give somebody whose network went away before the next question came, and who has pressed Next."""
    live_site.forgive("ERR_")
    ada = rate()
    ada.page.route("**/batches", lambda route: route.abort())
    # What waits for the network is fetched while there is one.
    ada.page.wait_for_function(WAITS)
    ada.page.context.set_offline(True)
    ada.press("1", "2", "3", "Enter")
    ada.expect_status(re.compile("The next page needs a connection"))
    return ada


def test_whoever_writes_a_note_meanwhile_is_not_taken_away_when_the_network_returns(ada):
    ada.press("k", "n")
    ada.expect_status(STAYS)
    ada.page.keyboard.type("u and the rest ")

    ada.page.context.set_offline(False)
    ada.expect_saved()
    ada.page.keyboard.type("of it")
    ada.press("Escape")
    ada.expect_saved()

    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    expect(ada.card("B").locator("textarea")).to_have_value("u and the rest of it")
    assert ada.stored() == [(1, None), (2, None), (3, None)]
    ada.page.locator('[data-act="next"]').click()
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")


def test_a_click_on_a_star_stays_and_pressing_next_again_goes_on(ada):
    ada.star("A", 2).click(force=True)
    ada.expect_status(STAYS)
    for _ in range(2):
        ada.page.locator('[data-act="next"]').click()
    ada.expect_status(re.compile("The next page needs a connection"))

    ada.page.context.set_offline(False)

    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    assert ada.current() == [2, 2, 3]


@pytest.mark.parametrize("broken", ["gone", "failing"])
def test_next_says_that_the_server_is_away(rate, live_site, broken):
    live_site.forgive("ERR_")
    live_site.forgive("503")
    ada = rate()
    reply = {
        "gone": lambda route: route.abort(),
        "failing": lambda route: route.fulfill(status=503, body="{}"),
    }
    ada.page.route("**/api/v1/**", reply[broken])

    ada.press("1", "2", "3", "Enter")

    ada.expect_status("The server does not answer. The next page opens when it is back")
    ada.page.unroute("**/api/v1/**")
    ada.page.evaluate("dispatchEvent(new Event('online'))")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")


def test_a_slow_reply_takes_nobody_away_who_has_begun_to_write(rate, live_site):
    live_site.forgive("ERR_FAILED")
    ada = rate()
    ada.page.route("**/batches", lambda route: route.abort())
    held = []
    ada.page.route("**/rate", lambda route: held.append(route))  # noqa: PLW0108 - a method takes no mark
    with ada.page.expect_request("**/rate"):
        ada.press("1", "2", "3", "Enter")

    ada.page.keyboard.press("k")
    ada.page.keyboard.press("n")
    ada.expect_status(STAYS)
    ada.page.keyboard.type("Not gone")
    for route in held:
        route.continue_()
    ada.press("Escape")
    ada.expect_saved()

    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    expect(ada.card("B").locator("textarea")).to_have_value("Not gone")
    ada.page.unroute("**/rate")
    ada.page.locator('[data-act="next"]').click()
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")


def test_a_look_ahead_that_is_late_brings_no_question_back(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=40, answers=2)
    page, held = live_site.page_of(shop.ada), []
    ada = Rater(live_site, shop, page)
    # Somebody reads before they rate: the next two come meanwhile.
    with page.expect_response(re.compile(r"/rate/3\?ahead")):
        start_rating(page, f"/p/{shop.project.slug}/rate")
    ada.expect_ready()
    ada.press("1", "2", "Enter")
    expect(page.locator("h1")).to_have_text("Question number 1?")
    # From now on looking ahead is slow: what the second question asked for is told when the third is on the screen.
    page.route("**/batches", lambda route: held.append(route))  # noqa: PLW0108 - a method takes no mark
    with page.expect_request("**/batches"):
        ada.press("1", "2")
    ada.press("Enter")
    expect(page.locator("h1")).to_have_text("Question number 2?")
    with page.expect_response("**/batches"):
        held[0].continue_()
    ada.press("1", "2")
    ada.expect_saved()

    ada.press("Enter")

    expect(page.locator("h1")).to_have_text("Question number 3?")
