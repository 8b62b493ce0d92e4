"""Rating on a site below a path of its host: saved, prefetched, kept for going on offline, and signed out."""

import time
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.browser.rating.conftest import Rater
from tests.furniture.live import start_rating
from tests.furniture.rating import make_workshop

BASE = "/touchstone"
KEPT = """async () => (await Promise.all((await caches.keys()).map(async name =>
  (await (await caches.open(name)).keys()).map(one => name + new URL(one.url).pathname)))).flat()"""
SCOPES = (
    "async () => (await navigator.serviceWorker.getRegistrations()).map(one => new URL(one.scope).pathname)"
)


@pytest.fixture
def settings(settings):
    return replace(settings, public_url=f"http://127.0.0.1{BASE}")


def test_rating_goes_on_offline_and_nothing_leaves_the_path(live_site):
    live_site.forgive("ERR_INTERNET_DISCONNECTED")
    with live_site.making() as make:
        shop = make_workshop(make, queries=8, answers=2)
    address = f"{BASE}/p/{shop.project.slug}/rate"
    page = live_site.page_of(shop.ada, service_workers="allow")
    asked = []
    page.context.on("request", lambda request: asked.append(request.url.removeprefix(live_site.url)))
    ada = Rater(live_site, shop, start_rating(page, address))
    ada.expect_ready()
    ada.press("3")
    ada.expect_saved()
    deadline = time.monotonic() + 20
    while len(page.evaluate(KEPT)) < 3:
        assert time.monotonic() < deadline, "the next questions were not kept"
        page.wait_for_timeout(50)
    page.evaluate("navigator.serviceWorker.ready")
    assert all(one.startswith(f"{BASE}touchstone.questions{address}/") for one in page.evaluate(KEPT))
    assert page.evaluate(SCOPES) == [f"{BASE}/"]

    page.context.set_offline(True)
    page.reload()
    ada.expect_ready()
    ada.press("1")
    page.locator('[data-act="next"]').click()
    expect(page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()
    ada.press("2", "0")
    page.goto(address)
    expect(page.locator("h1")).to_have_text("Question number 1?")
    ada.expect_ready()
    page.context.set_offline(False)
    ada.expect_saved()

    assert ada.stored() == [(3, None), (1, None), (2, None), (0, None)]
    page.goto(f"{BASE}/")
    page.locator(".menu__face").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sign in")
    assert page.evaluate(KEPT) == []
    assert len(asked) > 30
    assert [one for one in asked if not one.startswith(f"{BASE}/") and one != "/favicon.ico"] == []
