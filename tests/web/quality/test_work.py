"""Who rates what, in the browser: rating open, paused or closed, and shares of questions."""

import pytest
from sqlalchemy import select

from app.models import Candidate, Project
from app.services.assignment.query_assignments import QueryAssignment, query_assignments_of
from tests.furniture.rating import make_workshop, open_batch
from tests.furniture.words import shown_by


@pytest.fixture
def shop(making):
    with making() as make:
        shop = make_workshop(make, queries=3, answers=2, slug="shop")
        shop.queries[0].tags = ["night"]
        make.session.merge(shop.queries[0])
    return shop


def test_an_owner_pauses_and_opens_rating_and_annotators_are_told(client_of, shop):
    owner, ada = client_of(shop.owner), client_of(shop.ada)

    assert owner.post("/p/shop/quality/rating", data={"state": "paused"}).status_code == 302
    assert "Rating is paused" in shown_by(owner.get("/p/shop/quality/work"))
    assert "Rating is paused" in shown_by(open_batch(ada, "/p/shop/rate"))
    owner.post("/p/shop/quality/rating", data={"state": "closed"})
    assert "Rating is closed" in shown_by(open_batch(ada, "/p/shop/rate"))
    owner.post("/p/shop/quality/rating", data={"state": "open"})
    assert "Question number" in shown_by(open_batch(ada, "/p/shop/rate"))
    page = shown_by(owner.post("/p/shop/quality/rating", data={"state": "x"}, follow_redirects=True))
    assert "Choose open, paused or closed." in page


def test_an_owner_gives_questions_and_any_again(client_of, shop, stored):
    owner = client_of(shop.owner)
    given = {"who": shop.ada.public_id, "tags": "night", "queries": "q2, ", "target": "3"}

    assert owner.post("/p/shop/quality/shares", data=given).status_code == 302

    with stored.read() as session:
        found = query_assignments_of(session.get_one(Project, shop.project.id))
    assert found == {shop.ada.id: QueryAssignment(("night",), (shop.queries[2].id,), 3)}
    assert "Ada Example night q2 2 0 of 3" in shown_by(owner.get("/p/shop/quality/work"))
    owner.post("/p/shop/quality/shares", data={"who": shop.ada.public_id, "take_back": "y"})
    assert "No questions are chosen for any annotator." in shown_by(owner.get("/p/shop/quality/work"))


def test_a_target_alone_is_for_all_questions(client_of, shop):
    owner = client_of(shop.owner)
    owner.post("/p/shop/quality/shares", data={"who": shop.ada.public_id, "target": "3"})

    page = shown_by(owner.get("/p/shop/quality/work"))

    assert "Questions Answers done Change Ada Example – – All 0 of 3" in page


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"tags": "wheels"}, "No question has the tag &#39;wheels&#39;"),
        ({"queries": "q9"}, "There is no question &#39;q9&#39;"),
        ({"target": "many"}, "A target of &#39;many&#39; answers is not possible"),
        ({"target": "99999999999999999999"}, "answers is not possible"),
        ({"who": "nobody"}, "Choose an annotator."),
        ({}, "Give tags, questions or a target"),
    ],
)
def test_what_cannot_be_is_said_and_what_was_typed_stays(client_of, shop, stored, values, message):
    answer = client_of(shop.owner).post("/p/shop/quality/shares", data={"who": shop.ada.public_id, **values})

    assert answer.status_code == 200
    assert message in answer.text
    assert "<title>Error: " in answer.text
    for typed in values.values():
        assert f'value="{typed}"' in answer.text or typed == "nobody"
    with stored.read() as session:
        assert query_assignments_of(session.get_one(Project, shop.project.id)) == {}


def test_an_annotator_whose_target_is_reached_is_told_so_and_promised_nothing(client_of, shop, making):
    target = {"who": shop.ada.public_id, "target": "1"}
    client_of(shop.owner).post("/p/shop/quality/shares", data=target)
    with making() as make:
        make.judgment(make.session.scalars(select(Candidate)).first(), shop.ada, 1)

    ada = client_of(shop.ada)
    for page in (open_batch(ada, "/p/shop/rate"), ada.get("/p/shop/rate/done")):
        assert "Your share is done" in shown_by(page)
        assert "New answers will appear here." not in shown_by(page)
    home = shown_by(ada.get("/"))
    assert "1 done by you 0 waiting" in home
    assert "Continue rating" not in home


def test_an_annotator_is_dealt_their_share_and_never_told_of_it(client_of, shop):
    client_of(shop.owner).post(
        "/p/shop/quality/shares", data={"who": shop.ada.public_id, "tags": "night", "target": "2"}
    )

    page = open_batch(client_of(shop.ada), "/p/shop/rate")

    assert "Question number 0?" in page.text
    assert "night" not in page.text
