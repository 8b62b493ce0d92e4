"""Assignment and checks in the browser: for owners, and never a word of it to annotators."""

import re

import pytest
from sqlalchemy import select, update

from app.models import AssignmentCandidate, Candidate, Gold, Project, Reason
from app.services.assignment.selection import Proposal
from app.services.judging.pages import batch_page
from app.services.judging.recording import record_judgment
from app.services.projects.assignment_settings import Quality, quality_of
from tests.furniture.assigning import assign_best_batch
from tests.furniture.databases import made_in
from tests.furniture.rating import make_workshop, rating

CHOSEN = {"dealing": "front", "share_twice": "25", "repeats": "3", "gold": "5"}


@pytest.fixture
def shop(stored):
    return made_in(stored, make_workshop, queries=2, answers=4, slug="shop")


def test_an_owner_chooses_how_answers_are_dealt_and_checked(client_of, shop, stored):
    client = client_of(shop.owner)

    assert client.post("/p/shop/settings/quality", data=CHOSEN).status_code == 302

    with stored.read() as session:
        project = session.get_one(Project, shop.project.id)
        assert quality_of(project) == Quality(dealing="front", share_twice=0.25, repeats=0.03, gold=0.05)
    page = client.get("/p/shop/settings/quality").text
    assert 'value="25"' in page
    assert not re.search(r'name="feedback"[^>]*checked|checked[^>]*name="feedback"', page)
    client.post("/p/shop/settings/quality", data=CHOSEN | {"feedback": "y"})
    with stored.read() as session:
        assert quality_of(session.get_one(Project, shop.project.id)).feedback
    assert "/p/shop/settings/quality" in client.get("/p/shop/settings").text


@pytest.mark.thorough
@pytest.mark.parametrize(
    "wrong", [{"share_twice": "101"}, {"gold": "x"}, {"repeats": ""}, {"dealing": "z"}, {"gold": "nan"}]
)
def test_a_wrong_share_is_named_and_nothing_changes(client_of, shop, stored, wrong):
    answer = client_of(shop.owner).post("/p/shop/settings/quality", data=CHOSEN | wrong)

    assert answer.status_code == 200
    assert "Please check what you entered" in answer.text
    with stored.read() as session:
        assert quality_of(session.get_one(Project, shop.project.id)) == Quality()


def test_an_owner_calls_an_answer_gold_and_takes_it_back(client_of, shop, stored):
    client = client_of(shop.owner)
    with stored.read() as session:
        candidate = session.scalars(select(Candidate).order_by(Candidate.id)).first()
    address = f"/p/shop/answers/{candidate.public_id}/gold"

    assert client.post(address, data={"grade": "3"}).status_code == 302
    assert "Title 0 of q0" in client.get("/p/shop/settings/quality").text
    page = client.get(f"/p/shop/questions/{candidate.query_id}").text
    assert '<option value="3" selected>' in page
    assert client.post(address, data={"grade": "2"}).status_code == 422
    assert client.post(address, data={"grade": "x"}).status_code == 422
    assert client.post("/p/shop/answers/nobody/gold", data={"grade": "3"}).status_code == 404
    client.post(address, data={"grade": ""})

    with stored.read() as session:
        assert session.scalars(select(Gold)).all() == []


def test_what_was_passed_on_is_asked_again(client_of, shop, making):
    with making() as make:
        assign_best_batch(make.session, shop.project.id, shop.ada.id)
        (card, *_) = batch_page(make.session, shop.project.id, shop.ada.id, 1).answers
        given = rating(None, reason=Reason.LANGUAGE, batch=1)
        record_judgment(make.session, shop.annotator(), card.public_id, given)
    client = client_of(shop.owner)
    assert "1 answer, by 1 person" in client.get("/p/shop/settings/quality").text

    answer = client.post(
        "/p/shop/settings/quality/release", data={"reason": "language"}, follow_redirects=True
    )

    assert "1 answer and 0 questions can be assigned to them again." in answer.text
    again = client.post(
        "/p/shop/settings/quality/release", data={"reason": "language"}, follow_redirects=True
    )
    assert "No answer is marked “can’t judge” for this reason." in again.text
    assert client.post("/p/shop/settings/quality/release", data={"reason": "no"}).status_code == 422


def test_why_a_question_was_asked_is_for_owners_alone(client_of, shop, making):
    with making() as make:
        viewer = make.member(shop.project, "viewer")
        assigned = assign_best_batch(make.session, shop.project.id, shop.ada.id)
        query_id = assigned.query_id
    path = f"/p/shop/questions/{query_id}"

    page = client_of(shop.owner).get(path).text
    assert "One of these answers was near the top of a ranker’s list." in page
    assert "Ada Example" in client_of(shop.owner).get("/p/shop/settings/quality").text
    assert "Why it was assigned" not in client_of(viewer).get(path).text
    assert client_of(shop.ada).get(path).status_code == 404
    assert client_of(shop.ada).get("/p/shop/settings/quality").status_code == 404


def test_the_rating_page_is_the_same_with_checks_and_without(client_of, shop, making):
    """Blindness: two worlds that differ in nothing but the arms of a batch give the same page, byte by byte."""
    with making() as make:
        session = make.session
        numbers = session.scalars(
            select(Candidate.id).where(Candidate.query_id == shop.queries[0].id).order_by(Candidate.id)
        ).all()
        make.judgment(session.get_one(Candidate, numbers[3]), shop.bo, 3)
        mixed = Proposal(
            query_id=shop.queries[0].id,
            arms=dict.fromkeys(numbers[:3], "answer"),
            checks={numbers[3]: "gold"},
        )
        assign_best_batch(session, shop.project.id, shop.ada.id, proposal=mixed)
    client = client_of(shop.ada)
    hidden = client.get("/p/shop/rate/1").text
    cards = [word for word in ("gold", "repeat", "check", "second") if f'"{word}' in hidden]
    with making() as make:
        make.session.execute(update(AssignmentCandidate).values(arm="answer"))

    plain = client.get("/p/shop/rate/1").text

    assert _stable(hidden) == _stable(plain)
    assert cards == []


def _stable(page):
    """Return a page without the ids, tokens and the moment that are made anew for each request."""
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|name=\"csrf[^>]*>|data-at=\"[^\"]+\"", "", page)
