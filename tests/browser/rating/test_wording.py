"""A question that is reworded or retired while somebody rates it: nothing is lost, and they are told."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.models import Assignment, Query
from app.services.collection.queries import edit_query, restore_queries
from tests.browser.rating.conftest import Rater
from tests.furniture.live import start_rating
from tests.furniture.rating import make_workshop

RETIRED = "This question was retired. Ratings of it are kept but do not count."
REWORDED = "The question’s words were changed. Check what you rated."


@pytest.fixture
def shop(live_site):
    with live_site.making() as make:
        return make_workshop(make, queries=3, answers=3)


@pytest.fixture
def ada(live_site, shop):
    """Ada on the first question, with the next two here."""
    page = live_site.page_of(shop.ada)
    page.add_init_script(
        "const later = setTimeout; window.setTimeout = (act, wait) => later(act, wait / 10);"
    )
    with page.expect_response("**/rate/3?ahead=1"):
        start_rating(page, f"/p/{shop.project.slug}/rate")
    page.wait_for_load_state("networkidle")
    return Rater(live_site, shop, page)


def question_of(ada, batch):
    with ada.site.database.read() as session:
        return session.scalars(select(Query).join(Assignment).where(Assignment.batch == batch)).one()


def retire(ada, batch):
    owner = ada.site.page_of(ada.shop.owner)
    owner.goto(f"/p/{ada.shop.project.slug}/questions/{question_of(ada, batch).id}")
    retiring = owner.get_by_role("button", name="Retire this question", include_hidden=True)
    retiring.evaluate("button => button.closest('details')?.setAttribute('open', '')")
    retiring.click()
    expect(owner.get_by_text("The question is retired.")).to_be_visible()


def edit(ada, batch, **content):
    with ada.site.database.write() as session:
        query = session.get_one(Query, question_of(ada, batch).id)
        edit_query(session, session.merge(ada.shop.project), query, content)


def told(ada):
    return ada.page.locator('[data-ref="told"]')


def test_a_page_of_a_question_that_was_retired_meanwhile_says_so_with_the_next_rating_and_leads_on(ada):
    first = ada.page.locator("h1").inner_text()
    ada.press("1")
    ada.expect_saved()
    retire(ada, 1)
    expect(told(ada)).to_be_hidden()

    ada.press("2")

    expect(told(ada)).to_have_text(RETIRED)
    ada.expect_saved()
    assert ada.stored() == [(1, None), (2, None)]
    expect(ada.page.get_by_role("button", name="No good answer")).to_be_hidden()
    ada.page.reload()
    ada.expect_ready()
    expect(told(ada)).to_have_text(RETIRED)
    ada.page.locator('[data-act="next"]').click()
    expect(ada.page.locator("h1")).not_to_have_text(first)
    expect(told(ada)).to_be_hidden()


def test_a_page_fetched_ahead_of_a_question_that_was_retired_says_so_as_soon_as_it_is_shown(ada):
    retire(ada, 2)

    ada.press("1", "2", "3", "Enter")

    expect(ada.page).to_have_url(re.compile("/rate/2$"))
    expect(told(ada)).to_have_text(RETIRED)
    ada.page.locator('[data-act="next"]').click()
    expect(ada.page).to_have_url(re.compile("/rate/3$"))
    with ada.site.database.read() as session:
        states = session.execute(select(Assignment.batch, Assignment.state)).all()
    assert dict(map(tuple, states)) == {1: "done", 2: "released", 3: "open"}


def test_no_other_part_of_a_retired_question_is_shown(live_site):
    with live_site.making() as make:
        shop = make_workshop(make, queries=2, answers=13)
    page = live_site.page_of(shop.ada)
    with page.expect_response("**/rate/2?ahead=1"):
        start_rating(page, f"/p/{shop.project.slug}/rate")
    page.wait_for_load_state("networkidle")
    ada = Rater(live_site, shop, page)
    first = page.locator("h1").inner_text()
    retire(ada, 1)

    ada.press("1")
    expect(told(ada)).to_have_text(RETIRED)
    page.locator('[data-act="next"]').click()

    expect(page.locator("h1")).not_to_have_text(first)


def test_what_was_rated_offline_is_stored_and_told_once_from_another_page(ada):
    ada.site.forgive("ERR_FAILED")
    first = ada.page.locator("h1").inner_text()
    ada.page.route("**/api/v1/**", lambda route: route.abort())
    ada.press("1", "2", "3", "Enter")
    expect(ada.page).to_have_url(re.compile("/rate/2$"))
    retire(ada, 1)

    ada.page.unroute("**/api/v1/**")
    ada.page.evaluate("dispatchEvent(new Event('online'))")

    ada.expect_saved()
    ada.expect_status(f"“{first}” was retired. Ratings of it are kept but do not count.")
    expect(told(ada)).to_be_hidden()
    assert ada.stored() == [(1, None), (2, None), (3, None)]


def test_a_restored_question_says_nothing_any_more(ada):
    retire(ada, 1)
    ada.press("1")
    expect(told(ada)).to_have_text(RETIRED)
    with ada.site.database.write() as session:
        project = session.merge(ada.shop.project)
        restore_queries(session, project, [question_of(ada, 1).external_id])

    ada.press("2")

    expect(told(ada)).to_be_hidden()
    expect(ada.page.get_by_role("button", name="Give the rest")).to_be_visible()


def test_new_words_of_a_question_come_with_the_next_reply(ada):
    ada.press("1")
    ada.expect_saved()
    edit(ada, 1, text="Why does the front wheel wobble?", intent="A repair at home.")
    expect(told(ada)).to_be_hidden()

    ada.press("2")

    expect(ada.page.locator("h1")).to_have_text("Why does the front wheel wobble?")
    expect(ada.page.locator('[data-ref="aim"]')).to_have_text("Aim: A repair at home.")
    expect(told(ada)).to_have_text(REWORDED)
    ada.expect_saved()
    assert ada.chosen()[:2] == [1, 2]
    edit(ada, 1, intent="")
    ada.press("3")
    expect(ada.page.locator('[data-ref="aim"]')).to_have_count(0)
    assert ada.stored() == [(1, None), (2, None), (3, None)]


def test_a_page_fetched_ahead_with_the_words_of_before_is_corrected_when_it_is_shown(ada):
    edit(ada, 2, text="Why does the front wheel wobble?")

    ada.press("1", "2", "3", "Enter")

    expect(ada.page).to_have_url(re.compile("/rate/2$"))
    expect(ada.page.locator("h1")).to_have_text("Why does the front wheel wobble?")
    expect(told(ada)).to_have_text(REWORDED)


def test_other_tags_of_a_question_change_nothing_on_the_page(ada):
    edit(ada, 1, tags=["wheels"], weight=2.0)
    ada.press("1")
    ada.expect_saved()
    ada.page.wait_for_load_state("networkidle")

    expect(told(ada)).to_be_hidden()
