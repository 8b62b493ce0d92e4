"""Review and one's own ratings in a real browser: keys, undo, fingers, both themes, narrow windows."""

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from app.models import Candidate, Flag, Input, Judgment, JudgmentNote, Origin, Reason
from tests.furniture.assigning import assign_best_batch
from tests.furniture.live import DESK, NARROWEST, PHONE, PRESS_TOGETHER, looks, overflow_of
from tests.furniture.rating import make_workshop


@pytest.fixture
def shop(live_site):
    """Return a workshop with three disputed answers of one question, one of another, and some remarks."""
    with live_site.making() as make:
        shop = make_workshop(make, queries=2, answers=3, overlap=3)
        cy = make.member(shop.project, "annotator", name="Cy Third")
        batch = assign_best_batch(make.session, shop.project.id, shop.ada.id).batch
        answers = make.session.scalars(
            select(Candidate).where(Candidate.project_id == shop.project.id).order_by(Candidate.query_id)
        ).all()
        for answer in answers[:4]:
            for person, grade in ((shop.ada, 0), (shop.bo, 1), (cy, 3)):
                make.judgment(answer, person, grade, batch=batch)
        make.judgment(answers[4], shop.ada, None, reason=Reason.EXPERTISE)
        named = {"project_id": shop.project.id, "candidate_id": answers[0].id}
        make._added(Flag(**named, person_id=shop.ada.id, query_id=answers[0].query_id))
        make._added(JudgmentNote(**named, annotator_id=shop.bo.id, text="The second half does not fit. " * 6))
        shop.question = answers[0].query_id
        return shop


def opened(live_site, shop, **options):
    page = live_site.open(f"/p/{shop.project.slug}/review/{shop.question}", shop.owner, **options)
    expect(page.locator('[data-ref="status"]')).not_to_be_empty()
    return page


def decisions(live_site):
    with live_site.database.read() as session:
        wanted = select(Judgment).where(Judgment.role == Origin.ADJUDICATION).order_by(Judgment.revision)
        return [(row.grade, row.place, row.input) for row in session.scalars(wanted)]


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
        # By the page's own timers: a digit moves on after 250 ms of them, and 300 ms later a key acts on what came.
        page.evaluate("wait => new Promise(done => setTimeout(done, wait))", 620 if key.isdigit() else 30)


def saved(page):
    page.wait_for_function(
        "() => !Object.keys(localStorage).some(key => key.startsWith('touchstone.outbox'))"
    )


def test_a_question_is_decided_with_keys_alone_and_undone(live_site, shop, axe):
    page = opened(live_site, shop)
    assert page.locator(".stars input:checked").count() == 0
    assert "Cy Third" not in page.content()

    press(page, "2", "0", "s", "f", "n")
    page.keyboard.type("Only the third one is whole.")
    press(page, "Escape", "3")
    saved(page)
    assert [(grade, place) for grade, place, _ in decisions(live_site)] == [(2, 1), (0, 2), (3, 3)]
    expect(page.locator('[data-ref="count"]')).to_have_text("3 of 3 answers decided")
    expect(page.locator('[data-act="next"]')).to_be_focused()
    axe(page)

    press(page, "u")
    page.get_by_text("Undone. Now answer C is not decided").first.wait_for()
    saved(page)
    assert decisions(live_site)[-1] == (None, 3, Input.KEY)
    press(page, "u", "Shift+U", "Shift+U")
    saved(page)
    assert [grade for grade, _, _ in decisions(live_site)][-3:] == [None, 0, 3]

    page.reload()
    assert page.locator(".stars input:checked").evaluate_all("all => all.map(one => one.value)") == [
        "2",
        "0",
        "3",
    ]
    assert page.locator(".heard").count() == 3
    expect(page.locator(".heard").first).to_contain_text("Cy Third")
    assert page.get_by_text("Only the third one is whole.").count() == 1
    page.locator('[data-act="next"]').click()
    expect(page.locator("h1")).to_have_text("Question number 1?")


def test_digits_right_after_each_other_decide_no_answer_that_was_out_of_sight(live_site, shop):
    page = opened(live_site, shop, viewport={"width": 1280, "height": 500})
    page.locator("[data-letter=A] h2").click()

    page.evaluate(PRESS_TOGETHER, ["2", "2", "2"])
    saved(page)

    assert [(grade, place) for grade, place, _ in decisions(live_site)] == [(2, 1)]
    asks = "Key ignored. Press it again for answer B."
    expect(page.locator('[data-ref="status"]')).to_have_text(asks)
    page.wait_for_timeout(350)
    press(page, "1")
    saved(page)
    assert [(grade, place) for grade, place, _ in decisions(live_site)] == [(2, 1), (1, 2)]


def test_a_finger_decides_and_what_others_said_is_shown_on_request(live_site, shop, axe):
    page = opened(live_site, shop, viewport=PHONE, has_touch=True, is_mobile=True)
    assert overflow_of(page) == 0

    page.locator('[data-letter="B"]').get_by_role("button", name="Show the ratings").tap()
    expect(page.locator(".heard")).to_have_count(1)
    page.locator('[data-letter="B"] .stars input[value="1"]').tap(force=True)
    saved(page)

    assert decisions(live_site) == [(1, 2, Input.TOUCH)]
    axe(page)


def test_a_decision_made_elsewhere_meanwhile_is_shown_and_kept(live_site, shop):
    page, other = opened(live_site, shop), opened(live_site, shop)
    press(other, "3")
    saved(other)
    live_site.forgive("409")

    press(page, "0")
    saved(page)

    expect(page.locator('[data-ref="status"]')).to_contain_text("Someone else has decided answer A meanwhile")
    assert page.locator(".stars input:checked").get_attribute("value") == "3"
    press(page, "k", "1")
    saved(page)
    assert [grade for grade, _, _ in decisions(live_site)] == [3, 1]


@looks(desk=DESK, narrow=NARROWEST)
def test_review_and_own_ratings_are_for_everybody(live_site, shop, axe, theme, viewport):
    with live_site.making() as make:
        answer = make.session.scalars(select(Candidate).where(Candidate.query_id == shop.question)).first()
        make.judgment(answer, shop.owner, 2, role=Origin.ADJUDICATION, blind=False)
    owned = ("review", "review?state=resolved", f"review/{shop.question}")
    for person, paths in ((shop.owner, owned), (shop.ada, ("rate/ratings",))):
        page = live_site.page_of(person, viewport=viewport, color_scheme=theme)
        for path in paths:
            page.goto(f"/p/{shop.project.slug}/{path}")
            axe(page)
            assert overflow_of(page) == 0, path
