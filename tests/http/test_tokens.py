"""Tokens over HTTP: in place of a session, within their scopes, never beyond their person."""

import time
from datetime import timedelta

import pytest
from sqlalchemy import update

from app.http.limits import may_be_long
from app.http.permissions import access_of, scopes_of
from app.http.tokens import LIMIT, NOTED_SECONDS, USES, RequestLimit
from app.http.uses import Uses
from app.models import ApiToken, Membership, Person, now_utc
from app.services.accounts.tokens import Scope, create_token, new_api_token, note_use, revoke_token
from tests.furniture.doors import ALLOWED, DOORS, MAP, plain
from tests.furniture.site import SECRET_KEY
from tests.furniture.town import CANARY

API = [door for door in DOORS if door.is_api]
OPEN = [door for door in API if scopes_of(MAP, door.endpoint)]


@pytest.fixture
def app(in_town):
    return in_town


@pytest.fixture
def stored(in_town):
    return in_town.extensions["touchstone"].database


def bearer(text):
    return {"Authorization": f"Bearer {text}"}


@pytest.fixture
def program(app):
    """Return a client that knows no session and no CSRF token."""
    client = app.test_client()
    client.sends_token = False
    return client


@pytest.fixture
def token_of(town):
    return lambda person: bearer(town.here.tokens[person.id][1])


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


def test_a_session_beside_a_token_counts_for_nothing(town, client_of, token_of):
    client = client_of(town.here.owner)

    unknown = client.get("/api/v1/session", headers=bearer(new_api_token(SECRET_KEY)))
    refused = client.get("/api/v1/session", headers=token_of(town.here.owner))

    assert client.get("/api/v1/session").status_code == 200
    assert unknown.status_code == 401
    assert (refused.status_code, refused.json["code"]) == (403, "scope")


def test_pages_take_no_token(town, program, token_of):
    for path in ("/", "/account/tokens", "/p/here/"):
        reply = program.get(path, headers=token_of(town.here.owner))

        assert (reply.status_code, reply.location[:8]) == (302, "/sign-in"), path


@pytest.mark.parametrize("door", [door for door in API if door not in OPEN], ids=str)
def test_what_is_for_people_takes_no_token(town, program, token_of, door):
    if access_of(MAP, door.endpoint).name == "PUBLIC":
        return
    for person in (town.here.owner, town.here.annotator, town.admin):
        reply = door.ask(program, town.here.parts(person), headers=token_of(person))

        assert (reply.status_code, reply.json["code"]) == (403, "scope")


@pytest.mark.parametrize("door", OPEN, ids=str)
def test_a_token_opens_what_its_person_may_use_and_nothing_else(town, program, token_of, door):
    nowhere = {"method": door.method, "buffered": True}
    for name, person in town.people().items():
        reply = door.ask(program, town.here.parts(person), headers=token_of(person))

        if name in ALLOWED[door.row.access]:
            assert reply.status_code not in {400, 401, 403, 404, 405, 415}, name
            assert reply.status_code < 500, name
        else:
            assert reply.status_code == 404, name
            unknown = program.open("/api/v1/nowhere", headers=token_of(person), **nowhere)
            assert plain(reply) == plain(unknown), name


@pytest.mark.parametrize("door", OPEN, ids=str)
def test_a_token_without_the_scope_is_told_which_it_lacks(town, program, made, door):
    scopes = scopes_of(MAP, door.endpoint)
    others = set(Scope) - scopes - {Scope.MANAGE}
    for scope in sorted(others):
        header = made(scope, person_id=town.here.owner.id)
        here = door.ask(program, town.here.parts(town.here.owner), headers=header)
        nowhere = door.ask(program, {**town.here.parts(town.here.owner), "slug": "nowhere"}, headers=header)

        assert (here.status_code, here.json["code"]) == (403, "scope")
        assert next(iter(scopes)) in here.json["detail"]
        assert plain(here) == plain(nowhere)


@pytest.mark.parametrize("door", [door for door in OPEN if "slug" in door.rule.arguments], ids=str)
def test_a_token_of_one_project_does_not_know_another(town, program, made, door):
    mine = made(*Scope, person_id=town.admin.id, project_id=town.here.project.id)
    operator = made(*Scope, project_id=town.here.project.id)
    for header in (mine, operator):
        there = door.ask(program, town.there.parts(town.admin), headers=header)
        here = door.ask(program, town.here.parts(town.admin), headers=header)

        assert there.status_code == 404
        assert here.status_code not in {400, 401, 403, 405, 415}
        assert here.status_code < 500


def test_a_token_ends_at_once(town, program, made, stored, app):
    path = "/api/v1/projects/here/scores"
    expired, revoked, erased, left = (made("scores", person_id=town.here.viewer.id) for _ in range(4))

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
            update(Membership).where(Membership.person_id == town.here.viewer.id).values(role="annotator")
        )
    assert status(left) == 404
    with stored.write() as session:
        session.execute(update(Person).where(Person.id == town.here.viewer.id).values(erased_at=now_utc()))
    assert status(erased) == 401


def test_a_token_needs_no_csrf_token_and_may_come_from_anywhere(town, program, token_of):
    headers = {**token_of(town.here.owner), "Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    reply = program.get("/api/v1/projects/here/scores", headers=headers)

    assert reply.status_code == 200
    assert not any(name.startswith("Access-Control") for name, _ in reply.headers)
    assert "Set-Cookie" not in reply.headers


def test_when_a_token_was_last_used_is_written_outside_of_the_request(town, program, token_of, stored, app):
    number = town.here.tokens[town.here.owner.id][0]

    def last_used():
        with stored.read() as session:
            return session.get_one(ApiToken, number).last_used_at

    for _ in range(3):
        program.get("/api/v1/projects/here/scores", headers=token_of(town.here.owner))
    assert last_used() is None

    app.extensions[USES].write(stored)
    first = last_used()
    program.get("/api/v1/projects/here/scores", headers=token_of(town.here.owner))
    app.extensions[USES].write(stored)

    assert now_utc() - first < timedelta(minutes=1)
    assert last_used() == first, "once a minute is enough"


def test_the_thread_writes_it(town, stored):
    number = town.here.tokens[town.here.owner.id][0]
    Uses(note_use, NOTED_SECONDS).note(stored, number, now_utc())

    until = time.monotonic() + 10
    while time.monotonic() < until:
        with stored.read() as session:
            if session.get_one(ApiToken, number).last_used_at:
                return
        time.sleep(0.05)
    pytest.fail("never written")


def test_too_many_requests_are_refused_with_the_time_to_wait(town, program, token_of, app):
    app.extensions[LIMIT] = RequestLimit(2, 0.001)
    replies = [
        program.get("/api/v1/projects/here/scores", headers=token_of(town.here.owner)) for _ in range(3)
    ]

    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert [reply.headers["RateLimit-Remaining"] for reply in replies] == ["1", "0", "0"]
    assert replies[2].headers["Retry-After"] == "1"
    assert replies[2].content_type == "application/problem+json"


def test_long_bodies_are_received_from_tokens_of_this_site_alone(app, town):
    text = town.here.tokens[town.here.owner.id][1]
    path = "/api/v1/projects/here/runs"

    def is_received(header, path=path, method="POST"):
        return may_be_long(app, method, path, "", header)

    assert is_received(f"Bearer {text}")
    assert not is_received("")
    assert not is_received("Bearer x")
    assert not is_received(f"Bearer {new_api_token('another key that is as long')}")
    assert not is_received(f"Bearer {text}", "/p/here/import/queries")
    assert not is_received(f"Bearer {text}", "/api/v1/projects/here/scores", "GET")


def test_an_annotator_s_token_reads_no_canary(town, program, token_of):
    for person in (town.here.annotator, town.here.adjudicator):
        for door in API:
            reply = door.ask(program, town.here.parts(person), headers=token_of(person))

            assert CANARY not in reply.text + str(reply.headers), str(door)
