"""A database that is away for a moment: requests are done again where that changes nothing else."""

import logging
import sqlite3

import psycopg
import pytest
from flask import abort
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from app.database import is_full, is_passing, is_unavailable
from app.http import retrying
from app.models import Person


def broken(error=psycopg.errors.AdminShutdown, *, cut=True):
    return OperationalError("SELECT 1", {}, error("terminating connection"), connection_invalidated=cut)


@pytest.fixture
def app(in_two_projects, monkeypatch):
    monkeypatch.setattr(retrying, "LONGEST_PAUSE", 0.01)
    monkeypatch.setattr(retrying, "SHORTEST_PAUSE", 0.01)
    return in_two_projects


@pytest.fixture
def stored_in_town(in_two_projects):
    return in_two_projects.extensions["touchstone"].database


@pytest.fixture
def failing(app, monkeypatch):
    """Let a view fail a number of times before, or after, it does its work."""

    def fail(endpoint, times, *, after=False, error=None):
        view, left, calls = app.view_functions[endpoint], [times], []

        def away(*args, **more):
            calls.append(endpoint)
            answer = view(*args, **more) if after else None
            if left[0]:
                left[0] -= 1
                raise error or broken()
            return answer or view(*args, **more)

        away.__dict__.update(view.__dict__)
        monkeypatch.setitem(app.view_functions, endpoint, away)
        return calls

    return fail


def test_a_page_is_read_again_until_the_database_is_back(two_projects, client_of, failing, caplog):
    calls = failing("auth.account", 3)

    with caplog.at_level(logging.ERROR):
        reply = client_of(two_projects.admin).get("/account")

    assert reply.status_code == 200
    assert len(calls) == 4
    assert caplog.records == []


def test_a_write_that_may_come_twice_is_done_again(two_projects, client_of, failing):
    calls = failing("api_judgments.put_flag", 1, after=True)
    candidate = two_projects.here.parts(two_projects.here.annotator)["candidate_id"]

    reply = client_of(two_projects.here.annotator).put(
        f"/api/v1/candidates/{candidate}/flag", json={"flagged": True}
    )

    assert reply.status_code == 200
    assert len(calls) == 2


def epoch_of(stored, person):
    with stored.read() as session:
        return session.scalar(select(Person.session_epoch).where(Person.id == person.id))


def test_a_form_that_had_written_nothing_is_sent_again(two_projects, client_of, failing, stored_in_town):
    calls = failing("auth.sign_out_everywhere", 1)
    before = epoch_of(stored_in_town, two_projects.admin)

    reply = client_of(two_projects.admin).post("/account/sign-out-everywhere")

    assert reply.status_code == 302
    assert len(calls) == 2
    assert epoch_of(stored_in_town, two_projects.admin) == before + 1


def test_a_form_that_may_have_written_is_not_and_its_sender_is_told(two_projects, client_of, failing, caplog):
    calls = failing("auth.sign_out_everywhere", 1, after=True)

    with caplog.at_level(logging.ERROR):
        reply = client_of(two_projects.admin).post("/account/sign-out-everywhere")

    assert reply.status_code == 503
    assert len(calls) == 1
    assert "This may or may not be saved" in reply.text
    (record,) = caplog.records
    assert record.exc_info is None
    assert "\n" not in record.getMessage()


def test_a_database_that_stays_away_is_said_in_one_line(
    two_projects, client_of, failing, monkeypatch, caplog
):
    monkeypatch.setattr(retrying, "SECONDS", 0.2)
    calls = failing("auth.account", 1000)

    reply = client_of(two_projects.admin).get("/account")

    assert reply.status_code == 503
    assert reply.headers["Retry-After"] == "2"
    assert "Nothing was changed" in reply.text
    assert len(calls) > 2
    assert len([one for one in caplog.records if one.levelno >= logging.ERROR]) == 1


def test_a_refusal_in_the_second_try_is_answered_as_one(app, two_projects, client_of, failing):
    failing("auth.account", 1)
    client, views = client_of(two_projects.admin), app.view_functions
    first = views["auth.account"]

    def then_refused():
        views["auth.account"] = lambda: abort(410)
        return first()

    then_refused.__dict__.update(first.__dict__)
    views["auth.account"] = then_refused

    assert client.get("/account").status_code == 410


@pytest.mark.parametrize(
    ("error", "passing", "unavailable"),
    [
        (broken(), True, True),
        (broken(psycopg.errors.DeadlockDetected, cut=False), True, True),
        (broken(psycopg.errors.SerializationFailure, cut=False), True, True),
        (broken(psycopg.OperationalError, cut=False), True, True),
        (broken(psycopg.errors.DiskFull, cut=False), False, True),
        (IntegrityError("", {}, psycopg.errors.UniqueViolation("x")), False, False),
        (OperationalError("", {}, sqlite3.OperationalError("database is locked")), False, True),
    ],
    ids=lambda value: str(getattr(value, "orig", value)),
)
def test_what_passes_is_told_from_what_does_not(error, passing, unavailable):
    assert (is_passing(error), is_unavailable(error)) == (passing, unavailable)
    assert is_full(error) == (isinstance(error.orig, psycopg.errors.DiskFull))


@pytest.mark.parametrize("statement", ["SELECT absent FROM person", "SELECT 1 FROM absent", "SELEKT"])
def test_what_the_tables_lack_is_never_called_busy(database, statement):
    with database.read() as session, pytest.raises(DBAPIError) as error:
        session.execute(text(statement))

    assert not is_unavailable(error.value)
