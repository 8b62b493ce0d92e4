"""The rating page for everybody: both themes, narrow windows, no scripts, keys on the controls, blindness."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from app.models import Document, Project, Query
from app.services.projects.templates import PAPERS
from tests.browser.rating.conftest import Rater
from tests.furniture.live import DESK, NARROWEST, PHONE, THEMES, overflow_of, start_rating
from tests.furniture.rating import CANARY, make_workshop


# In dark and on a narrow screen test_states.py looks at it.
@pytest.mark.everyday
def test_the_rating_page_is_for_everybody(rate, axe):
    ada = rate(viewport=DESK, color_scheme="light")

    axe(ada.page)
    ada.press("3", "0", "k", "s")
    axe(ada.page)
    ada.press("Escape", "g")
    axe(ada.page)
    assert overflow_of(ada.page) == 0


def test_the_end_and_the_preview_are_for_everybody(rate, axe, live_site, shop):
    ada = rate()
    ada.press("2")
    ada.expect_saved()

    ada.page.goto(f"/p/{shop.project.slug}/rate/done")
    preview = live_site.open(f"/p/{shop.project.slug}/rate/preview", shop.owner)
    for page in (ada.page, preview):
        for theme in THEMES:
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            axe(page)


def test_a_projects_own_words_stay_while_it_is_rated(rate, axe, live_site, shop):
    with live_site.making() as make:
        make.session.get_one(Project, shop.project.id).wording = PAPERS.wording
        make.session.get_one(Query, shop.queries[0].id).intent = (
            "Cheap microphones on roofs along a coast. " * 9
        )
    ada = rate(viewport=NARROWEST)
    expect(ada.page.locator("[data-act=none]")).to_have_text("No good recommended paper")
    ada.page.get_by_text("Aim of this target paper").click()
    ada.star("A", 2).check(force=True)

    expect(ada.page.get_by_text("1 of 3 recommended papers done")).to_be_visible()
    expect(ada.page.get_by_role("article", name="Recommended paper A")).to_be_visible()
    expect(ada.page.locator("[data-act=none]")).to_have_text("Give the rest 0 stars")
    axe(ada.page)
    assert overflow_of(ada.page) == 0


def test_the_questions_words_are_highlighted_in_titles_as_in_texts_and_only_when_switched_on(
    rate, live_site, shop
):
    with live_site.making() as make:
        for document in shop.documents[shop.queries[0].id]:
            stored = make.session.get_one(Document, document.id)
            stored.title = stored.text = "A number of things"
    ada = rate()
    grounds = """() => ['.ans__title', '.ans__text'].map(
        (of) => getComputedStyle(document.querySelector(of + ' mark')).backgroundColor)"""

    assert set(ada.page.evaluate(grounds)) == {"rgba(0, 0, 0, 0)"}
    ada.press("m")
    expect(ada.page.locator(".mark-words")).to_have_attribute("aria-pressed", "true")
    title, text = ada.page.evaluate(grounds)
    assert title == text != "rgba(0, 0, 0, 0)"


def test_without_scripts_an_answer_is_saved_undone_and_redone_wherever_it_was(rate):
    ada = rate(java_script_enabled=False)
    ada.star("B", 3).check(force=True)
    ada.page.get_by_role("button", name="Save answer B").click()
    assert ada.page.url.endswith(f"#{ada.card('B').get_attribute('id')}")
    expect(ada.star("B", 3)).to_be_checked()
    assert ada.stored() == [(3, None)]
    ada.page.get_by_role("button", name="Next question").click()
    ada.page.get_by_role("button", name="Leave for later").click()
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")

    ada.page.get_by_role("button", name="Undo").click()
    asked = ada.page.get_by_text(
        re.compile(r"Take back 3 stars for “Title \d of q0” \(question “Question number 0\?”\)\?")
    )
    expect(asked).to_be_visible()
    ada.page.get_by_role("link", name="Cancel").click()
    expect(asked).to_have_count(0)
    assert ada.stored() == [(3, None)]
    ada.page.get_by_role("button", name="Undo").click()
    ada.page.get_by_role("button", name="Take back").click()
    expect(ada.page.get_by_text("Undone. Now answer B is not rated")).to_be_visible()
    expect(ada.page.locator("h1")).to_have_text("Question number 0?")
    assert ada.page.url.endswith(f"#{ada.card('B').get_attribute('id')}")
    ada.page.get_by_role("button", name="Undo").click()
    expect(ada.page.get_by_text("Nothing to undo")).to_be_visible()
    ada.page.get_by_role("button", name="Redo").click()

    expect(ada.page.get_by_text("Redone. Now answer B is 3 stars")).to_be_visible()
    expect(ada.star("B", 3)).to_be_checked()
    assert ada.stored() == [(3, None), (None, "cleared"), (3, None)]


def test_long_texts_in_any_direction_break_nothing(rate, live_site, shop):
    with live_site.making() as make:
        make.session.get_one(Query, shop.queries[0].id).text = "מדוע הבלמים חורקים כשיורד גשם " * 8
        documents = [make.session.get_one(Document, one.id) for one in shop.documents[shop.queries[0].id]]
        documents[0].title = "W" * 300
        documents[1].text = "שלום עולם " * 300
        documents[2].title, documents[2].text = "", "https://example.org/" + "x" * 400
    ada = rate(viewport=NARROWEST)

    assert overflow_of(ada.page) == 0
    direction = "element => getComputedStyle(element).direction"
    assert ada.page.locator("h1").evaluate(direction) == "rtl"
    expect(ada.page.locator("h1")).to_have_attribute("tabindex", "0")


def test_the_bars_never_cover_the_answer_that_has_focus(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=12)
    ada = Rater(live_site, shop, start_rating(live_site.page_of(shop.ada), f"/p/{shop.project.slug}/rate"))
    ada.expect_ready()

    for _ in range(12):
        ada.press("j")
        box = ada.page.locator(":focus").bounding_box()
        top = ada.page.locator(".ask").bounding_box()
        bottom = ada.page.locator(".act").bounding_box()
        assert box["y"] >= top["y"] + top["height"] - 1
        assert box["y"] + box["height"] <= bottom["y"] + 1


def test_what_is_opened_at_the_foot_of_the_window_is_not_under_the_bar(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=6)
    page = start_rating(
        live_site.page_of(shop.ada, viewport={"width": 1000, "height": 620}), f"/p/{shop.project.slug}/rate"
    )
    ada = Rater(live_site, shop, page)
    ada.expect_ready()
    for opened in (".cant", ".remark"):
        page.reload()
        ada.expect_ready()
        # The card ends just above the bar.
        page.evaluate(
            """() => {
              const foot = document.querySelector('[data-letter="C"] .ans__acts').getBoundingClientRect().bottom;
              scrollBy(0, foot - document.querySelector('.act').getBoundingClientRect().top + 4);
            }"""
        )

        ada.card("C").locator(f"{opened} summary").click()

        page.wait_for_function(
            """panel => document.querySelector(panel).getBoundingClientRect().bottom
              <= document.querySelector('.act').getBoundingClientRect().top""",
            arg=f'[data-letter="C"] {opened} form',
        )


# What a screen reader says of each control of an answer: its words, without what is hidden from it.
NAMES = """cards => cards.map(card => [...card.querySelectorAll("summary, a, .ans__act button")].map(control => {
  const copy = control.cloneNode(true);
  for (const mute of copy.querySelectorAll('[aria-hidden="true"]')) mute.remove();
  return copy.textContent.replace(/\\s+/g, " ").replace(" :", ":").trim();
}))"""


def test_every_control_has_a_name_that_says_which_answer_it_is_for(rate, live_site, shop):
    with live_site.making() as make:
        for document in shop.documents[shop.queries[0].id]:
            stored = make.session.merge(document)
            stored.text, stored.url = "A sentence of some words. " * 100, "https://example.org/"
    ada = rate()

    group = ada.page.get_by_role("group", name="How well does answer C help?")
    expect(group.get_by_role("radio", name="0: No help")).to_have_count(1)
    expect(group.get_by_role("radio", name="3: Solves it")).to_have_count(1)
    expect(ada.page.get_by_role("heading", level=1)).to_have_count(1)
    expect(ada.page.get_by_role("article")).to_have_count(3)
    ada.press("j", "s", "4")
    assert ada.cards.evaluate_all(NAMES) == [
        [
            f"Source of answer {letter}, opens in a new tab",
            f"Full text: answer {letter}",
            f"{cant}: answer {letter}",
            f"Note: answer {letter}",
            f"Report problem answer {letter}",
            f"Clear the rating of answer {letter}",
        ]
        for letter, cant in zip("ABC", ("Marked “can’t judge”", "Can’t judge", "Can’t judge"), strict=True)
    ]


def test_the_preview_stores_nothing(live_site, shop):
    page = live_site.open(f"/p/{shop.project.slug}/rate/preview", shop.owner)
    olga = Rater(live_site, shop, page)
    # The scripts have taken the page over.
    expect(page.locator("h1")).to_be_focused()

    olga.press("3", "1")

    assert olga.chosen()[:2] == [3, 1]
    assert olga.waiting() == 0
    assert olga.stored() == []


def test_nothing_that_the_browser_receives_names_a_ranker(rate):
    received = []

    def keep(route):
        reply = route.fetch()
        received.append((reply.url, str(reply.headers) + reply.text()))
        route.fulfill(response=reply)

    ada = rate()
    ada.page.route("**/*", keep)
    ada.page.reload()
    ada.expect_ready()
    ada.press("3", "0", "1")
    ada.expect_saved()
    ada.press("Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()
    ada.page.unroute_all(behavior="wait")

    assert len(received) > 10
    for url, text in received:
        assert CANARY.lower() not in text.lower(), url


def test_on_a_phone_the_letters_jump_and_show_what_is_rated_and_fingers_find_room(rate):
    ada = rate(viewport=PHONE, has_touch=True, is_mobile=True)

    for box in (star.bounding_box() for star in ada.page.locator(".star").all()):
        assert box["width"] >= 44
        assert box["height"] >= 44
    expect(ada.page.locator('[data-act="next"]')).to_have_text("Next question")
    strip = ada.page.get_by_role("navigation", name="Answers").get_by_role("link")
    expect(strip).to_have_count(3)
    strip.nth(2).tap()
    expect(strip.nth(2)).to_have_attribute("aria-current", "true")
    expect(ada.card("C")).to_contain_class("ans--now")
    expect(ada.card("C")).to_be_in_viewport()
    acts = [button.bounding_box() for button in ada.card("C").locator(".ans__acts .btn:visible").all()]
    assert min(box["height"] for box in acts) >= 44
    for one, other in pairwise(acts):
        apart = one["x"] + one["width"] <= other["x"] or one["y"] + one["height"] <= other["y"]
        assert apart, "no press belongs to two of them"
    ada.star("C", 2).tap(force=True)

    expect(strip.nth(2)).to_contain_class("strip--done")
    expect(strip.nth(0)).to_have_attribute("aria-current", "true")
