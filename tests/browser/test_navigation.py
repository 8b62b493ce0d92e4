"""An owner finds their way: every page in its group, on the widest and the narrowest screen, without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.furniture.live import DESK, NARROWEST, overflow_of, start_rating
from tests.furniture.rating import make_workshop

GROUPS = {
    "Results": ["Overview", "Compare", "Questions"],
    "Ratings": ["Rate", "What next", "Review", "Quality"],
    "Project": ["Import", "People", "Settings"],
}


@pytest.fixture
def shop(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=2, answers=3, slug="shop")
        shop.project.name = "Donaudampfschifffahrtsgesellschaftskapitän"
        return shop


def links_of(page):
    """Return what Tab meets in the navigation, link by link."""
    return [link.inner_text() for link in page.locator("nav.groups a").all() if link.is_visible()]


def test_a_wide_window_shows_every_page_in_its_group(live_site, axe, shop):
    page = live_site.open("/p/shop/settings/quality", shop.owner, viewport=DESK, color_scheme="dark")

    assert links_of(page) == [name for names in GROUPS.values() for name in names]
    expect(page.locator("nav.groups [aria-current]:visible")).to_have_text("Settings")
    axe(page)


def test_a_narrow_window_shows_the_groups_and_the_pages_of_one(live_site, axe, shop):
    page = live_site.open("/p/shop/quality", shop.owner, viewport=NARROWEST)
    assert overflow_of(page) == 0
    axe(page)

    page = live_site.open("/p/shop/quality", shop.owner, viewport=NARROWEST, java_script_enabled=False)
    assert links_of(page) == ["Results", "Ratings", *GROUPS["Ratings"], "Project"]
    assert page.locator("nav.groups [aria-current]:visible").all_inner_texts() == ["Ratings", "Quality"]
    page.get_by_role("link", name="Project", exact=True).press("Enter")

    page.wait_for_url("**/import")
    assert links_of(page) == ["Results", "Ratings", "Project", *GROUPS["Project"]]


def test_whoever_may_go_to_few_pages_needs_no_groups(live_site, shop):
    page = live_site.open("/p/shop/rate/done", shop.ada, viewport=NARROWEST)

    expect(page.locator("nav.groups")).to_have_count(0)
    expect(page.locator("nav.tabs").get_by_role("link")).to_have_text(["Rate"])


def test_a_long_name_leaves_the_rating_page_its_room(live_site, shop):
    page = start_rating(live_site.page_of(shop.ada, viewport=NARROWEST), "/p/shop/rate")

    name = page.get_by_role("link", name=shop.project.name)
    assert name.bounding_box()["height"] < 24, "one line"
    assert page.locator("header.top").bounding_box()["height"] < 100
    assert overflow_of(page) == 0
