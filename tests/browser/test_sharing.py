"""Shared pages and the report in a real browser: for everybody, light on paper, and on one sheet."""

from __future__ import annotations

import re

import pytest

from app.services.accounts.sharing import share
from tests.furniture.live import DESK, NARROWEST, overflow_of
from tests.furniture.rankers import rankers_in


@pytest.fixture
def rankers(stored):
    rankers = rankers_in(stored, 26, behind_wins=6, slug="two", name="Two rankers")
    rankers.add_run("A third ranker with a rather long name", good_first=False)
    rankers.rate(rankers.ordered()[:22])
    return rankers


@pytest.fixture
def token(rankers, stored):
    with stored.write() as session:
        return share(session, rankers.project.id, days=7)


def test_everybody_can_read_what_is_shared_and_print_the_report_on_one_light_sheet(live_site, axe, token):
    for theme, viewport in (("light", NARROWEST), ("dark", DESK)):
        page = live_site.open(f"/shared/{token}", viewport=viewport, color_scheme=theme)
        shown = "?view=then" if theme == "light" else ""
        for address in (f"/shared/{token}{shown}", f"/shared/{token}/report"):
            page.goto(address)
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            assert overflow_of(page) == 0
            axe(page)

    # On the wide screen in dark.
    page.goto(f"/shared/{token}/report")
    ground, ink = page.locator("main").evaluate(
        "one => [getComputedStyle(one).backgroundColor, getComputedStyle(one).color]"
    )
    assert ground == "rgb(255, 255, 255)"
    assert max(map(int, re.findall(r"\d+", ink))) < 80
    assert page.get_by_role("button", name="Print").is_visible()
    pages = re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True, print_background=True))
    assert len(pages) == 1
