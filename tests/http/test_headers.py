"""Headers: the same promises on every answer there is, whatever its status."""

import time
from dataclasses import replace

import pytest

from app import create_app
from app.http.assets import current_build
from app.http.permissions import Access, allow
from tests.furniture.routes import ALLOWED, ROUTES
from tests.furniture.thorough import share

FOR_DOCUMENTS = {
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Permissions-Policy",
    "Referrer-Policy",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


def check(reply):
    headers = reply.headers
    if reply.request.path.startswith("/static/") and reply.mimetype in {"text/css", "text/javascript"}:
        # A part of a page: what rules documents and workers says nothing to it.
        assert not FOR_DOCUMENTS & set(dict(headers))
        assert headers.getlist("X-Content-Type-Options") == ["nosniff"]
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        return
    assert headers.getlist("Content-Security-Policy") == [POLICY]
    # The address of a shared page is a secret: it is passed on to nobody.
    secret = reply.request.path.startswith("/shared/")
    assert headers.getlist("Referrer-Policy") == ["no-referrer" if secret else "same-origin"]
    assert ("noindex" in headers.get("X-Robots-Tag", "")) == secret
    assert headers.getlist("X-Content-Type-Options") == ["nosniff"]
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Cache-Control" in headers
    assert not [name for name, _ in headers if name.lower() in {"server", "x-powered-by"}]


@pytest.mark.thorough
@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_every_answer_of_every_route_carries_them(app, two_projects, client_of, route):
    for person in share((None, two_projects.stranger, two_projects.admin), ROUTES.index(route), 3):
        client = client_of(person) if person else app.test_client()
        check(route.ask(client, two_projects.here.parts(two_projects.admin)))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("method", "path", "status", "more"),
    [
        ("GET", "/nowhere", 404, {}),
        ("DELETE", "/help", 405, {}),
        ("POST", "/account", 400, {"headers": {"X-CSRFToken": "wrong"}}),
        ("PATCH", "/api/v1/session/preferences", 415, {"data": "x", "content_type": "text/plain"}),
        ("PATCH", "/api/v1/session/preferences", 400, {"data": "{", "content_type": "application/json"}),
        ("POST", "/account", 413, {"data": {"name": "x" * 2_000_000}}),
        ("GET", "/p/here", 308, {}),
        ("GET", "/invitation/none", 410, {}),
        ("GET", "/static/x/none.css", 404, {}),
        ("GET", f"/static/{current_build()}/css/base.css", 200, {}),
    ],
)
def test_errors_and_redirects_carry_them_too(two_projects, client_of, method, path, status, more):
    reply = client_of(two_projects.admin).open(path, method=method, buffered=True, **more)

    assert reply.status_code == status
    check(reply)


def test_an_answer_that_nothing_is_new_carries_them(two_projects, client_of):
    client = client_of(two_projects.here.owner)
    first = client.get("/p/here/overview/part")

    again = client.get("/p/here/overview/part", headers={"If-None-Match": first.headers["ETag"]})

    assert again.status_code == 304
    check(again)
    assert again.headers["Cache-Control"] == "private, no-cache"


def test_failures_carry_them(two_projects, client_of, app, monkeypatch):
    @allow(Access.PUBLIC)
    def fail():
        raise RuntimeError("no")

    monkeypatch.setattr(app, "testing", False)
    monkeypatch.setitem(app.view_functions, "help.index", fail)

    reply = client_of(two_projects.admin).get("/help")

    assert reply.status_code == 500
    check(reply)


def test_the_script_that_works_without_a_page_has_a_policy_of_its_own(client):
    with client.get(f"/static/{current_build()}/js/offline.js") as reply:
        assert reply.headers["Content-Security-Policy"] == POLICY
    with client.get(f"/static/{current_build()}/js/main.js") as reply:
        check(reply)


# Pieces of pages that wait, which ask again with the tag.
PARTS = {"dashboard.part", "quality.part", "projects.copy_part", "imports.part", "imports.together_part"}


@pytest.mark.thorough
def test_what_only_this_person_may_see_is_stored_nowhere(two_projects, client_of):
    for name in ("annotator", "owner", "viewer"):
        person = two_projects.people()[name]
        client = client_of(person)
        for route in ROUTES:
            if route.method != "GET" or name not in ALLOWED[route.row.access] or route.row.access == "PUBLIC":
                continue
            reply = route.ask(client, two_projects.here.parts(person))
            tagged = route.endpoint in PARTS or (
                # Programs ask again with the tag; what it names holds nothing that the answer does not.
                str(route).startswith("GET /api/v1/") and "ETag" in reply.headers
            )
            assert reply.headers["Cache-Control"] == ("private, no-cache" if tagged else "no-store"), str(
                route
            )
            assert ("ETag" in reply.headers) == tagged, str(route)
            assert "Last-Modified" not in reply.headers, str(route)


def test_static_files_are_kept_for_ever_under_their_build_and_set_no_cookie(two_projects, client_of):
    client = client_of(two_projects.admin)
    build = current_build()

    present = client.get(f"/static/{build}/css/base.css", buffered=True)
    past = client.get("/static/000000000000/css/base.css", buffered=True)
    tag = {"If-None-Match": present.headers["ETag"]}
    same = client.get(f"/static/{build}/css/base.css", headers=tag, buffered=True)

    assert present.headers["Cache-Control"] == "max-age=31536000, immutable"
    assert past.headers["Cache-Control"] == "no-cache"
    assert same.status_code == 304
    for reply in (present, past, same, client.get("/favicon.ico", buffered=True)):
        assert "Set-Cookie" not in reply.headers
        assert "Cookie" not in reply.headers.get("Vary", "")


def test_every_other_answer_renews_the_cookie(two_projects, client_of):
    reply = client_of(two_projects.admin).get("/account")

    assert reply.headers["Set-Cookie"].startswith("touchstone=")
    assert "Cookie" in reply.headers["Vary"]


@pytest.mark.parametrize(("days", "status"), [(-1, 200), (0, 200), (29, 200), (31, 302)])
def test_who_has_signed_in_stays_so_for_thirty_days_also_where_the_clock_is_set_back(
    two_projects, client_of, monkeypatch, days, status
):
    client = client_of(two_projects.admin)
    now = time.time()
    monkeypatch.setattr("app.http.identity.time.time", lambda: now + days * 86_400)

    assert client.get("/account").status_code == status


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    [
        "../config.py",
        "..%2Fconfig.py",
        "%2e%2e/config.py",
        "css/../../config.py",
        "/etc/passwd",
        "css",
        "",
        "css/",
        "css%00",
        "x" * 5000,
        "css\\base.css",
        "C:/x",
        "css/base.css::$DATA",
    ],
)
def test_only_static_files_are_served_as_such(client, name):
    reply = client.get(f"/static/{current_build()}/{name}", buffered=True)

    assert reply.status_code in {302, 308, 404}
    assert "SECRET_BYTES" not in reply.text


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("public_url", "name", "secure"),
    [
        (None, "touchstone", False),
        ("http://rate.example.org", "touchstone", False),
        ("https://rate.example.org", "__Host-touchstone", True),
    ],
)
def test_cookies_are_bound_to_https_where_the_site_has_it(settings, public_url, name, secure):
    app = create_app(replace(settings, public_url=public_url))
    client = app.test_client()

    reply = client.get("/sign-in", base_url=public_url or "http://localhost")
    theme = client.get("/sign-in")

    (cookie,) = [value for value in reply.headers.getlist("Set-Cookie") if value.startswith(f"{name}=")]
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "path=/", "samesite=lax"} <= parts
    assert ("secure" in parts) == secure
    assert not any(part.startswith("domain") for part in parts)
    assert ("Strict-Transport-Security" in theme.headers) == secure
    app.extensions["touchstone"].database.dispose()


def test_a_session_cookie_lives_for_thirty_days_and_holds_no_secret(two_projects, client_of, app):
    from app.http.identity import sign_in

    database = app.extensions["touchstone"].database
    with app.test_request_context(), database.write() as writing:
        from flask import session

        sign_in(writing, two_projects.admin, "password")
        held = dict(session)

    assert held.keys() == {"_permanent", "person", "epoch", "key"}
    assert app.permanent_session_lifetime.days == 30


@pytest.mark.parametrize("secure", [True, False])
def test_the_theme_is_remembered_like_the_session(settings, secure):
    app = create_app(replace(settings, public_url="https://rate.example.org" if secure else None))
    client = app.test_client()
    client.get("/sign-in", base_url="https://localhost" if secure else "http://localhost")
    app.config["WTF_CSRF_ENABLED"] = False

    reply = client.post("/theme", data={"theme": "dark", "next": "/help"})
    nonsense = client.post("/theme", data={"theme": "</style><script>", "next": "/help"})

    (cookie,) = [value for value in reply.headers.getlist("Set-Cookie") if value.startswith("theme=")]
    assert ("Secure" in cookie) == secure
    assert "SameSite=Lax" in cookie
    assert not [value for value in nonsense.headers.getlist("Set-Cookie") if value.startswith("theme=")]
    app.extensions["touchstone"].database.dispose()


def test_a_theme_that_somebody_made_up_is_not_shown(client):
    client.set_cookie("theme", '"><script>alert(1)</script>')

    assert "alert(1)" not in client.get("/sign-in").text


@pytest.mark.thorough
def test_no_page_needs_what_the_policy_forbids(two_projects, client_of):
    import re

    for name in ("annotator", "owner"):
        person = two_projects.people()[name]
        for route in ROUTES:
            if route.method != "GET" or name not in ALLOWED[route.row.access]:
                continue
            reply = route.ask(client_of(person), two_projects.here.parts(person))
            if reply.mimetype != "text/html":
                continue
            assert not re.search(
                r"<style|\sstyle=|\son[a-z]+=\"|javascript:|<iframe|<object|<embed|<base", reply.text
            ), str(route)
            assert re.findall(r"<script(?![^>]*\bsrc=)", reply.text) == [], str(route)
            for target in re.findall(r'<a [^>]*target="_blank"[^>]*>', reply.text):
                assert "noreferrer" in target, str(route)
