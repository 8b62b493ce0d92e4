"""Rating over HTTP: the whole contract of the PUT, and of what stands beside it."""

import json
import uuid

import pytest
from sqlalchemy import select

from app.api.annotators import EXTENSION, RequestLimit
from app.models import Candidate, Judgment, JudgmentNote
from app.services.projects.projects import change_guidelines
from tests.furniture.assigning import assign_best_batch
from tests.furniture.rating import make_workshop


@pytest.fixture(scope="session")
def shop_made(made_once):
    return made_once(lambda make: make_workshop(make, queries=1, answers=3))


@pytest.fixture
def shop(shop_made, making):
    # A batch is held for a while only: each test takes its own.
    shop = shop_made.objects()
    with making() as make:
        assign_best_batch(make.session, shop.project.id, shop.ada.id)
    return shop


@pytest.fixture
def answer(stored):
    with stored.read() as session:
        return lambda: session.scalars(select(Candidate.public_id).order_by(Candidate.best_rank)).first()


@pytest.fixture
def url(shop, answer):
    return f"/api/v1/candidates/{answer()}/judgment"


@pytest.fixture
def ada(client_of, shop):
    return client_of(shop.ada)


def body(**values):
    return {
        "id": str(uuid.uuid4()),
        "grade": 2,
        "reason": None,
        "base": None,
        "place": 1,
        "of": 3,
        "batch": 1,
        "active_ms": 900,
        "input": "key",
        "at": "2026-03-01T12:00:00.123Z",
        **values,
    }


def judgments(stored):
    with stored.read() as session:
        return session.scalars(select(Judgment).order_by(Judgment.revision)).all()


def test_a_new_rating_is_created_and_answered_with_one_s_own_progress(ada, url, stored):
    given = body()

    reply = ada.put(url, json=given)

    assert reply.status_code == 201
    assert reply.json["id"] == given["id"]
    assert reply.json["grade"] == 2
    assert reply.json["progress"] == {"batch": 1, "settled": 1, "of": 3}
    assert set(reply.json) == {"id", "grade", "reason", "at", "saved_at", "progress", "wording"}
    assert reply.headers["Cache-Control"] == "no-store"
    assert "ETag" not in reply.headers
    assert [row.client_uuid for row in judgments(stored)] == [uuid.UUID(given["id"]).bytes]


def test_the_same_rating_again_is_answered_with_the_stored_one(ada, url, stored):
    given = body()
    first = ada.put(url, json=given)

    again = ada.put(url, json=given)

    assert again.status_code == 200
    assert again.json == first.json
    assert len(judgments(stored)) == 1


def test_an_id_used_for_another_rating_is_a_conflict(ada, url):
    given = body()
    ada.put(url, json=given)

    reply = ada.put(url, json=given | {"grade": 3})

    assert (reply.status_code, reply.json["code"]) == (409, "id_reused")
    assert reply.mimetype == "application/problem+json"


def test_a_rating_changed_elsewhere_is_a_conflict_with_one_s_own_current_one(ada, url):
    elsewhere = body(grade=0)
    ada.put(url, json=elsewhere)

    reply = ada.put(url, json=body(grade=3))
    resolved = ada.put(url, json=body(grade=3, base=elsewhere["id"]))

    assert (reply.status_code, reply.json["code"]) == (409, "changed_elsewhere")
    assert (reply.json["current"]["id"], reply.json["current"]["grade"]) == (elsewhere["id"], 0)
    assert resolved.status_code == 201


@pytest.mark.parametrize(
    "reason", ["cleared", "unclear", "unreadable", "expertise", "language", "harmful", "other"]
)
def test_every_reason_is_taken_instead_of_a_grade(ada, url, reason):
    reply = ada.put(url, json=body(grade=None, reason=reason))

    assert reply.status_code == 201
    assert (reply.json["grade"], reply.json["reason"]) == (None, reason)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"grade": 4}, 422),
        ({"grade": -1}, 422),
        ({"grade": None}, 422),
        ({"reason": "other"}, 422),
        ({"place": -1}, 422),
        ({"place": 0}, 422),
        ({"place": 99, "of": 10}, 422),
        ({"place": 4, "of": 3}, 422),
        ({"place": 1, "of": 13}, 422),
        ({"of": 40_000}, 422),
        ({"grade": "2"}, 400),
        ({"grade": 2.0}, 400),
        ({"grade": True}, 400),
        ({"grade": 10**30}, 400),
        ({"id": "no-uuid"}, 400),
        ({"id": None}, 400),
        ({"id": "{8f14e45f-ceea-467f-a83d-5b1c1e6a2f10}"}, 400),
        ({"base": 7}, 400),
        ({"reason": "because"}, 400),
        ({"input": "form"}, 400),
        ({"at": "yesterday"}, 400),
        ({"at": "2026-03-01T12:00:00"}, 400),
        ({"at": "0001-01-01T00:00:00+14:00"}, 400),
        ({"at": 5}, 400),
        ({"batch": [1]}, 400),
        ({"project_id": 1}, 400),
        ({"role": "gold"}, 400),
        ({"blind": True}, 400),
    ],
)
def test_a_bad_value_is_refused_with_a_problem_and_nothing_is_stored(ada, url, stored, change, status):
    reply = ada.put(url, json=body(**change))

    assert reply.status_code == status
    assert reply.mimetype == "application/problem+json"
    assert reply.json["detail"]
    assert judgments(stored) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '"x"',
        "{",
        '{"grade": NaN}',
        '{"grade": Infinity}',
        '{"id": "1", "id": "2"}',
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"grade": 1' + "0" * 5000 + "}",
        '{"id": "\\ud800"}',
        "\x00",
    ],
)
def test_a_body_that_is_no_plain_object_is_refused(ada, url, text):
    reply = ada.put(url, data=text, content_type="application/json")

    assert reply.status_code == 400
    assert reply.json["code"] in {"bad_body", "missing_key", "bad_value"}


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", None])
def test_a_body_that_is_not_declared_as_json_is_refused(ada, url, stored, kind):
    reply = ada.put(url, data=json.dumps(body()), content_type=kind)

    assert reply.status_code == 415
    assert judgments(stored) == []


def test_every_key_of_the_contract_that_must_be_there_is_asked_for(ada, url):
    for key in ("id", "grade", "at", "input"):
        given = body()
        del given[key]

        reply = ada.put(url, json=given)

        assert (reply.status_code, reply.json["code"]) == (400, "missing_key")
        assert key in reply.json["detail"]


def test_nobody_unknown_rates(client, url):
    assert client.put(url, json=body()).status_code == 401
    assert client.put("/api/v1/candidates/none/judgment", json=body()).status_code == 401


def test_what_is_not_one_s_own_is_not_there(client_of, shop, url, making):
    with making() as make:
        stranger = make_workshop(make).ada
        viewer = make.member(shop.project, "viewer")

    for person in (stranger, viewer, shop.bo, shop.owner):
        reply = client_of(person).put(url, json=body())
        assert (reply.status_code, reply.mimetype) == (404, "application/problem+json")
    assert (
        client_of(shop.ada).put(url.replace("/candidates/", "/candidates/x"), json=body()).status_code == 404
    )


def test_without_the_token_of_the_session_nothing_is_stored(ada, url, stored):
    ada.sends_token = False

    for headers in ({}, {"X-CSRFToken": "wrong"}):
        reply = ada.put(url, json=body(), headers=headers)
        assert (reply.status_code, reply.json["code"]) == (400, "csrf")
    assert judgments(stored) == []


def test_a_device_never_sends_as_another_account(ada, url, shop, stored):
    wrong = ada.put(url, json=body(), headers={"X-Touchstone-Person": shop.bo.public_id})
    right = ada.put(url, json=body(), headers={"X-Touchstone-Person": shop.ada.public_id})

    assert (wrong.status_code, right.status_code) == (401, 201)
    assert len(judgments(stored)) == 1


def test_more_than_anyone_can_give_is_slowed_down(ada, app, url):
    app.extensions[EXTENSION] = RequestLimit(burst=2, per_second=0.001)

    replies = [ada.put(url, json=body(id=str(uuid.uuid4()), grade=None, reason="other")) for _ in range(3)]

    assert [reply.status_code for reply in replies][2] == 429
    assert int(replies[2].headers["Retry-After"]) > 0


def test_a_closed_project_says_so(ada, url, making, shop):
    with making() as make:
        make.session.get_one(type(shop.project), shop.project.id).state = "closed"

    reply = ada.put(url, json=body())

    assert (reply.status_code, reply.json["code"]) == (409, "rating_closed")


def test_a_note_and_a_flag_are_kept(ada, url, stored):
    note = ada.put(url.replace("judgment", "note"), json={"text": "1 2 3"})
    flag = ada.put(url.replace("judgment", "flag"), json={"flagged": True})

    assert (note.status_code, note.json["text"]) == (200, "1 2 3")
    assert (flag.status_code, flag.json["flagged"]) == (200, True)
    # By the server's clock, as the page says when it was asked for.
    assert note.json["at"] < flag.json["at"]
    with stored.read() as session:
        assert session.scalars(select(JudgmentNote.text)).all() == ["1 2 3"]


@pytest.mark.parametrize(
    ("what", "sent"), [("note", {"text": "a\0b"}), ("note", {}), ("flag", {"flagged": 1})]
)
def test_a_bad_note_or_flag_is_refused(ada, url, what, sent):
    assert ada.put(url.replace("judgment", what), json=sent).status_code == 400


def test_a_reply_is_the_same_whatever_others_have_rated(making, client_of):
    replies = []
    for others in (0, 3):
        with making() as make:
            shop = make_workshop(make, queries=1, answers=1, overlap=1)
            assign_best_batch(make.session, shop.project.id, shop.ada.id)
            candidate = make.session.scalars(
                select(Candidate).where(Candidate.project_id == shop.project.id)
            ).one()
            for _ in range(others):
                make.judgment(candidate, make.member(shop.project, "annotator"), 3)
        reply = client_of(shop.ada).put(
            f"/api/v1/candidates/{candidate.public_id}/judgment",
            json=body(id="8f14e45f-ceea-467f-a83d-5b1c1e6a2f10"),
        )
        told = reply.json
        del told["saved_at"]
        replies.append((reply.status_code, sorted(reply.headers.keys()), told))

    assert replies[0] == replies[1]


def test_a_rating_builds_on_no_good_answer_by_the_step_s_own_id(ada, url, shop, stored):
    step = {"id": str(uuid.uuid4()), "at": "2026-03-01T12:00:00Z", "input": "mouse"}
    ada.put(f"/api/v1/projects/{shop.project.slug}/batches/1/no-good-answer", json=step)

    built = ada.put(url, json=body(grade=3, base=f"step:{step['id']}"))
    late = ada.put(url, json=body(grade=1, base=f"step:{step['id']}"))
    wrong = ada.put(url, json=body(base="step:1"))

    assert (built.status_code, built.json["grade"]) == (201, 3)
    assert (late.status_code, late.json["code"], late.json["current"]["grade"]) == (
        409,
        "changed_elsewhere",
        3,
    )
    assert (wrong.status_code, wrong.json["code"]) == (400, "bad_value")


def test_a_note_replaces_only_the_one_that_its_annotator_saw(ada, url, stored):
    note = url.replace("judgment", "note")
    ada.put(note, json={"text": "one\r\ntwo", "base": ""})

    refused = ada.put(note, json={"text": "x", "base": ""})
    again = ada.put(note, json={"text": "one\ntwo ", "base": ""})
    replaced = ada.put(note, json={"text": "three", "base": "one\ntwo"})

    assert (refused.status_code, refused.json["code"]) == (409, "note_changed")
    assert refused.json["current"] == "one\ntwo"
    assert (again.status_code, replaced.status_code) == (200, 200)
    with stored.read() as session:
        assert session.scalars(select(JudgmentNote.text)).all() == ["three"]


def test_a_rating_is_bound_to_the_guidelines_that_its_page_showed(ada, url, making, shop, stored):
    with making() as make:
        project = make.session.get_one(type(shop.project), shop.project.id)
        for text in ("One.", "Two."):
            change_guidelines(make.session, project, text)

    first = ada.put(url, json=body(guidelines=1))
    ada.put(url, json=body(base=first.json["id"]))
    newest = str(uuid.UUID(bytes=judgments(stored)[-1].client_uuid))
    unknown = ada.put(url, json=body(guidelines=9, base=newest))

    assert (unknown.status_code, unknown.json["code"]) == (422, "out_of_range")
    assert [row.guideline_version for row in judgments(stored)] == [1, 3]
