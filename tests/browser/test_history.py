"""The chart over time in a real browser: read by keyboard and pointer, chosen by the address, kept as a PNG."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.furniture.live import DESK, PHONE, looks, overflow_of
from tests.furniture.rankers import rankers_in

URL = "/p/two/"


@pytest.fixture
def rankers(stored):
    rankers = rankers_in(stored, 24, behind_wins=4, slug="two", name="Two rankers")
    rankers.rate(rankers.queries)
    return rankers


@pytest.fixture
def owner(rankers):
    with rankers.making() as make:
        return make.member(rankers.project, "owner", name="Olga Owner")


@looks(desk=DESK, phone=PHONE)
def test_all_lines_are_read_by_keys_and_switched_off(live_site, rankers, owner, axe, viewport, theme):
    page = live_site.open(f"{URL}?view=then", owner, viewport=viewport, color_scheme=theme)
    figure = page.locator("[data-ref=figure]")
    expect(figure).to_have_attribute("tabindex", "0")
    figure.focus()
    page.keyboard.press("Home")
    labels = page.locator("[data-ref=table] tbody th").all_text_contents()

    assert page.locator(".readout h3").text_content() == labels[0]
    assert page.locator(".readout [data-key]").count() == 2
    page.locator(".readout").get_by_label("Behind").uncheck()
    assert page.locator("g[data-line].off").count() == 2
    assert overflow_of(page) == 0
    axe(page)
    for box in page.locator(".readout label").all():
        assert box.bounding_box()["height"] >= 24


def test_enter_goes_to_why_the_number_moved(live_site, rankers, owner):
    rankers.set_ruler(gain="exponential")
    page = live_site.open(f"{URL}?view=then", owner)
    page.locator("[data-ref=figure][tabindex]").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**point=*")
    assert page.get_by_role("heading", name="About this number").is_visible()


def test_a_tap_reads_a_point_and_another_one_explains_it(live_site, owner):
    page = live_site.open(f"{URL}?view=then", owner, viewport=PHONE, has_touch=True)
    page.wait_for_selector("[data-ref=figure][tabindex]")
    drawing = page.locator(".chart.only-narrow")
    drawing.scroll_into_view_if_needed()
    drawing.tap(position={"x": 150, "y": 90})
    page.wait_for_selector(".readout .at")
    assert page.locator(".chart.only-narrow .cursor").count() == 1
    drawing.tap(position={"x": 150, "y": 90})
    page.wait_for_url("**point=*")


def test_without_scripts_the_lines_and_the_table_are_there_and_a_note_is_written(live_site, owner):
    page = live_site.open(URL, owner, java_script_enabled=False)
    assert page.locator(".only-wide g[data-line]").count() == 2
    assert page.locator(".readout input[type=checkbox]:visible").count() == 0
    page.locator("#notes summary").click()
    page.get_by_label("Note", exact=True).fill("Reindexed")
    page.get_by_role("button", name="Add note").click()

    assert page.locator(".readout .events").inner_text().startswith("1")
    assert "Reindexed" in page.locator(".readout .events").inner_text()
    assert page.locator(".only-wide .evb").count() == 1


def test_a_new_version_is_a_link_wide_enough_for_a_finger(live_site, rankers, owner):
    rankers.add_run("Behind", good_first=True)
    page = live_site.open(URL, owner, viewport=DESK)
    link = page.locator(".only-wide a[href*='/compare/changes?version=']")

    for one in link.all():
        assert one.get_attribute("href").endswith(f"version={rankers.runs[-1].id}")
        assert one.locator(".hit").bounding_box()["width"] >= 24
    assert link.count() > 0


def test_the_chart_is_kept_as_a_png_and_its_rankers_are_chosen_in_the_address(
    live_site, owner, rankers, tmp_path
):
    page = live_site.open(URL, owner)
    page.locator("#choose summary").click()
    link = page.get_by_role("link", name="the chart (PNG)")
    with page.expect_download() as waiting:
        link.click()
    file = Path(tmp_path / "chart.png")
    waiting.value.save_as(file)

    assert waiting.value.suggested_filename == "two-history.png"
    head = file.read_bytes()
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:24])
    drawing = page.request.get(link.get_attribute("href")).text()
    drawn = re.search(r'width="(\d+)" height="(\d+)"', drawing)
    assert (width, height) == (2 * int(drawn[1]), 2 * int(drawn[2]))
    # Lines were drawn: an empty canvas of this size takes a tenth of it.
    assert len(head) > 20_000

    page.set_viewport_size(PHONE)
    page.goto(URL)
    page.locator("#choose summary").click()
    page.locator(f"#ranker-{rankers.runs[1].ranker_id}").uncheck()
    page.locator("#choose button").click()

    page.wait_for_url(f"**ranker={rankers.runs[0].ranker_id}*")
    assert page.locator(".chart.only-narrow g[data-line]").count() == 1
    assert overflow_of(page) == 0
