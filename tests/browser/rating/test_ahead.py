"""The next two questions come before they are needed, and what stands beside them comes along."""

import re
from contextlib import nullcontext
from datetime import timedelta

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.models import Assignment, Judgment, Project, now_utc
from app.services.assignment.requests import request_question
from app.services.evidence.store import evidence_of
from app.services.projects.projects import change_guidelines
from tests.browser.rating.conftest import Rater
from tests.furniture.assigning import assign_best_batch
from tests.furniture.live import start_rating
from tests.furniture.rating import make_workshop


@pytest.fixture
def shop(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=4, answers=2)
        change_guidelines(make.session, make.session.merge(shop.project), "The old rule.")
    return shop


def open_page(live_site, shop):
    page = live_site.page_of(shop.ada)
    page.add_init_script(
        "const later = setTimeout; window.setTimeout = (act, wait) => later(act, wait / 10);"
    )
    return Rater(live_site, shop, page)


def test_whoever_reads_first_has_the_next_two_all_the_same_and_a_failure_is_tried_again(live_site, shop):
    live_site.forgive("503")
    ada = open_page(live_site, shop)
    failed = []

    def fail_twice(route):
        failed.append(route)
        route.fulfill(status=503, body="{}") if len(failed) < 3 else route.continue_()

    ada.page.route("**/batches", fail_twice)
    # Two pauses come before it, of two and of four seconds; on a busy machine there is more.
    with ada.page.expect_response("**/rate/3?ahead=1", timeout=90_000):
        start_rating(ada.page, f"/p/{ada.shop.project.slug}/rate")

    assert len(failed) == 3
    assert ada.stored() == []


@pytest.mark.parametrize("ends", ["done", "its lease is over"])
def test_whoever_only_looks_at_a_page_that_is_over_takes_no_question_from_others(live_site, shop, ends):
    with live_site.making() as make:
        page = assign_best_batch(make.session, shop.project.id, shop.ada.id)
        if ends == "done":
            page.state = "done"
        else:
            page.lease_end = now_utc() - timedelta(hours=1)
    ada = open_page(live_site, shop)
    asked = []
    ada.page.on("request", lambda request: request.url.endswith("/batches") and asked.append(request))

    ada.page.goto(f"/p/{shop.project.slug}/rate/{page.batch}")
    ada.expect_ready()
    ada.page.wait_for_timeout(1000)
    ada.card("A").locator('[data-act="flag"]').click()
    ada.expect_saved()
    ada.page.wait_for_timeout(300)

    assert asked == []
    with live_site.database.read() as session:
        assert session.scalars(select(Assignment.batch)).all() == [page.batch]
    with ada.page.expect_response("**/batches"):
        ada.star("B", 2).click(force=True)


def test_the_last_page_ends_with_finish_and_is_not_left_for_later(live_site):
    live_site.forgive("ERR_FAILED")
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=2)
    ada = open_page(live_site, shop)
    ada.page.route("**/batches", lambda route: route.abort())
    start_rating(ada.page, f"/p/{shop.project.slug}/rate")
    ada.expect_ready()
    # Before the script has asked whether anything comes next.
    assert ada.page.locator('[data-ref="next-word"]').text_content() == "Finish"
    with ada.page.expect_response("**/batches"):
        ada.page.unroute("**/batches")
    ada.press("1")
    # No other question comes: the button promises none.
    expect(ada.page.locator('[data-ref="next-word"]')).to_have_text("Finish")
    ada.page.locator('[data-act="next"]').click()

    asked = ada.page.locator('[data-ref="ask-later"]')
    expect(asked).to_contain_text("1 left, and nothing else waits in this project. Stop here?")
    expect(asked.get_by_role("button", name="Leave for later")).to_be_hidden()
    expect(asked.get_by_text("The page stays reserved")).to_be_hidden()
    asked.get_by_role("link", name="Done for now").click()
    expect(ada.page.locator("h1")).to_have_text("Done for now")


@pytest.mark.parametrize("parks", [False, True])
def test_a_page_fetched_ahead_says_finish_as_soon_as_it_is_shown(live_site, parks):
    live_site.forgive("ERR_FAILED")
    with live_site.making() as make:
        shop = make_workshop(make, queries=3, answers=2)
    ada = open_page(live_site, shop)
    with ada.page.expect_response("**/rate/3?ahead=1"):
        start_rating(ada.page, f"/p/{shop.project.slug}/rate")
    ada.page.wait_for_load_state("networkidle")
    # From now on nobody asks whether anything else comes.
    ada.page.route("**/batches", lambda route: route.abort())
    word = ada.page.locator('[data-ref="next-word"]')

    expect(word).to_have_text("Next question")
    if parks:
        ada.page.locator('[data-act="next"]').click()
        ada.page.get_by_role("button", name="Leave for later").click()
    else:
        ada.press("1", "1", "Enter")
    expect(ada.page).to_have_url(re.compile("/rate/2$"))
    ada.expect_ready()
    expect(word).to_have_text("Next question")
    ada.press("1", "1", "Enter")
    expect(ada.page).to_have_url(re.compile("/rate/3$"))
    ada.expect_ready()
    # The first one was left for later: it comes again.
    expect(word).to_have_text("Next question" if parks else "Finish")


def test_new_guidelines_come_with_the_question_are_told_once_and_bound_to_what_was_shown(live_site, shop):
    live_site.forgive("ERR_FAILED")
    ada = open_page(live_site, shop)
    ada.page.route("**/batches", lambda route: route.abort())
    start_rating(ada.page, f"/p/{shop.project.slug}/rate")
    ada.expect_ready()
    with live_site.making() as make:
        change_guidelines(make.session, make.session.get_one(Project, shop.project.id), "The new rule.")
    with ada.page.expect_response("**/rate/3?ahead=1"):
        ada.page.unroute("**/batches")
    ada.page.wait_for_load_state("networkidle")
    told = ada.page.locator(".note", has_text="The guidelines have changed")
    guide = ada.page.locator("#guide")

    expect(guide).to_contain_text("The old rule.")
    ada.press("1", "2", "Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 1?")
    expect(told).to_be_visible()
    expect(guide.locator(".prose")).to_have_text("The new rule.")
    ada.press("1", "2", "Enter")
    expect(ada.page.locator("h1")).to_have_text("Question number 2?")
    expect(told).to_be_hidden()
    ada.expect_ready()
    ada.press("1")
    expect(ada.star("A", 1)).to_be_checked()
    ada.expect_saved()
    ada.page.reload()
    ada.expect_ready()
    expect(told).to_be_hidden()

    with live_site.database.read() as session:
        versions = session.scalars(select(Judgment.guideline_version).order_by(Judgment.revision)).all()
    assert versions == [2, 2, 3, 3, 3]


def test_the_second_part_of_a_question_follows_its_first(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=3, answers=13)
    ada = open_page(live_site, shop)
    with ada.page.expect_response("**/rate/2?ahead=1"):
        start_rating(ada.page, f"/p/{shop.project.slug}/rate")
    ada.page.wait_for_load_state("networkidle")
    first = ada.page.locator("h1").inner_text()

    ada.press(*"1" * 12, "Enter")

    expect(ada.cards).to_have_count(1)
    expect(ada.page.locator("h1")).to_have_text(first)
    expect(ada.page).to_have_url(re.compile("/rate/3$"))


def test_what_is_requested_comes_before_what_was_fetched_ahead_and_not_opened(live_site, shop):
    ada, project = open_page(live_site, shop), shop.project
    with ada.page.expect_response("**/rate/3?ahead=1"):
        start_rating(ada.page, f"/p/{project.slug}/rate")
    ada.page.wait_for_load_state("networkidle")
    with live_site.database.read() as session:
        held = set(session.scalars(select(Assignment.query_id)))
    (asked,) = [query for query in shop.queries if query.id not in held]
    evidence = evidence_of(live_site.database, project.id)
    with live_site.database.write() as session:
        request_question(session, project, asked.id, evidence=evidence, actor_id=shop.owner.id)

    for here, coming in ((2, "**/rate/4?ahead=1"), (4, None), (3, None)):
        with ada.page.expect_response(coming) if coming else nullcontext():
            ada.press("1", "2", "Enter")
            expect(ada.page).to_have_url(re.compile(f"/rate/{here}$"))
        ada.page.wait_for_load_state("networkidle")


def test_parts_fetched_ahead_know_that_no_answer_is_better_any_more(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=1, answers=30)
    ada = open_page(live_site, shop)
    rest = ada.page.locator('[data-ref="none"]')
    start_rating(ada.page, f"/p/{shop.project.slug}/rate")
    ada.expect_ready()
    ada.star("A", 2).check(force=True)
    ada.expect_saved()
    # Now the other parts are fetched, with one better answer.
    with ada.page.expect_response("**/rate/3?ahead=1"):
        ada.page.reload()
    ada.page.wait_for_load_state("networkidle")
    expect(rest).to_have_text("Give the rest of the question 0 stars")

    ada.card("A").locator(".cant summary").click()
    ada.card("A").locator(".cant button").first.click()
    expect(rest).to_have_text("No good answer")
    for _ in range(2):
        before = ada.page.url
        ada.page.locator('[data-act="next"]').click()
        ada.page.get_by_role("button", name="Leave for later").click()
        expect(ada.page).not_to_have_url(before)
        ada.expect_ready()
        expect(rest).to_have_text("No good answer")

    ada.page.reload()
    ada.expect_ready()
    expect(rest).to_have_text("No good answer")
