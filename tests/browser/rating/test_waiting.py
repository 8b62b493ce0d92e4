"""Next is pressed and the next question is not here: it is said, and nobody is taken away from what they do meanwhile."""

import re

import pytest
from playwright.sync_api import expect

from app.jobs.assignment import find_next_batch
from app.services.projects.notes import change_note_rule
from tests.browser.rating.conftest import Rater
from tests.furniture.live import start_rating
from tests.furniture.rating import make_workshop

WAITS = "() => performance.getEntriesByType('resource').some(one => one.name.includes('judging/waiting'))"
STAYS = "Press “Next question” when you are ready"


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


def test_whoever_stops_instead_is_promised_no_page(ada):
    ada.page.get_by_role("link", name="Done for now").click()

    expect(ada.page.locator('[data-ref="offline"]')).to_contain_text("You can stop here")
    ada.expect_status("Offline. Kept on this device: 3 ratings")
    ada.page.context.set_offline(False)
    ada.expect_saved()
    ada.expect_status(re.compile("^Saved"))
    expect(ada.page.locator("h1")).to_have_text("Question number 0?")


def test_next_says_that_the_server_is_away(rate, live_site):
    live_site.forgive("503")
    ada = rate()
    ada.page.route("**/api/v1/**", lambda route: route.fulfill(status=503, body="{}"))

    ada.press("1", "2", "3", "Enter")

    ada.expect_status("Kept. The server does not answer. The next page opens when it is back")
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
        shop = make_workshop(make, queries=8, answers=2)
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


# Presses 1 as soon as the next question is on the screen: before the browser does anything else.
EAGER = """document.addEventListener("touchstone:replaced", () => queueMicrotask(() =>
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true, cancelable: true }))))"""


def test_a_key_pressed_as_the_next_question_appears_counts(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=8, answers=2)
        # With notes to write, the page has the most to do as it appears.
        change_note_rule(make.session, shop.project, [0], [])
    page = live_site.page_of(shop.ada)
    page.add_init_script(EAGER)
    ada = Rater(live_site, shop, page)
    with page.expect_response(re.compile(r"/rate/2\?ahead")):
        start_rating(page, f"/p/{shop.project.slug}/rate")
    ada.expect_ready()

    ada.press("2", "3", "Enter")

    expect(page.locator("h1")).to_have_text("Question number 1?")
    expect(ada.card("A").locator('.stars input[value="1"]')).to_be_checked()
    ada.expect_saved()
    assert ada.stored() == [(2, None), (3, None), (1, None)]


MARK = '.cant-all button[value="expertise"]'


def mark(ada):
    ada.page.get_by_text("Can’t judge this question").click()
    ada.page.locator(MARK).click()


def test_a_question_that_was_marked_opens_at_the_top_where_that_is_said(rate):
    ada = rate(viewport={"width": 1280, "height": 500})
    ada.press("j", "3")
    ada.expect_saved()
    mark(ada)
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_saved()

    ada.page.goto(f"/p/{ada.shop.project.slug}/rate/1")
    ada.expect_ready()

    expect(ada.page.get_by_role("button", name="Take it back")).to_be_in_viewport()
    assert ada.page.evaluate("scrollY") == 0


@pytest.mark.parametrize("is_early", [False, True])
def test_a_question_marked_offline_says_so_and_is_sent(rate, live_site, is_early):
    live_site.forgive("ERR_")
    ada = rate()
    ada.page.route("**/batches", lambda route: route.abort())
    if is_early:
        # Offline before what waits for the next page was fetched.
        ada.page.route("**/waiting*", lambda route: route.abort())
    else:
        ada.page.wait_for_function(WAITS)
    notice, bar = ada.page.locator('[data-ref="declined"]'), ada.page.locator('[data-ref="offline"]')
    rest = [ada.page.locator(one) for one in (".cant-all", '[data-act="none"]', '[data-ref="left"]')]
    ada.page.context.set_offline(True)
    edge = "button => Math.round(button.getBoundingClientRect().right)"
    right = ada.page.locator('[data-act="next"]').evaluate(edge)

    mark(ada)

    opens = "" if is_early else ". It opens when you are online again"
    ada.expect_status(f"Marked “can’t judge”. The next page needs a connection{opens}")
    expect(bar).to_contain_text("Kept on this device and sent later: 1 change.")
    expect(notice).to_be_visible()
    for one in rest:
        expect(one).to_be_hidden()
    assert ada.page.locator('[data-act="next"]').evaluate(edge) == right
    ada.page.on("dialog", lambda dialog: dialog.accept())
    ada.page.context.set_offline(False)
    if is_early:
        ada.expect_saved()
        ada.expect_status("All ratings saved")
        expect(notice).to_be_visible()
        # With answers left, nothing is asked about them: they are for others.
        ada.page.unroute_all()
        ada.page.locator('[data-act="next"]').click()
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")


def test_a_mark_that_waits_is_taken_back_where_it_is_shown(rate, live_site):
    live_site.forgive("ERR_")
    ada = rate()
    ada.page.route("**/batches", lambda route: route.abort())
    ada.page.wait_for_function(WAITS)
    notice, bar = ada.page.locator('[data-ref="declined"]'), ada.page.locator('[data-ref="offline"]')
    ada.page.context.set_offline(True)
    mark(ada)
    expect(notice).to_be_visible()

    ada.page.get_by_role("button", name="Take it back").click()

    ada.expect_status("This question is yours again")
    expect(notice).to_be_hidden()
    expect(ada.page.locator('[data-act="none"]')).to_be_visible()
    expect(bar).to_contain_text("sent later: 1 change.")
    ada.press("u")
    ada.expect_status("Nothing to undo")
    ada.page.context.set_offline(False)
    ada.expect_saved()
    ada.page.reload()
    ada.expect_ready()
    expect(notice).to_be_hidden()


def test_a_mark_that_waits_is_shown_on_the_other_parts(live_site):
    live_site.forgive("503")
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=30)
    ada = Rater(live_site, shop, live_site.page_of(shop.ada))
    start_rating(ada.page, f"/p/{shop.project.slug}/rate")
    ada.expect_ready()
    ada.page.locator('[data-act="next"]').click()
    ada.page.get_by_role("button", name="Leave for later").click()
    expect(ada.page).not_to_have_url(re.compile("rate/1$"))
    ada.expect_ready()
    ada.expect_saved()
    ada.page.route("**/declined", lambda route: route.fulfill(status=503, body="{}"))
    next_word = ada.page.locator('[data-ref="next-word"]')
    expect(next_word).to_have_text("Next part")
    mark(ada)
    expect(next_word).to_have_text("Next question")
    ada.page.on("dialog", lambda dialog: dialog.accept())

    ada.page.goto(f"/p/{shop.project.slug}/rate/1")
    ada.expect_ready()

    notice = ada.page.locator('[data-ref="declined"]')
    expect(notice).to_be_visible()
    expect(ada.page.locator('[data-act="none"]')).to_be_hidden()
    expect(next_word).to_have_text("Next question")
    ada.page.unroute_all()
    ada.page.evaluate("dispatchEvent(new Event('online'))")
    ada.expect_saved()
    ada.page.reload()
    expect(notice).to_be_visible()


def test_a_page_left_for_later_is_so_again_once_the_mark_is_taken_back(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=30)
    ada = Rater(live_site, shop, live_site.page_of(shop.ada))
    home = f"/p/{shop.project.slug}/rate"
    start_rating(ada.page, home)
    ada.expect_ready()
    ada.page.locator('[data-act="next"]').click()
    expect(ada.page.locator('[data-ref="reserved"]')).to_have_text(
        "The other answers stay reserved for you for a day."
    )
    ada.page.get_by_role("button", name="Leave for later").click()
    expect(ada.page).not_to_have_url(re.compile("rate/1$"))
    ada.expect_ready()
    second = ada.page.url
    mark(ada)
    # Nothing else is left: rating ends.
    expect(ada.page).not_to_have_url(second)
    ada.page.goto(second)
    ada.expect_ready()

    ada.page.get_by_role("button", name="Take it back").click()
    ada.expect_saved()
    ada.page.goto(f"{home}/done")

    later = ada.page.get_by_role("region", name="Not finished")
    # So is the page on which it was taken back: whoever goes on elsewhere finds it there.
    expect(later.get_by_role("link")).to_have_count(2)
    for place, page in enumerate((f"{home}/1", second.removeprefix(live_site.url))):
        expect(later.get_by_role("link").nth(place)).to_have_attribute("href", page)
    expect(later).to_contain_text("12 answers left")


def test_a_mark_that_cannot_be_taken_back_any_more_stays(rate, live_site, shop):
    live_site.forgive("409")
    ada = rate()
    mark(ada)
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_saved()
    ada.page.goto(f"/p/{shop.project.slug}/rate/1")
    ada.expect_ready()
    assert find_next_batch(live_site.database, shop.project.id, shop.bo.id)

    ada.page.get_by_role("button", name="Take it back").click()

    ada.expect_status(re.compile("too late"))
    expect(ada.page.locator('[data-ref="declined"]')).to_be_visible()


def test_a_page_fetched_ahead_says_no_number_of_what_was_left_for_later_meanwhile(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=48)
    page = live_site.page_of(shop.ada)
    ada = Rater(live_site, shop, start_rating(page, f"/p/{shop.project.slug}/rate"))
    for part in (2, 3, 4):
        ada.expect_ready()
        ada.press("1", "1")
        ada.expect_saved()
        expect(page.locator('[data-ref="next-word"]')).to_have_text("Next part")
        page.wait_for_load_state("networkidle")
        page.locator('[data-act="next"]').click()
        page.get_by_role("button", name="Leave for later").click()
        expect(page.locator(".ask__meta b")).to_have_text(f"Question 1, part {part}")
    ada.expect_saved()
    expect(page.get_by_text("more answers to this question for later")).to_have_count(0)

    page.reload()

    expect(page.get_by_text("You left 30 more answers to this question for later.")).to_be_visible()
