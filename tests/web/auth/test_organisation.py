"""Sign-in by the organisation: a real provider on loopback, its tokens true and false, and headers of a proxy."""

import time
from contextlib import contextmanager
from dataclasses import replace
from ipaddress import ip_network
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select

from app.http import identity
from app.http.organisation import KEY
from app.http.sessions import KEY as STATE
from app.models import ApiToken, AuditEntry, Membership, OrganisationIdentity, Person
from app.services.accounts.invitations import invite, issue_reset, issue_set_up
from app.services.accounts.tokens import create_token
from config import SignInSettings
from tests.furniture.provider import ADA, CLIENT_ID, CLIENT_SECRET
from tests.furniture.site import SECRET_KEY
from tests.web.auth.conftest import EMAIL, PASSWORD

GROUP_ROLES = (
    ("leads", "owner", "shop"),
    ("raters", "annotator", "shop"),
    ("readers", "viewer", "shop"),
    ("ops", "admin", ""),
)


@pytest.fixture
def signs_in(app):
    """Return what changes how people sign in, for one test."""
    state = app.extensions[STATE]
    before = state.settings

    def signs_in(proxies=0, **values):
        state.settings = replace(before, trusted_proxies=proxies, sign_in=SignInSettings(**values))

    yield signs_in
    state.settings = before
    app.extensions.pop(KEY, None)


@pytest.fixture
def by_provider(signs_in, provider):
    """Return what switches the provider on."""

    def by_provider(**values):
        client = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
        signs_in(issuer=provider.issuer, **client, **values)

    by_provider()
    return by_provider


@pytest.fixture
def project(making):
    with making() as make:
        project = make.project(slug="shop")
        make.member(project, "owner", name="First owner")
    return project


def go(client, provider, target="/"):
    """Go to the provider and come back; return the answer of the site."""
    leave = client.get("/sign-in/organisation", query_string={"next": target})
    assert leave.status_code == 302, leave.text
    return client.get(path_of(provider.authorize(leave.location)))


def path_of(address):
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}"


def is_in(client):
    return client.get("/api/v1/session").status_code == 200


def people(stored):
    with stored.read() as session:
        return {person.email: person for person in session.scalars(select(Person))}


def failures(stored):
    with stored.read() as session:
        return len(session.scalars(select(AuditEntry.id).where(AuditEntry.kind == "sign_in_failed")).all())


def test_somebody_new_gets_an_account_and_goes_where_they_wanted(client, by_provider, provider, stored):
    page = client.get("/sign-in").text
    reply = go(client, provider, "/account")

    assert "Sign in through your organisation" in page
    assert (reply.status_code, reply.location) == (302, "/account")
    assert is_in(client)
    ada = people(stored)["ada@example.org"]
    assert (ada.name, ada.is_admin, ada.password_hash) == ("Ada Byron", False, None)
    with stored.read() as session:
        kinds = session.scalars(select(AuditEntry.kind).order_by(AuditEntry.id)).all()
    assert kinds == ["account_made", "account_linked", "signed_in"]


def test_the_second_time_it_is_the_same_account_whatever_the_address_is_now(
    app, by_provider, provider, stored
):
    go(app.test_client(), provider)
    provider.say(claims={"email": "ada.king@example.org", "email_verified": False})
    again = app.test_client()

    go(again, provider)

    assert is_in(again)
    assert list(people(stored)) == ["ada@example.org"]


def test_the_request_has_a_state_a_nonce_and_a_challenge_of_its_own(client, by_provider):
    asked = [parse_qs(urlsplit(client.get("/sign-in/organisation").location).query) for _ in range(2)]

    assert asked[0]["code_challenge_method"] == ["S256"]
    assert asked[0]["response_type"] == ["code"]
    for name in ("state", "nonce", "code_challenge"):
        assert asked[0][name] != asked[1][name]
        assert len(asked[0][name][0]) >= 20


HOUR = 3600


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param({"claims": {"iss": "https://elsewhere.example.org"}}, id="wrong issuer"),
        pytest.param({"without": ["iss"]}, id="no issuer"),
        pytest.param({"iss": "https://elsewhere.example.org"}, id="another issuer answers"),
        pytest.param({"claims": {"aud": "another client"}}, id="wrong audience"),
        pytest.param({"without": ["aud"]}, id="no audience"),
        pytest.param({"claims": {"exp": time.time() - HOUR, "iat": time.time() - 2 * HOUR}}, id="expired"),
        pytest.param({"without": ["exp"]}, id="without an end"),
        pytest.param({"claims": {"nonce": "of another visit"}}, id="replayed nonce"),
        pytest.param({"without": ["nonce"]}, id="no nonce"),
        pytest.param({"without": ["sub"]}, id="nobody"),
        pytest.param({"key": "other"}, id="bad signature"),
        pytest.param({"alg": "none"}, id="no signature"),
        pytest.param({"alg": "HS256"}, id="public key as a shared secret"),
        pytest.param({"without": ["email"], "userinfo": {"sub": "eve", "email": EMAIL}}, id="other userinfo"),
        pytest.param({"metadata": {"issuer": "https://elsewhere.example.org"}}, id="discovery of another"),
        pytest.param({"metadata": {"token_endpoint": "http://127.0.0.1:9/"}}, id="unreachable"),
    ],
)
def test_a_token_that_is_not_quite_right_signs_nobody_in(client, by_provider, provider, stored, answers):
    provider.say(**answers)

    leave = client.get("/sign-in/organisation")
    is_led = not leave.location.startswith("/sign-in")
    if is_led:
        back = client.get(path_of(provider.authorize(leave.location)))
        assert back.location == "/sign-in"

    assert "did not work" in client.get("/sign-in").text
    assert not is_in(client)
    assert people(stored) == {}
    assert failures(stored) == int(is_led)


def test_an_answer_counts_in_the_browser_that_asked_only(app, client, by_provider, provider):
    """Else somebody could be made to sign in as another person, and rate for them."""
    back = path_of(provider.authorize(client.get("/sign-in/organisation").location))
    victim = app.test_client()
    victim.get("/sign-in/organisation")

    assert victim.get(back).location == "/sign-in"
    assert not is_in(victim)


def test_an_answer_cannot_be_replayed(app, client, by_provider, provider):
    leave = client.get("/sign-in/organisation")
    back = path_of(provider.authorize(leave.location))

    assert client.get(back).location == "/"
    client.post("/sign-out")

    assert client.get(back).location == "/sign-in"
    assert not is_in(client)


@pytest.mark.parametrize(
    "query",
    ["", "?code=x", "?code=x&state=y", "?error=access_denied&state=y", "?state=%00", "?code=x&state=x" * 40],
)
def test_answers_that_nobody_asked_for_are_refused_and_fill_no_trail(client, by_provider, query, stored):
    reply = client.get(f"/sign-in/organisation/back{query}")

    assert reply.status_code in {302, 400}
    assert not is_in(client)
    assert failures(stored) == 0


def test_after_a_day_the_provider_decides_again(client, by_provider, provider, monkeypatch):
    go(client, provider)
    client.post("/account/sign-out-everywhere")
    assert is_in(client)

    now = time.time()
    monkeypatch.setattr(identity.time, "time", lambda: now + identity.PROVIDER_SECONDS + 1)

    assert not is_in(client)


def test_signing_in_through_the_organisation_leads_to_no_other_site(client, by_provider, provider):
    for target in ("//evil.example", "https://evil.example", "/\\evil.example"):
        assert go(client, provider, target).location == "/"


def test_an_unverified_address_takes_no_account_over_and_makes_none(
    client, ada, by_provider, provider, stored
):
    for claims in ({"email_verified": False}, {"email_verified": "false"}, {"email_verified": None}):
        provider.say(claims=claims)

        reply = go(client, provider)

        assert reply.location == "/sign-in"
        assert "has not verified your e-mail address" in client.get("/sign-in").text
        assert not is_in(client)
    assert people(stored)[EMAIL].password_hash == ada.person.password_hash


def test_no_address_is_said_too(client, by_provider, provider):
    provider.say(without=["email"])

    go(client, provider)

    assert "did not send your e-mail address" in client.get("/sign-in").text


def test_a_verified_address_gets_the_account_and_whoever_knew_its_password_is_out(
    app, ada, by_provider, provider, sign_in, stored
):
    """An account here is made without checking its address: somebody may have made it to wait for its owner."""
    waiting = app.test_client()
    sign_in(waiting)
    with stored.write() as session:
        create_token(session, SECRET_KEY, name="x", scopes=["manage"], person_id=ada.person.id)
    client = app.test_client()

    go(client, provider)

    assert is_in(client)
    assert not is_in(waiting)
    with stored.read() as session:
        assert session.scalars(select(ApiToken.revoked_at)).one() is not None
    assert sign_in(app.test_client()).status_code == 200, "the password is gone"
    assert people(stored)[EMAIL].id == ada.person.id


def test_an_address_that_went_to_somebody_new_does_not_bring_the_account(app, by_provider, provider, stored):
    go(app.test_client(), provider)
    provider.say(claims={"sub": "another-ada"})
    client = app.test_client()

    go(client, provider)

    assert "belongs to someone else" in client.get("/sign-in").text
    assert not is_in(client)


def test_somebody_disabled_stays_out(app, client, by_provider, provider, stored):
    from app.models import now_utc

    go(app.test_client(), provider)
    with stored.write() as session:
        session.scalars(select(Person)).one().disabled_at = now_utc()

    go(client, provider)

    assert "Your account is disabled" in client.get("/sign-in").text
    assert not is_in(client)


def test_who_signs_in_so_after_a_password_link_is_the_person(app, by_provider, provider, making, stored):
    from app.services.accounts.confirming import find_unconfirmed

    go(app.test_client(), provider)
    with making() as make:
        person = make.session.scalars(select(Person)).one()
        path = "/reset/" + issue_reset(make.session, person)
    intruder = app.test_client()
    intruder.post(path, data={"password": "a long enough one", "again": "a long enough one"})
    client = app.test_client()

    go(client, provider)

    assert is_in(client)
    assert not is_in(intruder)
    with stored.read() as session:
        assert find_unconfirmed(session, person.id) is None
        assert session.get_one(Person, person.id).password_hash is None


# Roles by group.


def role_in(stored, project):
    with stored.read() as session:
        wanted = select(Membership.role).join(Person, Person.id == Membership.person_id)
        return session.scalar(wanted.where(Person.email == EMAIL, Membership.project_id == project.id))


@pytest.mark.thorough
def test_groups_give_roles_and_take_them(app, by_provider, provider, project, stored):
    by_provider(group_roles=GROUP_ROLES)
    seen = []
    for groups in (["raters"], ["leads", "raters"], ["readers", "else"], []):
        provider.say(claims={"groups": groups})
        client = app.test_client()
        go(client, provider)
        assert is_in(client)
        seen.append(role_in(stored, project))

    assert seen == ["annotator", "owner", "viewer", None]


def test_a_lost_role_ends_sessions_that_began_with_it(app, by_provider, provider, project, stored):
    by_provider(group_roles=GROUP_ROLES)
    provider.say(claims={"groups": ["leads"]})
    before = app.test_client()
    go(before, provider)
    assert before.get("/p/shop/settings").status_code == 200
    provider.say(claims={"groups": ["raters"]})

    go(app.test_client(), provider)

    assert not is_in(before)


def test_missing_groups_give_nothing_and_make_no_account(client, by_provider, provider, project, stored):
    by_provider(group_roles=GROUP_ROLES)

    go(client, provider)

    assert "in no group that may use this site" in client.get("/sign-in").text
    assert "ada@example.org" not in people(stored)


def test_groups_that_are_only_told_beside_the_token_count(client, by_provider, provider, project, stored):
    by_provider(group_roles=GROUP_ROLES)
    beside = {**ADA, "groups": "raters"}
    provider.say(without=["email", "email_verified", "name"], userinfo=beside)

    go(client, provider)

    assert role_in(stored, project) == "annotator"


def test_another_claim_may_hold_the_groups(client, by_provider, provider, project, stored):
    by_provider(group_roles=GROUP_ROLES, groups_claim="roles")
    provider.say(claims={"roles": ["raters"], "groups": ["leads"]})

    go(client, provider)

    assert role_in(stored, project) == "annotator"


def test_the_group_of_administrators_makes_them_and_the_last_one_stays(
    app, by_provider, provider, stored, making
):
    by_provider(group_roles=GROUP_ROLES)
    provider.say(claims={"groups": ["ops"]})
    go(app.test_client(), provider)
    assert people(stored)[EMAIL].is_admin
    provider.say(claims={"groups": ["raters"]})

    go(app.test_client(), provider)
    assert people(stored)[EMAIL].is_admin, "the site keeps an administrator"
    with making() as make:
        make.person(is_admin=True)
    go(app.test_client(), provider)

    assert not people(stored)[EMAIL].is_admin


def test_the_last_owner_keeps_the_project(app, by_provider, provider, making, stored):
    by_provider(group_roles=GROUP_ROLES)
    with making() as make:
        project = make.project(slug="shop")
    provider.say(claims={"groups": ["leads"]})
    go(app.test_client(), provider)
    provider.say(claims={"groups": []})

    go(app.test_client(), provider)

    assert role_in(stored, project) == "owner"


# Passwords switched off.


@contextmanager
def nothing_changes(stored):
    before = {email: person.password_hash for email, person in people(stored).items()}
    yield
    assert {email: person.password_hash for email, person in people(stored).items()} == before


def test_without_passwords_nobody_signs_in_with_one_or_sets_one(
    client, ada, client_of, by_provider, making, sign_in, stored
):
    with making() as make:
        reset = "/reset/" + issue_reset(make.session, make.session.get_one(Person, ada.person.id))
    by_provider(passwords=False)
    page = client.get("/sign-in").text
    new = {"password": "a long enough one", "again": "a long enough one"}

    assert 'type="password"' not in page
    assert "Sign in through your organisation" in page
    with nothing_changes(stored):
        assert sign_in(client).status_code == 410
        assert client.post(reset, data=new).status_code == 410
        assert (
            client_of(ada.person).post("/account/password", data={**new, "present": PASSWORD}).status_code
            == 410
        )
    assert not is_in(client)


@pytest.mark.thorough
def test_without_passwords_the_set_up_link_works(client, by_provider, making):
    by_provider(passwords=False)
    with making() as make:
        path = f"/set-up/{issue_set_up(make.session)}"

    client.post(path, data={"name": "Eve", "email": "eve@example.org", "password": "a long enough one"})

    assert is_in(client)


def test_without_passwords_an_invitation_is_taken_through_the_organisation(
    client, by_provider, provider, making, project, stored
):
    from app.models import Role

    by_provider(passwords=False)
    with making() as make:
        path = "/invitation/" + invite(make.session, project_id=project.id, role=Role.VIEWER)

    asked = client.get(path)
    assert asked.location == f"/sign-in?next={path.replace('/', '%2F')}" or path in asked.location
    posted = client.post(path, data={"name": "E", "email": "e@example.org", "password": "a long enough one"})
    assert posted.location.startswith("/sign-in")
    assert go(client, provider, path).location == path
    client.post(path, data={})

    assert role_in(stored, project) == "viewer"


# Headers of a proxy.


HEADERS = {"X-Auth-Email": EMAIL, "X-Auth-Name": "Ada Byron", "X-Auth-Groups": "raters, else"}
NAMES = {"email_header": "X-Auth-Email", "name_header": "X-Auth-Name", "groups_header": "X-Auth-Groups"}


def test_a_trusted_proxy_names_who_signs_in(client, signs_in, project, stored):
    signs_in(proxies=1, passwords=False, group_roles=GROUP_ROLES, **NAMES)

    page = client.get("/sign-in", headers=HEADERS).text
    reply = client.post("/sign-in/proxy", data={"next": "/account"}, headers=HEADERS)

    assert f"Continue as {EMAIL}" in page
    assert reply.location == "/account"
    assert client.get("/api/v1/session", headers=HEADERS).status_code == 200
    assert role_in(stored, project) == "annotator"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "change",
    [{}, {"X-Auth-Email": "eve@example.org"}, {"X-Auth-Email": ""}, {"X-Auth-Groups": "else"}],
)
def test_a_session_ends_where_the_proxy_says_something_else(client, signs_in, change):
    signs_in(proxies=1, **NAMES)
    client.post("/sign-in/proxy", headers=HEADERS)
    client.post("/account/sign-out-everywhere", headers=HEADERS)
    assert client.get("/api/v1/session", headers=HEADERS).status_code == 200

    reply = client.get("/api/v1/session", headers={**HEADERS, **change} if change else {})

    assert reply.status_code == 401


@pytest.mark.parametrize("values", [{"proxies": 0, **NAMES}, {"proxies": 1}])
def test_headers_count_for_nothing_unless_a_proxy_is_trusted_and_they_are_named(
    client, signs_in, values, stored
):
    signs_in(**values)

    page = client.get("/sign-in", headers=HEADERS).text
    reply = client.post("/sign-in/proxy", headers=HEADERS)

    assert "Continue as " not in page
    assert reply.location == "/sign-in"
    assert people(stored) == {}


@pytest.mark.parametrize("address", ["192.0.2.7", "::ffff:192.0.2.7", ""])
def test_headers_count_for_nothing_on_a_connection_that_is_not_the_proxys(client, signs_in, address, stored):
    signs_in(proxies=1, **NAMES)
    # What ProxyFix keeps of the connection itself; the visitor's address may be any.
    itself = {"werkzeug.proxy_fix.orig": {"REMOTE_ADDR": address}}

    client.post("/sign-in/proxy", headers=HEADERS, environ_overrides=itself)
    assert people(stored) == {}

    signs_in(proxies=1, proxy_networks=(ip_network("192.0.2.0/24"),), **NAMES)
    client.post("/sign-in/proxy", headers=HEADERS, environ_overrides=itself)
    assert len(people(stored)) == (1 if address else 0)


def test_a_header_with_two_addresses_names_nobody(client, signs_in, stored):
    signs_in(proxies=1, **NAMES)

    client.post("/sign-in/proxy", headers={"X-Auth-Email": f"{EMAIL}, eve@example.org"})

    assert people(stored) == {}


def test_nothing_is_offered_where_nothing_is_set(client):
    page = client.get("/sign-in").text

    assert "organisation" not in page
    assert client.get("/sign-in/organisation").location == "/sign-in"
    assert client.get("/sign-in/organisation/back?code=x&state=y").location == "/sign-in"


def test_who_somebody_is_elsewhere_is_remembered_by_issuer_and_subject(client, by_provider, provider, stored):
    go(client, provider)

    with stored.read() as session:
        found = session.scalars(select(OrganisationIdentity)).one()
    assert (found.issuer, found.subject) == (provider.issuer, "ada-1")
