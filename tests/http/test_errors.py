"""Failures of ours: a number by which they are found in the log, and nothing of how the site is built."""

import json
import logging
import re
import sqlite3

import pytest
from sqlalchemy.exc import IntegrityError, OperationalError

from app.database import DatabaseLostError
from app.http.errors import in_parameters
from tests.furniture.routes import ROUTES

CANARY = "SELECT password_hash FROM person /srv/touchstone/secret_key Kanarienvogel"
SECRETS = re.compile(
    r"Traceback|File \"|\.py\b|SELECT|/srv/|sqlalchemy|sqlite|psycopg|werkzeug|Kanarienvogel", re.IGNORECASE
)


@pytest.fixture
def app(in_two_projects, monkeypatch):
    monkeypatch.setattr(in_two_projects, "testing", False)
    return in_two_projects


def failing(app, route, error, monkeypatch):
    view = app.view_functions[route.endpoint]

    def fail(*_args, **_more):
        raise error

    fail.__dict__.update(view.__dict__)
    monkeypatch.setitem(app.view_functions, route.endpoint, fail)


def test_a_failure_shows_a_number_and_nothing_else(app, two_projects, client_of, monkeypatch, caplog):
    client = client_of(two_projects.admin)
    for route in ROUTES:
        failing(app, route, RuntimeError(CANARY), monkeypatch)
        caplog.clear()

        with caplog.at_level(logging.ERROR):
            reply = route.ask(client, two_projects.here.parts(two_projects.admin))

        assert reply.status_code == 500, route
        assert SECRETS.search(reply.text) is None, route
        assert SECRETS.search(str(reply.headers)) is None, route
        number = number_in(route, reply)
        (record,) = [one for one in caplog.records if one.name == "app.http.errors"]
        assert number in record.getMessage(), route
        assert CANARY in str(record.exc_info[1]), route


def number_in(route, reply):
    if route.is_api:
        assert reply.content_type == "application/problem+json", route
        assert reply.json.keys() == {"type", "title", "status", "code", "detail", "request_id"}
        return reply.json["request_id"]
    return re.search(r"<code>([0-9a-f]{12})</code>", reply.text)[1]


@pytest.mark.thorough
def test_a_database_that_is_away_is_said_and_asked_to_come_back(app, two_projects, client_of, monkeypatch):
    error = OperationalError(
        CANARY, {"email": CANARY}, sqlite3.OperationalError(f"database is locked {CANARY}")
    )
    client = client_of(two_projects.admin)
    for route in ROUTES:
        failing(app, route, error, monkeypatch)

        reply = route.ask(client, two_projects.here.parts(two_projects.admin))

        assert reply.status_code == 503, route
        assert reply.headers["Retry-After"] == "2", route
        assert SECRETS.search(reply.text) is None, route
        assert number_in(route, reply)


@pytest.mark.parametrize(
    "path", ["/", "/p/here/", "/sign-in", "/help", "/nowhere", "/api/v1/session", "/account"]
)
def test_the_page_that_says_so_needs_no_database(app, two_projects, client_of, monkeypatch, path):
    client = client_of(two_projects.admin)

    def away():
        raise OperationalError("SELECT 1", {}, sqlite3.OperationalError("unable to open database file"))

    monkeypatch.setattr(app.extensions["touchstone"].database, "open_reader", away)

    reply = client.get(path)

    assert reply.status_code == 503
    assert SECRETS.search(reply.text) is None
    assert reply.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_a_real_database_that_cannot_be_opened_is_said(settings, tmp_path):
    from dataclasses import replace

    from app import create_app

    (tmp_path / "folder").mkdir()
    app = create_app(replace(settings, database_url=f"sqlite:///{tmp_path / 'folder'}", testing=False))
    client = app.test_client()
    with client.session_transaction() as session:
        session["person"], session["epoch"] = 1, 0

    reply = client.get("/")

    assert reply.status_code == 503
    assert "busy or cannot be reached" in reply.text
    app.extensions["touchstone"].database.dispose()


def full_disk():
    problem = sqlite3.OperationalError("database or disk is full")
    problem.sqlite_errorcode = sqlite3.SQLITE_FULL
    return OperationalError("INSERT", {}, problem)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (full_disk(), "The server&#39;s disk is full. Nothing was saved."),
        (DatabaseLostError(), "The server has lost its database."),
    ],
)
def test_what_only_an_operator_can_repair_is_not_called_busy(
    app, two_projects, client_of, monkeypatch, error, told
):
    def fail(*_words):
        raise error

    monkeypatch.setitem(app.view_functions, "projects.home", fail)

    page = client_of(two_projects.admin).get("/")

    assert (page.status_code, told in page.text) == (503, True)
    assert "Nothing can be saved just now" in page.text
    assert "Only the people who run this site can help." in page.text
    for wrong in ("Too busy", "busy or cannot be reached", "in a few seconds"):
        assert wrong not in page.text


def test_what_was_stored_is_not_in_the_log(app, two_projects, client_of, stored_in_town, caplog):
    """An error of the database names the statement; its values are people's names and hashes."""
    with stored_in_town.write() as session, pytest.raises(IntegrityError) as refused:
        from app.models import Person

        session.add(
            Person(
                name="Kanarienvogel", email=two_projects.admin.email, password_hash="$argon2id$Kanarienvogel"
            )
        )
        session.flush()

    assert "Kanarienvogel" not in str(refused.value)


@pytest.fixture
def stored_in_town(in_two_projects):
    return in_two_projects.extensions["touchstone"].database


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/v1/nowhere", 404, "not_found"),
        ("DELETE", "/api/v1/session", 405, "method_not_allowed"),
        ("PATCH", "/api/v1/session/preferences", 415, "unsupported_media_type"),
        ("POST", "/api/v1/session", 405, "method_not_allowed"),
    ],
)
def test_refusals_under_api_are_problem_documents(app, two_projects, client_of, method, path, status, code):
    reply = client_of(two_projects.admin).open(path, method=method)

    assert (reply.status_code, reply.content_type) == (status, "application/problem+json")
    problem = json.loads(reply.data)
    assert (problem["status"], problem["code"], problem["type"]) == (status, code, "about:blank")
    assert problem["title"]
    assert problem["detail"]


@pytest.mark.parametrize(
    ("path", "heading"),
    [("/nowhere", "We cannot find that page"), ("/invitation/x", "This link no longer works")],
)
def test_refusals_on_pages_are_pages(app, two_projects, client_of, path, heading):
    reply = client_of(two_projects.admin).get(path)

    assert reply.mimetype == "text/html"
    assert f"<h1>{heading}</h1>" in reply.text
    assert reply.text.count("<h1") == 1


def test_passwords_tokens_and_cookies_are_in_no_log(settings, caplog, monkeypatch, tmp_path):
    """Signing in, a link, a failure in the midst of both: the log holds nothing that opens anything."""
    from dataclasses import replace

    from app import create_app
    from app.models import Role
    from app.services.accounts.invitations import invite, issue_reset
    from app.services.accounts.sign_in import hash_password
    from tests.furniture.factories import making_in
    from tests.furniture.site import Visitor

    caplog.set_level(logging.DEBUG)
    app = create_app(replace(settings, testing=False))
    app.test_client_class = Visitor
    password = "Kanarienvogel-password"
    with making_in(app.extensions["touchstone"].database)() as make:
        hashed = hash_password(password)
        person = make.person(email="ada@example.org", password_hash=hashed)
        tokens = [
            invite(make.session, project_id=make.project().id, role=Role.OWNER),
            issue_reset(make.session, person),
        ]
    client = app.test_client()
    client.post("/sign-in", data={"email": "ada@example.org", "password": password + "-wrong"})
    client.post("/sign-in", data={"email": "ada@example.org", "password": password})
    cookie = client.get_cookie("touchstone").value

    def fail(*_args, **_more):
        raise RuntimeError("no")

    for name in ("person_behind",):
        monkeypatch.setattr(f"app.web.auth.views.{name}", fail)
    for name in ("accept_as", "sign_up", "accept_reset"):
        monkeypatch.setattr(f"app.web.auth.views.{name}", fail)
    form = {"name": "Eve", "email": "eve@example.org", "password": password, "again": password}
    replies = [
        client.post("/sign-in", data={"email": "ada@example.org", "password": password}),
        app.test_client().post(f"/invitation/{tokens[0]}", data=form),
        app.test_client().post(f"/reset/{tokens[1]}", data=form),
    ]

    assert [reply.status_code for reply in replies] == [500, 500, 500]
    logged = "\n".join(logging.Formatter().format(record) for record in caplog.records)
    assert "RuntimeError" in logged, "the failures themselves are logged"
    for secret in (password, *tokens, cookie, settings.secret_key, hashed):
        assert secret not in logged
    app.extensions["touchstone"].database.dispose()


def test_options_of_the_command_line_are_parameters_over_the_api():
    told = "say which column is which (--column OURS=THEIRS on the command line)."

    assert in_parameters(told) == "say which column is which (column=OURS=THEIRS)."
