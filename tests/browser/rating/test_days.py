"""Long days: the clock goes on for hours and days, the server dies between two ratings, time spent is told from time away."""

import re
import time as time_module
from datetime import timedelta
from types import SimpleNamespace

import itsdangerous
from playwright.sync_api import expect
from sqlalchemy import select, update

from app.database import Database
from app.models import Assignment, Judgment, now_utc
from tests.browser.rating.conftest import LOOK
from tests.furniture.served import PASSWORD, Served, prepare_work

SAVED = "() => !Object.keys(localStorage).some(key => key.startsWith('touchstone.outbox'))"


def let_pass(rate, live_site, monkeypatch, **time):
    """Let time pass for the browser, for cookies and tokens, and for leases."""
    passed = timedelta(**time)
    stamp, now = itsdangerous.TimestampSigner.get_timestamp, time_module.time
    monkeypatch.setattr(
        itsdangerous.TimestampSigner, "get_timestamp", lambda self: stamp(self) + int(passed.total_seconds())
    )
    monkeypatch.setattr(
        "app.http.identity.time", SimpleNamespace(time=lambda: now() + passed.total_seconds())
    )
    with live_site.database.write() as session:
        session.execute(update(Assignment).values(lease_end=now_utc() + timedelta(days=1) - passed))
    rate.page.clock.fast_forward(int(passed.total_seconds()) * 1000)


def test_a_page_that_stood_open_for_two_days_saves_without_a_word(rate, live_site, monkeypatch):
    ada = rate()
    ada.page.clock.install()
    ada.page.reload()
    ada.expect_ready()
    ada.page.keyboard.press("3")
    ada.page.clock.run_for(300)
    ada.expect_saved()

    let_pass(ada, live_site, monkeypatch, days=2)
    ada.page.keyboard.press("1")
    ada.page.clock.run_for(300)
    ada.expect_saved()

    assert ada.stored() == [(3, None), (1, None)]
    expect(ada.page.locator('[data-ref="clash"]')).to_be_hidden()


def test_after_forty_days_signing_in_beside_the_page_sends_everything(rate, live_site, shop, monkeypatch):
    # Signed out by then; after signing in the page's token is another session's.
    for expected in ("401", "400"):
        live_site.forgive(expected)
    ada = rate()
    ada.page.clock.install()
    let_pass(ada, live_site, monkeypatch, days=40)

    ada.page.keyboard.press("2")
    ada.expect_status("Signed out. Sign in to send 1 rating")
    assert ada.stored() == []
    ada.page.context.add_cookies([live_site._cookie_of(shop.ada)])
    ada.page.evaluate("window.dispatchEvent(new Event('focus'))")
    ada.expect_saved()

    assert ada.stored() == [(2, None)]


def test_time_counts_while_the_tab_is_visible_and_for_a_minute_after_each_sign_of_life(rate):
    hide = """hidden => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    ada = rate()
    ada.page.clock.install()
    ada.page.reload()
    ada.expect_ready()
    ada.page.keyboard.press("j")

    ada.page.clock.run_for(20_000)
    ada.page.evaluate(hide, True)
    ada.page.clock.run_for(1_000_000)
    ada.page.evaluate(hide, False)
    ada.page.clock.run_for(10_000)
    ada.page.mouse.move(5, 5)
    # Ten minutes without a sign of life: one of them counts.
    ada.page.clock.run_for(600_000)
    ada.page.keyboard.press("2")
    ada.page.clock.run_for(300)
    ada.expect_saved()

    with ada.site.database.read() as session:
        spent = session.scalars(select(Judgment.active_ms)).one()
    assert 90_000 <= spent < 93_000


def test_a_server_that_is_killed_between_two_ratings_and_started_again_loses_nothing(tmp_path, new_context):
    served = Served(tmp_path)
    work = prepare_work(served.url, people=1, queries=1, answers=4)
    served.start()
    try:
        page = new_context(base_url=f"http://127.0.0.1:{served.port}", service_workers="block").new_page()
        page.goto("/sign-in?next=/p/load/rate")
        page.locator("#email").fill(work.people[0].email)
        page.locator("#password").fill(PASSWORD)
        page.locator("main button[type=submit]").click()
        page.locator('[data-ref="status"]:not(:empty)').wait_for()

        page.keyboard.press("3")
        page.wait_for_function(SAVED)
        served.kill()
        for key, letter in (("1", "B"), ("0", "C")):
            expect(page.locator(f'[data-letter="{letter}"]')).to_have_class(re.compile("ans--now"))
            page.wait_for_timeout(LOOK)
            page.keyboard.press(key)
        expect(page.locator('[data-ref="status"]')).to_have_text("Not sent. Kept on this device: 2 ratings")
        served.start()
        page.evaluate("window.dispatchEvent(new Event('online'))")
        page.wait_for_function(SAVED)
        page.keyboard.press("2")
        page.wait_for_function(SAVED)
        page.context.close()
    finally:
        served.stop()

    database = Database(served.url)
    with database.read() as session:
        stored = session.scalars(select(Judgment.grade).order_by(Judgment.revision)).all()
    database.dispose()
    assert stored == [3, 1, 0, 2]
