"""Rating by keyboard: a digit is a grade, focus is the current answer, nothing fires while somebody types."""

import re
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


def test_enter_after_a_click_on_the_text_of_an_answer_goes_on_as_elsewhere(rate):
    ada = rate()

    ada.press("3", "0")
    ada.card("B").locator(".ans__text").click()
    ada.press("Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    ada.star("C", 1).click(force=True)
    ada.expect_saved()
    ada.card("A").locator(".ans__text").click()
    ada.press("Enter")
    expect(ada.page.locator('[data-act="next"]')).to_be_focused()
    ada.press("Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")


def test_keys_that_move_chords_and_keys_in_the_header_change_nothing(rate):
    ada = rate()
    url = ada.page.url

    ada.press("j", "j", "k")
    expect(ada.card("A")).to_have_class("card ans ans--now")
    ada.press("Enter", wait=100)
    ada.page.wait_for_timeout(100)
    assert ada.page.url == url
    ada.press("Control+1", "Alt+2", "Meta+3", "Shift+J")
    expect(ada.star("A", 0)).to_be_focused()
    ada.page.locator(".top a").first.focus()
    ada.press("2")
    assert ada.waiting() == 0
    assert ada.stored() == []

    # After a click in the header they work.
    ada.page.locator(".top .theme button").click()
    ada.press("2", "1")
    ada.expect_saved()
    assert ada.stored() == [(2, None), (1, None)]


def test_a_rated_answer_keeps_its_place_and_can_be_changed_and_cleared_and_a_held_key_rates_once(rate):
    ada = rate()
    before = ada.cards.evaluate_all("cards => cards.map(card => card.dataset.answer)")

    ada.press("3", "k", "0")
    ada.expect_saved()
    assert ada.cards.evaluate_all("cards => cards.map(card => card.dataset.answer)") == before
    assert ada.stored() == [(3, None), (0, None)]

    ada.press("k", "c")
    ada.expect_saved()
    assert ada.chosen() == [None, None, None]
    assert ada.stored() == [(3, None), (0, None), (None, "cleared")]
    expect(ada.card("A")).not_to_have_class("card ans ans--done ans--now")

    for _ in range(3):
        ada.page.keyboard.down("2")
    ada.page.keyboard.up("2")
    expect(ada.star("B", 0)).to_be_focused()
    ada.expect_saved()
    assert ada.stored()[3:] == [(2, None)]


def test_s_opens_the_reasons_a_digit_picks_one_and_escape_leaves_all_as_it_was(rate):
    ada = rate()

    ada.press("j", "s", "Escape")
    assert ada.stored() == []
    expect(ada.star("A", 0)).to_be_focused()
    # Right after a report too, whose own words are news as well.
    ada.press("f")
    ada.expect_status("Answer A is reported. To take it back: Esc, then the same key")
    ada.press("Escape", "s", "3")
    ada.expect_status("Answer A: can’t judge.")
    ada.expect_saved()

    assert ada.stored() == [(None, "language")]
    expect(ada.card("A").locator('[data-ref="cant"]')).to_have_text("Marked “can’t judge”")
    expect(ada.star("B", 0)).to_be_focused()
    # Reading the answer once more leaves the digits to the reasons that are open; a star needs none of them.
    ada.press("s")
    ada.card("B").locator(".ans__text").first.click()
    ada.press("3")
    expect(ada.card("B").locator('[data-ref="cant"]')).to_have_text("Marked “can’t judge”")
    ada.press("j", "k", "s")
    reasons = ada.page.locator(".cant[open]")
    expect(reasons).to_have_count(1)
    ada.card("B").locator(".ans__text").first.click()
    ada.press("Escape")
    expect(reasons).to_have_count(0)
    ada.press("s")
    ada.star("B", 2).click(force=True)
    expect(reasons).to_have_count(0)
    ada.expect_saved()
    assert ada.chosen()[:2] == [None, 2]
    # Those for the whole question.
    reasons = ada.page.locator(".cant-all")
    reasons.locator("summary").click()
    expect(reasons).to_have_attribute("open", "")
    ada.press("Escape")
    expect(reasons).not_to_have_attribute("open", "")
    expect(reasons.locator("summary")).to_be_focused()


def test_a_digit_is_a_reason_about_the_whole_question_while_those_are_open_and_in_sight(rate):
    ada = rate(viewport={"width": 1280, "height": 500})
    whole = ada.page.locator(".cant-all")

    whole.locator("summary").click()
    # Opening brings them into sight a moment later: only then are they scrolled away.
    expect(whole.locator("button").last).to_be_in_viewport()
    ada.page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    expect(whole.locator("button").last).not_to_be_in_viewport()
    ada.press("1")
    ada.expect_status(re.compile("^Why can’t you judge this question"))
    expect(whole.locator("button").first).to_be_in_viewport()
    # Without the pause of `press`: the page goes on at once.
    ada.page.keyboard.press("1")

    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_saved()
    assert ada.stored() == []
    # Those of the answer in sight come before them. A click elsewhere closes them, and a digit is a star again.
    whole.locator("summary").click()
    expect(whole.locator("button").last).to_be_in_viewport()
    ada.press("s")
    expect(ada.page.locator(".ans .cant[open]")).to_have_count(1)
    ada.press("Escape")
    expect(ada.page.locator(".ans .cant[open]")).to_have_count(0)
    expect(whole).to_have_attribute("open", "")
    ada.card("A").locator(".ans__text").first.click()
    expect(whole).not_to_have_attribute("open", "")
    ada.press("2")
    ada.expect_saved()
    assert ada.stored() == [(2, None)]


def test_a_short_aim_of_the_question_is_told_on_every_screen(rate, live_site, shop):
    with live_site.making() as make:
        make.session.get_one(Query, shop.queries[0].id).intent = "Put it right at the roadside."
    ada = rate(viewport={"width": 1280, "height": 800})
    told = ada.page.get_by_text("Put it right at the roadside.").filter(visible=True)
    expect(told).to_have_count(1)
    expect(ada.page.get_by_text("Aim of this question")).to_be_hidden()

    ada.page.set_viewport_size({"width": 390, "height": 800})
    ada.page.get_by_text("Aim of this question").click()
    expect(told).to_have_count(1)


def test_a_reason_stays_where_it_is_by_mouse_and_keys_move_on_only_for_who_wants_it(rate):
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
    # So it is with a digit.
    ada.press("j", "2")
    expect(ada.star("C", 2)).to_be_focused()


# What the key 2 says on an English keyboard with Shift, on a French one without and with it; and what is rated.
STROKES = [("@", True, [None] * 3), ("é", False, [2, None, None]), ("2", True, [2, 2, None])]


def test_a_digit_is_its_key_on_keyboards_that_write_it_with_shift(rate):
    ada = rate()
    ada.press("j")

    for sign, shift, chosen in STROKES:
        stroke = {"key": sign, "code": "Digit2", "shiftKey": shift, "bubbles": True, "cancelable": True}
        ada.page.evaluate(
            "how => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', how))", stroke
        )
        assert ada.chosen() == chosen, sign
        if chosen[0]:
            expect(ada.star("B" if chosen[1] is None else "C", 0)).to_be_focused()


def test_digits_typed_into_a_note_are_a_note_opened_by_key_or_tap(rate):
    ada = rate(has_touch=True)
    card = ada.card("B")
    summary = card.locator(".remark summary")

    ada.press("j", "n")
    ada.page.keyboard.type("1 2 3 jkscu?")
    ada.press("Escape")
    expect(ada.star("A", 0)).to_be_focused()
    summary.tap()
    ada.page.keyboard.type("so 1 step is missing")
    ada.press("Escape")
    ada.expect_saved()

    assert ada.stored() == []
    ada.page.reload()
    expect(ada.card("A").locator("textarea")).to_have_value("1 2 3 jkscu?")
    expect(card.locator("textarea")).to_have_value("so 1 step is missing")
    summary.click()
    expect(card.locator("textarea")).to_be_focused()
    summary.click()
    expect(card.locator("textarea")).to_be_hidden()


def test_what_is_typed_after_a_report_is_its_note_and_u_takes_the_report_back(rate):
    ada = rate()
    button, note = ada.card("A").locator('[data-act="flag"]'), ada.card("A").locator(".remark textarea")
    asked = ada.card("A").locator('[data-ref="why"]')

    ada.press("j", "f")
    ada.page.keyboard.type("2 old, us")

    expect(note).to_have_value("2 old, us")
    expect(note).to_have_accessible_description("What is wrong? (optional)")
    ada.press("Escape")
    ada.expect_saved()
    assert ada.stored() == []
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(ada.star("A", 0)).to_be_focused()
    # By itself a note is about anything.
    ada.press("n")
    expect(note).to_be_focused()
    expect(asked).to_be_hidden()
    ada.press("Escape", "u")
    expect(note).to_have_value("")
    ada.press("u")
    expect(button).to_have_attribute("aria-pressed", "false")
    # By mouse too; pressed again the button closes what it had opened.
    button.click()
    expect(note).to_be_focused()
    button.click()
    expect(note).to_be_hidden()
    expect(button).to_have_attribute("aria-pressed", "false")


def test_a_report_of_an_answer_with_a_note_asks_to_add_to_it(rate):
    ada = rate()
    note = ada.card("A").locator(".remark textarea")

    ada.press("j", "n")
    ada.page.keyboard.type("old")
    ada.press("Escape", "f")

    expect(note).to_be_focused()
    expect(note).to_have_accessible_description("Add what is wrong to your note.")


def test_f_flags_and_e_unfolds_and_a_report_says_that_it_holds_and_how_to_take_it_back(rate, live_site, shop):
    with live_site.making() as make:
        for document in shop.documents[shop.queries[0].id]:
            make.session.merge(document).text = "A sentence of some words. " * 100
    ada = rate()
    button = ada.card("A").locator('[data-act="flag"]')

    ada.press("j", "e")
    expect(ada.card("A").locator(".full")).to_have_attribute("open", "")
    ada.press("f")
    ada.expect_status("Answer A is reported. To take it back: Esc, then the same key")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_have_accessible_name("Reported answer A Press again to take it back")
    ada.expect_saved()
    ada.page.reload()
    expect(button).to_have_accessible_name("Reported answer A Press again to take it back")
    ada.expect_ready()
    button.click()

    expect(button).to_have_accessible_name("Report problem answer A")
    ada.expect_status("Answer A is not reported any more")


def test_arrows_in_a_group_commit_where_they_stop_or_the_group_is_left(rate):
    ada = rate()
    ada.press("1", "k")
    ada.expect_saved()

    with ada.page.expect_response("**/judgment"):
        ada.press("ArrowRight", "ArrowRight")
    ada.expect_saved()
    assert ada.stored() == [(1, None), (3, None)]

    ada.press("j", "Space", "ArrowRight", "Tab")
    ada.expect_saved()
    assert ada.stored()[2:] == [(1, None)]


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


def test_a_digit_too_many_changes_nothing_and_one_on_another_button_says_what_it_changed(rate):
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
    ada.star("C", 0).focus()
    ada.page.locator('[data-act="next"]').focus()
    ada.page.keyboard.press("3")
    ada.expect_status("Answer C: 3 stars")
    assert ada.chosen() == [3, 1, 3]


def test_a_digit_that_is_no_star_says_which_are_and_the_first_on_a_rated_question_shows_an_answer(rate):
    ada = rate()

    ada.page.keyboard.press("7")

    ada.expect_status("There is no 7 here: press 0 to 3")
    ada.press("3", "2", "0")
    ada.expect_saved()
    ada.page = ada.page.context.new_page()
    ada.page.goto(f"/p/{ada.shop.project.slug}/rate/1")
    ada.expect_ready()
    ada.page.keyboard.press("9")
    ada.expect_status("There is no 9 here: press 0 to 3")
    assert ada.chosen() == [3, 2, 0]
    ada.page.keyboard.press("1")
    ada.expect_status("Key ignored. Press it again for answer A.")
    assert ada.chosen() == [3, 2, 0]


def test_two_digits_in_one_moment_rate_two_answers_in_sight(rate):
    ada = rate(paused=True, viewport={"width": 1280, "height": 1400})

    for key in "3210":
        ada.page.keyboard.press(key)
    ada.expect_saved()

    assert ada.chosen() == [3, 2, 1]
    assert ada.stored() == [(3, None), (2, None), (1, None)]


def test_after_the_rest_got_the_lowest_grade_enter_goes_on_but_not_a_held_one(rate):
    ada = rate()
    ada.star("A", 2).click(force=True)
    rest = ada.page.get_by_role("button", name="Give the rest 0 stars")
    rest.focus()

    for _ in range(4):
        ada.page.keyboard.down("Enter")
    ada.page.keyboard.up("Enter")
    ada.page.wait_for_timeout(300)
    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    assert ada.chosen() == [2, 0, 0]
    ada.page.keyboard.press("1")

    assert ada.chosen() == [2, 0, 0], "a key asks first"
    ada.expect_status("Key ignored. Press it again for answer A.")
    expect(rest).to_be_hidden()
    ada.page.locator('[data-act="next"]').focus()
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


def test_keys_are_changed_per_account_with_the_server_and_collisions_are_refused(rate, live_site):
    live_site.forgive("422")
    live_site.forgive("ERR_")
    ada = rate()
    ada.press("?")
    expect(ada.page.locator("#keys .keys-note")).to_be_hidden()
    ada.page.get_by_text("Change the keys").click()
    field = ada.page.get_by_role("textbox", name="Next answer")
    use = ada.page.get_by_role("button", name="Use these keys")
    told = ada.page.locator('[data-ref="remap-message"]')
    expect(field).to_be_editable()
    field.press("k")
    use.click()
    expect(told).to_contain_text("k cannot mean both")

    field.press("1")
    use.click()
    expect(told).to_contain_text("alone or with Ctrl or Alt. Digits")

    field.press("Alt+n")
    ada.page.context.set_offline(True)
    use.click()
    later = "You can change keys when the connection is back."
    expect(told).to_have_text(f"You are offline. {later}")
    ada.page.route("**/preferences", lambda route: route.abort())
    ada.page.context.set_offline(False)
    use.click()
    expect(told).to_have_text(f"The server does not answer. {later}")
    ada.page.unroute_all()
    with ada.page.expect_navigation():
        use.click()
    ada.expect_ready()
    ada.press("Alt+n", "j", "3")
    ada.expect_saved()

    expect(ada.page.locator("#keys .keys")).to_contain_text("Alt+n")
    assert ada.chosen() == [3, None, None]


def test_stars_of_a_scale_from_one_to_five_have_their_own_digits(live_site, rate):
    with live_site.making() as make:
        from tests.furniture.rating import make_workshop

        shop = make_workshop(make, queries=1, answers=2, scale="1-5")
    ada = Rater(live_site, shop, start_rating(live_site.page_of(shop.ada), f"/p/{shop.project.slug}/rate"))
    ada.expect_ready()

    ada.press("0", "6", "5")

    assert ada.page.locator(".stars input:checked").evaluate_all("all => all.map(one => one.value)") == ["5"]
