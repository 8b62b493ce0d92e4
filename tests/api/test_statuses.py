"""Every status that the description promises occurs; that no other does is checked by all tests of the API."""

import re
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from sqlalchemy import update

from app.http.tokens import LIMIT, RequestLimit
from app.models import ApiReply, Document, Upload
from app.services.accounts.tokens import Scope
from tests.api.conftest import WHOLE

KEY = {"Idempotency-Key": "8f14e45f"}
# A database that is away: tests/http/test_errors.py has it for every route.
ELSEWHERE = 503
PROMISED = sorted(
    {
        int(status)
        for path in WHOLE["paths"].values()
        for each in path.values()
        for status in each["responses"]
    }
    - {200, 201, 202, ELSEWHERE}
)

# One guard stands before all operations: every third of them tries it.
GUARDED = {401, 414, 429}


class Call(NamedTuple):
    method: str
    path: str
    described: dict[str, Any]
    query: dict[str, Any]
    body: dict[str, Any]


@pytest.fixture
def calls(examples):
    """Each operation with the example of its description."""
    found = []
    for path, methods in WHOLE["paths"].items():
        for method, described in methods.items():
            content = described.get("requestBody", {}).get("content", {})
            text = content.get("text/plain", {}).get("example")
            body = {"data": text} if text or not content else {"json": content["application/json"]["example"]}
            named = [each for each in described["parameters"] if each["in"] == "query" and "example" in each]
            query = {each["name"]: each["example"] for each in named}
            found.append(Call(method, path.format(**examples), described, query, body))
    return found


@pytest.fixture
def asked(app, demo, token, monkeypatch):
    """Return what asks for a status: by its number, `asked[404](call)`."""
    client, all_of_it = app.test_client(), token()
    client.sends_token = False
    one_project = token(project_id=demo.id)
    narrow = {scope: token(scope) for scope in Scope}
    state = app.extensions["touchstone"]
    room = SimpleNamespace(total=10**12, free=10**12)
    monkeypatch.setattr("app.http.receiving.shutil.disk_usage", lambda _folder: room)

    def ask(call, headers=all_of_it, **values):
        values = {"query_string": call.query, **call.body, **values}
        return client.open(call.path, method=call.method.upper(), headers=headers, **values)

    def known(call):
        tag = ask(call).headers["ETag"]
        return ask(call, all_of_it | {"If-None-Match": f"W/{tag}"})

    def without_scope(call):
        needed = re.search(r"Scope: (.*?)\. Open", call.described["description"])[1].split(" or ")
        return ask(call, next(narrow[scope] for scope in Scope if scope not in {*needed, Scope.MANAGE}))

    def missing(call):
        elsewhere = call._replace(path=call.path.replace("/demo", "/elsewhere"))
        return ask(elsewhere, one_project if elsewhere == call else all_of_it)

    def at_work(call):
        if call.method == "get":
            return refused_job(call, "ConflictError")
        ask(call, all_of_it | KEY)
        with state.database.write() as session:
            session.execute(update(ApiReply).values(status=None))
        again = ask(call, all_of_it | KEY)
        with state.database.write() as session:
            session.query(ApiReply).delete()
        return again

    def refused_job(call, kind):
        report = {
            "refusal": "No.",
            "kind": kind,
            "details": {"field": "version", "value": "v1", "remedy": "-"},
        }
        with state.database.write() as session:
            session.execute(update(Upload).values(state="failed", report=report))
        return ask(call)

    def unacceptable(call):
        if call.method != "get":
            ask(call, all_of_it | KEY)
            return ask(call, all_of_it | KEY, query_string=call.query | {"again": "1"})
        if "/jobs/" in call.path:
            return refused_job(call, "InvalidError")
        if "first" in call.query:
            return ask(call, query_string={"first": "BM25", "second": "BM25"})
        if "version" in call.query:
            return ask(call, query_string={"version": "Nobody"})
        with state.database.write() as session:
            session.execute(update(Document).where(Document.external_id == "d1").values(external_id="d 1"))
        return ask(call)

    def too_much(call):
        if call.body == {"data": None}:
            form = "application/x-www-form-urlencoded"
            return ask(call, data="&" * 1000, content_type=form)
        return ask(call, environ_overrides={"CONTENT_LENGTH": str(600 * 1024**2)})

    def unreadable(call):
        if "json" in call.body:
            return ask(call, json=None, data="{}", content_type="text/plain")
        return ask(call, all_of_it | {"Content-Encoding": "br"})

    def too_often(call):
        app.extensions[LIMIT] = RequestLimit(0, 0)
        return ask(call)

    def without_room(call):
        room.free = 0
        return ask(call)

    return {
        304: known,
        400: lambda call: ask(call, query_string={"nonsense": "1"}),
        401: lambda call: ask(call, {"Authorization": "Bearer tsk_of_nobody"}),
        403: without_scope,
        404: missing,
        409: at_work,
        413: too_much,
        414: lambda call: ask(call, query_string="&" * 1000),
        415: unreadable,
        422: unacceptable,
        429: too_often,
        507: without_room,
    }


@pytest.mark.thorough
@pytest.mark.parametrize("status", PROMISED)
def test_every_status_that_is_described_occurs(calls, asked, status):
    found = [call for call in calls if str(status) in call.described["responses"]]

    assert found
    for call in found[::3] if status in GUARDED else found:
        assert asked[status](call).status_code == status, (call.method, call.path)
