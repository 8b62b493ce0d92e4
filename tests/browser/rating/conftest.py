"""The rating page in a real browser, with what every test of it does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.models import Judgment
from app.services.assignment import selection as desk
from tests.furniture.databases import made_in
from tests.furniture.rating import Workshop, make_workshop

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page

    from tests.furniture.live import LiveSite

# The pause after a digit, and nothing else, is over at once: a test of hundreds would wait for little else. So is the
# moment after it, in which no key acts on what nobody can have looked at yet.
AT_ONCE = """
const [later, now] = [setTimeout, performance.now.bind(performance)];
let skipped = 0;
performance.now = () => now() + skipped;
window.setTimeout = (act, wait, ...more) => {
  if (wait !== 250) return later(act, wait, ...more);
  return later(() => {
    act(...more);
    skipped += 300;
  }, 0);
};
"""
# That moment, and a little more, on a page that skips none.
LOOK = 350
# As long as that pause lasts on this page, and what follows it by its clock.
PASS = """([wait, look]) => new Promise(done => setTimeout(() => {
  const from = performance.now();
  const check = () => (performance.now() - from < look ? setTimeout(check, 20) : done());
  setTimeout(check, 20);
}, wait))"""


@pytest.fixture(autouse=True)
def in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let equal answers come in the order of their questions: what a hash decides otherwise."""
    monkeypatch.setattr(
        desk, "front_first", lambda ranks, times, keys, _seed: np.lexsort((keys, ranks)).argsort()
    )


@dataclass
class Rater:
    """Somebody in front of the rating page."""

    site: LiveSite
    shop: Workshop
    page: Page

    @property
    def cards(self) -> Locator:
        return self.page.locator("[data-answer]")

    def card(self, letter: str) -> Locator:
        return self.page.locator(f'[data-letter="{letter}"]')

    def star(self, letter: str, grade: int) -> Locator:
        return self.card(letter).locator(f'.stars input[value="{grade}"]')

    def chosen(self) -> list[int | None]:
        """Return the grade that each answer shows, from the first to the last."""
        script = "cards => cards.map(card => card.querySelector('.stars input:checked')?.value ?? null)"
        return [None if value is None else int(value) for value in self.cards.evaluate_all(script)]

    def press(self, *keys: str, wait: int = 0) -> None:
        """Press keys one after the other; a digit moves on after a pause by the page's own timers."""
        for key in keys:
            self.page.keyboard.press(key)
            # Enter may leave the page, and its timers with it.
            if key != "Enter":
                self.page.evaluate(PASS, [250, 300] if key.isdigit() else [wait, 0])

    def expect_status(self, words: Any) -> None:
        expect(self.page.locator('[data-ref="status"]')).to_have_text(words)

    def expect_ready(self) -> None:
        """Wait until the scripts have taken the page over: from then on they say where ratings are."""
        expect(self.page.locator('[data-ref="status"]')).not_to_be_empty()

    def expect_saved(self) -> None:
        """Wait until nothing waits on the device; as long as it gets less, a slow machine is no failure."""
        least, deadline = self.waiting(), time.monotonic() + 10
        while least:
            assert time.monotonic() < deadline, "something still waits on the device"
            self.page.wait_for_timeout(20)
            if (now := self.waiting()) < least:
                least, deadline = now, time.monotonic() + 10

    def waiting(self) -> int:
        return self.page.evaluate(
            "Object.keys(localStorage).filter(key => key.startsWith('touchstone.outbox')).length"
        )

    def stored(self) -> list[tuple[int | None, str | None]]:
        """Return all rows of the ledger: grade and reason, oldest first."""
        with self.site.database.read() as session:
            rows = session.scalars(select(Judgment).order_by(Judgment.revision)).all()
        return [(row.grade, row.reason.name.lower() if row.reason else None) for row in rows]

    def current(self) -> list[int | None]:
        """Return the newest grade of each answer that was ever rated, in the order of the page."""
        with self.site.database.read() as session:
            rows = session.scalars(select(Judgment).order_by(Judgment.revision)).all()
        newest = {row.candidate_id: row.grade for row in rows}
        places = {row.candidate_id: row.place for row in rows}
        return [newest[key] for key in sorted(newest, key=lambda key: places[key])]


@pytest.fixture
def shop(live_site: LiveSite) -> Workshop:
    """Return two questions of three answers."""
    return made_in(live_site.database, make_workshop, queries=2, answers=3)


@pytest.fixture
def rate(live_site: LiveSite, shop: Workshop) -> Callable[..., Rater]:
    """Return what opens the rating page: `rate()` or `rate(person, viewport=PHONE)`; `paused` as people have it."""

    def rate(person: Any = None, path: str = "", *, paused: bool = False, **options: Any) -> Rater:
        person = person or shop.ada
        page = live_site.page_of(person, **options)
        if not paused:
            page.add_init_script(AT_ONCE)
        address = f"/p/{shop.project.slug}/rate"
        if path:
            page.goto(address + path)
        else:
            # One page less for the browser than by the button, whose press other tests make.
            live_site.take(address, person)
            page.goto(address)
        rater = Rater(live_site, shop, page)
        if options.get("java_script_enabled", True):
            rater.expect_ready()
        return rater

    return rate
