"""What an annotator does to a whole question, over HTTP."""

import uuid

import pytest
from sqlalchemy import select

from app.models import Assignment, Candidate, Flag, Judgment, Project, Query
from app.services.judging.pages import batch_page
from app.services.judging.recording import record_judgment
from tests.furniture.assigning import assign_best_batch
from tests.furniture.rating import make_workshop, rating


@pytest.fixture(scope="session")
def shop_made(made_once):
    return made_once(lambda make: make_workshop(make, queries=8, answers=10))


@pytest.fixture
def shop(shop_made, making):
    # A batch is held for a while only: each test takes its own.
    shop = shop_made.objects()
    with making() as make:
        assign_best_batch(make.session, shop.project.id, shop.ada.id)
    return shop


@pytest.fixture
def ada(client_of, shop):
    return client_of(shop.ada)


@pytest.fixture
def url(shop):
    return f"/api/v1/projects/{shop.project.slug}/batches"


def step(**values):
    return {"id": str(uuid.uuid4()), "at": "2026-03-01T12:00:00Z", "input": "mouse", **values}


def state_of(stored, batch=1):
    with stored.read() as session:
        return session.scalars(select(Assignment).where(Assignment.batch == batch)).one()


def test_no_good_answer_grades_the_rest_and_is_taken_back(ada, url, stored):
    given = step()

    done = ada.put(f"{url}/1/no-good-answer", json=given)
    undone = ada.put(f"{url}/1/no-good-answer", json=step(undo=given["id"]))

    assert {rating["grade"] for rating in done.json["ratings"].values()} == {0}
    assert done.json["progress"] == {"batch": 1, "settled": 10, "of": 10}
    assert {rating["reason"] for rating in undone.json["ratings"].values()} == {"cleared"}
    assert undone.json["progress"]["settled"] == 0
    with stored.read() as session:
        assert len(session.scalars(select(Judgment)).all()) == 20


def test_no_good_answer_twice_is_a_conflict(ada, url):
    ada.put(f"{url}/1/no-good-answer", json=step())

    reply = ada.put(f"{url}/1/no-good-answer", json=step())

    assert (reply.status_code, reply.json["code"]) == (409, "nothing_left")


def test_what_is_left_of_a_question_is_told_for_this_page_and_for_others(client_of, making):
    with making() as make:
        large = make_workshop(make, queries=1, answers=30)
        first = assign_best_batch(make.session, large.project.id, large.ada.id)
        assign_best_batch(make.session, large.project.id, large.ada.id)
        page = batch_page(make.session, large.project.id, large.ada.id, first.batch)
        given = rating(2, batch=first.batch)
        record_judgment(make.session, large.annotator(), page.answers[0].public_id, given)
        numbers = sorted(make.session.scalars(select(Assignment.batch)).all())
    ada = client_of(large.ada)
    url = f"/api/v1/projects/{large.project.slug}/batches"

    told = [ada.get(f"{url}/{number}/left").json for number in (first.batch, numbers[-1])]

    assert told == [
        {"here": 11, "elsewhere": 18, "better_elsewhere": False},
        {"here": 12, "elsewhere": 17, "better_elsewhere": True},
    ]


def test_a_question_is_declined_and_taken_back(ada, url, stored):
    declined = ada.put(f"{url}/1/declined", json={"reason": "language"})
    assert (declined.status_code, state_of(stored).declined) == (200, "language")

    back = ada.put(f"{url}/1/declined", json={"reason": None})

    assert (back.status_code, state_of(stored).state) == (200, "parked")


def test_a_question_is_left_for_later_and_taken_up(ada, url, stored):
    ada.put(f"{url}/1/state", json={"state": "parked"})
    assert state_of(stored).state == "parked"

    ada.put(f"{url}/1/state", json={"state": "open"})

    assert state_of(stored).state == "open"


def test_a_question_with_answers_left_is_not_done(ada, url):
    reply = ada.put(f"{url}/1/state", json={"state": "done"})

    assert (reply.status_code, reply.json["code"], reply.json["left"]) == (409, "answers_left", 10)


def test_the_question_is_flagged(ada, url, stored, shop):
    ada.put(f"{url}/1/flag", json={"flagged": True})

    with stored.read() as session:
        flag = session.scalars(select(Flag)).one()
    assert (flag.candidate_id, flag.person_id) == (None, shop.ada.id)


def test_the_next_batches_are_dealt_ahead(ada, url):
    told = ada.post(url, json={"after": 1}).json

    assert told == {"batches": [2, 3], "is_last": False, "wording": told["wording"]}


def test_replies_tell_when_the_question_has_other_words_or_is_retired(ada, url, stored, client_of, shop):
    def told():
        given = step()
        replies = [
            ada.post(url, json={"after": 1}),
            ada.put(f"{url}/1/no-good-answer", json=given),
            ada.put(f"{url}/1/no-good-answer", json=step(undo=given["id"])),
        ]
        (wording,) = {reply.json["wording"] for reply in replies}
        assert f'data-wording="{wording}"' in ada.get(f"/p/{shop.project.slug}/rate/1").text
        return wording

    def change(**values):
        with stored.write() as session:
            query = session.get_one(Query, state_of(stored).query_id)
            for name, value in values.items():
                setattr(query, name, value)

    first = told()
    change(tags=["wheels"])
    assert told() == first
    change(intent="A repair at home.")
    assert told() not in {"", first}
    change(retired_revision=1_000_000)
    assert told() == ""


def test_nobody_says_in_an_archived_project_that_a_question_cannot_be_judged(ada, url, stored, shop):
    with stored.write() as session:
        session.get_one(Project, shop.project.id).state = "archived"

    reply = ada.put(f"{url}/1/declined", json={"reason": "language"})
    ada.post(f"/p/{shop.project.slug}/rate/1/decline", data={"reason": "language"})

    assert (reply.status_code, reply.json["code"]) == (409, "rating_closed")
    assert (state_of(stored).state, state_of(stored).declined) == ("open", None)


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("1/no-good-answer", step(grade=3)),
        ("1/no-good-answer", {"id": "x", "at": "2026-03-01T12:00:00Z", "input": "key"}),
        ("1/no-good-answer", step(undo=str(uuid.uuid4()), also=["x"])),
        ("1/no-good-answer", step(undo=str(uuid.uuid4()), also="x")),
        ("1/declined", {"reason": "cleared"}),
        ("1/declined", {"reason": 3}),
        ("1/state", {"state": "released"}),
        ("1/flag", {"flagged": "yes"}),
    ],
)
def test_a_bad_body_is_refused(ada, url, path, sent):
    assert ada.put(f"{url}/{path}", json=sent).status_code == 400


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("no-good-answer", step()),
        ("declined", {"reason": "other"}),
        ("state", {"state": "parked"}),
        ("flag", {"flagged": True}),
    ],
)
def test_somebody_else_s_batch_is_not_there(client_of, shop, url, path, sent, stored):
    for person in (shop.bo, shop.owner):
        assert client_of(person).put(f"{url}/1/{path}", json=sent).status_code == 404
    assert client_of(shop.ada).put(f"{url}/99/{path}", json=sent).status_code == 404
    with stored.read() as session:
        assert session.scalars(select(Candidate)).first() is not None
    assert state_of(stored).state == "open"
