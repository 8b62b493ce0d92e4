"""A page that is reloaded, or opened again, while the network is away: rating goes on, and signing out leaves nothing."""

import re
import time

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.models import Flag, JudgmentNote, Role
from app.services.accounts.memberships import give_role
from tests.browser.rating.conftest import Rater
from tests.furniture.live import start_rating
from tests.furniture.rating import make_workshop

KEPT = "async () => (await (await caches.open('touchstone.questions')).keys()).map(one => new URL(one.url).pathname)"

LEFT = """async () => {
  const cache = await caches.open("touchstone.questions");
  const replies = await Promise.all((await cache.keys()).map(one => cache.match(one, { ignoreVary: true })));
  return replies.some(reply => reply.headers.has("X-Touchstone-Left"));
}"""


COPY_IS_RATED = """async (address) => {
  const copy = await (await caches.open("touchstone.questions")).match(address, { ignoreVary: true });
  return copy && !(await copy.text()).includes('data-grade="" data-reason=""');
}"""


def wait_until(page, script, why, *values):
    """Wait for what a script promises: `wait_for_function` takes the promise itself for true."""
    deadline = time.monotonic() + 20
    while not page.evaluate(script, *values):
        assert time.monotonic() < deadline, why
        page.wait_for_timeout(50)


@pytest.fixture
def ada(live_site):
    """Give somebody with thirty questions of two answers, who has rated the first answer and has three questions here."""
    return with_three_pages(live_site, queries=30, answers=2)


def with_three_pages(live_site, grade="3", **sizes):
    """Return somebody who has rated the first answer and has this page and the next two on their device."""
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    with live_site.making() as make:
        shop = make_workshop(make, **sizes)
    page = start_rating(live_site.page_of(shop.ada, service_workers="allow"), f"/p/{shop.project.slug}/rate")
    ada = Rater(live_site, shop, page)
    ada.expect_ready()
    ada.press(grade)
    ada.expect_saved()
    wait_until(page, f"async () => (await ({KEPT})()).length >= 3", "the next questions were not kept")
    page.evaluate("navigator.serviceWorker.ready")
    page.on("dialog", lambda dialog: dialog.accept())
    return ada


@pytest.mark.everyday
def test_a_page_that_is_reloaded_offline_goes_on_through_the_next_questions(ada):
    ada.page.context.set_offline(True)
    ada.page.reload()
    ada.expect_ready()

    # What was saved before is shown, and no question is asked about it when the network is back.
    assert ada.chosen() == [3, None]
    today = ada.page.locator('[data-ref="today"]')
    expect(today).to_be_hidden()
    ada.press("1")
    ada.page.reload()
    ada.expect_ready()
    assert ada.chosen() == [3, 1]
    for number in (1, 2):
        ada.press("Enter") if number > 1 else ada.page.locator('[data-act="next"]').click()
        expect(ada.page.locator("h1")).to_have_text(f"Question number {number}?")
        ada.expect_ready()
        # How many were done before nobody knows here.
        expect(today).to_be_hidden()
        ada.press("2", "0")
    assert ada.waiting() > 5
    ada.page.context.set_offline(False)
    ada.expect_saved()

    assert ada.stored() == [(3, None), (1, None), (2, None), (0, None), (2, None), (0, None)]
    expect(ada.page.locator('[data-ref="clash"]')).to_be_hidden()


def test_a_question_that_was_left_opens_again_offline_as_it_was(ada):
    ada.page.context.set_offline(True)
    ada.press("1", "Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    wait_until(ada.page, LEFT, "the page was not kept as left")
    ada.page.go_back()
    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    ada.expect_ready()
    assert ada.chosen() == [3, 1]
    # The bar moves the answers when it comes.
    expect(ada.page.locator('[data-ref="offline"]')).to_contain_text("Kept on this device")
    ada.star("A", 2).check(force=True)

    # The next question that is asked for is another one.
    ada.page.goto(f"/p/{ada.shop.project.slug}/rate")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()
    ada.press("u", "Enter")
    ada.expect_status(re.compile(r"Undone. Now “Title \d of q0” is 3 stars"))
    ada.page.get_by_role("link", name="go there").click()
    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    ada.expect_ready()
    assert ada.chosen() == [3, 1]
    ada.page.context.set_offline(False)
    ada.expect_saved()

    assert ada.stored() == [(3, None), (1, None), (2, None), (3, None)]
    expect(ada.page.locator('[data-ref="clash"]')).to_be_hidden()


def test_what_was_opened_online_is_what_is_kept(ada):
    elsewhere = Rater(ada.site, ada.shop, ada.site.page_of(ada.shop.ada))
    elsewhere.page.goto(ada.page.url)
    elsewhere.expect_ready()
    elsewhere.star("B", 1).check(force=True)
    elsewhere.expect_saved()
    ada.page.reload()
    ada.expect_ready()
    ada.page.context.set_offline(True)

    ada.page.reload()
    ada.expect_ready()

    assert ada.chosen() == [3, 1]


def test_what_was_sent_from_home_is_in_what_is_kept(ada):
    address, context = ada.page.url, ada.page.context
    context.set_offline(True)
    ada.press("1")
    ada.page.close()
    context.set_offline(False)
    ada.page = context.new_page()
    ada.page.goto("/")
    expect(ada.page.locator("main")).to_contain_text("2 done by you")
    context.set_offline(True)

    ada.page.goto(address)
    ada.expect_ready()

    assert ada.chosen() == [3, 1]


def test_a_question_that_was_finished_and_not_left_is_no_older_copy_offline(ada):
    address = ada.page.url
    ada.press("1")
    ada.expect_saved()
    wait_until(ada.page, COPY_IS_RATED, "the copy on the device was not brought up to date", address)
    ada.page.context.set_offline(True)

    ada.page.goto(f"/p/{ada.shop.project.slug}/rate/ratings")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    expect(ada.page.locator('[data-ref="offline"]')).to_contain_text("That page is not available now.")

    ada.page.goto(address)
    ada.expect_ready()
    assert ada.chosen() == [3, 1]


def test_a_page_opened_offline_or_a_press_on_start_shows_the_question_at_hand(ada):
    started = ada.page.context.new_page()
    started.goto(f"/p/{ada.shop.project.slug}/rate/done")
    ada.page.context.set_offline(True)
    page = ada.page.context.new_page()
    page.goto(f"/p/{ada.shop.project.slug}/rate")

    expect(page.locator("h1")).to_have_text("Question number 0?")
    # Chromium 150 takes a new page of a context that is offline for online.
    if not page.evaluate("navigator.onLine"):
        expect(page.locator('[data-ref="status"]')).to_have_text(re.compile("Offline"))
    # The policy of the page came with it.
    ada.site.forgive("Content Security Policy")
    inline = "() => { const one = document.createElement('script'); one.text = 'ran = 1'; document.body.append(one); }"
    page.evaluate(inline)
    assert page.evaluate("typeof ran") == "undefined"

    started.evaluate(
        """address => {
          const form = Object.assign(document.createElement("form"), { method: "post", action: address });
          document.body.append(form);
          form.submit();
        }""",
        f"/p/{ada.shop.project.slug}/rate",
    )
    expect(started.locator("h1")).to_have_text("Question number 0?")


def remark(ada, letter, text):
    field = ada.card(letter).locator(".remark textarea")
    if not field.is_visible():
        ada.card(letter).locator(".remark summary").click()
    field.press_sequentially(text)
    field.blur()


def test_notes_and_flags_are_shown_again_whether_they_wait_or_were_sent(ada):
    flag = ada.card("B").locator('[data-act="flag"]')
    question = ada.page.locator('[data-act="flag-question"]')
    remark(ada, "A", "Sent.")
    flag.click()
    ada.expect_saved()
    ada.page.context.set_offline(True)
    ada.page.reload()
    ada.expect_ready()

    # A copy from before both shows them all the same, and what is typed now goes on from there.
    expect(ada.card("A").locator('[data-ref="noted"]')).to_have_text("Your note")
    expect(flag).to_have_attribute("aria-pressed", "true")
    remark(ada, "A", " Waits.")
    flag.click()
    question.click()
    ada.page.reload()
    ada.expect_ready()
    assert ada.card("A").locator(".remark textarea").input_value() == "Sent. Waits."
    expect(flag).to_have_attribute("aria-pressed", "false")
    expect(question).to_have_attribute("aria-pressed", "true")
    ada.page.context.set_offline(False)
    ada.expect_saved()

    with ada.site.database.read() as session:
        assert session.scalars(select(JudgmentNote.text)).all() == ["Sent. Waits."]
        flags = session.execute(select(Flag.candidate_id.is_(None), Flag.state)).all()
    assert sorted(tuple(row) for row in flags) == [(False, "withdrawn"), (True, "open")]


def test_signing_out_leaves_no_question_note_or_rating_on_the_device(ada):
    remark(ada, "A", "Nobody else's business")
    ada.star("B", 2).check(force=True)
    ada.expect_saved()
    assert "touchstone.noted" in ada.page.evaluate("JSON.stringify(localStorage)")
    ada.page.locator(".menu__face").click()
    ada.page.get_by_role("button", name="Sign out").click()
    expect(ada.page.get_by_role("heading", level=1)).to_contain_text("Sign in")

    assert ada.page.evaluate(KEPT) == []
    left = ada.page.evaluate("JSON.stringify(localStorage)")
    assert "business" not in left
    assert "touchstone.noted" not in left


def test_offline_with_everything_rated_a_new_tab_says_so_instead_of_an_error(ada):
    ada.page.context.set_offline(True)
    for number, grades in enumerate(("1", "20", "20")):
        expect(ada.page.locator("h1")).to_have_text(f"Question number {number}?")
        ada.expect_ready()
        ada.press(*grades)
        ada.page.locator('[data-act="next"]').click()
    ada.page.wait_for_timeout(500)

    rated = "All questions on this device are rated."
    for path in ("rate", "", "rate/done"):
        page = ada.page.context.new_page()
        page.goto(f"/p/{ada.shop.project.slug}/{path}".rstrip("/"))
        bar = page.locator('[data-ref="offline"]')
        expect(bar).to_contain_text(rated)
        if path != "rate":
            stops = "You can stop here" if path else "That page is not available now."
            expect(bar).to_contain_text(stops)
        page.close()
    ada.page.context.set_offline(False)
    expect(ada.page.locator("h1")).to_have_text("Question number 3?")
    assert len(ada.stored()) == 6


def test_done_for_now_offline_stays_and_says_that_one_may_stop(ada):
    ada.page.context.set_offline(True)
    address = ada.page.url
    bar = ada.page.locator('[data-ref="offline"]')

    ada.page.get_by_role("link", name="Done for now").click()

    expect(bar).to_contain_text("You are offline. You can stop here: nothing is lost.")
    assert ada.page.url == address
    ada.star("B", 1).check(force=True)
    stops = "You can stop here. Open this site on this device when you are online again: it then sends"
    expect(bar).to_have_text(f"You are offline. {stops} 1 rating. ")
    ada.press("u")
    expect(bar).to_have_text("You are offline. You can stop here: nothing is lost. ")
    ada.page.context.set_offline(False)
    ada.expect_saved()
    expect(bar).to_be_hidden()
    ada.page.get_by_role("link", name="Done for now").click()
    expect(ada.page.locator("h1")).to_have_text("Done for now")


def test_online_again_with_nothing_to_send_nothing_says_that_the_server_does_not_answer(ada, live_site):
    live_site.forgive("ERR_FAILED")
    bar = ada.page.locator('[data-ref="offline"]')
    for is_away in (False, True):
        ada.page.context.set_offline(True)
        ada.page.get_by_role("link", name="Done for now").click()
        expect(bar).to_contain_text("You are offline. You can stop here: nothing is lost.")

        if is_away:
            ada.page.route("**/api/v1/session", lambda route: route.abort())
            # The page asks once by itself, and then again after five seconds.
            with ada.page.expect_event("requestfailed", lambda asked: asked.url.endswith("/api/v1/session")):
                ada.page.context.set_offline(False)
        else:
            ada.page.context.set_offline(False)
        if is_away:
            expect(bar).to_contain_text("The server does not answer. You can stop here: nothing is lost.")
            ada.page.unroute("**/api/v1/session")
            ada.page.get_by_role("button", name="Try now").click()
        expect(bar).to_be_hidden()
        ada.expect_status(re.compile("^Saved|^All ratings saved"))


def test_a_page_that_was_left_for_later_is_nothing_that_waits(rate, live_site):
    live_site.forgive("ERR_")
    ada = rate()
    ada.page.route("**/batches", lambda route: route.abort())
    ada.page.wait_for_timeout(2500)
    ada.page.context.set_offline(True)
    bar = ada.page.locator('[data-ref="offline"]')

    ada.page.locator('[data-act="next"]').click()
    ada.page.get_by_role("button", name="Leave for later").click()

    ada.expect_status(re.compile("The next page needs a connection"))
    assert ada.waiting() == 1
    expect(bar).to_have_text(re.compile("^\\s*You are offline. You can continue rating."))
    ada.page.wait_for_timeout(5000)
    ada.page.evaluate("dispatchEvent(new Event('online'))")
    ada.expect_status("Offline")
    ada.page.get_by_role("link", name="Done for now").click()
    expect(bar).to_have_text("You are offline. You can stop here: nothing is lost. ")
    ada.page.context.set_offline(False)
    ada.expect_saved()
    expect(bar).to_be_hidden()


def test_no_page_counts_the_place_that_waits(rate, live_site):
    live_site.forgive("ERR_FAILED")
    ada = rate()
    ada.press("1")
    ada.expect_saved()
    ada.page.wait_for_timeout(2500)
    asked = []
    ada.page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    ada.page.route("**/state", lambda route: route.abort())
    ada.page.locator('[data-act="next"]').click()
    ada.page.get_by_role("button", name="Leave for later").click()
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")

    ada.page.goto(f"/p/{ada.shop.project.slug}/rate/done")

    assert ada.waiting() > 0
    told = ada.page.locator('[data-ref="waiting"]')
    expect(told).to_have_text("Everything you sent is saved. You can close this page.")
    expect(told).not_to_have_class(re.compile("saved--off"))
    ada.page.locator(".menu__face").click()
    ada.page.get_by_role("button", name="Sign out").click()
    expect(ada.page.get_by_role("heading", level=1)).to_contain_text("Sign in")
    assert asked == []


def test_a_question_left_for_later_offline_is_shown_again_and_not_called_rated(ada):
    ada.page.context.set_offline(True)
    ada.page.locator('[data-act="next"]').click()
    ada.page.get_by_role("button", name="Leave for later").click()
    for number in (1, 2):
        expect(ada.page.locator("h1")).to_have_text(f"Question number {number}?")
        ada.expect_ready()
        ada.press("2", "0")
        ada.page.locator('[data-act="next"]').click()
    ada.page.wait_for_timeout(500)

    page = ada.page.context.new_page()
    page.goto(f"/p/{ada.shop.project.slug}/rate")

    expect(page.locator("h1")).to_have_text("Question number 0?")
    bar = page.locator('[data-ref="offline"]')
    expect(bar).to_be_visible()
    expect(bar).not_to_contain_text("is rated")


def test_from_one_project_nobody_is_led_to_another_one_offline(ada, live_site):
    with live_site.making() as make:
        other = make_workshop(make, queries=1, answers=1, name="The other project")
        give_role(make.session, other.project.id, ada.shop.ada.id, Role.ANNOTATOR)
    page = ada.page.context.new_page()
    start_rating(page, f"/p/{other.project.slug}/rate")
    there = Rater(live_site, other, page)
    there.expect_ready()
    there.press("1")
    there.expect_saved()
    page.wait_for_timeout(1500)
    assert f"/p/{other.project.slug}/rate/1" in page.evaluate(KEPT)
    ada.page.context.set_offline(True)
    bar = page.locator('[data-ref="offline"]')

    # The browser believes that it is online: the page itself stops nobody.
    page.evaluate("Object.defineProperty(navigator, 'onLine', { get: () => true })")
    page.get_by_role("link", name="Done for now").click()
    page.wait_for_url("**/rate/1?offline=stop")
    expect(bar).to_contain_text("You can stop here: nothing is lost.")
    page.goto(f"/p/{other.project.slug}/rate/ratings")
    assert f"/p/{other.project.slug}/rate" in page.url
    expect(bar).to_contain_text("You see a question of “The other project” instead.")


def test_undo_from_the_next_question_builds_on_what_was_sent_after_a_reload_offline(ada):
    # The page that is kept is older than this.
    ada.star("A", 2).click(force=True)
    ada.expect_saved()
    ada.page.context.set_offline(True)
    for grade in (3, 1, 0):
        ada.star("A", grade).click(force=True)
    ada.press("u")
    ada.page.reload()
    ada.expect_ready()
    ada.page.context.set_offline(False)
    ada.expect_saved()
    ada.page.locator('[data-act="next"]').click()
    ada.page.get_by_role("button", name="Leave for later").click()
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()

    ada.press("u", "Enter")
    ada.expect_status(re.compile(r"Undone. Now “Title \d of q0” is 3 stars"))
    ada.expect_saved()

    assert ada.stored()[-1] == (3, None)
    expect(ada.page.locator('[data-ref="clash"]')).to_be_hidden()


def test_the_button_for_the_rest_keeps_its_name_when_another_part_is_reloaded_offline(live_site):
    ada = with_three_pages(live_site, "0", queries=1, answers=30)
    rest = ada.page.locator('[data-act="none"]')
    # The other parts were fetched before this.
    ada.press("3")
    ada.expect_saved()

    for is_second in (True, False):
        address = ada.page.url
        ada.page.locator('[data-act="next"]').click()
        ada.page.get_by_role("button", name="Leave for later").click()
        expect(ada.page).not_to_have_url(address)
        ada.expect_ready()
        expect(rest).to_have_text("Give the rest of the question 0 stars")
        wait_until(ada.page, LEFT, "the page was not kept as left")
        if is_second:
            ada.page.context.set_offline(True)
        ada.page.reload()
        ada.expect_ready()
        expect(rest).to_have_text("Give the rest of the question 0 stars")
    ada.page.context.set_offline(False)
    ada.expect_saved()
    expect(rest).to_have_text("Give the rest of the question 0 stars")
