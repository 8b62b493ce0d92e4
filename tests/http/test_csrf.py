"""CSRF: whatever another site makes a browser send changes nothing, with or without a token."""

import pytest
from flask import Flask

from app.http.csrf import _host_of
from tests.furniture.routes import ALLOWED, ROUTES, rows_of
from tests.furniture.thorough import share

UNSAFE_ROUTES = [route for route in ROUTES if route.is_unsafe]
OTHER_SITES = [
    {"Origin": "https://evil.example"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost:1"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "null"},
    {"Sec-Fetch-Site": "nonsense"},
]
OURS = [
    {},
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "http://localhost"},
    {"Origin": "HTTP://LOCALHOST"},
    {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"},
    {"Origin": "null", "Sec-Fetch-Site": "same-origin"},
]


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


@pytest.fixture
def stored(in_two_projects):
    return in_two_projects.extensions["touchstone"].database


@pytest.fixture
def most_able(app, two_projects, client_of):
    """Return the browser of somebody who may use every route, so that nothing else refuses."""
    assert all("admin" in allowed for allowed in ALLOWED.values())
    return client_of(two_projects.admin)


def attacks(route):
    """Return the ways in which another site can make a request."""
    json = b'{"grade": 3}'
    yield "no token", {}
    yield "empty token", {"headers": {"X-CSRFToken": ""}}
    yield "wrong token", {"headers": {"X-CSRFToken": "ImFiYyI.Z0Z0Zw.abc"}}
    yield "token as an address", {"query_string": {"csrf_token": "x"}}
    yield "text/plain", {"data": json, "json": None, "content_type": "text/plain"}
    yield (
        "form that looks like JSON",
        {
            "data": json,
            "json": None,
            "content_type": "application/x-www-form-urlencoded",
        },
    )
    yield "form with a made-up token", {"data": {"csrf_token": "x"}, "json": None}
    yield "another method in disguise", {"headers": {"X-HTTP-Method-Override": "GET"}}


def test_without_the_token_nothing_changes(two_projects, most_able, stored):
    most_able.sends_token = False
    before = rows_of(stored)

    for place, route in enumerate(UNSAFE_ROUTES):
        for name, attack in share(list(attacks(route)), place, 3):
            reply = route.ask(most_able, two_projects.here.parts(two_projects.admin), **attack)

            assert 400 <= reply.status_code < 500, (route, name)
            assert reply.status_code != 404, (route, name)
    assert rows_of(stored) == before


def test_from_another_site_nothing_changes_even_with_the_token(two_projects, most_able, stored):
    before = rows_of(stored)

    for place, route in enumerate(UNSAFE_ROUTES):
        for headers in share(OTHER_SITES, place, 3):
            reply = route.ask(most_able, two_projects.here.parts(two_projects.admin), headers=headers)

            assert reply.status_code == 400, (route, headers)
            told = "csrf" if route.is_api else "Please try that again"
            assert told in reply.text, (route, headers)
    assert rows_of(stored) == before


@pytest.mark.parametrize("headers", OURS, ids=str)
def test_our_own_pages_and_programs_get_through(client_of, two_projects, app, headers):
    reply = client_of(two_projects.here.annotator).patch(
        "/api/v1/session/preferences", json={"keys": False}, headers=headers
    )

    assert reply.status_code == 200


def test_a_token_of_another_session_is_refused(app, two_projects, client_of):
    mine, theirs = client_of(two_projects.here.annotator), client_of(two_projects.there.annotator)
    token = theirs.get("/api/v1/session").json["csrf"]
    mine.get("/api/v1/session")
    mine.sends_token = False

    reply = mine.patch("/api/v1/session/preferences", json={"keys": False}, headers={"X-CSRFToken": token})

    assert (reply.status_code, reply.json["code"]) == (400, "csrf")


def test_a_token_from_before_signing_in_is_worth_nothing_after_it(app, two_projects):
    client = app.test_client()
    before = client.get("/sign-in").text.split('name="csrf-token" content="')[1].split('"')[0]
    with client.session_transaction() as session:
        session.clear()
        session["person"], session["epoch"] = two_projects.admin.id, two_projects.admin.session_epoch
    client.sends_token = False

    reply = client.post("/account", data={"name": "Mallory", "csrf_token": before})

    assert reply.status_code == 400


def test_a_token_outlives_a_night(client_of, two_projects, monkeypatch):
    from itsdangerous import timed

    now = [1_800_000_000]
    monkeypatch.setattr(timed.time, "time", lambda: now[0])
    client = client_of(two_projects.here.annotator)
    token = client.get("/api/v1/session").json["csrf"]
    client.sends_token = False

    now[0] += 20 * 86_400
    reply = client.patch("/api/v1/session/preferences", json={"keys": True}, headers={"X-CSRFToken": token})

    assert reply.status_code == 200


def test_no_route_is_exempt(app):
    protection = app.extensions["csrf"]

    assert protection._exempt_views == set()
    assert protection._exempt_blueprints == set()
    assert app.config["WTF_CSRF_ENABLED"]
    assert app.config["WTF_CSRF_CHECK_DEFAULT"]


def test_no_other_site_may_read_an_answer(client_of, two_projects):
    reply = client_of(two_projects.here.annotator).get(
        "/api/v1/session", headers={"Origin": "https://evil.example"}
    )

    assert not [name for name, _ in reply.headers if name.startswith("Access-Control-")]


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://Rate.example.org", "rate.example.org"),
        ("http://localhost:8000", "localhost:8000"),
        ("null", ""),
        ("", ""),
        ("file:///x", ""),
        ("chrome-extension://abc", ""),
        ("https://[::1", ""),
        ("https://[::1]:8000", "[::1]:8000"),
    ],
)
def test_an_origin_is_compared_by_its_host(address, host):
    assert _host_of(address) == host


def test_behind_a_proxy_that_changes_the_host_the_public_address_counts(settings):
    from dataclasses import replace

    from app import create_app

    app: Flask = create_app(replace(settings, public_url="https://rate.example.org"))
    client = app.test_client()
    page = client.get("/sign-in", base_url="https://internal:8000").text
    token = page.split('name="csrf-token" content="')[1].split('"')[0]
    form = {"theme": "dark", "next": "/help", "csrf_token": token}
    referrer = {"Referer": "https://internal:8000/sign-in"}

    from_ours = client.post(
        "/theme",
        data=form,
        base_url="https://internal:8000",
        headers={"Origin": "https://rate.example.org", **referrer},
    )
    from_theirs = client.post(
        "/theme",
        data=form,
        base_url="https://internal:8000",
        headers={"Origin": "https://evil.example", **referrer},
    )

    assert (from_ours.status_code, from_theirs.status_code) == (302, 400)
    app.extensions["touchstone"].database.dispose()
