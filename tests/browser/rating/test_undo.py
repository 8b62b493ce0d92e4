"""Undo and redo: across answers and questions, each a new row, each said in words."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.models import Flag, JudgmentNote, Role, now_utc
from app.services.accounts.memberships import give_role
from app.services.judging import recording
from app.services.projects.projects import change_guidelines
from tests.browser.rating.conftest import Rater
from tests.furniture.live import NARROWEST, start_rating
from tests.furniture.rating import make_workshop


def test_undo_and_redo_say_what_they_did_take_nothing_out_and_the_next_digit_lands_there(rate):
    ada = rate()
    for key, said in (("u", "Nothing to undo"), ("Shift+U", "Nothing to redo")):
        ada.press(key)
        ada.expect_status(said)
        expect(ada.page.locator('[data-ref="status"] svg')).to_have_count(0)
    ada.press("3", "k", "1")

    ada.press("u")
    ada.expect_status(re.compile("Undone. Now answer A is 3 stars"))
    ada.press("u")
    ada.expect_status(re.compile("Undone. Now answer A is not rated"))
    ada.press("Shift+U")
    ada.expect_status(re.compile("Redone. Now answer A is 3 stars"))
    ada.expect_saved()

    assert ada.chosen() == [3, None, None]
    assert ada.stored() == [(3, None), (1, None), (3, None), (None, "cleared"), (3, None)]
    ada.press("j", "2", "u")
    ada.expect_status(re.compile("Undone. Now answer B is not rated"))
    expect(ada.star("B", 0)).to_be_focused()
    # What is rated now is news, and takes the place of words about what was undone.
    ada.press("1")
    ada.expect_status(re.compile("Saved"))
    assert ada.chosen() == [3, 1, None]


def test_what_was_rated_while_something_was_sent_is_said_to_be_saved(rate):
    ada = rate()
    held = []
    ada.page.route("**/judgment", lambda route: route.continue_() if held else held.append(route))
    with ada.page.expect_request("**/judgment"):
        ada.press("3")
    ada.press("2")

    held[0].continue_()

    ada.expect_saved()
    ada.expect_status(re.compile("Saved"))


def test_the_buttons_and_control_z_undo_and_redo_and_the_buttons_keep_focus(rate):
    ada = rate(viewport=NARROWEST)
    ada.press("j", "3", "2")

    button = ada.page.locator('[data-act="undo"]')
    button.click()
    button.press("Enter")

    expect(button).to_be_focused()
    assert ada.chosen() == [None, None, None]
    again = ada.page.get_by_role("button", name="Redo", exact=True)
    again.click()
    ada.expect_status(re.compile("Redone. Now answer A is 3 stars"))
    again.press("Enter")
    expect(again).to_be_focused()
    assert ada.chosen() == [3, 2, None]
    box = again.bounding_box()
    assert min(box["width"], box["height"]) >= 44
    ada.press("Control+z")
    assert ada.chosen() == [3, None, None]
    ada.press("Control+Shift+Z")
    assert ada.chosen() == [3, 2, None]
    ada.press("Control+z", "Control+z", "Control+z")
    ada.expect_status("Nothing to undo")


def test_a_changed_rating_on_another_page_is_asked_about_as_changed_back(rate):
    ada = rate()
    ada.press("1", "2", "3")
    ada.star("C", 1).click()
    ada.press("Enter", "Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()

    ada.press("u")

    asked = ada.page.locator('[data-ref="ask-back"]')
    expect(asked).to_contain_text(re.compile(r"Change “Title \d of q0” \(question .*\) back to 3 stars\?"))
    expect(asked.get_by_role("button", name="Change back")).to_be_focused()
    ada.press("Enter")
    ada.expect_status(re.compile(r"Undone. Now “Title \d of q0” is 3 stars"))


def test_a_step_on_another_page_is_asked_about_before_it_is_undone_or_done_again(rate, axe):
    ada = rate()
    page, asked = ada.page, ada.page.locator('[data-ref="ask-back"]')
    ada.press("1", "2", "3", "c")
    ada.press("1", "Enter", "Enter")
    expect(page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()
    ada.press("j", "2")
    ada.expect_saved()
    rows = ada.stored()

    # What is on this page needs no question.
    ada.press("u")
    expect(asked).to_be_hidden()
    ada.expect_saved()
    assert len(ada.stored()) == len(rows) + 1
    ada.press("u")
    place = "(question “Question number 0?”)?"
    expect(asked).to_contain_text(re.compile(r"Take back 1 star for “Title \d of q0” \("))
    expect(asked).to_contain_text(place)
    expect(asked.get_by_role("button", name="Take back")).to_be_focused()
    axe(page)
    # Whoever presses the key again, or Esc, has changed nothing, and is where they were.
    ada.press("u", "Escape")
    expect(asked).to_be_hidden()
    expect(ada.star("A", 0)).to_be_focused()
    page.locator('[data-act="undo"]').click()
    asked.get_by_role("button", name="Cancel").click()
    expect(asked).to_be_hidden()
    ada.expect_saved()
    assert len(ada.stored()) == len(rows) + 1

    ada.press("u", "Enter")
    said = r"Undone. Now “Title \d of q0” is not rated \(question “Question number 0\?”\)"
    ada.expect_status(re.compile(said))
    ada.press("u")
    expect(asked).to_contain_text(re.compile(r"Bring back 3 stars for “Title \d of q0” \("))
    ada.press("Escape", "Shift+U")
    expect(asked).to_contain_text("Bring back 1 star for “Title")
    expect(asked.get_by_role("button", name="Bring back")).to_be_focused()
    # A rating that is given meanwhile is the newest step: the question is over.
    ada.star("B", 3).check(force=True)
    expect(asked).to_be_hidden()
    ada.press("u")
    ada.expect_status(re.compile("Undone. Now answer B is not rated"))
    ada.expect_saved()
    assert ada.stored()[len(rows) :] == [(None, "cleared"), (None, "cleared"), (3, None), (None, "cleared")]
    # So it is once the rest is given 0 stars.
    ada.press("u")
    expect(asked).to_contain_text("for “Title")
    page.locator('[data-act="none"]').click()
    expect(asked).to_be_hidden()


def test_fifty_steps_are_undone(rate):
    ada = rate()
    for number in range(50):
        ada.star("B", number % 2 + 1).evaluate("star => star.click()")

    for _ in range(50):
        ada.page.keyboard.press("u")
    ada.expect_saved()

    assert ada.chosen() == [None, None, None]
    assert len(ada.stored()) == 100


def test_the_rest_is_one_step_back_and_forth_also_after_an_answer_of_it_was_rated_anew(rate):
    ada = rate()
    rest = ada.page.locator('[data-ref="none"]')
    expect(rest).to_have_text("No good answer")
    ada.press("2")
    # Beside a better one, its name says what the rest get.
    expect(rest).to_have_text("Give the rest 0 stars")
    rest.click()
    ada.expect_status("2 unrated answers got 0 stars")
    assert ada.chosen() == [2, 0, 0]

    ada.press("u")
    assert ada.chosen() == [2, None, None]
    ada.press("Shift+U")
    assert ada.chosen() == [2, 0, 0]
    ada.expect_saved()
    assert ada.current() == [2, 0, 0]
    ada.press("u")
    ada.expect_saved()

    # Right after it, before it is stored.
    rest.click()
    ada.star("B", 3).check(force=True)
    ada.expect_saved()
    assert ada.current() == [2, 3, 0]
    expect(ada.page.locator('[data-ref="clash"]')).to_be_hidden()
    ada.press("u", "u")
    ada.expect_saved()
    ada.expect_status("Undone: those answers are unrated again")
    assert ada.chosen() == [2, None, None]
    assert ada.current() == [2, None, None]


def test_what_asks_about_the_rest_stays_when_asked_from_far_down_and_closes_with_another_rest(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=14)
    ada = Rater(live_site, shop, live_site.page_of(shop.ada))
    start_rating(ada.page, f"/p/{shop.project.slug}/rate")
    ada.expect_ready()
    asked = ada.page.locator('[data-ref="ask-sure"]')
    ada.page.mouse.move(300, 400)
    ada.page.mouse.wheel(0, 2000)
    expect(ada.card("A")).not_to_have_class(re.compile("ans--now"))

    ada.page.locator('[data-act="none"]').click()

    expect(asked).to_contain_text("Give 0 stars to all 14 unrated answers of this question?")
    ada.page.wait_for_timeout(500)
    expect(asked).to_be_in_viewport()
    ada.star("A", 0).check(force=True)
    expect(asked).to_be_hidden()
    ada.page.locator('[data-act="none"]').click()
    expect(asked).to_contain_text("Give 0 stars to all 13 unrated answers of this question?")
    ada.press("u")
    expect(asked).to_be_hidden()
    assert ada.chosen() == [None] * 12
    ada.page.locator('[data-act="none"]').click()
    expect(asked).to_contain_text("Give 0 stars to all 14 unrated answers of this question?")


@pytest.fixture
def passed(rate):
    """Return somebody who rated an answer of the first question, passed the question on and sees the second."""
    ada = rate()
    ada.press("2")
    ada.expect_saved()
    ada.page.get_by_text("Can’t judge this question").click()
    ada.page.locator(".cant-all button").first.click()
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    return ada


def test_a_question_that_was_passed_on_is_said_and_comes_back_with_undo(passed):
    ada = passed
    ada.expect_status("You marked the question “Question number 0?” “can’t judge”. Undo takes that back")
    ada.press("u")
    expect(ada.page.locator('[data-ref="ask-back"]')).to_contain_text(
        "Take back “can’t judge” for the question “Question number 0?”?"
    )
    ada.press("Enter")
    ada.expect_status(re.compile("Question “Question number 0\\?” is yours again"))
    ada.expect_saved()
    ada.page.get_by_role("link", name="Open it").click()

    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    assert ada.chosen() == [2, None, None]
    declined = ada.page.get_by_text("This question goes to other annotators")
    expect(declined).to_be_hidden()
    # Redo passes it on again, and the next undo is the rating's no more than before.
    ada.expect_ready()
    ada.press("Shift+U")
    ada.expect_status("Redone: “can’t judge”")
    ada.expect_saved()
    ada.page.reload()
    expect(declined).to_be_visible()
    ada.expect_ready()
    ada.press("u")
    ada.expect_status("This question is yours again")
    expect(declined).to_be_hidden()
    assert ada.chosen() == [2, None, None]


def test_a_question_is_marked_until_all_its_answers_are_rated(passed):
    ada = passed
    ada.page.go_back()
    ada.expect_ready()
    notice = ada.page.locator('[data-ref="declined"]')
    ada.press("j", "j", "1")
    expect(notice).to_be_visible()
    ada.press("1")
    expect(ada.page.locator('[data-ref="count"]')).to_have_text("3 of 3 answers done")
    expect(notice).to_be_hidden()
    ada.expect_saved()
    ada.page.reload()
    ada.expect_ready()
    expect(notice).to_be_hidden()
    ada.press("u")
    expect(notice).to_be_visible()


def test_a_question_that_comes_back_is_what_comes_next(passed):
    ada = passed
    word = ada.page.locator('[data-ref="next-word"]')
    with ada.page.expect_response("**/batches"):
        ada.press("0")
    ada.expect_saved()
    expect(word).to_have_text("Finish")

    ada.press("u", "u")
    ada.page.get_by_role("button", name="Take back").click()
    ada.expect_status(re.compile("Question “Question number 0\\?” is yours again"))

    expect(word).to_have_text("Next question")
    ada.press("0", "0", "0")
    ada.expect_saved()
    ada.page.locator('[data-act="next"]').click()
    expect(ada.page.locator("h1")).to_have_text("Question number 0?")


def test_no_good_answer_and_what_cannot_be_judged_hold_for_every_page_of_a_question(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=30, overlap=2)
    ada, bo = rate_ahead(live_site, shop, shop.ada), rate_ahead(live_site, shop, shop.bo, pages=1)
    ask = ada.page.get_by_role("button", name="No good answer")

    ask.click()
    expect(ada.page.get_by_text("In other parts, which you may not have seen: 18.")).to_be_visible()
    ada.page.get_by_role("button", name="Give 0 stars").click()
    ada.expect_status("No good answer: 29 unrated answers got 0 stars")
    ada.expect_saved()
    expect(ask).to_be_hidden()
    ada.press("u")
    ada.expect_saved()
    expect(ask).to_be_visible()
    assert sorted(ada.current(), key=str) == [0] + [None] * 29
    ada.press("Shift+U")
    ada.expect_saved()
    assert ada.current() == [0] * 30
    ada.page.locator('[data-act="next"]').click()
    expect(ada.page.locator("h1")).to_have_text("Nothing left to rate")

    bo.page.get_by_text("Can’t judge this question").click()
    bo.page.locator(".cant-all button").first.click()
    expect(bo.page.locator("h1")).to_have_text("Nothing left to rate")


def test_the_rest_of_a_question_counts_what_is_left_now_on_pages_before_and_after(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=36)
    ada = rate_ahead(live_site, shop, shop.ada)
    next_page = ada.page.locator('[data-act="next"]')
    ask = ada.page.locator('[data-act="none"]')

    ada.press("2")
    expect(next_page).to_contain_text("Next part")
    next_page.click()
    asked = ada.page.locator('[data-ref="ask-later"]')
    expect(asked).to_contain_text("10 left. Leave this page for later?")
    expect(asked).to_contain_text("Next: more answers to this question.")
    first = ada.page.url
    ada.page.get_by_role("button", name="Leave for later").click()
    expect(ada.page).not_to_have_url(first)
    expect(ada.page.locator(".ask__meta b")).to_have_text("Question 1, part 2")
    ada.expect_ready()
    # It has an answer of the same letter.
    ada.press("u")
    asked = ada.page.locator('[data-ref="ask-back"]')
    expect(asked).to_contain_text(
        re.compile(r"Take back 2 stars for “Title \d+ of q0” \(another part of this question\)")
    )
    ada.press("Escape")
    expect(next_page).to_contain_text("Next part")
    ada.press(*"0" * 4)
    # What is kept of the third part was written while this part had answers left.
    ada.page.wait_for_timeout(2500)
    expect(ask).to_have_text("Give the rest of the question 0 stars")
    ada.press(*"0" * 8)
    ada.expect_saved()
    expect(ask).to_have_text("Give the other parts 0 stars")
    second = ada.page.url
    next_page.click()
    expect(ada.page).not_to_have_url(second)
    ada.expect_ready()
    expect(ask).to_have_text("Give the rest of the question 0 stars")

    ask.click()

    asked = ada.page.locator('[data-ref="ask-sure"]')
    expect(asked).to_contain_text("Give 0 stars to all 22 unrated answers of this question?")
    expect(asked).to_contain_text("On this page: 12. In other parts, which you may not have seen: 10.")
    ada.page.get_by_role("button", name="Give 0 stars").click()
    ada.expect_status("22 unrated answers got 0 stars")
    ada.expect_saved()
    assert sorted(ada.current()) == [0] * 35 + [2]


def test_the_button_that_goes_on_says_the_same_before_and_after_everything(live_site):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=14)
    page = start_rating(live_site.page_of(shop.ada), f"/p/{shop.project.slug}/rate")
    ada = Rater(live_site, shop, page)
    page.on("dialog", lambda dialog: dialog.accept())
    word = page.locator('[data-ref="next-word"]')
    ask = page.locator('[data-act="none"]')

    def reload():
        ada.expect_saved()
        page.reload()
        ada.expect_ready()

    expect(word).to_have_text("Next part")
    ada.expect_ready()
    for step in ("0", "u", "reload", "1"):
        reload() if step == "reload" else ada.press(step)
        assert word.text_content() == "Next part", step
    ask.click()
    page.get_by_role("button", name="Give 0 stars").click()
    expect(word).to_have_text("Finish")
    reload()
    expect(word).to_have_text("Finish")
    for step in ("u", "saved", "reload"):
        ada.press(step) if step == "u" else reload() if step == "reload" else ada.expect_saved()
        assert word.text_content() == "Next part", step
    page.context.set_offline(True)
    ada.press("j", "0")
    ada.expect_status(re.compile("Offline"))
    assert word.text_content() == "Next part"
    page.context.set_offline(False)
    ada.expect_saved()
    assert word.text_content() == "Next part"
    ada.press(*"0" * 12)
    first = page.url
    page.locator('[data-act="next"]').click()
    expect(page).not_to_have_url(first)
    ada.expect_ready()
    # It was fetched while the part before it was open, and knows that it is the last one all the same.
    for step in ("fetched", "reload"):
        if step == "reload":
            reload()
        assert word.text_content() != "Next part", step
        expect(word).to_have_text("Finish")


def test_a_look_ahead_before_the_step_is_stored_is_made_again(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=14)
    page = start_rating(live_site.page_of(shop.ada), f"/p/{shop.project.slug}/rate")
    ada = Rater(live_site, shop, page)
    word = page.locator('[data-ref="next-word"]')
    expect(word).to_have_text("Next part")
    ada.expect_ready()
    held = []

    def hold(route):
        held.append(route)

    page.route("**/judgment", hold)
    page.route("**/no-good-answer", hold)
    with page.expect_request("**/judgment"):
        ada.press("1")
    page.locator('[data-act="none"]').click()
    page.get_by_role("button", name="Give 0 stars").click()
    with page.expect_response("**/rate/*ahead=1"):
        held[0].continue_()
    held[1].continue_()

    expect(word).to_have_text("Finish")


def today_of(page):
    return page.locator('[data-ref="today"] > span').first.text_content().strip()


def test_a_step_of_a_project_with_older_guidelines_is_undone_from_another_one(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=2)
        other = make_workshop(make, queries=1, answers=2, name="The other project")
        give_role(make.session, other.project.id, shop.ada.id, Role.ANNOTATOR)
        change_guidelines(make.session, other.project, "# Rate the answer\n\nNot its length.")
    ada = rate_ahead(live_site, shop, shop.ada, pages=1)
    page = ada.page
    start_rating(page, f"/p/{other.project.slug}/rate")
    ada.expect_ready()

    ada.press("u")
    expect(page.locator('[data-ref="ask-back"]')).to_contain_text("Take back")
    ada.press("Enter")
    ada.expect_saved()

    assert ada.stored()[-1] == (None, "cleared")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('refused'))") == []


# The other part of the first question is kept on the device once `letGo` is called.
HOLD = """() => {
  const put = Cache.prototype.put;
  const free = new Promise((done) => { window.letGo = done; });
  Cache.prototype.put = async function (address, reply) {
    if (!String(address).endsWith("/rate/3")) return put.call(this, address, reply);
    document.body.dataset.holds = "on";
    await free;
    await put.call(this, address, reply);
    document.body.dataset.holds = "off";
  };
}"""


def test_a_part_that_was_being_kept_does_not_come_back_after_redo(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=2, answers=14)
    ada = rate_ahead(live_site, shop, shop.ada)
    page = ada.page
    give_the_lowest_grade_to_thirteen(ada)
    ada.expect_saved()
    page.evaluate(HOLD)

    ada.press("u")
    expect(page.locator("body")).to_have_attribute("data-holds", "on")
    # The page hears of no other question from now on.
    page.route("**/batches", lambda _route: None)
    ada.press("Shift+U")
    ada.expect_saved()
    page.evaluate("letGo()")
    expect(page.locator("body")).to_have_attribute("data-holds", "off")
    page.locator('[data-act="next"]').click()

    expect(page.locator("h1")).to_have_text("Question number 1?")


# Without a second page, which takes much longer to open.
TODAY_ANEW = """async () => {
  const reply = await fetch(location.href, { cache: "no-store" });
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
  return fresh.querySelector('[data-ref="today"] > span').textContent.trim();
}"""


def test_today_is_what_a_reload_would_show_after_every_step(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=2, answers=14)
    ada = rate_ahead(live_site, shop, shop.ada)
    page = ada.page

    def check(answers):
        """Compare the page with what it says when it is asked for anew."""
        ada.expect_saved()
        told = f"Today, in all projects: {answers} answer{'s' * (answers != 1)} done"
        expect(page.locator('[data-ref="today"] > span').first).to_have_text(told)
        assert page.evaluate(TODAY_ANEW) == told

    check(1)
    give_the_lowest_grade_to_thirteen(ada)
    check(14)
    ada.press("u")
    check(1)
    ada.press("Shift+U")
    check(14)
    page.locator('[data-act="next"]').click()
    expect(page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()
    check(14)
    ada.press("2")
    check(15)
    # Steps of the question before, undone from here.
    ada.press("u", "u")
    expect(page.locator('[data-ref="ask-back"]')).to_contain_text(
        "Take back “no good answer” for the question “Question number 0?”?"
    )
    ada.press("Enter")
    check(1)
    page.reload()
    ada.expect_ready()
    ada.press("Shift+U")
    expect(page.get_by_role("button", name="Bring back")).to_be_focused()
    ada.press("Enter", "Shift+U")
    check(15)


# Keeps all that the status says from now on, and what the line about today says that it did not say before.
WATCH = """() => {
  const line = document.querySelector('[data-ref="today"]');
  const before = line.textContent;
  const status = document.querySelector('[data-ref="status"]');
  window.told = { today: [], status: [] };
  const note = () => line.textContent === before || told.today.push(line.textContent);
  new MutationObserver(note).observe(line, { childList: true, subtree: true, characterData: true });
  new MutationObserver(() => told.status.push(status.textContent)).observe(status, { childList: true });
}"""


def test_a_rating_of_yesterday_counts_today_once_it_is_changed(rate, monkeypatch):
    ada = rate()
    with monkeypatch.context() as yesterday:
        yesterday.setattr(recording, "now_utc", lambda: now_utc() - timedelta(days=1))
        ada.press("2", "1")
        ada.expect_saved()
    ada.page.reload()
    ada.expect_ready()
    assert today_of(ada.page) == "Today, in all projects: 0 answers done"

    ada.press("3")
    ada.star("A", 3).check(force=True)
    expect(ada.page.locator('[data-ref="today"] > span').first).to_have_text(
        "Today, in all projects: 2 answers done"
    )

    ada.expect_saved()
    assert ada.page.evaluate(TODAY_ANEW) == "Today, in all projects: 2 answers done"


def test_offline_the_rest_claims_no_number_until_the_server_tells_it_and_undone_it_is_no_news(live_site):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=20)
    ada = rate_ahead(live_site, shop, shop.ada)
    page = ada.page
    asked, today = page.locator('[data-ref="ask-sure"]'), page.locator('[data-ref="today"] > span').first

    def give_the_rest_offline():
        page.context.set_offline(True)
        page.locator('[data-act="none"]').click()
        expect(asked).to_contain_text("Give 0 stars to all unrated answers of this question?")
        expect(asked).to_contain_text("If it has other parts, unrated answers there get it too.")
        page.get_by_role("button", name="Give 0 stars").click()
        ada.expect_status("All unrated answers of this question get 0 stars")
        waits = "Kept on this device and sent later: 1 change."
        expect(page.locator('[data-ref="offline"]')).to_contain_text(waits)

    # Undone before it was sent.
    give_the_rest_offline()
    ada.press("u")
    assert today_of(page) == "Today, in all projects: 1 answer done"
    page.evaluate(WATCH)
    page.context.set_offline(False)
    ada.expect_saved()
    ada.expect_status("Undone: those answers are unrated again")
    assert not any("unrated answers got" in words for words in page.evaluate("told.status"))
    assert page.evaluate("told.today") == []
    ada.press("Shift+U")
    ada.expect_saved()
    expect(today).to_have_text("Today, in all projects: 20 answers done")
    ada.press("u")
    ada.expect_saved()
    expect(today).to_have_text("Today, in all projects: 1 answer done")

    give_the_rest_offline()
    page.context.set_offline(False)
    ada.expect_status("No good answer: 19 unrated answers got 0 stars")
    assert ada.current() == [0] * 20


KEPT = "async () => (await (await caches.open('touchstone.questions')).keys()).length"


def rate_ahead(live_site, shop, person, pages=2):
    """Return somebody at the first page of a project, with one rating, and so many pages on their device."""
    rater = Rater(live_site, shop, live_site.page_of(person))
    start_rating(rater.page, f"/p/{shop.project.slug}/rate")
    rater.expect_ready()
    rater.press("0")
    for _ in range(200):
        # By default this page and the next.
        if rater.page.evaluate(KEPT) >= pages:
            break
        rater.page.wait_for_timeout(50)
    rater.page.wait_for_load_state("networkidle")
    return rater


def give_the_lowest_grade_to_thirteen(rater):
    """Press "No good answer" on a question with thirteen unrated answers in two parts, and confirm."""
    rater.page.locator('[data-act="none"]').click()
    rater.page.get_by_role("button", name="Give 0 stars").click()
    rater.expect_status("No good answer: 13 unrated answers got 0 stars")


def remarks(rater):
    """Return how many reports are up, and the texts of all notes."""
    with rater.site.database.read() as session:
        flags = session.scalars(select(Flag).where(Flag.state == "open")).all()
        return len(flags), list(session.scalars(select(JudgmentNote.text)))


def write_note(rater, letter, text):
    field = rater.card(letter).locator(".remark textarea")
    if not field.is_visible():
        rater.card(letter).locator(".remark summary").click()
    field.press("End")
    field.press_sequentially(text)
    field.blur()


def test_a_report_is_a_step_of_its_own_offline_and_online(rate, live_site):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    ada = rate()
    ada.page.context.set_offline(True)
    ada.press("3", "s", "1", "j")
    report = ada.card("C").locator('[data-act="flag"]')
    report.click()
    ada.press("Escape")

    for reported in ("The report on answer C is kept on this device", "Answer C is reported"):
        ada.press("u")
        ada.expect_status("Answer C is not reported any more")
        expect(report).to_have_attribute("aria-pressed", "false")
        expect(ada.card("B").get_by_text("Marked “can’t judge”")).to_be_visible()
        ada.press("Shift+U")
        ada.expect_status(reported)
        expect(report).to_have_attribute("aria-pressed", "true")
        ada.page.context.set_offline(False)
        ada.expect_saved()
        assert remarks(ada) == (1, [])
    # Nothing else was taken back.
    assert ada.stored()[-1][0] is None
    assert len(ada.stored()) == 2
    ada.press("u", "u")
    ada.expect_status(re.compile("Undone. Now answer B is not rated"))
    ada.expect_saved()
    assert remarks(ada) == (0, [])
    assert ada.stored()[-1] == (None, "cleared")


def test_a_report_that_the_server_has_not_taken_is_called_kept(rate, live_site):
    live_site.forgive("ERR_FAILED")
    ada = rate()
    ada.page.route("**/api/v1/**", lambda route: route.abort())
    report = ada.card("C").locator('[data-act="flag"]')
    kept = "The report on answer C is kept on this device"

    report.click()

    ada.expect_status(f"{kept}. Press the button again to take it back")
    ada.press("Escape", "u")
    ada.expect_status("Answer C is not reported any more")
    ada.press("Shift+U")
    assert ada.page.locator('[data-ref="status"]').text_content() == kept
    ada.page.unroute("**/api/v1/**")
    ada.page.evaluate("dispatchEvent(new Event('online'))")
    # Once it was sent, the same words say so.
    ada.expect_status("Answer C is reported")
    assert remarks(ada) == (1, [])


def test_a_note_has_its_former_text_again(rate):
    ada = rate()
    field = ada.card("A").locator(".remark textarea")
    ada.press("3")
    write_note(ada, "A", "too ")
    ada.expect_saved()
    field.focus()
    for part in ("old", " indeed"):
        field.press("End")
        field.press_sequentially(part)
        # As long as it takes until it is kept without leaving the field.
        ada.page.wait_for_timeout(1000)
    field.blur()
    ada.expect_saved()
    assert remarks(ada) == (0, ["too old indeed"])

    ada.press("u")
    ada.expect_status("The note on answer A is now “too”")
    expect(field).to_have_value("too ")
    ada.expect_saved()
    assert remarks(ada) == (0, ["too"])
    ada.press("u")
    ada.expect_status("Answer A has no note any more")
    ada.expect_saved()
    assert remarks(ada) == (0, [])
    ada.press("Shift+U", "Shift+U")
    ada.expect_saved()
    assert remarks(ada) == (0, ["too old indeed"])
    ada.press("u", "u", "u")
    ada.expect_status(re.compile("Undone. Now answer A is not rated"))
    ada.expect_saved()
    assert ada.stored() == [(3, None), (None, "cleared")]


def test_reports_and_notes_of_the_question_before_are_asked_about_first(rate):
    ada = rate()
    page, asked = ada.page, ada.page.locator('[data-ref="ask-back"]')
    ada.press("1", "2", "3")
    page.locator('[data-act="flag-question"]').evaluate("button => button.form.requestSubmit(button)")
    write_note(ada, "B", "why")
    ada.card("C").locator('[data-act="flag"]').click()
    ada.card("C").locator('[data-act="flag"]').click()
    ada.expect_saved()
    page.locator('[data-act="next"]').click()
    expect(page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()

    ada.press("u")
    answer, where = r"“Title \d of q0”", r"\(question “Question number 0\?”\)"
    expect(asked).to_contain_text(re.compile(f"Report {answer} again {where}\\?"))
    expect(asked.get_by_role("button", name="Report again")).to_be_focused()
    ada.press("Enter")
    ada.expect_status(re.compile("Answer C is reported \\(question “Question number 0\\?”\\)"))
    ada.expect_saved()
    assert remarks(ada) == (2, ["why"])
    ada.press("u")
    expect(asked).to_contain_text(re.compile(f"Take back the report for {answer} {where}"))
    ada.press("Enter", "u")
    expect(asked).to_contain_text("Take back your last change to the note for “Title")
    ada.press("Enter", "u")
    expect(asked).to_contain_text("Take back the report for the question “Question number 0?”?")
    ada.press("Enter")
    ada.expect_saved()
    assert remarks(ada) == (0, [])
    ada.press("Shift+U")
    expect(asked).to_contain_text("Report the question “Question number 0?” again?")
    ada.press("Escape")
    page.get_by_role("link", name="go there").click()
    expect(page.locator("h1")).to_have_text("Question number 0?")
    ada.expect_ready()
    expect(page.locator('[data-act="flag-question"]')).to_have_attribute("aria-pressed", "false")
    expect(ada.card("B").locator(".remark textarea")).to_have_value("")
    assert ada.chosen() == [1, 2, 3]


def expect_the_rest_to_be_asked_about(ada):
    """Undo, and do again, on another page, that the rest of the first question got a grade."""
    asked = ada.page.locator('[data-ref="ask-back"]')
    ada.press("u")
    expect(asked).to_contain_text("Take back the 0 stars that you gave to the rest of “Question number 0?”?")
    ada.press("Enter")
    ada.expect_status(re.compile("^Undone: the rest of “Question number 0\\?” is unrated again\\."))
    ada.press("Shift+U")
    expect(asked).to_contain_text("Bring back the 0 stars that you gave to the rest of “Question number 0?”?")
    ada.press("Enter")
    ada.expect_status(re.compile("^Redone: the rest of “Question number 0\\?” has 0 stars again\\."))
    ada.expect_saved()


def test_the_rest_is_named_as_its_button_was_from_another_question(rate, shop):
    ada = rate()
    page = ada.page
    ada.press("2")
    page.get_by_role("button", name="Give the rest 0 stars").click()
    ada.press("Enter")
    expect(page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()

    expect_the_rest_to_be_asked_about(ada)
    assert ada.current() == [2, 0, 0]


def test_the_rest_that_was_only_in_other_parts_is_asked_about_from_another_question(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=2, answers=14)
    ada = rate_ahead(live_site, shop, shop.ada)
    page = ada.page
    ada.press("2", *"0" * 10)
    page.get_by_role("button", name="Give the other parts 0 stars").click()
    page.get_by_role("button", name="Give 0 stars").click()
    ada.expect_saved()
    page.locator('[data-act="next"]').click()
    expect(page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()

    expect_the_rest_to_be_asked_about(ada)
    assert sorted(ada.current()) == [0] * 13 + [2]


@pytest.mark.parametrize("text", ["", "too old"])
def test_a_report_that_is_undone_asks_for_no_reason_any_more(rate, text):
    ada = rate()
    asked = ada.card("B").locator('[data-ref="why"]')
    if text:
        write_note(ada, "B", text)
    ada.card("B").locator('[data-act="flag"]').click()
    expect(asked).to_have_text("Add what is wrong to your note." if text else "What is wrong? (optional)")

    ada.page.locator('[data-act="undo"]').click()

    ada.expect_status("Answer B is not reported any more")
    expect(asked).to_be_empty()
