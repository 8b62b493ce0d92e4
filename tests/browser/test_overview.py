"""The overview in a real browser: few words, the chart high enough, and nothing to scroll sideways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.demo import load_demo
from app.models import Project
from app.services.collection.rankers import set_production
from tests.furniture.live import DESK, NARROWEST, looks, overflow_of
from tests.furniture.rankers import rankers_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from app.database import Database
    from app.models import Person
    from tests.furniture.live import LiveSite
    from tests.furniture.rankers import TwoRankers

MOST_WORDS = 260
WORDS = r"document.querySelector('main').innerText.match(/\p{L}{2,}/gu).length"
HIGHEST = 900


@pytest.fixture
def admin(stored: Database, live_site: LiveSite) -> Person:
    load_demo(stored)
    with live_site.making() as make:
        return make.person(name="Olga Owner", is_admin=True)


@pytest.fixture
def rankers(stored: Database) -> TwoRankers:
    rankers = rankers_in(stored, 24, behind_wins=6, slug="two", name="Two rankers")
    rankers.add_run("A third ranker with a rather long name", good_first=False)
    for number in range(7):
        rankers.add_run(f"Ranker {number}", good_first=number % 2 == 0)
    rankers.rate(rankers.ordered()[:20])
    rankers.add_run("Ahead")
    with stored.write() as session:
        run = session.merge(rankers.runs[1])
        set_production(session, session.get_one(Project, rankers.project.id), run)
    return rankers


def test_the_demo_says_what_to_do_in_few_words_above_its_chart(live_site: LiveSite, admin: Person) -> None:
    page = live_site.open("/p/kettle-lane/", admin, viewport=DESK)

    sentence = page.locator("h1").inner_text()
    assert "isn’t certain yet" in sentence
    assert "Keep" in page.locator(".answer__in").inner_text()
    assert page.evaluate(WORDS) <= MOST_WORDS
    box = page.locator("#time").bounding_box()
    assert box is not None
    assert box["y"] < HIGHEST


@looks(everyday=True, narrowest=NARROWEST, desk=DESK)
def test_everybody_can_use_it_and_its_rows_share_one_zero_line(
    live_site: LiveSite,
    axe: Callable[[Page], None],
    rankers: TwoRankers,
    theme: str,
    viewport: dict[str, int],
) -> None:
    with rankers.making() as make:
        owner = make.member(rankers.project, "owner")
    page = live_site.page_of(owner, viewport=viewport, color_scheme=theme)

    for address in ("/p/two/", "/p/two/?measure=P@1", "/p/two/report"):
        page.goto(address)
        page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(one => one.open = true)")
        assert overflow_of(page) == 0, address
        # Another measure has other numbers in the same page.
        if "measure" not in address:
            axe(page)

    page.goto("/p/two/")
    places = page.evaluate(
        "[...document.querySelectorAll('.lb__row .zero')].slice(0, 8)"
        ".map(one => Math.round(one.getBoundingClientRect().x))"
    )
    assert len(places) == 8
    assert len(set(places)) == 1


def test_the_button_has_the_answers_of_the_comparison_rated_first_and_then_leads_to_rating(
    live_site: LiveSite, stored: Database
) -> None:
    rankers = rankers_in(stored, 12, behind_wins=5, slug="two")
    rankers.rate(rankers.ordered()[:11])
    with rankers.making() as make:
        owner = make.member(rankers.project, "owner")
    page = live_site.open("/p/two/", owner, viewport=DESK)

    page.get_by_role("button", name="Have these rated first").click()

    page.get_by_text("2 answers will be rated first, from the top").wait_for()
    page.locator(".stone").get_by_role("link", name="Rate now").click()
    page.wait_for_url("**/p/two/rate")
