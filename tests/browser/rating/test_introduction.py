"""A first visit, and the rating page in German, for everybody."""

import re

from playwright.sync_api import expect

from app.models import Person
from tests.furniture.live import DESK, NARROWEST, THEMES, overflow_of


def test_the_first_visit_works_without_scripts_and_leads_to_rating(live_site, shop, axe):
    page = live_site.open("/", shop.ada, viewport=DESK, java_script_enabled=False)
    page.get_by_role("link", name="Start rating").first.click()
    for letter, grade in zip("ABC", (2, 1, 3), strict=True):
        page.get_by_role("group", name=f"How well does answer {letter} help?").locator(
            f'[value="{grade}"]'
        ).check(force=True)
    page.get_by_role("button", name="Compare").click()

    expect(page.get_by_text("We agree: 2, Mostly.")).to_be_visible()
    expect(page.get_by_text("Close. We would give 0")).to_be_visible()
    for viewport in (DESK, NARROWEST):
        page.set_viewport_size(viewport)
        assert overflow_of(page) == 0
    # Without scripts, as without a keyboard, no key does anything.
    expect(page.get_by_text("3. The keys")).to_be_hidden()
    page.get_by_role("button", name="Start rating", exact=True).click()
    expect(page).to_have_url(re.compile(r"/rate/\d+$"))
    with_scripts = live_site.open(f"/p/{shop.project.slug}/rate/start", shop.ada, viewport=NARROWEST)
    expect(with_scripts.get_by_text("3. The keys")).to_be_visible()
    # A narrow rating page has no button of this name.
    expect(with_scripts.get_by_text("All keys")).to_have_count(0)
    for theme, viewport in zip(THEMES, (NARROWEST, DESK), strict=True):
        with_scripts.emulate_media(color_scheme=theme, reduced_motion="reduce")
        with_scripts.set_viewport_size(viewport)
        axe(with_scripts)


def test_what_is_said_of_a_grade_is_hidden_while_another_is_chosen(live_site, shop):
    page = live_site.open(f"/p/{shop.project.slug}/rate/start", shop.ada, viewport=DESK)
    start = page.url

    def choose(letter, grade):
        group = page.get_by_role("group", name=f"How well does answer {letter} help?")
        group.locator(f'[value="{grade}"]').check(force=True)

    choose("A", 2)
    choose("B", 1)
    page.get_by_role("button", name="Compare").click()
    agreed, close, unrated = (
        page.get_by_text(words) for words in ("We agree: 2, Mostly.", "Close. We would", "You did not rate")
    )
    for said in (agreed, close, unrated):
        expect(said).to_be_visible()
    choose("A", 3)
    choose("C", 0)
    for said, is_shown in ((agreed, False), (close, True), (unrated, False)):
        expect(said).to_be_visible(visible=is_shown)
    choose("A", 2)
    expect(agreed).to_be_visible()

    page.get_by_role("link", name="Start over").click()
    expect(page).to_have_url(f"{start}?again=y#practice")
    expect(page.locator("#practice input:checked")).to_have_count(0)
    expect(page.locator("#practice .note")).to_have_count(0)


def test_german_fits_a_narrow_window_and_scripts_speak_it(live_site, shop, rate, axe):
    with live_site.making() as make:
        make.session.get_one(Person, shop.ada.id).preferences = {"language": "de"}
    ada = rate(viewport=NARROWEST)

    ada.press("j", "3", "1", "u")

    expect(ada.page.locator('[data-ref="status"]')).to_contain_text(
        "Rückgängig gemacht. Jetzt: Antwort B: nicht bewertet"
    )
    expect(ada.page.locator('[data-ref="count"]')).to_have_text("1 von 3 Antworten erledigt")
    assert overflow_of(ada.page) == 0
    right = ada.page.locator('[data-act="next"]').bounding_box()
    assert right["x"] + right["width"] <= NARROWEST["width"]
    axe(ada.page)
