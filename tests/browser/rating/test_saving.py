"""Saving: on the device first, sent behind, never lost, never as somebody else; conflicts are decided by people."""

import re

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.models import Judgment, Person
from tests.browser.rating.conftest import Rater
from tests.furniture.live import PHONE, start_rating

TOP_OF_C = "() => document.querySelector('[data-letter=C]').getBoundingClientRect().top"


def cut(page, *, judgments_only=False):
    """Cut the network; pages and scripts that are here stay."""
    page.context.set_offline(True)


def saved_and_behind(rate, live_site, shop):
    """Return one device on which answer A has a star, which is saved, and one whose page was open before."""
    live_site.forgive("409")
    ada, other = rate(), rate(shop.ada)
    ada.press("1")
    ada.expect_saved()
    return ada, other


def test_ratings_survive_a_cut_network_and_are_sent_when_it_is_back(rate, live_site):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    ada = rate()
    cut(ada.page)

    ada.press("3", "0", "1")

    assert ada.waiting() == 3
    expect(ada.page.locator('[data-ref="offline"]')).to_contain_text(
        "Kept on this device and sent later: 3 ratings."
    )
    ada.expect_status("Offline. Kept on this device: 3 ratings")
    # An undone rating waits as well, and is no answer; nor is a rating cleared that was never saved.
    ada.press("u")
    expect(ada.page.locator('[data-ref="offline"]')).to_contain_text(
        "Kept on this device and sent later: 2 ratings."
    )
    # Answers are counted, however often each was rated.
    ada.star("A", 2).check(force=True)
    ada.expect_status("Offline. Kept on this device: 2 ratings")
    assert ada.waiting() == 5
    assert ada.stored() == []
    ada.page.context.set_offline(False)
    ada.expect_saved()
    expect(ada.page.locator('[data-ref="offline"]')).to_be_hidden()
    assert ada.stored() == [(3, None), (0, None), (1, None), (None, "cleared"), (2, None)]


def test_nothing_is_ticked_before_it_is_stored_and_a_cleared_rating_is_a_change_only_where_it_was(
    rate, live_site
):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    ada = rate()
    icon, bar = ada.page.locator('[data-ref="status"] use'), ada.page.locator('[data-ref="offline"]')
    ada.press("3")
    ada.expect_saved()
    expect(icon).to_have_attribute("href", "#i-check")
    cut(ada.page)
    ada.page.locator('[data-act="none"]').click()
    expect(bar).to_contain_text("sent later: 1 change.")

    ada.press("u")
    expect(bar).not_to_contain_text("sent later")
    assert ada.waiting() == 2
    ada.press("u")
    expect(bar).to_contain_text("sent later: 1 change.")
    ada.expect_status("Undone. Now answer A is not rated")
    expect(icon).to_have_attribute("href", "#i-cloud")
    ada.card("A").locator('[data-act="flag"]').click()
    ada.expect_status("The report on answer A is kept on this device. Press the button again to take it back")
    expect(icon).to_have_attribute("href", "#i-cloud")
    ada.press("Escape", "u")
    ada.expect_status("Answer A is not reported any more")
    expect(icon).to_have_attribute("href", "#i-cloud")
    ada.press("s", "1")
    ada.expect_status("Answer A: can’t judge. Kept on this device")
    ada.press("u")
    ada.page.context.set_offline(False)
    ada.expect_saved()

    expect(icon).to_have_attribute("href", "#i-check")
    assert ada.current() == [None, None, None]


def test_what_was_taken_back_is_counted_while_it_waits(rate, live_site):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    ada = rate()
    # The next question is on this device.
    ada.press("3", "3", "3")
    ada.expect_saved()
    ada.page.wait_for_timeout(2500)
    cut(ada.page)
    bar = ada.page.locator('[data-ref="offline"]')

    def waits(amount):
        expect(bar).to_contain_text(f"Kept on this device and sent later: {amount}.")

    ada.card("B").locator(".remark summary").click()
    ada.card("B").locator(".remark textarea").fill("why")
    ada.card("B").locator(".remark textarea").blur()
    waits("1 change")
    ada.page.locator('[data-act="flag-question"]').evaluate("button => button.form.requestSubmit(button)")
    ada.expect_status(
        "The report on the question is kept on this device. Press the button again to take it back"
    )
    waits("2 changes")
    ada.press("u")
    waits("2 changes")
    ada.press("u")
    waits("2 changes")
    ada.press("u")
    waits("3 changes")
    ada.page.locator('[data-act="next"]').click()
    ada.page.get_by_role("button", name="Leave for later").click()
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    waits("3 changes")
    ada.page.context.set_offline(False)
    ada.expect_saved()


def test_what_waits_is_sent_when_asked_for_and_warned_of_shown_and_sent_over_a_reload(rate, live_site):
    live_site.forgive("503")
    ada = rate()
    later = {"Retry-After": "30"}
    ada.page.route("**/judgment", lambda route: route.fulfill(status=503, headers=later, body="{}"))
    ada.press("2")
    ada.expect_status(re.compile("Not saved, retrying"))
    ada.page.unroute("**/judgment")
    ada.page.get_by_role("button", name="Try now").click()
    ada.expect_saved()
    assert ada.stored() == [(2, None)]

    ada.page.route("**/judgment", lambda route: route.fulfill(status=503, body="{}"))
    ada.star("B", 3).check(force=True)
    ada.star("C", 0).check(force=True)
    ada.expect_status(re.compile("Not saved, retrying"))
    asked = []
    ada.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    ada.page.unroute("**/judgment")
    ada.page.reload()
    ada.expect_ready()

    assert asked == ["beforeunload"]
    assert ada.chosen() == [2, 3, 0]
    ada.expect_saved()
    assert ada.stored() == [(2, None), (3, None), (0, None)]


def test_an_answer_that_is_lost_on_its_way_back_is_stored_once(rate, live_site):
    live_site.forgive("ERR_FAILED")
    ada = rate()
    lost = []

    def lose_the_reply(route):
        route.fetch()
        lost.append(route)
        route.abort() if len(lost) == 1 else route.continue_()

    ada.page.route("**/judgment", lose_the_reply)
    ada.press("2")
    ada.expect_saved()

    assert len(lost) == 2
    assert ada.stored() == [(2, None)]


def test_two_devices_disagree_and_the_person_decides_and_where_they_agree_nothing_is_asked(
    rate, live_site, shop
):
    ada, other = saved_and_behind(rate, live_site, shop)
    note = other.page.locator('[data-ref="clash"]')

    other.press("3")
    expect(note).to_contain_text(
        "On this page: 3 stars. Already saved: 1 star. Which rating do you want to keep?"
    )
    note.get_by_role("button", name="Keep: 3 stars").click()
    expect(note).to_be_hidden()
    other.expect_saved()
    assert ada.stored() == [(1, None), (3, None)]

    other.star("A", 0).check(force=True)
    other.expect_saved()
    ada.press("k", "2")
    clash = ada.page.locator('[data-ref="clash"]')
    clash.get_by_role("button", name="Keep: 0 stars").click()
    ada.expect_saved()
    assert ada.chosen()[0] == 0
    assert ada.stored() == [(1, None), (3, None), (0, None)]

    # To choose the saved star leaves nothing to decide.
    ada.star("B", 1).check(force=True)
    ada.expect_saved()
    other.star("B", 3).check(force=True)
    expect(note).to_be_visible()
    other.star("B", 1).evaluate("star => star.click()")
    expect(note).to_be_hidden()
    other.expect_saved()
    assert other.chosen()[1] == 1
    assert ada.stored()[3:] == [(1, None)]

    ada.star("C", 2).check(force=True)
    ada.expect_saved()
    other.star("C", 2).check(force=True)
    other.expect_saved()
    expect(note).to_be_hidden()
    assert ada.stored()[4:] == [(2, None)]


@pytest.mark.parametrize("scrolled", [0, 40, 400])
def test_what_appears_by_itself_moves_no_answer(rate, live_site, shop, scrolled):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    _, other = saved_and_behind(rate, live_site, shop)

    def stays(act, appears):
        other.page.evaluate(f"scrollTo(0, {scrolled})")
        before = other.page.evaluate(TOP_OF_C)
        act()
        expect(other.page.locator(f'[data-ref="{appears}"]')).to_be_visible()
        # A line of words in the bar above may take a few pixels more or less; stars are 40 high.
        assert abs(other.page.evaluate(TOP_OF_C) - before) < 8

    stays(lambda: other.star("A", 3).evaluate("star => star.click()"), "clash")
    other.page.get_by_role("button", name="Keep: 3 stars").click()
    other.expect_saved()
    cut(other.page)
    stays(lambda: other.star("B", 3).evaluate("star => star.click()"), "offline")


@pytest.mark.parametrize("scrolled", [0, 20])
def test_trying_again_moves_no_answer(rate, live_site, scrolled):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    ada = rate()
    cut(ada.page)
    ada.press("3")
    bar = ada.page.locator('[data-ref="offline"]')
    expect(bar).to_contain_text("sent later: 1 rating")
    ada.page.evaluate(f"scrollTo(0, {scrolled})")
    before = ada.page.evaluate(TOP_OF_C)

    ada.star("B", 3).evaluate("star => star.click()")

    expect(bar).to_contain_text("sent later: 2 ratings")
    assert abs(ada.page.evaluate(TOP_OF_C) - before) < 8


def test_what_is_decided_in_one_tab_is_decided_in_the_other(rate, live_site):
    for expected in ("409", "ERR_INTERNET_DISCONNECTED"):
        live_site.forgive(expected)
    ada = rate()
    ada.page.on("dialog", lambda dialog: dialog.accept())
    tab = ada.page.context.new_page()
    tab.goto(ada.page.url)
    other = Rater(ada.site, ada.shop, tab)
    other.expect_ready()
    for keep in (False, True):
        cut(ada.page)
        first, second = (1, 3) if keep else (2, 3)
        ada.star("C", first).check(force=True)
        other.star("C", second).check(force=True)
        ada.page.context.set_offline(False)
        saved, waits = (f"{grade} star{'s' * (grade > 1)}" for grade in (first, second))
        for each, says in (
            (ada, f"Saved: {saved}. In another tab, not saved yet: {waits}."),
            (other, f"On this page: {waits}. Already saved: {saved}."),
        ):
            note = each.page.locator('[data-ref="clash"]')
            expect(note).to_contain_text(says)
            assert ada.stored()[-1][0] == first, "what the question calls saved is saved"
            # The stars show what is asked about, and the way to the question is one press long.
            assert each.chosen()[2] == second
            each.page.get_by_role("button", name="Choose which rating to keep").click()
            expect(note).to_be_focused()
            expect(note).to_be_in_viewport()
        ada.page.get_by_role("button", name=f"Keep: {waits if keep else saved}").click()
        ada.expect_saved()

        for each in (ada, other):
            expect(each.page.locator('[data-ref="clash"]')).to_be_hidden()
            expect(each.star("C", second if keep else first)).to_be_checked()
    assert ada.stored() == [(2, None), (1, None), (3, None)]


def sign_out(ada):
    """End the session behind the page's back, as after thirty days."""
    ada.page.context.clear_cookies()


def sign_in(ada, person):
    ada.page.context.add_cookies([ada.site._cookie_of(person)])


def test_after_signing_in_again_beside_the_page_everything_is_sent(rate, live_site, shop):
    # Signed out first, then signed in with a token that the page does not know yet.
    for expected in ("401", "400"):
        live_site.forgive(expected)
    ada = rate()
    sign_out(ada)

    ada.press("3", "1")
    ada.expect_status("Signed out. Sign in to send 2 ratings")
    assert ada.stored() == []
    sign_in(ada, shop.ada)
    ada.page.evaluate("window.dispatchEvent(new Event('focus'))")
    ada.expect_saved()
    assert ada.stored() == [(3, None), (1, None)]

    # Another session of the same account, as after signing in anew in another tab: nothing needs to be said.
    sign_out(ada)
    sign_in(ada, shop.ada)
    ada.press("2")
    ada.expect_saved()
    assert ada.stored() == [(3, None), (1, None), (2, None)]


def test_nothing_is_ever_sent_as_another_account(rate, live_site, shop):
    for expected in ("400", "401"):
        live_site.forgive(expected)
    with live_site.making() as make:
        bo = make.session.get_one(Person, shop.bo.id)
        make.session.expunge(bo)
    ada = rate()
    sign_out(ada)
    sign_in(ada, bo)

    ada.press("3")
    ada.expect_status("Someone else is signed in. Kept on this device for you: 1 rating.")
    assert ada.stored() == []
    page = ada.page.context.new_page()
    start_rating(page, f"/p/{shop.project.slug}/rate")
    page.locator('[data-ref="status"]:not(:empty)').wait_for()
    with page.expect_response("**/judgment"):
        page.keyboard.press("1")
    # Bo's has gone; Ada's still waits on the device. Each tab learns of the other's storage a little later.
    for tab in (page, ada.page):
        tab.wait_for_function(
            "Object.keys(localStorage).filter(key => key.startsWith('touchstone.outbox')).length === 1"
        )

    with live_site.database.read() as session:
        rows = session.execute(select(Judgment.annotator_id, Judgment.grade)).all()
    assert rows == [(bo.id, 1)]
    ada.page.on("dialog", lambda dialog: dialog.accept())


def press_sign_out(ada):
    ada.page.locator(".menu__face").click()
    ada.page.get_by_role("button", name="Sign out").click()


def test_signing_out_asks_once_while_something_waits(rate, live_site):
    live_site.forgive("503")
    ada = rate()
    ada.page.route("**/judgment", lambda route: route.fulfill(status=503, body="{}"))
    ada.press("3")
    asked, stay = [], [True]

    def answer(dialog):
        asked.append((dialog.type, dialog.message))
        dialog.dismiss() if stay.pop() else dialog.accept()

    ada.page.on("dialog", answer)
    with ada.page.expect_event("dialog"):
        press_sign_out(ada)
    assert "Not sent yet: 1 rating. Kept on this device" in asked[0][1]
    assert "/rate/" in ada.page.url

    stay.append(False)
    ada.page.get_by_role("button", name="Sign out").click()
    ada.page.wait_for_url("**/sign-in**")
    assert [kind for kind, _ in asked] == ["confirm", "confirm"]


def test_nobody_is_signed_out_offline_or_while_the_server_does_not_answer(rate, live_site):
    for one in ("ERR_CONNECTION_REFUSED", "ERR_INTERNET_DISCONNECTED", "503"):
        live_site.forgive(one)
    ada = rate()
    told = []
    ada.page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.accept()))
    cut(ada.page)
    press_sign_out(ada)
    assert told == ["You are offline. You can sign out when the connection is back."]
    assert "/rate/" in ada.page.url

    for broken in ("gone", "failing"):
        away(ada.page, broken)
        ada.page.context.set_offline(False)
        if broken == "gone":
            ada.press("3")
        ada.expect_status(re.compile("Not sent|Not saved"))
        with ada.page.expect_event("dialog"):
            ada.page.get_by_role("button", name="Sign out").click()
        assert told.pop() == "The server does not answer. You can sign out when the connection is back."
        assert "/rate/" in ada.page.url
        assert ada.waiting() == 1
    # What waited may be sent in the very moment in which the account is signed out: it is refused, and kept.
    live_site.forgive("401")
    ada.page.unroute_all()
    ada.page.get_by_role("button", name="Sign out").click()
    ada.page.wait_for_url("**/sign-in**")
    assert ada.stored() == [(3, None)] or ada.waiting() == 1


def away(page, broken):
    """Let the server not answer what scripts and forms send: at all, or what a proxy says in its place."""
    reply = {
        "gone": lambda route: route.abort("connectionrefused"),
        "failing": lambda route: route.fulfill(status=503, body="{}"),
    }
    for path in ("**/api/v1/**", "**/sign-out"):
        page.route(path, reply[broken])


def test_with_only_the_server_away_all_pages_say_so_and_send_from_home_when_it_is_back(rate, live_site):
    for one in ("ERR_CONNECTION_REFUSED", "ERR_INTERNET_DISCONNECTED", "503"):
        live_site.forgive(one)
    ada = rate()
    ada.page.on("dialog", lambda dialog: dialog.accept())
    away(ada.page, "gone")
    ada.press("2")
    waits = "Kept on this device and sent later: 1 rating."
    bar = ada.page.locator('[data-ref="offline"]')
    expect(bar).to_contain_text(f"The server does not answer. {waits}")
    expect(bar).not_to_contain_text("offline")
    expect(bar.get_by_role("button", name="Try now")).to_be_visible()
    ada.expect_status("Not sent. Kept on this device: 1 rating")

    line = ada.page.locator('[data-ref="waiting"]')
    for address, broken in ((f"/p/{ada.shop.project.slug}/rate/done", "gone"), ("/", "failing")):
        away(ada.page, broken)
        ada.page.goto(address)
        expect(line).to_have_text(f"The server does not answer. {waits}")
        ada.page.context.set_offline(True)
        ada.page.evaluate("dispatchEvent(new Event('online'))")
        expect(line).to_have_text(f"You are offline. {waits}")
        ada.page.context.set_offline(False)
    assert "1 done by you" not in ada.page.inner_text("main")
    ada.page.unroute_all()
    expect(ada.page.locator("main")).to_contain_text("1 done by you")
    expect(line.filter(has_text="1 answer")).to_be_hidden()
    expect(ada.page.locator("[data-quiet]")).to_be_hidden()
    assert ada.stored() == [(2, None)]


def test_what_waits_is_counted_alike_wherever_it_is_told(rate, live_site):
    live_site.forgive("401")
    ada = rate()
    sign_out(ada)
    ada.card("B").locator('[data-act="flag"]').click()
    ada.expect_status("Signed out. Sign in to send 1 change")
    asked = []
    ada.page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))

    ada.star("A", 2).check(force=True)
    ada.expect_status("Signed out. Sign in to send 2 changes")
    with ada.page.expect_event("dialog"):
        press_sign_out(ada)

    assert "Not sent yet: 2 changes." in asked[0]


CHOOSE_SIXTY = """() => {
  const card = document.querySelector('[data-letter="A"]');
  const stars = [1, 2].map((grade) => card.querySelector(`.stars input[value="${grade}"]`));
  for (let number = 0; number < 60; number += 1) {
    stars[number % 2].dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    stars[number % 2].click();
  }
}"""


def test_sixty_waiting_ratings_are_flushed(rate, live_site):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    ada = rate()
    cut(ada.page)
    ada.press("j")
    ada.page.evaluate(CHOOSE_SIXTY)
    assert ada.waiting() == 60
    ada.expect_status("Offline. Kept on this device: 1 rating")

    ada.page.context.set_offline(False)
    ada.expect_saved()

    assert [grade for grade, _ in ada.stored()] == [1, 2] * 30


def test_a_closed_project_says_so_and_goes_on(rate, live_site, shop):
    live_site.forgive("409")
    ada = rate()
    with live_site.making() as make:
        make.session.get_one(type(shop.project), shop.project.id).state = "closed"

    ada.press("2")

    ada.expect_status(re.compile("closed rating"))
    assert ada.chosen() == [None, None, None]
    assert ada.stored() == []


@pytest.mark.everyday
@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "has_touch": True, "is_mobile": True}])
def test_the_mouse_and_a_finger_rate_without_moving_on(rate, options):
    ada = rate(**options)
    tap = "tap" if options else "click"

    getattr(ada.star("B", 2), tap)(force=True)
    ada.expect_saved()

    assert ada.chosen() == [None, 2, None]
    with ada.site.database.read() as session:
        stored = session.scalars(select(Judgment)).one()
    assert stored.input.name == ("TOUCH" if options else "MOUSE")
    assert (stored.place, stored.length, stored.batch) == (2, 3, 1)


def test_a_step_that_met_a_rating_from_elsewhere_shows_what_is_stored(rate, shop):
    ada, elsewhere = rate(), rate(shop.ada)
    other = elsewhere.page
    ada.press("2")
    ada.expect_saved()

    other.get_by_role("button", name="No good answer").click()

    expect(other.locator('[data-letter="A"] .stars input[value="2"]')).to_be_checked()
    expect(other.locator('[data-letter="B"] .stars input[value="0"]')).to_be_checked()
    elsewhere.expect_saved()
    assert ada.current() == [2, 0, 0]


def test_where_rating_ends_answers_with_two_ratings_are_counted_and_can_be_opened(rate, shop, live_site):
    live_site.forgive("503")
    live_site.forgive("409")
    ada, elsewhere = rate(), rate(shop.ada)
    ada.page.route("**/judgment", lambda route: route.fulfill(status=503, body="{}"))
    ada.press("2", "1")
    ada.star("A", 3).check(force=True)
    elsewhere.press("0", "0")
    elsewhere.expect_saved()
    ada.page.on("dialog", lambda dialog: dialog.accept())
    ada.page.unroute("**/judgment")

    ada.page.goto(f"/p/{shop.project.slug}/rate/done")

    line = ada.page.locator('[data-ref="waiting"]')
    expect(line).to_contain_text(
        "Not saved yet: 2 answers have two different ratings each. Open “Question number 0?” and choose one."
    )
    line.get_by_role("link").click()
    ada.expect_status("You gave an answer two different ratings. Choose which rating to keep")


def test_a_browser_that_stores_nothing_still_sends_and_says_what_to_do(rate, live_site):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    ada = rate()
    refuse = "() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; }"
    ada.page.evaluate(refuse)
    cut(ada.page)

    ada.press("2")
    ada.expect_status("Offline. Kept in this tab only, leave it open: 1 rating")
    # The bar says the same.
    expect(ada.page.locator('[data-ref="offline"]')).to_have_text(
        "You are offline. Kept in this tab only: 1 rating. Leave it open until that is sent."
    )
    ada.page.context.set_offline(False)
    expect(ada.page.locator('[data-ref="offline"]')).to_be_hidden()
    ada.expect_status(re.compile("Saved|All ratings saved"))

    assert ada.stored() == [(2, None)]
