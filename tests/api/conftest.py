"""A project called `demo`, as the examples of the API know it, and programs that send tokens."""

from __future__ import annotations

import threading
import warnings
from dataclasses import replace

import pytest
from flask import json, request, request_finished
from sqlalchemy import select
from werkzeug.serving import make_server

from app.api.openapi import description_of
from app.api.operations import operation_of
from app.models import Candidate, Project
from app.services.accounts.tokens import Scope, create_token
from app.services.webhooks import EVENTS, WebhookValues, create_webhook, deliveries_of, send_test
from config import WebhookHost
from tests.furniture.live import Quiet
from tests.furniture.routes import MAP
from tests.furniture.site import SECRET_KEY

WHOLE = description_of(MAP)
# Where one value is wrong, it is named.
NAMED = {400, 413, 414, 415, 422}


@pytest.fixture(autouse=True)
def described():
    """Let every answer to every test of the API be one that the description promises."""
    with request_finished.connected_to(check_answer):
        yield


def check_answer(_app, response):
    """Fail where a described address answers a status that is not described, or refuses without a remedy."""
    if request.endpoint is None or operation_of(request.endpoint) is None or request.method == "HEAD":
        return
    path = request.url_rule.rule.replace("<int:", "<").replace("<", "{").replace(">", "}")
    told = WHOLE["paths"][path][request.method.lower()]["responses"]
    assert str(response.status_code) in told, (path, response.status_code, response.get_data())
    if response.status_code in NAMED:
        found = json.loads(response.get_data())
        assert found.keys() >= {"field", "value", "remedy"} or found.get("problems"), found


def make_demo(make):
    """Make the project that the examples are about: three questions, three answers each, two rankers."""
    project = make.project(slug="demo", name="Demo")
    annotator = make.member(project, "annotator", name="Ada")
    queries = [make.query(project, f"q{number}", text=f"Question {number}?") for number in (1, 2, 3)]
    documents = [
        make.document(project, f"d{number}", title=f"Answer {number}", text="Text.") for number in (1, 2, 3)
    ]
    make.run(make.ranker(project, "BM25"), dict.fromkeys(queries, documents))
    make.run(make.ranker(project, "Dense"), dict.fromkeys(queries, documents[::-1]))
    places = {document.id: place for place, document in enumerate(documents)}
    for candidate in make.session.scalars(select(Candidate)).all():
        make.judgment(candidate, annotator, 3 - places[candidate.document_id])
    return project


@pytest.fixture(scope="session")
def demo_made(made_once):
    """Return a database file that holds the project, to be copied for each test."""
    return made_once(make_demo)


@pytest.fixture
def sqlite_beginning(request, sqlite_template):
    """Return the file that holds the project or the workshop for tests that ask for one, and an empty one for others."""
    for name in ("demo", "shop"):
        if name in request.fixturenames:
            return request.getfixturevalue(f"{name}_made").path
    return sqlite_template


@pytest.fixture
def demo(request, settings):
    """Return the project, which the database of `app` holds."""
    if settings.database_url.startswith("sqlite"):
        return request.getfixturevalue("demo_made").objects()
    with request.getfixturevalue("making")() as make:
        return make_demo(make)


@pytest.fixture
def token(app):
    """Return what makes a token and gives its header."""

    def token(*scopes, **values):
        database = app.extensions["touchstone"].database
        with database.write() as session:
            made = create_token(session, SECRET_KEY, name="Test", scopes=scopes or Scope, **values)
        return {"Authorization": f"Bearer {made[1]}"}

    return token


@pytest.fixture
def program(app, token):
    """Return a client that knows no session, and sends a token for everything."""
    client = app.test_client()
    client.sends_token = False
    client.environ_base["HTTP_AUTHORIZATION"] = token()["Authorization"]
    return client


@pytest.fixture
def ranx():
    """Return the library ranx."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ranx

    return ranx


@pytest.fixture
def address(app, settings):
    """Serve the application, and give its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def examples(app, demo, program):
    """What an address of the examples names: numbers differ from database to database."""
    pushed = program.post("/api/v1/projects/demo/runs?ranker=Early", data=b"q1 Q0 d1 1 1 early\n")
    state = app.extensions["touchstone"]
    state.settings = replace(state.settings, webhook_hosts=frozenset({WebhookHost("hooks.example.org")}))
    with state.database.write() as session:
        values = WebhookValues(address="https://hooks.example.org/1", events=EVENTS)
        project = session.get_one(Project, demo.id)
        webhook = create_webhook(session, project, values, state.settings.webhook_hosts)
        send_test(session, webhook)
        (message,) = deliveries_of(session, webhook)
    return {
        "slug": "demo",
        "name": "qrels",
        "job_id": pushed.json["job"],
        "run_id": pushed.json["result"]["run_id"],
        "webhook_id": webhook.id,
        "delivery_id": message.id,
    }
