"""Compare and What changed in a real browser: for everybody, at every width, with and without scripts."""

from __future__ import annotations

import pytest

from app.models import Query
from tests.furniture.live import DESK, NARROWEST, looks, overflow_of
from tests.furniture.rankers import rankers_in

URL = "/p/two/compare"
CHANGES = "/p/two/compare/changes"


@pytest.fixture
def rankers(stored):
    """Return three rankers, one in production, one with a second version, tags, and unrated answers."""
    rankers = rankers_in(stored, 26, behind_wins=6, slug="two", name="Two rankers")
    rankers.add_run("A third ranker with a rather long name", good_first=False)
    rankers.add_run("Behind")
    rankers.rate(rankers.ordered()[:22], (3, 2))
    with stored.write() as session:
        for number, query in enumerate(rankers.queries):
            session.get_one(Query, query.id).tags = ["brakes"] if number % 3 else ["wheels", "rare"]
    rankers.put_in_production(rankers.runs[0])
    return rankers


@pytest.fixture
def owner(rankers):
    with rankers.making() as make:
        return make.member(rankers.project, "owner", name="Olga Owner")


def open_everything(page):
    page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(one => one.open = true)")


@looks(desk=DESK, narrowest=NARROWEST)
def test_everybody_can_use_both_views(live_site, axe, owner, viewport, theme):
    page = live_site.page_of(owner, viewport=viewport, color_scheme=theme)
    for url in (URL, CHANGES):
        page.goto(url)
        open_everything(page)

        assert overflow_of(page) == 0, url
        axe(page)


def test_both_views_lead_to_each_other_to_a_question_and_to_rating(live_site, owner):
    page = live_site.open(URL, owner, viewport=DESK)
    bar = page.locator("svg.only-wide a[aria-label*='better by']").first
    name = bar.get_attribute("aria-label").split(":")[0]
    bar.click()

    page.wait_for_url("**/questions/*")
    assert page.get_by_role("heading", level=1).inner_text() == name

    page.goto(URL)
    page.get_by_role("link", name="What changed").click()
    page.wait_for_url(f"**{CHANGES}")
    page.locator(".answer p", has_text="in production").get_by_role("link").click()
    page.wait_for_url("**/compare?first=*")
    assert "Ahead" in page.get_by_role("heading", level=1).inner_text()

    page.goto(CHANGES)
    page.get_by_role("button", name="Have these 8 rated first").click()
    page.get_by_text("8 answers will be rated first, from the top").wait_for()
    assert page.get_by_role("link", name="Rate now").is_visible()
    assert page.url.endswith(CHANGES)


def test_without_scripts_other_versions_and_rankers_can_be_chosen(live_site, owner):
    page = live_site.open(URL, owner, java_script_enabled=False)
    page.locator("select[name=second]").select_option(label="A third ranker with a rather long name v1")
    page.get_by_role("button", name="Show").click()

    assert "second=" in page.url
    assert "A third ranker" in page.get_by_role("heading", level=1).inner_text()
    page.get_by_text("All pairs of rankers").click()
    page.get_by_role("link", name="Behind v2 against Ahead v1").click()
    assert "Behind" in page.get_by_role("heading", level=1).inner_text()

    page.goto(CHANGES)
    page.locator('select[name="ranker"]').select_option(label="Ahead")
    page.get_by_role("button", name="Show").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Ahead v1 has no version before it."

    page.locator('select[name="ranker"]').select_option(label="Behind")
    page.get_by_role("button", name="Show").click()
    assert "Behind v2" in page.get_by_role("heading", level=1).inner_text()
    assert page.locator('select[name="version"]').input_value() != ""


def test_on_paper_everything_is_open_and_nothing_can_be_pressed(live_site, owner):
    page = live_site.page_of(owner, viewport=DESK)
    page.emulate_media(media="print")
    for url in (URL, CHANGES):
        page.goto(url)

        assert not page.get_by_role("button", name="Show").is_visible()
        assert not page.get_by_role("button", name="rated first").is_visible()
        assert page.get_by_text("Mean difference, paired over").is_visible()
