"""The button that takes the next question: by keyboard, without scripts, and while the network is away."""

import re

from playwright.sync_api import expect

from tests.furniture.live import NARROWEST, overflow_of


def test_enter_on_the_focused_button_starts(live_site, shop, axe):
    page = live_site.open(f"/p/{shop.project.slug}/rate", shop.ada, viewport=NARROWEST)
    axe(page)
    assert overflow_of(page) == 0
    expect(page.get_by_role("button", name="Start rating")).to_be_focused()

    page.keyboard.press("Enter")

    expect(page.locator("h1")).to_have_text("Question number 0?")
    page.reload()
    expect(page).to_have_url(re.compile(r"/rate/1$"))


def test_it_starts_without_scripts(live_site, shop):
    page = live_site.open(f"/p/{shop.project.slug}/rate", shop.ada, java_script_enabled=False)

    page.get_by_role("button", name="Start rating").click()

    expect(page).to_have_url(re.compile(r"/rate/1$"))
    expect(page.locator("h1")).to_have_text("Question number 0?")
