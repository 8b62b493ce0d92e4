"""Idempotency keys: a request that is sent again is done once, and answered the same."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from app.cli.serve import forget_requests_of_before
from app.models import ApiReply, Project, now_utc

PATH = "/api/v1/projects"
NEW = {"slug": "kettles", "name": "Kettles", "scale": "1-5"}
KEY = {"Idempotency-Key": "8f14e45f"}
RUN = b"q1 Q0 d1 1 1 new\n"


@pytest.fixture
def rows(stored):
    def rows():
        with stored.read() as session:
            return session.scalar(select(func.count()).select_from(ApiReply))

    return rows


def test_a_request_that_is_sent_again_is_done_once(program, stored, rows):
    first = program.post(PATH, json=NEW, headers=KEY)
    again = program.post(PATH, json=NEW, headers=KEY)

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json == first.json
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert program.post(PATH, json=NEW).status_code == 409, "without the key it is a request like any other"
    with stored.read() as session:
        assert session.scalar(select(func.count()).select_from(Project)) == 1
    assert rows() == 1


def test_a_file_that_is_sent_again_is_received_once(demo, program, settings):
    path = f"{PATH}/demo/runs?ranker=New"
    first = program.post(path, data=RUN, headers=KEY)
    again = program.post(path, data=RUN, headers=KEY)
    other = program.post(path, data=RUN + RUN.replace(b"d1", b"d2"), headers=KEY)

    assert (first.status_code, again.status_code, again.json) == (201, 201, first.json)
    assert again.headers["Location"] == first.headers["Location"]
    assert (other.status_code, other.json["code"]) == (422, "idempotency_key")
    assert list(settings.uploads_path.iterdir()) == []


def test_the_key_of_another_request_or_of_one_at_work_is_refused(program, stored):
    program.post(PATH, json=NEW, headers=KEY)
    other = program.post(PATH, json=NEW | {"slug": "other"}, headers=KEY)
    with stored.write() as session:
        session.execute(update(ApiReply).values(status=None))
    at_work = program.post(PATH, json=NEW, headers=KEY)
    with stored.write() as session:
        session.execute(update(ApiReply).values(at=now_utc() - timedelta(minutes=3)))
    taken_over = program.post(PATH, json=NEW, headers=KEY)
    with stored.write() as session:
        session.execute(update(ApiReply).values(status=None))
    forget_requests_of_before(stored)
    after_a_start = program.post(PATH, json=NEW, headers=KEY)

    assert (other.status_code, other.json["code"]) == (422, "idempotency_key")
    assert (other.json["field"], other.json["value"]) == ("Idempotency-Key", "8f14e45f")
    assert (at_work.status_code, at_work.json["code"]) == (409, "at_work")
    assert at_work.headers["Retry-After"] == "2"
    assert taken_over.status_code == after_a_start.status_code == 409
    assert {taken_over.json["code"], after_a_start.json["code"]} == {"slug_taken"}
    assert "Idempotency-Replayed" not in taken_over.headers


def test_what_was_refused_may_be_sent_again(program, rows):
    refused = program.post(PATH, json=NEW | {"k": 0}, headers=KEY)

    assert (refused.status_code, rows()) == (400, 0)
    assert program.post(PATH, json=NEW, headers=KEY).status_code == 201


def test_a_key_is_forgotten_after_a_day(program, stored, rows):
    program.post(PATH, json=NEW, headers=KEY)
    with stored.write() as session:
        session.execute(update(ApiReply).values(at=now_utc() - timedelta(days=2)))

    assert program.post(PATH, json=NEW, headers=KEY).status_code == 409
    assert rows() == 0


@pytest.mark.parametrize("key", ["", "x" * 201])
def test_a_key_that_cannot_be_one_is_refused(program, key):
    reply = program.post(PATH, json=NEW, headers={"Idempotency-Key": key})

    assert (reply.status_code, reply.json["field"]) == (400, "Idempotency-Key")
