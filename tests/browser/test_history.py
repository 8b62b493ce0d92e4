"""The chart over time in a real browser: read by keyboard and pointer, chosen by the address, kept as a PNG."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from tests.furniture.live import PHONE, overflow_of
from tests.furniture.race import race_in

URL = "/p/race/"


@pytest.fixture
def race(stored):
    race = race_in(stored, 24, behind_wins=4, slug="race", name="The race")
    race.add_run("Behind", good_first=True)
    race.rate(race.queries)
    race.look()
    return race


@pytest.fixture
def owner(race):
    with race.making() as make:
        return make.member(race.project, "owner", name="Olga Owner")


def test_keys_walk_the_points_and_read_what_the_table_says(live_site, race, owner):
    race.set_ruler(gain="exponential")
    page = live_site.open(f"{URL}?view=then", owner)
    page.wait_for_selector("[data-ref=readout]:not([hidden])")
    cells = page.locator("[data-ref=table] td").all_text_contents()
    said = set()
    page.locator("[data-ref=drawing]").first.focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
        said.add(page.locator("[data-ref=readout]").text_content())

    assert len(said) >= 2
    for text in said:
        assert text.rpartition(": ")[2] in cells
    places = []
    for key in ("Home", "End"):
        page.keyboard.press(key)
        places.append(float(page.locator(".only-wide .cursor-line").get_attribute("x1")))
    columns = page.locator("[data-ref=drawing]").first.get_attribute("data-columns").split()
    assert places[0] < places[1] == float(columns[-1])
    page.keyboard.press("Escape")
    assert page.locator(".readout--on, .cursor").count() == 0
    assert "arrow keys" in page.locator("[data-ref=readout]").text_content()
    page.keyboard.press("End")
    # Enter goes to why the number moved.
    page.keyboard.press("Enter")
    page.wait_for_url("**point=*")
    assert page.get_by_role("heading", name="Why this number moved").is_visible()


def test_a_tap_reads_a_point_and_another_one_explains_it(live_site, owner):
    page = live_site.open(f"{URL}?view=then", owner, viewport=PHONE, has_touch=True)
    page.wait_for_selector("[data-ref=readout]:not([hidden])")
    drawing = page.locator(".chart.only-narrow")
    drawing.scroll_into_view_if_needed()
    drawing.tap(position={"x": 150, "y": 90})
    page.wait_for_selector(".readout--on")
    assert page.locator("[data-ref=readout]").text_content().partition(",")[0] in {"Ahead", "Behind"}
    assert page.locator(".chart.only-narrow .cursor").count() == 1
    drawing.tap(position={"x": 150, "y": 90})
    page.wait_for_url("**point=*")


def test_the_chart_is_kept_as_a_png(live_site, owner, tmp_path):
    page = live_site.open(URL, owner)
    link = page.get_by_role("link", name="the chart (PNG)")
    with page.expect_download() as waiting:
        link.click()
    file = Path(tmp_path / "chart.png")
    waiting.value.save_as(file)

    assert waiting.value.suggested_filename == "race-history.png"
    head = file.read_bytes()
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:24])
    drawing = page.request.get(link.get_attribute("href")).text()
    drawn = re.search(r'width="(\d+)" height="(\d+)"', drawing)
    assert (width, height) == (2 * int(drawn[1]), 2 * int(drawn[2]))
    # Lines were drawn: an empty canvas of this size takes a tenth of it.
    assert len(head) > 20_000


def test_rankers_are_chosen_on_a_phone_and_stand_in_the_address(live_site, owner, race):
    page = live_site.open(URL, owner, viewport=PHONE)
    page.locator("#choose summary").click()
    page.locator(f"#ranker-{race.runs[1].ranker_id}").uncheck()
    page.locator("#choose button").click()

    page.wait_for_url(f"**ranker={race.runs[0].ranker_id}*")
    assert page.locator(".chart.only-narrow [data-ref=line]").count() == 1
    assert overflow_of(page) == 0
