"""The application behind a real port for the length of one test, and pages that complain."""

from __future__ import annotations

import threading
import traceback
from typing import TYPE_CHECKING, Any

import pytest
from flask import got_request_exception
from werkzeug.serving import WSGIRequestHandler, make_server

from tests.furniture.factories import making_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Response

    from app.database import Database
    from app.models import Person

NARROWEST = {"width": 320, "height": 640}
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}
THEMES = ("light", "dark")
# Presses keys in one step: however slow the machine, no time passes between two.
PRESS_TOGETHER = """keys => keys.map(key => !document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })
))"""
# True where a page has attached its scripts, or has none.
ATTACHED = """() =>
  !document.querySelector('script[type="module"][src*="/js/main"]') || "attached" in document.documentElement.dataset
"""


def looks(*, everyday: bool = False, **screens: dict[str, int]) -> pytest.MarkDecorator:
    """Ask a test for a `theme` on a `viewport`: the first in light, the others in dark, a lone one in both.

    What fits a width does so in both themes. `everyday` says whether `make test` runs the first.
    """
    first, *others = screens
    return pytest.mark.parametrize(
        ("theme", "viewport"),
        [
            pytest.param(
                theme,
                screens[name],
                id=f"{name}-{theme}",
                marks=[pytest.mark.everyday] if everyday and (name, theme) == (first, "light") else [],
            )
            for name, theme in [(first, "light"), *((name, "dark") for name in others or [first])]
        ],
    )


class Quiet(WSGIRequestHandler):
    """Serves requests without a line for each of them, several over one connection as real servers do."""

    protocol_version = "HTTP/1.1"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing; failures reach the site's complaints."""


class LiveSite:
    """The site under test. Whatever a script, the policy or the server complains about fails the test."""

    def __init__(self, app: Flask, database: Database, new_context: Callable[..., BrowserContext]) -> None:
        self.app = app
        self.database = database
        self.making = making_in(database)
        self.complaints: list[str] = []
        self._new_context = new_context
        self._forgiven: list[str] = []
        self._server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        got_request_exception.connect(self._on_failure, self.app)
        self._thread.start()

    def stop(self) -> None:
        """Answer no more, and fail if anything complained."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        got_request_exception.disconnect(self._on_failure, self.app)
        loud = [said for said in self.complaints if not any(part in said for part in self._forgiven)]
        assert loud == [], "the browser or the server complained: " + "; ".join(loud)[:2000]

    def forgive(self, part: str) -> None:
        """Expect complaints that hold these words, such as the 503 that a test provokes."""
        self._forgiven.append(part)

    def page_of(self, person: Person | None = None, **options: Any) -> Page:
        """Return a page of a new browser window; `options` are those of a context: viewport, color_scheme, ..."""
        # A service worker would hide from a test what the page itself asks for.
        options = {"service_workers": "block", **options}
        context = self._new_context(base_url=self.url, **options)
        context.on("console", self._on_console)
        context.on("weberror", lambda error: self.complaints.append(f"script: {error.error}"))
        if person is not None:
            context.add_cookies([self._cookie_of(person)])
        if options.get("java_script_enabled", True):
            context.on("page", _wait_for_scripts)
        return context.new_page()

    def open(self, path: str, person: Person | None = None, **options: Any) -> Page:
        """Return a page of a new browser window that shows a path, as this person sees it."""
        page = self.page_of(person, **options)
        page.goto(path)
        return page

    def take(self, address: str, person: Person) -> None:
        """Take the next question to rate, as the button of the page does, without a browser."""
        cookie = self._cookie_of(person)
        visitor = self.app.test_client()
        visitor.set_cookie(cookie["name"], cookie["value"])
        visitor.post(address)

    def _cookie_of(self, person: Person) -> Any:
        serializer = self.app.session_interface.get_signing_serializer(self.app)
        held = {"_permanent": True, "person": person.id, "epoch": person.session_epoch}
        return {
            "name": self.app.config["SESSION_COOKIE_NAME"],
            "value": serializer.dumps(held),
            "url": self.url,
            "httpOnly": True,
            "sameSite": "Lax",
        }

    def _on_console(self, said: ConsoleMessage) -> None:
        if said.type in {"error", "warning"} and "blocked by Playwright" not in said.text:
            self.complaints.append(f"{said.type}: {said.text} ({said.location.get('url', '')})")

    def _on_failure(self, _app: Flask, exception: BaseException, **_more: Any) -> None:
        self.complaints.append("server: " + "".join(traceback.format_exception(exception)))


def _wait_for_scripts(page: Page) -> None:
    """Let `goto` and `reload` of a page return when its scripts are attached: a moment after it is loaded."""

    def and_wait(lead: Callable[..., Response | None]) -> Callable[..., Response | None]:
        def lead_and_wait(*arguments: Any, **named: Any) -> Response | None:
            answer = lead(*arguments, **named)
            page.wait_for_function(ATTACHED)
            return answer

        return lead_and_wait

    for name in ("goto", "reload"):
        setattr(page, name, and_wait(getattr(page, name)))


def start_rating(page: Page, address: str) -> Page:
    """Open the rating page of a project as people do: by its button, where no question is at hand."""
    page.goto(address)
    page.locator("main[data-batch], main form[action$='/rate'] button").wait_for()
    if page.locator("main[data-batch]").count() == 0:
        page.locator("main form[action$='/rate'] button").click()
        page.locator("main[data-batch]").wait_for()
    return page


def overflow_of(page: Page) -> int:
    """Return by how many pixels a page is wider than its window; 0 where nobody must scroll sideways."""
    width = "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)"
    return int(page.evaluate(width))


def weight_of(page: Page, path: str) -> int:
    """Return the bytes over the wire, headers included, until a rating page at a path is ready and at rest."""
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    sizes: dict[str, float] = {}
    network.on(
        "Network.loadingFinished",
        lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}),
    )
    page.goto(path)
    page.locator('[data-ref="status"]:not(:empty)').wait_for()
    page.wait_for_load_state("networkidle")
    assert len(sizes) > 10, "a page that asks for so little was not weighed whole"
    return int(sum(sizes.values()))
