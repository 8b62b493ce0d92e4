"""What the rating page shows while things happen: axe finds nothing in any state, and nothing sticks out."""

import pytest
from playwright.sync_api import expect

from app.models import Person, Project, Query
from app.services.projects.notes import change_note_rule
from tests.browser.rating.conftest import AT_ONCE, Rater
from tests.furniture.live import DESK, NARROWEST, overflow_of, start_rating
from tests.furniture.rating import make_workshop

# What axe sees in test_looks.py, on a wide screen in light.
LOOKED_AT = {"fresh", "reasons", "guidelines"}


@pytest.fixture
def ada(live_site, made_up, viewport, theme, direction):
    """Give somebody who rates two questions of three answers; a grade of 1 star needs a note."""
    for expected in ("ERR_FAILED", "ERR_INTERNET_DISCONNECTED", "401", "409"):
        live_site.forgive(expected)
    with live_site.making() as make:
        shop = make_workshop(make, queries=2, answers=3)
        change_note_rule(make.session, make.session.get_one(Project, shop.project.id), [1], ["Off topic"])
        make.session.get_one(Query, shop.queries[0].id).intent = "Somebody at the roadside asks it. " * 12
        if direction == "rtl":
            make.session.get_one(Person, shop.ada.id).preferences = {"language": made_up}
    page = live_site.page_of(shop.ada, viewport=viewport, color_scheme=theme)
    page.add_init_script(AT_ONCE)
    start_rating(page, f"/p/{shop.project.slug}/rate")
    page.on("dialog", lambda dialog: dialog.accept())
    ada = Rater(live_site, shop, page)
    ada.expect_ready()
    return ada


@pytest.mark.parametrize(
    ("viewport", "theme", "direction"),
    [
        pytest.param(DESK, "light", "ltr", id="desk-light-ltr"),
        pytest.param(NARROWEST, "dark", "rtl", id="narrow-dark-rtl"),
    ],
)
def test_every_state_is_for_everybody(ada, axe, direction):
    page = ada.page

    def look(state):
        assert overflow_of(page) == 0, state
        if direction == "ltr" and state in LOOKED_AT:
            return
        try:
            axe(page)
        except AssertionError as error:
            raise AssertionError(state) from error

    assert page.evaluate("getComputedStyle(document.body).direction") == direction
    look("fresh")
    ada.press("j", "3", "s")
    look("reasons")
    ada.press("4")
    expect(ada.card("B")).to_contain_class("ans--pass")
    expect(ada.card("B").locator('[data-act="clear"]')).to_be_visible()
    ada.card("A").locator(".remark summary").click()
    ada.card("A").locator(".remark textarea").fill("A reason")
    ada.card("A").locator('[data-act="flag"]').click()
    ada.card("B").locator("h2").click()
    expect(page.locator(".ans--now.ans--pass")).to_have_count(1)
    ada.expect_saved()
    # Of two colours that are the same axe says nothing.
    shade = "(one, name) => getComputedStyle(one)[name]"
    now = page.locator(".ans--now.ans--pass")
    assert now.locator(".ans__letter").evaluate(shade, "color") != now.evaluate(shade, "backgroundColor")
    look("rated, noted, flagged and passed on")
    ada.card("B").locator('[data-act="clear"]').click()
    expect(ada.card("B")).not_to_contain_class("ans--pass")
    ada.expect_saved()
    ada.star("C", 1).click(force=True)
    expect(ada.card("C")).to_contain_class("ans--why")
    look("a note is needed")
    page.keyboard.press("Escape")
    ada.press("?")
    look("keys")
    ada.press("Escape", "g")
    look("guidelines")
    ada.press("Escape")
    # It is asked only where more answers of the question are on later pages.
    page.evaluate("document.querySelector('main').dataset.split = 'on'")
    page.route(
        "**/left", lambda route: route.fulfill(json={"here": 2, "elsewhere": 2, "better_elsewhere": False})
    )
    page.locator('[data-act="none"]').click()
    expect(page.locator('[data-ref="ask-sure"]')).to_be_visible()
    look("no good answer")
    page.unroute("**/left")
    page.evaluate("document.querySelector('main').dataset.split = 'off'")
    page.locator('[data-act="next"]').click()
    expect(page.locator('[data-ref="ask-later"]')).to_be_visible()
    look("leave the rest for later?")
    page.locator('[data-act="stay"]').click()
    page.context.set_offline(True)
    ada.star("A", 2).click(force=True)
    expect(page.locator('[data-ref="offline"]')).to_be_visible()
    page.context.set_offline(False)
    ada.expect_saved()
    page.route("**/api/v1/**", lambda route: route.abort())
    ada.star("A", 3).click(force=True)
    expect(page.locator('[data-ref="offline"] button')).to_be_visible()
    look("the server is away")
    page.unroute("**/api/v1/**")
    # On a slow machine it has been tried so often by now that the next try is far away.
    page.evaluate("dispatchEvent(new Event('online'))")
    ada.expect_saved()
    other = Rater(ada.site, ada.shop, ada.site.page_of(ada.shop.ada))
    other.page.goto(page.url)
    other.expect_ready()
    other.star("C", 3).click(force=True)
    other.expect_saved()
    ada.star("C", 2).click(force=True)
    expect(page.locator('[data-ref="clash"]')).to_be_visible()
    look("changed elsewhere")
    page.locator('[data-ref="clash"] [data-act="adopt"]').click()
    ada.expect_saved()
    page.context.clear_cookies()
    ada.star("B", 3).click(force=True)
    expect(page.locator('[data-ref="status"] a')).not_to_have_count(0)
    look("signed out")


def test_what_was_said_of_a_whole_question_is_in_sight_where_its_list_leads(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=12)
    page = live_site.page_of(shop.ada, viewport=DESK)
    start_rating(page, f"/p/{shop.project.slug}/rate")
    rated = f"/p/{shop.project.slug}/rate/ratings"
    report = page.get_by_role("button", name="Report the question")
    # What is still on its way when the page is left is not in the list yet.
    with page.expect_response("**/flag"):
        report.click()
    expect(page.get_by_role("button", name="Question reported")).to_be_in_viewport()
    page.evaluate("scrollTo(0, 0)")
    expect(page.get_by_role("button", name="Question reported")).not_to_be_in_viewport()

    page.goto(f"{rated}?show=flag")
    page.get_by_role("listitem").filter(has_text="The whole question").get_by_role("link").click()
    expect(page.get_by_role("button", name="Question reported")).to_be_in_viewport()

    page.get_by_text("Can’t judge this question").click()
    page.locator(".cant-all button").first.click()
    page.wait_for_url("**/done")
    page.goto(f"{rated}?show=pass")
    page.get_by_role("listitem").filter(has_text="The whole question").get_by_role("link").click()
    expect(page.get_by_role("button", name="Take it back").first).to_be_in_viewport()
