"""What to rate next in a real browser: the sliders, and everybody's page at every width."""

from __future__ import annotations

from tests.furniture.contest import make_contest
from tests.furniture.live import DESK, NARROWEST, overflow_of


def test_the_price_follows_its_sliders_and_everybody_can_use_the_page(live_site, axe, making):
    with making() as make:
        shop = make_contest(make, queries=5, answers=12, slug="contest", k=2, pool_depth=12)
    for theme, viewport in (("light", NARROWEST), ("dark", DESK)):
        page = live_site.open("/p/contest/next", shop.owner, viewport=viewport, color_scheme=theme)
        page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(one => one.open = true)")
        assert overflow_of(page) == 0
        axe(page)

    page = live_site.open("/p/contest/next", shop.owner, viewport=DESK)
    page.get_by_text("Time with another depth").click()
    message = page.locator('[data-ref="ratings"]')
    assert message.inner_text() == "60", "five questions of twelve answers"
    overlap = page.get_by_role("slider", name="Ratings per answer")
    overlap.press("ArrowRight")
    assert page.get_by_role("spinbutton", name="Ratings per answer").input_value() == "2"
    assert (message.inner_text(), page.locator('[data-ref="time"]').inner_text()) == (
        "120",
        "about 40 minutes",
    )
    page.get_by_role("button", name="Use depth 12 and 2 ratings per answer").click()
    page.get_by_text("Saved: depth 12, 2 ratings per answer.").wait_for()
    assert page.locator('[data-ref="ratings"]').text_content() == "120"

    page.get_by_role("button", name="Rate now", exact=True).click()
    page.wait_for_url("**/rate/*")
    assert "Rival" not in page.content()
