"""The page about the API: its viewer draws the description, within the policy."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_the_viewer_shows_the_addresses_within_the_policy(live_site):
    page = live_site.open("/api")

    page.get_by_text("Scores of the rankers").click()

    page.get_by_text("The newest active version of each ranker").wait_for()
    page.emulate_media(color_scheme="dark")
    # The viewer follows by script, a frame after the change is known.
    expect(page.locator(".swagger-ui")).to_have_css("background-color", "rgb(28, 32, 34)")
