"""Tokens over HTTP: in place of a session, within their scopes, never beyond their person."""

import time
from datetime import timedelta

import pytest
from sqlalchemy import update

from app.http.limits import sender_of_file
from app.http.permissions import access_of, scopes_of
from app.http.tokens import LIMIT, NOTED_SECONDS, USES, RequestLimit
from app.http.uses import Uses
from app.models import ApiToken, Membership, Person, now_utc
from app.services.accounts.tokens import Scope, create_token, new_api_token, note_use, revoke_token
from tests.furniture.routes import ALLOWED, MAP, ROUTES, plain
from tests.furniture.site import SECRET_KEY
from tests.furniture.two_projects import CANARY

API = [route for route in ROUTES if route.is_api]
OPEN = [route for route in API if scopes_of(MAP, route.endpoint)]


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


@pytest.fixture
def stored(in_two_projects):
    return in_two_projects.extensions["touchstone"].database


def bearer(text):
    return {"Authorization": f"Bearer {text}"}


@pytest.fixture
def program(app):
    """Return a client that knows no session and no CSRF token."""
    client = app.test_client()
    client.sends_token = False
    return client


@pytest.fixture
def token_of(two_projects):
    return lambda person: bearer(two_projects.here.tokens[person.id][1])


@pytest.fixture
def made(stored):
    """Return what makes a token and gives its header."""

    def made(*scopes, **values):
        with stored.write() as session:
            return bearer(create_token(session, SECRET_KEY, name="x", scopes=scopes, **values)[1])

    return made


@pytest.mark.parametrize("header", ["Bearer", "Bearer x", "bearer tsk_x", "Bearer of another site"])
def test_what_is_no_token_of_this_site_is_not_known(program, header):
    header = header.replace("of another site", new_api_token("another key that is as long"))
    reply = program.get("/api/v1/session", headers={"Authorization": header})

    assert reply.status_code == 401
    assert reply.json["detail"].startswith("This token is unknown, expired or revoked.")
    assert reply.headers["WWW-Authenticate"] == 'Bearer realm="Touchstone", error="invalid_token"'


def test_a_session_beside_a_token_counts_for_nothing(two_projects, client_of, token_of):
    client = client_of(two_projects.here.owner)

    unknown = client.get("/api/v1/session", headers=bearer(new_api_token(SECRET_KEY)))
    refused = client.get("/api/v1/session", headers=token_of(two_projects.here.owner))

    assert client.get("/api/v1/session").status_code == 200
    assert unknown.status_code == 401
    assert (refused.status_code, refused.json["code"]) == (403, "scope")


def test_pages_take_no_token(two_projects, program, token_of):
    for path in ("/", "/account/tokens", "/p/here/"):
        reply = program.get(path, headers=token_of(two_projects.here.owner))

        assert (reply.status_code, reply.location[:8]) == (302, "/sign-in"), path


def test_what_is_for_people_takes_no_token(two_projects, program, token_of):
    for route in API:
        if route in OPEN or access_of(MAP, route.endpoint).name == "PUBLIC":
            continue
        for person in (two_projects.here.owner, two_projects.here.annotator, two_projects.admin):
            reply = route.ask(program, two_projects.here.parts(person), headers=token_of(person))

            assert (reply.status_code, reply.json["code"]) == (403, "scope"), route


NOWHERE = {}


@pytest.mark.parametrize("route", OPEN, ids=str)
def test_a_token_opens_what_its_person_may_use_and_nothing_else(two_projects, program, token_of, route):
    for name, person in two_projects.people().items():
        reply = route.ask(program, two_projects.here.parts(person), headers=token_of(person))

        if name in ALLOWED[route.row.access]:
            assert reply.status_code not in {400, 401, 403, 404, 405, 415}, name
            assert reply.status_code < 500, name
        else:
            assert reply.status_code == 404, name
            # What is said of an address that does not exist is the same in every test.
            if (name, route.method) not in NOWHERE:
                unknown = {"method": route.method, "headers": token_of(person), "buffered": True}
                NOWHERE[name, route.method] = plain(program.open("/api/v1/nowhere", **unknown))
            assert plain(reply) == NOWHERE[name, route.method], name


@pytest.mark.thorough
def test_a_token_without_the_scope_is_told_which_it_lacks(two_projects, program, made):
    parts = two_projects.here.parts(two_projects.here.owner)
    headers = {scope: made(scope, person_id=two_projects.here.owner.id) for scope in Scope}
    for route in OPEN:
        scopes = scopes_of(MAP, route.endpoint)
        for scope in sorted(set(Scope) - scopes - {Scope.MANAGE}):
            here = route.ask(program, parts, headers=headers[scope])
            nowhere = route.ask(program, {**parts, "slug": "nowhere"}, headers=headers[scope])

            assert (here.status_code, here.json["code"]) == (403, "scope"), (route, scope)
            assert next(iter(scopes)) in here.json["detail"], (route, scope)
            assert plain(here) == plain(nowhere), (route, scope)


@pytest.mark.parametrize("route", [route for route in OPEN if "slug" in route.rule.arguments], ids=str)
def test_a_token_of_one_project_does_not_know_another(two_projects, program, made, route):
    mine = made(*Scope, person_id=two_projects.admin.id, project_id=two_projects.here.project.id)
    operator = made(*Scope, project_id=two_projects.here.project.id)
    for header in (mine, operator):
        there = route.ask(program, two_projects.there.parts(two_projects.admin), headers=header)
        here = route.ask(program, two_projects.here.parts(two_projects.admin), headers=header)

        assert there.status_code == 404
        assert here.status_code not in {400, 401, 403, 405, 415}
        assert here.status_code < 500


def test_a_token_ends_at_once(two_projects, program, made, stored, app):
    path = "/api/v1/projects/here/scores"
    expired, revoked, erased, left = (made("scores", person_id=two_projects.here.viewer.id) for _ in range(4))

    def status(header):
        return program.get(path, headers=header).status_code

    assert status(revoked) == 200
    with stored.write() as session:
        numbers = session.scalars(
            ApiToken.__table__.select().with_only_columns(ApiToken.id).order_by(ApiToken.id.desc()).limit(4)
        ).all()[::-1]
        session.execute(
            update(ApiToken)
            .where(ApiToken.id == numbers[0])
            .values(expires_at=now_utc() - timedelta(seconds=1))
        )
        revoke_token(session, numbers[1], anybody=True)
    assert (status(expired), status(revoked)) == (401, 401)
    with stored.write() as session:
        session.execute(
            update(Membership)
            .where(Membership.person_id == two_projects.here.viewer.id)
            .values(role="annotator")
        )
    assert status(left) == 404
    with stored.write() as session:
        session.execute(
            update(Person).where(Person.id == two_projects.here.viewer.id).values(erased_at=now_utc())
        )
    assert status(erased) == 401


def test_a_token_needs_no_csrf_token_and_may_come_from_anywhere(two_projects, program, token_of):
    headers = {
        **token_of(two_projects.here.owner),
        "Sec-Fetch-Site": "cross-site",
        "Origin": "https://evil.example",
    }
    reply = program.get("/api/v1/projects/here/scores", headers=headers)

    assert reply.status_code == 200
    assert not any(name.startswith("Access-Control") for name, _ in reply.headers)
    assert "Set-Cookie" not in reply.headers


def test_when_a_token_was_last_used_is_written_outside_of_the_request(
    two_projects, program, token_of, stored, app
):
    number = two_projects.here.tokens[two_projects.here.owner.id][0]

    def last_used():
        with stored.read() as session:
            return session.get_one(ApiToken, number).last_used_at

    for _ in range(3):
        program.get("/api/v1/projects/here/scores", headers=token_of(two_projects.here.owner))
    assert last_used() is None

    app.extensions[USES].write(stored)
    first = last_used()
    program.get("/api/v1/projects/here/scores", headers=token_of(two_projects.here.owner))
    app.extensions[USES].write(stored)

    assert now_utc() - first < timedelta(minutes=1)
    assert last_used() == first, "once a minute is enough"


@pytest.mark.thorough
def test_the_thread_writes_it(two_projects, stored):
    number = two_projects.here.tokens[two_projects.here.owner.id][0]
    Uses(note_use, NOTED_SECONDS).note(stored, number, now_utc())

    until = time.monotonic() + 10
    while time.monotonic() < until:
        with stored.read() as session:
            if session.get_one(ApiToken, number).last_used_at:
                return
        time.sleep(0.05)
    pytest.fail("never written")


def test_too_many_requests_are_refused_with_the_time_to_wait(two_projects, program, token_of, app):
    app.extensions[LIMIT] = RequestLimit(2, 0.001)
    replies = [
        program.get("/api/v1/projects/here/scores", headers=token_of(two_projects.here.owner))
        for _ in range(3)
    ]

    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert [reply.headers["RateLimit-Remaining"] for reply in replies] == ["1", "0", "0"]
    assert replies[2].headers["Retry-After"] == "1"
    assert replies[2].content_type == "application/problem+json"


def test_long_bodies_are_received_from_tokens_of_this_site_alone(app, two_projects):
    text = two_projects.here.tokens[two_projects.here.owner.id][1]
    path = "/api/v1/projects/here/runs"

    def is_received(header, path=path, method="POST"):
        return sender_of_file(app, method, path, "", header)

    assert is_received(f"Bearer {text}")
    assert not is_received("")
    assert not is_received("Bearer x")
    assert not is_received(f"Bearer {new_api_token('another key that is as long')}")
    assert not is_received(f"Bearer {text}", "/p/here/import/queries")
    assert not is_received(f"Bearer {text}", "/api/v1/projects/here/scores", "GET")


@pytest.mark.thorough
def test_an_annotator_s_token_reads_no_canary(two_projects, program, token_of):
    for person in (two_projects.here.annotator, two_projects.here.adjudicator):
        for route in API:
            reply = route.ask(program, two_projects.here.parts(person), headers=token_of(person))

            assert CANARY not in reply.text + str(reply.headers), str(route)
