"""The small scripts in a real browser, on pages made for them and under the product's own policy."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from playwright.sync_api import expect

from app.http.headers import POLICY
from app.web.charts.lines import Point, Series
from app.web.charts.timeline import time_chart
from app.web.dates import moment_in_words
from tests.furniture.live import ATTACHED

ROOT = Path(__file__).parents[2]
SITE = "http://touchstone.test"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
FRAME = """<!doctype html><html lang="en"><title>Test</title><meta name="csrf-token" content="the-token">
<link rel="stylesheet" href="/static/css/tokens.css"><link rel="stylesheet" href="/static/css/base.css">
<link rel="stylesheet" href="/static/css/components.css"><link rel="stylesheet" href="/static/css/pages.css"><script type="module" src="/static/js/main.js"></script>
<body>{body}</body></html>"""


class Site:
    """A site of one page and whatever `answers` gives; remembers what it was asked."""

    def __init__(self, page):
        self.page = page
        self.asked = []
        self.answers = {}
        page.route(f"{SITE}/**", self._answer)
        self.errors = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console", lambda message: self.errors.append(message.text) if "Policy" in message.text else None
        )

    def show(self, body):
        self.answers["/"] = {
            "body": FRAME.replace("{body}", body),
            "headers": {"Content-Security-Policy": POLICY},
        }
        self.page.goto(f"{SITE}/")
        self.page.wait_for_function(ATTACHED)

    def _answer(self, route):
        path = route.request.url.removeprefix(SITE)
        if path.startswith("/static/"):
            file = ROOT / path.removeprefix("/")
            route.fulfill(path=file, content_type=TYPES[file.suffix])
            return
        self.asked.append(route.request)
        answer = self.answers.get(path, {"status": 404})
        route.fulfill(**{"content_type": "text/html", **(answer() if callable(answer) else answer)})


@pytest.fixture
def site(page):
    site = Site(page)
    yield site
    assert site.errors == []


def macro(file, name, *args):
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.add_extension("jinja2.ext.i18n")
    environment.install_null_translations(newstyle=True)
    environment.filters["moment_in_words"] = moment_in_words
    return str(getattr(environment.get_template(f"macros/{file}.html").module, name)(*args))


class TestTheme:
    FORM = """<form method="post" action="/theme" data-controller="theme">
        <input type="hidden" name="csrf_token" value="the-token"><button name="theme" value="dark">Switch</button></form>"""

    def test_the_look_changes_at_once_and_the_form_is_sent_behind_it(self, site, page):
        page.emulate_media(color_scheme="light")
        site.answers["/theme"] = {"status": 204}
        site.show(self.FORM)

        with page.expect_request(f"{SITE}/theme") as sent:
            page.click("button")

        assert page.locator("html").get_attribute("data-theme") == "dark"
        assert sent.value.method == "POST"
        assert sent.value.headers["x-csrftoken"] == "the-token"

        # A system in dark switches to light.
        page.emulate_media(color_scheme="dark")
        site.show(self.FORM)

        page.click("button")

        assert page.locator("html").get_attribute("data-theme") == "light"


class TestMenu:
    BODY = """<details class="menu" data-controller="menu"><summary>Account</summary><a href="#x">Sign out</a></details>
        <button>Elsewhere</button>"""

    def is_open(self, page):
        return page.locator("details").evaluate("one => one.open")

    def test_escape_closes_it_and_returns_to_its_face_and_a_press_outside_closes_it(self, site, page):
        site.show(self.BODY)
        page.click("summary")
        page.keyboard.press("Tab")

        page.keyboard.press("Escape")

        assert not self.is_open(page)
        assert page.evaluate("document.activeElement.tagName") == "SUMMARY"

        page.click("summary")
        assert self.is_open(page)

        page.mouse.click(600, 600)

        assert not self.is_open(page)


class TestTimes:
    def test_moments_are_told_in_the_readers_zone(self, site, browser):
        context = browser.new_context(timezone_id="America/New_York")
        elsewhere = Site(context.new_page())

        elsewhere.show(
            '<main data-controller="times">'
            + macro("times", "when", dt.datetime(2026, 11, 21, 2, 30, tzinfo=dt.UTC))
            + '<time datetime="2026-11-21">21 Nov</time></main>'
        )

        told = elsewhere.page.locator("time").all_inner_texts()
        assert told[0] == "20 Nov 2026, 21:30"
        assert told[1] == "21 Nov"
        assert elsewhere.page.locator("time").first.get_attribute("title") == "21 Nov 2026, 02:30 UTC"
        context.close()


class TestRefresh:
    BODY = """<div data-controller="refresh" data-refresh-url="/part" data-refresh-seconds="1" data-refresh-etag='"1"'>
        <p id="score">81</p><details><summary>Table</summary>rows</details><a id="more" href="#more">More</a></div>"""

    def test_an_unchanged_part_is_left_alone(self, site, page):
        site.answers["/part"] = {"status": 304}
        site.show(self.BODY)
        page.locator("#score").evaluate("one => one.dataset.kept = 'yes'")

        with page.expect_response(f"{SITE}/part") as answered:
            pass

        assert answered.value.request.headers["if-none-match"] == '"1"'
        assert page.locator("#score").get_attribute("data-kept") == "yes"

    def test_a_new_part_keeps_focus_and_what_was_open_and_its_controllers_come_alive(self, site, page):
        new = (
            '<p id="score">82</p><details><summary>Table</summary>rows</details><a id="more" href="#more">More</a>'
            '<details class="menu" data-controller="menu"><summary>A</summary><a href="#x">B</a></details>'
        )
        site.answers["/part"] = {"body": new, "headers": {"ETag": '"2"'}}
        site.show(self.BODY)
        page.click("summary")
        page.focus("#more")

        expect(page.locator("#score")).to_have_text("82")

        assert page.locator("details").first.evaluate("one => one.open")
        assert page.evaluate("document.activeElement.id") == "more"
        with page.expect_request(f"{SITE}/part") as asked:
            pass
        assert asked.value.headers["if-none-match"] == '"2"'
        menu = page.locator("details.menu")
        menu.locator("summary").click()
        assert menu.evaluate("one => one.open")
        page.keyboard.press("Escape")
        assert not menu.evaluate("one => one.open")

    def test_it_stops_asking_once_the_part_is_gone(self, site, page):
        site.answers["/part"] = {"status": 404}
        page.clock.install()
        site.show(self.BODY)
        with page.expect_response(f"{SITE}/part"):
            page.clock.run_for(1100)
        page.clock.run_for(60_000)

        assert sum(request.url.endswith("/part") for request in site.asked) == 1

    def test_an_error_leaves_the_page_and_is_tried_again(self, site, page):
        answers = iter([{"status": 503}, {"body": '<p id="score">83</p>'}])
        site.answers["/part"] = lambda: next(answers, {"status": 304})
        site.show(self.BODY)

        expect(page.locator("#score")).to_have_text("83")


class TestCopy:
    def test_a_link_is_copied_and_said_to_be_or_selected_where_there_is_no_clipboard(self, site, page):
        site.show(macro("forms", "copy_line", "http://x/join/abc", "Invitation link", "link"))
        page.click("button")
        expect(page.get_by_role("status")).to_have_text("Press Ctrl+C to copy")
        assert page.evaluate("getSelection().toString()") == "http://x/join/abc"

        # Plain http has no clipboard; the page gets one that only remembers.
        page.add_init_script(
            "Object.defineProperty(navigator, 'clipboard',"
            " { value: { writeText: async (text) => { window.copied = text; } } })"
        )
        site.show(macro("forms", "copy_line", "http://x/join/abc", "Invitation link", "link"))

        page.click("button")

        expect(page.get_by_role("status")).to_have_text("Copied")
        assert page.evaluate("window.copied") == "http://x/join/abc"


class TestChart:
    @pytest.fixture
    def message(self, site, page):
        """Return what gives the head of the readout and its lines: name, score, gap."""
        points = [Point(2, 72, "Week 2"), Point(3, 81, "Week 3", 77, 85)]
        blend = Series("Blend", 1, points, focused=True, key="1")
        full = Series(
            "Full text", 2, [Point(n, 70 + n, f"Week {n}") for n in (1, 2, 3)], key="2", reference=True
        )
        page.set_viewport_size({"width": 1100, "height": 800})
        chart = macro("charts", "line_chart", time_chart([blend, full]), "table")
        site.show(f'<meta charset="utf-8">{chart}')

        def message():
            lines = page.locator(".readout li").all()
            return page.locator(".readout h3").inner_text(), [one.inner_text().split("\n") for one in lines]

        return message

    def test_the_newest_values_stand_there_and_arrow_keys_walk_places_and_lines(self, page, message):
        assert message() == ("Week 3", [["Blend", "81.0", "+8"], ["Full text", "73.0"]])

        page.locator('[data-ref="figure"]').focus()
        page.keyboard.press("ArrowLeft")
        assert message() == ("Week 2", [["Blend", "72.0", "0"], ["Full text", "72.0"]])
        page.keyboard.press("Home")
        assert message() == ("Week 1", [["Blend", "–"], ["Full text", "71.0"]])
        expect(page.get_by_role("status")).to_have_text("Week 1: Blend –; Full text 71.0")
        page.keyboard.press("ArrowLeft")
        assert message()[0] == "Week 1"
        page.keyboard.press("Escape")
        assert message()[0] == "Week 3"

        # Up and down choose one line.
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("status")).to_have_text("Week 3: Blend 81.0, +8")
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("status")).to_have_text("Week 3: Full text 73.0")
        assert page.locator(".only-wide .cursor").count() == 1

    def test_a_switch_hides_its_line_in_both_drawings_and_the_pointer_reads_the_nearest_place(
        self, page, message
    ):
        page.get_by_role("checkbox", name="Blend").uncheck()

        assert page.locator('g[data-line="1"].off').count() == 2
        assert page.locator('g[data-line="2"].off').count() == 0
        page.locator('[data-ref="figure"]').focus()
        page.keyboard.press("Home")
        expect(page.get_by_role("status")).to_have_text("Week 1: Full text 71.0")
        page.get_by_role("checkbox", name="Blend").check()
        assert page.locator(".off").count() == 0

        box = page.locator('[data-ref="drawing"]').first.bounding_box()
        page.mouse.move(box["x"] + box["width"] * 0.05, box["y"] + box["height"] * 0.9)
        assert message()[0] == "Week 1"
        page.locator("summary").hover()
        assert message()[0] == "Week 3"
