"""Rating by keyboard: a digit is a grade, focus is the current answer, nothing fires while somebody types."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from app.models import Query
from tests.browser.rating.conftest import Rater
from tests.furniture.live import start_rating


@pytest.mark.everyday
def test_a_batch_is_rated_with_digits_alone_and_enter_goes_on(rate):
    ada = rate()
    expect(ada.page.locator("h1")).to_be_focused()

    ada.press("3", "0", "1")
    ada.expect_saved()

    assert ada.chosen() == [3, 0, 1]
    assert ada.current() == [3, 0, 1]
    expect(ada.page.locator('[data-act="next"]')).to_be_focused()
    ada.press("Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")


def test_every_question_of_a_project_is_rated_without_a_chord(rate, live_site, shop):
    ada = rate()

    for number in range(2):
        expect(ada.page.locator("h1")).to_have_text(f"Question number {number}?")
        ada.expect_ready()
        ada.press("1", "2", "3", "Enter")

    expect(ada.page.locator("h1")).to_have_text("Nothing left to rate")
    assert ada.current() == [1, 1, 2, 2, 3, 3] or sorted(ada.current()) == [1, 1, 2, 2, 3, 3]


def test_j_and_k_move_without_changing_anything(rate):
    ada = rate()

    ada.press("j", "j", "k")

    expect(ada.card("A")).to_have_class("card ans ans--now")
    assert ada.stored() == []


def test_a_rated_answer_keeps_its_place_and_can_be_changed(rate):
    ada = rate()
    before = ada.cards.evaluate_all("cards => cards.map(card => card.dataset.answer)")

    ada.press("3", "k", "1")
    ada.expect_saved()

    assert ada.cards.evaluate_all("cards => cards.map(card => card.dataset.answer)") == before
    assert ada.stored() == [(3, None), (1, None)]


def test_c_clears_to_not_rated_which_is_not_zero(rate):
    ada = rate()

    ada.press("0", "k", "c")
    ada.expect_saved()

    assert ada.chosen() == [None, None, None]
    assert ada.stored() == [(0, None), (None, "cleared")]
    expect(ada.card("A")).not_to_have_class("card ans ans--done ans--now")


def test_s_opens_the_reasons_a_digit_picks_one_and_escape_leaves_all_as_it_was(rate):
    ada = rate()

    ada.press("j", "s", "Escape")
    assert ada.stored() == []
    expect(ada.star("A", 0)).to_be_focused()
    ada.press("s", "4")
    ada.expect_saved()

    assert ada.stored() == [(None, "language")]
    expect(ada.card("A").locator('[data-ref="cant"]')).to_have_text("Marked “can’t judge”")
    expect(ada.star("B", 0)).to_be_focused()


def test_escape_closes_the_reasons_for_a_whole_question(rate):
    ada = rate()
    reasons = ada.page.locator(".cant-all")

    reasons.locator("summary").click()
    expect(reasons).to_have_attribute("open", "")
    ada.press("Escape")

    expect(reasons).not_to_have_attribute("open", "")
    expect(reasons.locator("summary")).to_be_focused()


def test_a_short_aim_of_the_question_is_told_on_every_screen(rate, live_site, shop):
    with live_site.making() as make:
        make.session.get_one(Query, shop.queries[0].id).intent = "Put it right at the roadside."
    for width in (390, 1280):
        ada = rate(viewport={"width": width, "height": 800})
        if width == 390:
            ada.page.get_by_text("More about this question").click()
        expect(ada.page.get_by_text("Put it right at the roadside.").filter(visible=True)).to_have_count(1)


def test_a_reason_stays_where_it_is_by_mouse_and_moves_on_by_key_only_for_who_wants_it(rate):
    ada = rate(viewport={"width": 1280, "height": 420})
    ada.card("A").locator(".cant summary").click()
    ada.page.evaluate("scrollBy(0, 30)")
    before = ada.page.evaluate("scrollY")

    ada.card("A").locator(".cant button").nth(3).click()

    expect(ada.card("A").locator('[data-ref="cant"]')).to_have_text("Marked “can’t judge”")
    expect(ada.card("A").locator(".cant summary")).to_be_focused()
    assert ada.page.evaluate("scrollY") == before
    ada.press("?")
    ada.page.locator('[data-switch="advance"]').click()
    ada.press("?", "j", "s", "2")
    expect(ada.card("B").locator('[data-ref="cant"]')).to_have_text("Marked “can’t judge”")
    expect(ada.star("B", 0)).to_be_focused()


# What the key 2 says on a French keyboard, without and with Shift; and on an English one with Shift.
STROKES = [("é", False, 2), ("2", True, 2), ("@", True, None)]


@pytest.mark.parametrize(("sign", "shift", "grade"), STROKES)
def test_a_digit_is_its_key_on_keyboards_that_write_it_with_shift(rate, sign, shift, grade):
    ada = rate()
    ada.press("j")

    stroke = {"key": sign, "code": "Digit2", "shiftKey": shift, "bubbles": True, "cancelable": True}
    ada.page.evaluate(
        "how => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', how))", stroke
    )

    assert ada.chosen() == [grade, None, None]


def test_digits_typed_into_a_note_are_a_note(rate, live_site):
    ada = rate()

    ada.press("j", "n")
    ada.page.keyboard.type("1 2 3 jkscu?")
    ada.press("Escape")
    ada.expect_saved()

    assert ada.stored() == []
    expect(ada.star("A", 0)).to_be_focused()
    ada.page.reload()
    expect(ada.card("A").locator("textarea")).to_have_value("1 2 3 jkscu?")


@pytest.mark.parametrize("way", ["click", "tap"])
def test_whoever_opens_a_note_types_into_it(rate, way):
    ada = rate(has_touch=way == "tap")
    card = ada.card("B")
    summary = card.locator(".remark summary")
    getattr(summary, way)()
    ada.page.keyboard.type("so 1 step is missing")
    ada.press("Escape")
    ada.expect_saved()

    assert ada.stored() == []
    ada.page.reload()
    expect(card.locator("textarea")).to_have_value("so 1 step is missing")
    summary.click()
    expect(card.locator("textarea")).to_be_focused()
    summary.click()
    expect(card.locator("textarea")).to_be_hidden()


def test_f_flags_and_e_unfolds(rate, live_site, shop):
    with live_site.making() as make:
        for document in shop.documents[shop.queries[0].id]:
            make.session.merge(document).text = "A sentence of some words. " * 100
    ada = rate()

    ada.press("j", "f", "e")
    ada.expect_saved()

    expect(ada.card("A").locator('[data-act="flag"]')).to_have_attribute("aria-pressed", "true")
    expect(ada.card("A").locator(".full")).to_have_attribute("open", "")


def test_a_report_says_that_it_holds_and_how_to_take_it_back(rate):
    ada = rate()
    button = ada.card("A").locator('[data-act="flag"]')

    button.click()
    ada.expect_status("Answer A is reported. Press the button again to take it back")
    expect(button).to_have_accessible_name("Reported answer A Press again to take it back")
    ada.expect_saved()
    ada.page.reload()
    expect(button).to_have_accessible_name("Reported answer A Press again to take it back")
    ada.expect_ready()
    button.click()

    expect(button).to_have_accessible_name("Report problem answer A")
    ada.expect_status("Answer A is not reported any more")


def test_arrows_in_a_group_commit_only_where_they_stop(rate):
    ada = rate()
    ada.press("1", "k")
    ada.expect_saved()

    with ada.page.expect_response("**/judgment"):
        ada.press("ArrowRight", "ArrowRight")
    ada.expect_saved()

    assert ada.stored() == [(1, None), (3, None)]


@pytest.mark.parametrize(
    ("before", "key", "shown", "ledger"),
    [
        (None, "c", None, []),
        (1, "1", 1, [(1, None)]),
        (1, "c", None, [(1, None), (None, "cleared")]),
        (2, "u", 2, [(2, None), (3, None), (2, None)]),
    ],
)
def test_a_key_right_after_an_arrow_shows_what_is_stored(rate, before, key, shown, ledger):
    ada = rate()
    # The pause after an arrow lasts as long as this test wants, however slow the machine is.
    ada.page.clock.install(time=datetime.now(UTC) - timedelta(minutes=5))
    ada.page.reload()
    ada.expect_ready()
    ada.press("j", *([] if before is None else [str(before)]), "k")
    ada.page.clock.pause_at(ada.page.evaluate("Date.now() / 1000 + 5"))
    for pressed in ("ArrowRight", key):
        ada.page.keyboard.press(pressed)
    assert ada.chosen() == [shown, None, None]

    ada.page.keyboard.press("j")
    ada.page.clock.run_for(2000)
    ada.page.clock.resume()
    ada.expect_saved()

    assert ada.chosen() == [shown, None, None]
    assert ada.stored() == ledger


def test_leaving_a_group_commits_at_once(rate):
    ada = rate()
    ada.press("j", "Space", "ArrowRight", "Tab")
    ada.expect_saved()

    assert ada.stored() == [(1, None)]


def test_enter_on_a_star_submits_nothing(rate):
    ada = rate()
    url = ada.page.url

    ada.press("j", "Enter", wait=100)

    assert ada.page.url == url
    assert ada.stored() == []


def test_a_chord_rates_nothing(rate):
    ada = rate()

    ada.press("j", "Control+1", "Alt+2", "Meta+3", "Shift+J")

    assert ada.stored() == []
    expect(ada.star("A", 0)).to_be_focused()


def test_a_held_key_rates_once(rate):
    ada = rate()

    for _ in range(3):
        ada.page.keyboard.down("2")
    ada.page.keyboard.up("2")
    expect(ada.star("B", 0)).to_be_focused()
    ada.expect_saved()

    assert ada.stored() == [(2, None)]


def test_the_first_digit_after_a_reload_changes_no_rating(rate):
    ada = rate()
    ada.press("3")
    ada.expect_saved()
    ada.page.reload()
    ada.expect_ready()

    ada.press("1")
    ada.expect_saved()

    assert ada.chosen() == [3, 1, None]


def test_a_key_changes_no_answer_that_is_out_of_sight(rate):
    ada = rate(viewport={"width": 1280, "height": 420})
    ada.press("j", "3", "2", "0")
    ada.star("A", 1).click(force=True)
    ada.page.locator('[data-act="next"]').focus()
    ada.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(ada.star("A", 1)).not_to_be_in_viewport()

    for key in ("2", "c"):
        ada.page.evaluate("scrollTo(0, document.body.scrollHeight)")
        ada.page.keyboard.press(key)
        ada.expect_status("Nothing has changed: answer A was out of sight. Press the key again.")
        expect(ada.star("A", 1)).to_be_in_viewport()
        expect(ada.star("A", 1)).to_be_focused()
    assert ada.chosen() == [1, 2, 0]
    ada.page.keyboard.press("2")
    assert ada.chosen() == [2, 2, 0]


def test_a_question_opens_again_where_it_was_left(rate):
    ada = rate(viewport={"width": 1280, "height": 420})
    expect(ada.page.locator("h1")).to_be_focused()
    # The next question is not here yet: it is asked for, and the way back is the browser's own.
    ada.page.route("**/batches", lambda route: route.abort())
    ada.site.forgive("ERR_FAILED")
    ada.press("j", "1", "2")
    ada.page.evaluate("scrollBy(0, -15)")
    place = ada.page.evaluate("scrollY")
    assert place > 0

    ada.page.reload()
    ada.expect_ready()
    expect(ada.star("C", 0)).to_be_focused()
    assert ada.page.evaluate("scrollY") == place
    ada.press("0", "Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    expect(ada.page.locator("h1")).to_be_focused()
    assert ada.page.evaluate("scrollY") == 0
    ada.page.go_back()
    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    expect(ada.star("C", 0)).to_be_focused()
    assert ada.page.evaluate("scrollY") > 0
    assert ada.chosen() == [1, 2, 0]


def test_a_digit_on_another_button_says_what_it_changed_in_sight(rate):
    ada = rate()
    ada.press("3", "2", "0", "k", "j")
    ada.page.locator('[data-act="next"]').focus()

    ada.page.keyboard.press("3")

    ada.expect_status("Answer C: 3 stars")
    assert ada.chosen() == [3, 2, 3]


def test_a_digit_too_many_changes_nothing_and_says_how_to_go_on(rate):
    ada = rate()
    ada.press("3", "2", "0")
    expect(ada.page.locator('[data-act="next"]')).to_be_focused()

    ada.page.keyboard.press("3")

    ada.expect_status(
        "All answers on this page are done: press Enter to go on, or click an answer to change it"
    )
    assert ada.chosen() == [3, 2, 0]
    # Whoever goes to an answer may change it.
    ada.press("k", "1")
    assert ada.chosen() == [3, 1, 0]
    ada.expect_saved()
    assert ada.stored() == [(3, None), (2, None), (0, None), (1, None)]


def test_a_digit_that_is_no_star_says_which_are(rate):
    ada = rate()

    ada.page.keyboard.press("7")

    ada.expect_status("There is no 7 here: press 0 to 3")
    ada.press("3", "2", "0")
    ada.expect_saved()
    ada.page.reload()
    ada.expect_ready()
    ada.page.keyboard.press("9")
    ada.expect_status("There is no 9 here: press 0 to 3")
    assert ada.chosen() == [3, 2, 0]


def test_two_digits_in_one_moment_rate_two_answers(rate):
    ada = rate(paused=True)

    for key in "3210":
        ada.page.keyboard.press(key)
    ada.expect_saved()

    assert ada.chosen() == [3, 2, 1]
    assert ada.stored() == [(3, None), (2, None), (1, None)]


def test_the_first_digit_on_a_question_that_is_all_rated_only_shows_an_answer(rate):
    ada = rate()
    ada.press("3", "2", "0")
    ada.expect_saved()
    ada.page = ada.page.context.new_page()
    ada.page.goto(f"/p/{ada.shop.project.slug}/rate/1")
    ada.expect_ready()

    ada.page.keyboard.press("1")

    ada.expect_status("Nothing has changed yet. Press the key again for answer A.")
    assert ada.chosen() == [3, 2, 0]


@pytest.mark.parametrize("by_key", [False, True], ids=["mouse", "key"])
def test_after_the_rest_got_the_lowest_grade_enter_goes_on(rate, by_key):
    ada = rate()
    ada.star("A", 2).click(force=True)
    rest = ada.page.get_by_role("button", name="Give the rest 0 stars")

    rest.press("Enter") if by_key else rest.click()
    ada.expect_status("2 unrated answers got 0 stars")
    ada.page.keyboard.press("1")

    assert ada.chosen() == [2, 0, 0], "a key asks first"
    ada.expect_status("Nothing has changed yet. Press the key again for answer A.")
    rest.click()
    ada.expect_status("All answers done")
    ada.press("Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")


def test_enter_on_a_star_leads_to_the_next_question_once_all_is_rated(rate):
    ada = rate()
    for letter in "ABC":
        ada.star(letter, 1).click(force=True)
    expect(ada.star("C", 1)).to_be_focused()

    ada.page.keyboard.press("Enter")

    ada.expect_status("All answers done. Press Enter again to go on")
    expect(ada.page.locator('[data-act="next"]')).to_be_focused()
    ada.press("Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")


def test_a_held_enter_gives_the_rest_the_lowest_grade_and_does_not_go_on(rate):
    ada = rate()
    ada.page.locator('[data-act="none"]').focus()

    for _ in range(4):
        ada.page.keyboard.down("Enter")
    ada.page.keyboard.up("Enter")
    ada.page.wait_for_timeout(300)

    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    assert ada.chosen() == [0, 0, 0]


def test_keys_do_nothing_in_the_header(rate):
    ada = rate()

    ada.page.locator(".top a").first.focus()
    ada.press("2")

    assert ada.stored() == []


def test_keys_work_after_a_click_in_the_header(rate):
    ada = rate()

    ada.page.locator(".top .theme button").click()
    ada.press("2", "1")

    ada.expect_saved()
    assert ada.stored() == [(2, None), (1, None)]


def test_keys_are_switched_off_per_account(rate, live_site):
    ada = rate()
    with ada.page.expect_response("**/preferences"):
        ada.page.locator('.keys-card [data-act="keys"]').click()

    ada.press("2", "j")
    ada.page.reload()
    ada.press("2")

    assert ada.stored() == []
    expect(ada.page.locator('.keys-card [data-act="keys"]')).to_have_text("Turn keys on")
    ada.page.get_by_role("button", name="All keys").click()
    told = ada.page.locator("#keys .keys-note")
    expect(told).to_be_visible()
    # Of the keys that are there Ctrl+z alone works then, and its own line says so.
    expect(told).to_have_text("Single keys are off.")
    expect(ada.page.locator("#keys").get_by_text("The keys work while you rate")).to_be_hidden()


@pytest.mark.parametrize("is_offline", [True, False])
def test_whoever_changes_keys_without_the_server_hears_what_is_missing(rate, live_site, is_offline):
    live_site.forgive("ERR_")
    ada = rate()
    ada.press("?")
    ada.page.get_by_text("Change the keys").click()
    ada.page.get_by_role("textbox", name="Next answer").press("Alt+n")
    if is_offline:
        ada.page.context.set_offline(True)
    else:
        ada.page.route("**/preferences", lambda route: route.abort())

    ada.page.get_by_role("button", name="Use these keys").click()

    why = "You are offline." if is_offline else "The server does not answer."
    told = f"{why} You can change keys when the connection is back."
    expect(ada.page.locator('[data-ref="remap-message"]')).to_have_text(told)


def test_keys_are_changed_per_account_and_collisions_are_refused(rate, live_site):
    live_site.forgive("422")
    ada = rate()
    ada.press("?")
    expect(ada.page.locator("#keys .keys-note")).to_be_hidden()
    ada.page.get_by_text("Change the keys").click()
    expect(ada.page.get_by_role("textbox", name="Next answer")).to_be_editable()
    ada.page.get_by_role("textbox", name="Next answer").press("k")
    ada.page.get_by_role("button", name="Use these keys").click()
    expect(ada.page.locator('[data-ref="remap-message"]')).to_contain_text("k cannot mean both")

    ada.page.get_by_role("textbox", name="Next answer").press("1")
    ada.page.get_by_role("button", name="Use these keys").click()
    expect(ada.page.locator('[data-ref="remap-message"]')).to_contain_text(
        "alone or with Ctrl or Alt. Digits"
    )

    ada.page.get_by_role("textbox", name="Next answer").press("Alt+n")
    with ada.page.expect_navigation():
        ada.page.get_by_role("button", name="Use these keys").click()
    ada.expect_ready()
    ada.press("Alt+n", "j", "3")
    ada.expect_saved()

    expect(ada.page.locator(".keys-card")).to_contain_text("Alt+n")
    assert ada.chosen() == [3, None, None]


def test_moving_on_after_a_digit_is_a_setting(rate):
    ada = rate()
    ada.press("?")
    with ada.page.expect_response("**/preferences"):
        ada.page.locator('[data-switch="advance"]').click()
    ada.press("?")

    ada.press("j", "2")

    expect(ada.star("A", 2)).to_be_focused()


def test_stars_of_a_scale_from_one_to_five_have_their_own_digits(live_site, rate):
    with live_site.making() as make:
        from tests.furniture.rating import make_workshop

        shop = make_workshop(make, queries=1, answers=2, scale="1-5")
    ada = Rater(live_site, shop, start_rating(live_site.page_of(shop.ada), f"/p/{shop.project.slug}/rate"))
    ada.expect_ready()

    ada.press("0", "6", "5")

    assert ada.page.locator(".stars input:checked").evaluate_all("all => all.map(one => one.value)") == ["5"]
