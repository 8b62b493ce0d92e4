"""Browser tests drive the Chromium of this machine; without one they are skipped loudly."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.furniture.live import LiveSite
from tests.furniture.missing import lack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from playwright.sync_api import BrowserContext, Page, Playwright

    from app.database import Database

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = [
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    # No page under test, and nothing of the browser's own, reaches another host.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
# What is expected is waited for, on a busy machine too; a test that holds waits no longer for it.
expect.set_options(timeout=20_000)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="session")
def browser_type_launch_args(playwright: Playwright) -> dict[str, Any]:
    """Return how the browser is started: the machine's own, or else the one that Playwright has downloaded."""
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None and not Path(playwright.chromium.executable_path).exists():
        lack("Chromium", "run `make browser`, or name one in the variable CHROMIUM")
    # As root, which is how containers run, Chromium refuses its own sandbox.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {"args": QUIET + sandbox, **({"executable_path": chromium} if chromium else {})}


@pytest.fixture(scope="session")
def base_url() -> None:
    """Stand in for the fixture of pytest-base-url, which is written in a way that pytest warns about."""


@pytest.fixture
def live_site(app: Flask, stored: Database, new_context: Callable[..., BrowserContext]) -> Iterator[LiveSite]:
    """Give the site behind a real port; `live_site.open("/", person)` shows a page of it."""
    site = LiveSite(app, stored, new_context)
    site.start()
    yield site
    site.stop()


@pytest.fixture
def axe() -> Callable[[Page], None]:
    """Return what fails on a page that not everybody can use: `axe(page)`."""

    def check(page: Page) -> None:
        # Without a list of everything that passed, which takes longer than the check itself.
        only = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"]}
        found = Axe().run(page, options=only)
        told = [
            f"{rule['id']} ({rule['impact']}): {rule['help']}: {node['target']} {node['html'][:160]}"
            for rule in found.response["violations"]
            for node in rule["nodes"]
        ]
        assert told == [], page.url

    return check
