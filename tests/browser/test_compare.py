"""Compare and the overview in a real browser: for everybody, at every width, with and without scripts."""

from __future__ import annotations

import pytest

from app.models import Query
from tests.furniture.live import DESK, NARROWEST, PHONE, looks, overflow_of
from tests.furniture.race import race_in

URL = "/p/race/compare"


@pytest.fixture
def race(stored):
    """Return three rankers, a look taken, tags, and some answers not rated."""
    race = race_in(stored, 26, behind_wins=6, slug="race", name="The race")
    race.add_run("A third ranker with a rather long name", good_first=False)
    race.rate(race.ordered()[:22])
    race.look()
    with stored.write() as session:
        for number, query in enumerate(race.queries):
            session.get_one(Query, query.id).tags = ["brakes"] if number % 3 else ["wheels", "rare"]
    return race


@pytest.fixture
def owner(race):
    with race.making() as make:
        return make.member(race.project, "owner", name="Olga Owner")


def open_everything(page):
    page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(one => one.open = true)")


@looks(desk=DESK, phone=PHONE, narrowest=NARROWEST)
def test_everybody_can_use_compare(live_site, axe, owner, viewport, theme):
    page = live_site.open(URL, owner, viewport=viewport, color_scheme=theme)
    open_everything(page)

    assert overflow_of(page) == 0
    axe(page)


@looks(desk=DESK, narrowest=NARROWEST)
def test_everybody_can_use_the_overview_with_its_verdicts(live_site, axe, owner, viewport, theme):
    page = live_site.open("/p/race/", owner, viewport=viewport, color_scheme=theme)
    open_everything(page)

    assert overflow_of(page) == 0
    assert page.get_by_text("Sure: ahead").first.is_visible()
    axe(page)


def test_a_bar_opens_its_question(live_site, owner):
    page = live_site.open(URL, owner, viewport=DESK)
    bar = page.locator("svg.only-wide a[aria-label*='better by']").first
    name = bar.get_attribute("aria-label").split(":")[0]
    bar.click()

    page.wait_for_url("**/questions/*")
    assert page.get_by_role("heading", level=1).inner_text() == name


def test_without_scripts_other_versions_can_be_chosen(live_site, owner):
    page = live_site.open(URL, owner, java_script_enabled=False)
    page.get_by_label("Second").select_option(label="A third ranker with a rather long name v1")
    page.get_by_role("button", name="Compare").click()

    assert "second=" in page.url
    assert "A third ranker" in page.get_by_role("heading", level=1).inner_text()
    page.get_by_text("All pairs of rankers").click()
    page.get_by_role("link", name="Behind against Ahead").click()
    assert "Behind" in page.get_by_role("heading", level=1).inner_text()


def test_the_overview_leads_to_the_pair_it_speaks_of(live_site, owner):
    page = live_site.open("/p/race/", owner)
    page.get_by_role("link", name="Ahead and Behind side by side").click()

    assert page.get_by_label("First").input_value() != page.get_by_label("Second").input_value()
    assert "Ahead" in page.get_by_role("heading", level=1).inner_text()


def test_on_paper_everything_is_open_and_nothing_can_be_pressed(live_site, owner):
    page = live_site.open(URL, owner, viewport=DESK)
    page.emulate_media(media="print")

    assert not page.get_by_label("First").is_visible()
    assert not page.get_by_role("button", name="Compare").is_visible()
    assert page.get_by_text("Mean difference in NDCG@2").is_visible()
