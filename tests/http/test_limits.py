"""Limits: nothing that anybody sends is too large, too deep or too odd for a clear answer."""

import json
from dataclasses import replace

import pytest
from sqlalchemy import select

from app import create_app
from app.http import limits
from app.http.limits import LONGEST_NAME, MEGABYTE, MOST_FIELDS
from app.models import Person
from tests.furniture.factories import making_in
from tests.furniture.routes import ALLOWED, MAP, ROUTES, rows_of
from tests.furniture.site import Visitor
from tests.furniture.thorough import share

UNSAFE_ROUTES = [route for route in ROUTES if route.is_unsafe]
UPLOADS = {
    route.endpoint for route in UNSAFE_ROUTES if limits.ATTRIBUTE in vars(MAP.view_functions[route.endpoint])
}
DEEP = "[" * 100_000 + "]" * 100_000
LARGE = {
    "form": ("application/x-www-form-urlencoded", b"a=" + b"x" * (MEGABYTE + 1)),
    "many fields": ("application/x-www-form-urlencoded", b"a&" * 400_000),
    "fields with names": ("application/x-www-form-urlencoded", b"&".join(b"%d=" % n for n in range(120_000))),
    "multipart": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n' + b"x" * (MEGABYTE + 1) + b"\r\n--b--\r\n",
    ),
    "many parts": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n' * (MOST_FIELDS + 1) + b"--b--\r\n",
    ),
    "json": ("application/json", b'{"text": "' + b"x" * (MEGABYTE + 1) + b'"}'),
    "unknown": ("application/octet-stream", b"x" * (MEGABYTE + 1)),
}
JSON = {
    "deep": DEEP,
    "deep in a key": '{"id": ' + DEEP + "}",
    "nan": '{"grade": NaN}',
    "infinity": '{"grade": Infinity}',
    "too large a number": '{"grade": 1e999}',
    "very long number": '{"grade": ' + "9" * 100_000 + "}",
    "twice the same key": '{"grade": 1, "grade": 2}',
    "a lone half of a pair": '{"text": "\\ud800"}',
    "zero byte": '{"text": "\\u0000"}',
    "no object": "[]",
    "nothing": "",
    "a word": "null",
    "broken": "{",
    "not utf-8": b'{"text": "\xff"}',
    "more": '{"text": "x"} {}',
    "wrong kinds": '{"id": 1, "grade": "3", "at": [], "input": {}, "text": 5, "flagged": "no", "state": null}',
}


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


@pytest.fixture
def stored(in_two_projects):
    return in_two_projects.extensions["touchstone"].database


@pytest.mark.parametrize("size", LARGE)
@pytest.mark.thorough
def test_what_is_too_large_is_refused_by_every_route(two_projects, client_of, stored, size):
    content_type, body = LARGE[size]
    client = client_of(two_projects.admin)
    expected = {400, 413, 415} if size in {"json", "unknown"} else {413}
    before = rows_of(stored)
    for route in share(UNSAFE_ROUTES, list(LARGE).index(size), 3):
        # A form does not read JSON or an unknown kind at all.
        if route.endpoint in UPLOADS or (size in {"json", "unknown"} and not route.is_api):
            continue
        reply = route.ask(
            client,
            two_projects.here.parts(two_projects.admin),
            data=body,
            json=None,
            content_type=content_type,
        )

        assert reply.status_code in expected, str(route)
    assert rows_of(stored) == before


@pytest.mark.parametrize("size", ["form", "multipart", "json", "many fields"])
def test_a_body_of_unknown_length_is_stopped_at_the_limit(two_projects, client_of, size):
    content_type, body = LARGE[size]
    path = "/api/v1/session/preferences" if size == "json" else "/account"

    reply = client_of(two_projects.admin).open(
        path,
        method="PATCH" if size == "json" else "POST",
        content_type=content_type,
        headers={"Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input": Endless(body), "wsgi.input_terminated": True, "CONTENT_LENGTH": ""},
    )

    assert reply.status_code == 413


class Endless:
    """A body that never ends, as a sender without a length can make it."""

    def __init__(self, start):
        self.rest = start
        self.given = 0

    def read(self, size=-1):
        assert self.given < 8 * MEGABYTE, "the reader should have stopped"
        size = MEGABYTE if size is None or size < 0 else size
        part, self.rest = self.rest[:size], self.rest[size:]
        part = part or b"x" * size
        self.given += len(part)
        return part

    readline = read


@pytest.mark.thorough
@pytest.mark.parametrize("kind", JSON)
def test_json_that_is_odd_is_refused_by_every_route_that_takes_some(two_projects, client_of, stored, kind):
    client = client_of(two_projects.here.adjudicator)
    body = JSON[kind]
    for route in UNSAFE_ROUTES:
        if not route.is_api or "adjudicator" not in ALLOWED[route.row.access]:
            continue
        reply = route.ask(
            client,
            two_projects.here.parts(two_projects.here.adjudicator),
            data=body,
            json=None,
            content_type="application/json",
        )

        assert reply.status_code == 400, str(route)
        assert reply.content_type == "application/problem+json"
        assert set(reply.json) >= {"type", "title", "status", "code", "detail"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
        "application/json5",
        "application/problem+json",
    ],
)
def test_json_counts_only_where_it_is_called_so(two_projects, client_of, content_type):
    for route in UNSAFE_ROUTES:
        if not route.is_api or "adjudicator" not in ALLOWED[route.row.access]:
            continue
        reply = route.ask(
            client_of(two_projects.here.adjudicator),
            two_projects.here.parts(two_projects.here.adjudicator),
            data=json.dumps({"keys": True}),
            json=None,
            content_type=content_type,
        )

        assert reply.status_code == 415, str(route)


def test_a_charset_beside_json_is_fine(two_projects, client_of):
    reply = client_of(two_projects.admin).patch(
        "/api/v1/session/preferences", data='{"keys": true}', content_type="application/json; charset=utf-8"
    )

    assert reply.status_code == 200


class Broken:
    """A body that breaks off, as a web server reports it: with an error of its own making."""

    def __init__(self, start, error):
        self.start, self.error = start, error

    def read(self, size=-1):
        if not self.start:
            raise self.error
        part, self.start = self.start, b""
        return part


@pytest.mark.thorough
@pytest.mark.parametrize(
    "error", [ConnectionResetError("gone"), OSError("broken"), LookupError("invalid chunk size")]
)
@pytest.mark.parametrize(
    "kind", ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"]
)
@pytest.mark.parametrize("length", ["", "1000"])
def test_a_body_that_breaks_off_is_the_fault_of_its_sender(
    app, two_projects, client_of, stored, error, kind, length
):
    before = rows_of(stored)
    body = {"wsgi.input": Broken(b"name=Ada", error), "CONTENT_LENGTH": length, "wsgi.input_terminated": True}
    path = "/api/v1/session/preferences" if "json" in kind else "/account"
    method = "PATCH" if "json" in kind else "POST"

    reply = client_of(two_projects.admin).open(path, method=method, content_type=kind, environ_overrides=body)

    assert reply.status_code == 400
    assert rows_of(stored) == before


PARTS = {
    "zero byte": "a\0b",
    "very long": "x" * (LONGEST_NAME + 1),
    "longest": "x" * LONGEST_NAME,
    "not a name": "../../etc/passwd",
    "quotes": "'; DROP TABLE person; --",
    "template": "{{ 7*7 }}{% raw %}",
    "right to left": "\u202egnp.exe",
    "emoji": "🙂" * 100,
    "half a pair": "\udce9",
    "line end": "a\r\nSet-Cookie: x=y",
    "per cent": "%00%2e%2e%2f",
    "dots": "..",
}
NUMBERS = {"large": 2**31, "larger": 2**63, "largest": 10**400, "zero": 0, "too many digits": "9" * 5000}

# Any build is served, as pages that are open know an old one; an export that is not offered is told which are.
OTHERWISE = {"static": 200, "api_exports.get_export": 400}


@pytest.mark.thorough
def test_an_address_that_names_nothing_is_not_found(app, two_projects, client_of):
    admin = client_of(two_projects.admin)
    for place, route in enumerate(ROUTES):
        paths = share(list(odd_addresses(route, two_projects.here.parts(two_projects.admin))), place, 16)
        # Whoever is not signed in gets to few routes with an id: there every third address is enough.
        for client, some in ((admin, paths), (app.test_client(), paths[::3])):
            for path in some:
                body = route.row.body() if route.is_unsafe else {}
                reply = client.open(path, method=route.method, buffered=True, **body)

                fine = {302, 308, 401, 404, 405, 410, OTHERWISE.get(route.endpoint)}
                assert reply.status_code in fine, (route, path[:80])


def odd_addresses(route, parts):
    from urllib.parse import quote

    for name in sorted(route.rule.arguments):
        is_number = f"<int:{name}>" in route.rule.rule
        values = NUMBERS.values() if is_number else PARTS.values()
        for value in values:
            path = route.rule.rule
            for other in route.rule.arguments:
                given = value if other == name else {**parts, **route.row.parts}[other]
                written = quote(str(given), safe="", errors="surrogateescape")
                path = path.replace(f"<int:{other}>", written).replace(f"<path:{other}>", written)
                path = path.replace(f"<{other}>", written)
            yield path


@pytest.mark.thorough
def test_zero_bytes_in_fields_are_refused(two_projects, client_of, stored):
    client = client_of(two_projects.admin)
    parts, before = two_projects.here.parts(two_projects.admin), rows_of(stored)
    for place, route in enumerate(ROUTES):
        row = dict(route.row.data or {}) if route.endpoint not in UPLOADS else {}
        first = next(iter(row), "x")
        # One guard stands before all routes: each tries one place.
        if place % 2 and route.is_unsafe and not route.is_api:
            reply = route.ask(client, parts, data={**row, first: "a\0b"})
        elif route.is_unsafe and not route.is_api:
            reply = route.ask(client, parts, data={**row, "a\0b": "x"})
        else:
            reply = route.ask(client, parts, query_string={"q": "a\0b"})

        assert reply.status_code in {400, 405}, str(route)
    assert rows_of(stored) == before


@pytest.mark.thorough
@pytest.mark.parametrize(
    "part",
    [
        b"Content-Disposition: form-data",
        b'Content-Disposition: form-data; filename="x.csv"',
        b'Content-Disposition: form-data; name="\r"',
        b"Content-Type: text/plain",
        b"",
    ],
)
@pytest.mark.parametrize("path", ["/account", "/p/here/import/queries"])
def test_a_part_without_a_name_is_refused(two_projects, client_of, path, part):
    body = b"--b\r\n" + part + b"\r\n\r\nx\r\n--b--\r\n"

    reply = client_of(two_projects.admin).post(
        path, data=body, content_type="multipart/form-data; boundary=b"
    )

    assert reply.status_code < 500


def test_an_endless_query_is_refused(client):
    assert client.get("/sign-in?" + "a&" * MOST_FIELDS).status_code == 414
    assert client.get("/sign-in?" + "a&" * (MOST_FIELDS - 1)).status_code == 200


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND", "get", "PURGE", "X" * 200, "HEAD"])
def test_odd_methods_are_answered(app, two_projects, client_of, method):
    for client in (app.test_client(), client_of(two_projects.here.owner)):
        for path in ("/", "/sign-in", "/p/here/settings", "/api/v1/session", "/nowhere"):
            reply = client.open(path, method=method, headers={"X-CSRFToken": "x"})

            assert reply.status_code in {200, 302, 401, 404, 405}


@pytest.mark.thorough
def test_uploads_may_be_as_large_as_the_setting_says_and_no_larger(settings):
    app = create_app(replace(settings, max_upload_mb=1))
    app.test_client_class = Visitor
    with making_in(app.extensions["touchstone"].database)() as make:
        project = make.project(slug="help-centre")
        owner = make.member(project, "owner")
    client = app.test_client()
    with client.session_transaction() as session:
        session["person"], session["epoch"] = owner.id, owner.session_epoch

    def upload(size):
        return client.post(
            "/p/help-centre/import/queries",
            data=file_of(size),
            content_type="multipart/form-data; boundary=b",
        ).status_code

    assert upload(3 * MEGABYTE) == 413
    assert upload(MEGABYTE + MEGABYTE // 2) == 302
    assert list((settings.instance_path / "uploads").glob("*.part")) == []
    app.extensions["touchstone"].database.dispose()


def file_of(size):
    """Return the body of a form with a file: encoded by hand, because a test client leaves a file open."""
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="questions.csv"\r\n\r\n'
    return head + b"query_id,text\n" + (b"q," + b"x" * 1021 + b"\n") * (size // 1024) + b"\r\n--b--\r\n"


@pytest.mark.parametrize("name", ["viewer", "annotator", "stranger"])
def test_nobody_uploads_where_they_have_no_right(two_projects, client_of, app, name):
    reply = client_of(two_projects.people()[name]).post(
        "/p/here/import/queries", data=file_of(5 * MEGABYTE), content_type="multipart/form-data; boundary=b"
    )

    assert reply.status_code == 404
    assert list((app.extensions["settings"].uploads_path).glob("*.part")) == []


@pytest.mark.thorough
def test_more_than_a_form_holds_changes_nothing_more(two_projects, client_of, stored):
    """Mass assignment: every column of every table, sent to every route, moves nothing it is not for."""
    from app.models import Base

    columns = {column.name: "1" for table in Base.metadata.sorted_tables for column in table.columns}
    everything = {**columns, "is_admin": "y", "kind": "person", "state": "archived", "is_demo": "y"}
    client = client_of(two_projects.here.annotator)
    for route in UNSAFE_ROUTES:
        if "annotator" not in ALLOWED[route.row.access] or route.endpoint == "auth.sign_out":
            continue
        parts = two_projects.here.parts(two_projects.here.annotator)
        if route.is_api:
            given = {**(route.row.body()["json"] or {})}
            names = sorted(columns.keys() - given.keys() - OPTIONAL)
            for name in share(names, UNSAFE_ROUTES.index(route), 12):
                reply = route.ask(client, parts, json={**given, name: 1})
                assert reply.status_code == 400, (str(route), name)
        else:
            route.ask(client, parts, data={**everything, **route.row.body()["data"]})
        if route.endpoint == "auth.sign_out_everywhere":
            with stored.read() as session:
                client = client_of(session.get_one(Person, two_projects.here.annotator.id))

    with stored.read() as session:
        person = session.scalars(select(Person).where(Person.id == two_projects.here.annotator.id)).one()
        assert (person.is_admin, person.kind, person.erased_at) == (False, "person", None)
        assert person.public_id == two_projects.here.annotator.public_id
        assert person.email == two_projects.here.annotator.email
        from app.models import Membership, Project

        roles = session.scalars(select(Membership.role).where(Membership.person_id == person.id)).all()
        assert roles == ["annotator"]
        project = session.get_one(Project, two_projects.here.project.id)
        assert (project.state, project.is_demo, project.overlap) == ("open", False, 9)


# What a body may hold beside what it must, at one route or another.
OPTIONAL = {"reason", "place", "batch", "active_ms", "base", "of", "undo", "keys", "advance", "flagged"}
