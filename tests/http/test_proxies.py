"""Behind proxies: exactly the declared number is trusted, and links never follow what a request claims."""

import re
from dataclasses import replace

import pytest

from app import create_app
from app.models import SignInFailure
from tests.furniture.site import Visitor

FORGED = [
    {"Host": "evil.example"},
    {"X-Forwarded-Host": "evil.example"},
    {"X-Forwarded-Host": "evil.example, rate.example.org"},
    {"Forwarded": "host=evil.example;proto=https"},
    {"X-Original-Host": "evil.example"},
    {"X-Host": "evil.example"},
    {"X-Forwarded-Proto": "https"},
    {"X-Forwarded-Prefix": "/evil"},
    {"Host": "evil.example:80"},
    {"Host": "localhost:8000@evil.example"},
    {"Host": "localhost\\evil.example"},
]


@pytest.fixture
def start(settings):
    started = []

    def start(**values):
        app = create_app(replace(settings, **values))
        app.test_client_class = Visitor
        started.append(app)
        return app

    yield start
    for app in started:
        app.extensions["touchstone"].database.dispose()


@pytest.fixture
def owner(making):
    with making() as make:
        project = make.project(slug="help-centre")
        return make.member(project, "owner")


def signed_in(app, person):
    """Return headers with the cookie of a person: a test client would keep it from a forged host."""
    held = {"_permanent": True, "person": person.id, "epoch": person.session_epoch}
    cookie = app.session_interface.get_signing_serializer(app).dumps(held)
    return {"Cookie": f"{app.config['SESSION_COOKIE_NAME']}={cookie}"}


def invited(app, owner, headers):
    """Return the page with the link that an owner asked for."""
    app.config["WTF_CSRF_ENABLED"] = False
    client = app.test_client(use_cookies=False)
    client.sends_token = False
    return client.post(
        "/p/help-centre/people", data={"role": "annotator"}, headers={**signed_in(app, owner), **headers}
    )


@pytest.mark.thorough
@pytest.mark.parametrize("proxies", [0, 1])
def test_links_to_hand_out_follow_the_settings_and_not_the_request(start, owner, proxies):
    app = start(public_url="https://rate.example.org", trusted_proxies=proxies)

    for headers in FORGED:
        page = invited(app, owner, headers)

        if page.status_code == 400:  # a host that cannot be one
            continue
        links = re.findall(r"https?://[^\"<\s]*/invitation/", page.text)
        assert set(links) == {"https://rate.example.org/invitation/"}, headers
        assert "evil" not in page.text, headers


def test_without_a_public_url_links_name_the_address_that_is_served(start, owner):
    app = start(host="0.0.0.0", port=9000)

    page = invited(app, owner, {"Host": "evil.example"})

    assert "http://127.0.0.1:9000/invitation/" in page.text
    assert "evil" not in page.text


@pytest.mark.thorough
def test_redirects_stay_on_this_site_whatever_host_is_claimed(start, owner):
    app = start()
    client = app.test_client(use_cookies=False)

    for path in ("/p/help-centre", "/p/help-centre/", "//evil.example/x", "/help//scores"):
        for headers in FORGED:
            reply = client.get(path, headers={**signed_in(app, owner), **headers})

            location = reply.headers.get("Location", "/")
            assert location.startswith("/"), (path, headers)
            assert not location.startswith("//"), (path, headers)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("proxies", "forwarded", "counted"),
    [
        (0, "192.0.2.7", "127.0.0.1"),
        (0, "192.0.2.7, 192.0.2.8", "127.0.0.1"),
        (1, "192.0.2.7", "192.0.2.7"),
        (1, "192.0.2.66, 192.0.2.7", "192.0.2.7"),
        (2, "192.0.2.66, 192.0.2.7, 192.0.2.8", "192.0.2.7"),
        (2, "192.0.2.7", "127.0.0.1"),
        (1, "nonsense", "nonsense"),
    ],
)
def test_failed_tries_count_for_the_address_that_the_trusted_proxy_saw(
    start, stored, monkeypatch, proxies, forwarded, counted
):
    from hashlib import sha256

    app = start(trusted_proxies=proxies)

    app.test_client().post(
        "/sign-in",
        data={"email": "x@example.org", "password": "wrong"},
        headers={"X-Forwarded-For": forwarded},
    )

    with stored.read() as session:
        from sqlalchemy import select

        (address,) = session.scalars(select(SignInFailure.source))
    assert address == sha256(counted.encode()).hexdigest()


def test_a_client_cannot_reset_its_count_by_claiming_addresses(start, monkeypatch):
    from app.services.accounts.sign_in import PER_SOURCE

    monkeypatch.setattr("app.web.auth.views.check_password", lambda *_: False)
    app = start()
    statuses = [
        app.test_client()
        .post(
            "/sign-in",
            data={"email": "x@example.org", "password": "wrong"},
            headers={"X-Forwarded-For": f"192.0.2.{number}", "X-Real-IP": f"192.0.2.{number}"},
        )
        .status_code
        for number in range(PER_SOURCE.free + 1)
    ]

    assert statuses == [200] * PER_SOURCE.free + [429]
