"""Print what each way to rate takes: keys, clicks, taps, swipes and seconds for twelve answers, in Chromium.

`make trial-ways-to-rate` serves the site, rates one question of twelve long answers in each way, and counts. A swipe is
a scroll by two thirds of what is between the bars, made until the stars of the next answer are in sight; a second is
one of the page, nobody reads. Exit status 1 where the ledger does not hold what was given.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from sqlalchemy import select

from app.database import Database
from app.models import Document, Judgment, Person
from tests.furniture.served import Rater, Served, prepare_work

ANSWERS = 12
TEXT = "Some words about this answer, as many as an abstract has. " * 20
# So long, in milliseconds, no key acts on what the page has only just brought into sight; and a little more.
LOOK = 350
# How it is called, what the account says, width of the window, by finger or not, by keys or not.
WAYS = [
    ("keys, 1280 px", {}, 1280, False, True),
    ("mouse, list, 1280 px", {"tap": "never"}, 1280, False, False),
    ("mouse, moving on, 1280 px", {"tap": "always"}, 1280, False, False),
    ("touch, list, 390 px", {"tap": "never"}, 390, True, False),
    ("touch, moving on, 390 px", {"tap": "touch"}, 390, True, False),
    ("touch, moving on, 320 px", {"tap": "touch"}, 320, True, False),
    ("touch, one at a time, 390 px", {"tap": "touch", "single": True}, 390, True, False),
    ("touch, one at a time, 320 px", {"tap": "touch", "single": True}, 320, True, False),
]
IN_SIGHT = """star => {
  const box = star.getBoundingClientRect();
  const top = Math.max(0, document.querySelector(".ask").getBoundingClientRect().bottom);
  const bottom = document.querySelector(".act").getBoundingClientRect().top;
  return Boolean(star.getClientRects().length) && box.top >= top && box.bottom <= bottom + 1;
}"""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        served = Served(Path(folder))
        work = prepare_work(served.url, people=len(WAYS), queries=len(WAYS), answers=ANSWERS, batches=0)
        lengthen(served.url)
        served.start()
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        kept = True
        try:
            for (name, preferences, width, is_touch, by_key), email in zip(
                WAYS, [one.email for one in work.people], strict=True
            ):
                prefer(served.url, email, preferences)
                rater = Rater(served.port, email)
                rater.sign_in()
                context = browser.new_context(
                    base_url=f"http://127.0.0.1:{served.port}",
                    viewport={"width": width, "height": 844 if is_touch else 800},
                    has_touch=is_touch,
                    is_mobile=is_touch,
                )
                cookie, value = rater.cookie.split(";")[0].split("=", 1)
                context.add_cookies(
                    [{"name": cookie, "value": value, "url": f"http://127.0.0.1:{served.port}"}]
                )
                page = context.new_page()
                counted = rated(page, "load", by_key=by_key, is_touch=is_touch)
                print(f"{name}: {counted}")
                page.wait_for_timeout(1500)
                kept &= stored(served.url, email) == ANSWERS
                context.close()
        finally:
            browser.close()
            served.stop()
        print("every rating is in the ledger" if kept else "RATINGS ARE MISSING")
        return 0 if kept else 1


def rated(page: Page, slug: str, *, by_key: bool, is_touch: bool) -> str:
    page.goto(f"/p/{slug}/rate")
    if not page.locator("main[data-batch]").count():
        page.locator("main form[action$='/rate'] button").first.click()
    page.locator('[data-ref="status"]:not(:empty)').wait_for()
    presses = swipes = 0
    begun = time.monotonic()
    for number in range(ANSWERS):
        card = page.locator("[data-answer]").nth(number)
        if by_key:
            presses += 1
            page.keyboard.press("2")
            if not card.locator("input:checked").count():
                presses += 1
                page.wait_for_timeout(LOOK)
                page.keyboard.press("2")
            page.wait_for_timeout(270 + LOOK)
            continue
        star = card.locator(".star").nth(2)
        while not star.evaluate(IN_SIGHT):
            swipes += 1
            page.evaluate("scrollBy(0, (innerHeight - 250) * 2 / 3)")
            page.wait_for_timeout(30)
            assert swipes < 200
        presses += 1
        box = star.bounding_box()
        assert box is not None
        at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.touchscreen.tap(*at) if is_touch else page.mouse.click(*at)
        page.wait_for_timeout(600)
    spent = time.monotonic() - begun
    word = "keys" if by_key else "taps" if is_touch else "clicks"
    moves = "" if by_key else f", {swipes} {'swipes' if is_touch else 'scrolls'}"
    return f"{presses} {word}{moves}, {spent / ANSWERS:.2f} s a rating"


def lengthen(url: str) -> None:
    database = Database(url)
    with database.write() as session:
        for document in session.scalars(select(Document)):
            document.text = TEXT
    database.dispose()


def prefer(url: str, email: str, preferences: dict[str, object]) -> None:
    database = Database(url)
    with database.write() as session:
        session.scalars(select(Person).where(Person.email == email)).one().preferences = dict(preferences)
    database.dispose()


def stored(url: str, email: str) -> int:
    database = Database(url)
    with database.read() as session:
        person = session.scalars(select(Person).where(Person.email == email)).one()
        found = set(session.scalars(select(Judgment.candidate_id).where(Judgment.annotator_id == person.id)))
    database.dispose()
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
