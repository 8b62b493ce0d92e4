"""Home, questions and the page of one question in a real browser: for everybody, at every width."""

from __future__ import annotations

from itertools import cycle

import pytest
from sqlalchemy import select

from app.models import Candidate, Query
from app.services.assignment.checks import declare_gold
from app.services.assignment.query_assignments import assign_queries
from app.services.webhooks import EVENTS, WebhookValues, create_webhook, send_test
from config import WebhookHost
from tests.furniture.assigning import assign_best_batch
from tests.furniture.live import DESK, NARROWEST, PHONE, THEMES, overflow_of
from tests.furniture.rankers import rankers_in


@pytest.fixture
def rankers(stored):
    rankers = rankers_in(stored, 26, behind_wins=6, slug="two", name="Two rankers")
    rankers.add_run("A third ranker with a rather long name", good_first=False)
    rankers.rate(rankers.ordered()[:22])
    with stored.write() as session:
        for number, query in enumerate(rankers.queries):
            session.get_one(Query, query.id).tags = ["brakes"] if number % 3 else ["wheels", "rare"]
    return rankers


@pytest.fixture
def owner(rankers):
    with rankers.making() as make:
        for name in ("Another", "A project with a rather long name that wraps", "Third"):
            make.project(name=name)
        olga = make.person(name="Olga Owner", is_admin=True)
        assign_best_batch(make.session, rankers.project.id, olga.id)
        candidate = make.session.scalars(
            select(Candidate).where(Candidate.project_id == rankers.project.id)
        ).first()
        declare_gold(make.session, rankers.project, candidate.public_id, 3, actor_id=olga.id)
        values = WebhookValues(address=f"https://hooks.example.org/{'x' * 200}", events=EVENTS)
        send_test(
            make.session,
            create_webhook(make.session, rankers.project, values, {WebhookHost("hooks.example.org")}),
        )
        return olga


def test_everybody_can_use_the_pages_of_an_owner(live_site, axe, rankers, owner):
    question = f"/p/two/questions/{rankers.queries[0].id}"
    addresses = [
        "/",
        "/p/two/questions?sort=disputed",
        f"/p/two/questions?state=missed-{rankers.runs[1].ranker_id}",
        question,
        f"{question}?measure=AP&run={rankers.runs[1].id}",
        f"{question}/known?q=answer",
        "/p/two/share",
        "/p/two/settings/quality",
        "/p/two/settings/webhooks",
        "/p/two/settings/webhooks/1",
    ]
    page = live_site.open("/", owner, viewport=NARROWEST)
    for address, theme in zip(addresses, cycle(THEMES), strict=False):
        page.emulate_media(color_scheme=theme)
        page.goto(address)
        page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(one => one.open = true)")
        axe(page)
        for screen in (DESK, NARROWEST):
            page.set_viewport_size(screen)
            assert overflow_of(page) == 0, (address, screen)


def test_a_wide_table_shows_at_which_edge_more_is_hidden(live_site, owner):
    page = live_site.open("/p/two/questions", owner, viewport=PHONE, color_scheme="light")
    table = page.get_by_role("region", name="scroll sideways")
    assert table.evaluate("one => one.scrollWidth > one.clientWidth + 40")

    def shows(edge):
        """Tell whether something is drawn at an edge of the region beside the table itself."""
        box = table.bounding_box()
        x = box["x"] + (box["width"] - 12 if edge == "right" else 0)
        # Without the outermost rows: a height that is no whole number of pixels is blended with what lies below.
        clip = {"x": x, "y": box["y"] + 1, "width": 12, "height": box["height"] - 2}
        drawn = page.screenshot(clip=clip, full_page=True)
        table.evaluate("one => { one.style.background = 'none' }")
        bare = page.screenshot(clip=clip, full_page=True)
        table.evaluate("one => { one.style.background = '' }")
        return drawn != bare

    table.evaluate("one => { one.scrollLeft = 0 }")
    assert (shows("left"), shows("right")) == (False, True)
    table.evaluate("one => { one.scrollLeft = one.scrollWidth }")
    assert (shows("left"), shows("right")) == (True, False)
    page.emulate_media(color_scheme="dark")
    table.evaluate("one => { one.scrollLeft = 60 }")
    assert (shows("left"), shows("right")) == (True, True)
    page.set_viewport_size(DESK)
    assert (shows("left"), shows("right")) == (False, False)


def test_no_tag_widens_a_page(live_site, rankers, owner):
    long = "x" * 200
    with rankers.making() as make:
        for query in rankers.queries:
            make.session.get_one(Query, query.id).tags = [long, "customer-support/escalations/2026-refunds"]
        assign_queries(make.session, make.session.merge(rankers.project), rankers.annotator.id, tags=[long])
    question = f"/p/two/questions/{rankers.queries[0].id}"
    addresses = [
        "/p/two/questions",
        f"/p/two/questions?tag={long}",
        question,
        f"{question}/edit",
        f"/p/two/?tag={long}",
        "/p/two/compare",
        "/p/two/quality/work",
    ]
    page = live_site.open("/", owner)
    for address in addresses:
        page.goto(address)
        page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(one => one.open = true)")
        for width in (320, 390, 640):
            page.set_viewport_size({"width": width, "height": 800})
            assert overflow_of(page) == 0, (address, width)


def test_long_lists_of_rankers_are_narrowed_by_a_word(live_site, axe, rankers, owner):
    for number in range(12):
        rankers.add_run(f"Variant {number}", good_first=False)
    page = live_site.open("/p/two/compare", owner, viewport=NARROWEST)
    second = page.locator("select[name=second]")
    chosen = second.input_value()
    everything = second.locator("option").count()

    page.get_by_label("Search the second version").fill("variant 11")

    assert second.locator("option").count() == 1 < everything
    # What is typed is what is shown.
    assert "Variant 11" in second.locator("option:checked").inner_text()
    page.get_by_label("Search the second version").fill("nobody")
    page.get_by_role("button", name="Show").first.click()
    assert (
        page.get_by_label("Search the second version").evaluate("one => one.validationMessage")
        == "Nothing found."
    )
    assert "second=" not in page.url
    page.get_by_label("Search the second version").fill("")
    assert (second.input_value(), second.locator("option").count()) == (chosen, everything)
    page.get_by_label("Search the second version").fill("variant 11")
    assert overflow_of(page) == 0
    axe(page)

    page.goto("/p/two/")
    page.locator("#choose summary").click()
    page.get_by_label("Find a ranker").fill("third")
    assert page.locator("#choose .choices li:visible").count() == 1
    assert page.locator("#choose input:checked").count() > 1
    plain = live_site.open("/p/two/compare", owner, viewport=DESK, java_script_enabled=False)
    assert plain.locator("select[name=second] option").count() == everything
