"""The health of the ratings in a real browser: every page at every width, and what an owner does there."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from app.models import EventKind
from app.services.ledger import record_event
from tests.furniture.live import DESK, NARROWEST, overflow_of
from tests.furniture.rankers import rankers_in

WORDS = [f"word{number}" for number in range(60)]


@pytest.fixture
def owner(stored):
    """Two rankers with an edited answer, one without a text, two of equal texts and two of nearly equal ones."""
    rankers = rankers_in(stored, 14, slug="two", name="Two rankers")
    rankers.add_run("A third ranker with a rather long name", good_first=False)
    rankers.rate(rankers.ordered()[:11])
    with rankers.making() as make:
        edited = rankers.answers[rankers.queries[0].id][0].id
        record_event(make.session, rankers.project.id, EventKind.DOCUMENTS_EDITED, {"document_ids": [edited]})
        make.document(rankers.project, "silent", title="", text="")
        for name, text in (
            ("twin-1", "The same words"),
            ("twin-2", "The same words"),
            ("near-1", " ".join([*WORDS, "one"])),
            ("near-2", " ".join([*WORDS, "two"])),
        ):
            make.document(rankers.project, name, title="Donaudampfschifffahrtsgesellschaft" * 3, text=text)
        return make.member(rankers.project, "owner", name="Olga Owner")


def test_everybody_can_use_the_pages_about_health(live_site, axe, owner):
    for theme, viewport in (("light", NARROWEST), ("dark", DESK)):
        page = live_site.page_of(owner, viewport=viewport, color_scheme=theme)
        pages = ["", "/duplicates", "/pool", "/probes", "/list/edited", "/list/no-text"]
        for address in pages[: 2 if viewport is DESK else None]:
            page.goto(f"/p/two/quality{address}")
            page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(one => one.open = true)")
            assert overflow_of(page) == 0, address
            axe(page)


def test_an_owner_finds_what_is_alike_merges_it_or_says_that_it_is_not_the_same(live_site, owner, axe):
    page = live_site.open("/p/two/quality/duplicates", owner, viewport=NARROWEST)
    groups = page.locator("form.alike")
    expect(groups).to_have_count(1)

    page.get_by_role("button", name="Search", exact=True).click()
    # The search is at work in the background; the page shows what it found without being asked again.
    # Besides the equal twins: the nearly equal ones, and all good and all bad answers of the project.
    expect(groups).to_have_count(4)
    near = groups.filter(has_text="% alike")
    expect(near.get_by_role("checkbox", checked=True)).to_have_count(0)
    near.get_by_role("button", name="Not the same").press("Enter")

    expect(page.get_by_text("2 documents marked as not the same.")).to_be_visible()
    expect(groups).to_have_count(3)
    groups.filter(has_text="twin-1").get_by_role("button", name="Merge the ticked ones").press("Enter")
    expect(page.get_by_role("heading", name="2 groups to look at")).to_be_visible()
    assert overflow_of(page) == 0
    axe(page)

    page.get_by_role("button", name="“not the same” for").press("Enter")
    expect(groups).to_have_count(3)
    page.get_by_role("button", name="the merge of").press("Enter")
    expect(groups).to_have_count(4)
