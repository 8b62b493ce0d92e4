"""Nobody rates as somebody else unseen; and one sees on which devices one is signed in."""

import re
import uuid

import pytest
from sqlalchemy import select

from app.models import Judgment, OpenSession, Person
from app.services.accounts.invitations import issue_reset
from app.services.accounts.sign_in import PER_SOURCE
from tests.web.auth.conftest import EMAIL, PASSWORD

BY_LINK = {"password": "chosen by the link", "again": "chosen by the link"}
NEW = {"password": "known to nobody else", "again": "known to nobody else"}
FIREFOX = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}


@pytest.fixture
def project(making, ada):
    with making() as make:
        project = make.project(slug="shop")
        from app.models import Role
        from app.services.accounts.memberships import give_role

        give_role(make.session, project.id, ada.person.id, Role.ANNOTATOR)
        query = make.query(project, "q1")
        make.run(make.ranker(project, "First"), {query: [make.document(project, f"d{n}") for n in range(6)]})
    return project


@pytest.fixture
def admin(making):
    with making() as make:
        return make.person("Alma", is_admin=True)


@pytest.fixture
def link(making, ada, admin):
    """Return what makes a password link of an administrator for Ada."""

    def link():
        with making() as make:
            person = make.session.get_one(Person, ada.person.id)
            return "/reset/" + issue_reset(make.session, person, created_by=admin.id)

    return link


def rate(client, place):
    """Rate one answer of the question that waits."""
    page = client.post("/p/shop/rate", follow_redirects=True).text
    saved = list(dict.fromkeys(re.findall(r'action="(/p/shop/rate/\d+/answers/[^"/]+)"', page)))[place]
    reply = client.post(saved, data={"id": str(uuid.uuid4()), "grade": "2", "place": "1", "of": "6"})
    assert reply.status_code == 302
    return page


def flags_of(stored):
    with stored.read() as session:
        return session.scalars(select(Judgment.blind).order_by(Judgment.revision)).all()


@pytest.mark.thorough
def test_ratings_after_somebody_elses_link_are_not_blind_until_confirmed(
    app, ada, project, link, sign_in, stored
):
    own = app.test_client()
    sign_in(own)
    rate(own, 0)

    intruder = app.test_client()
    reply = intruder.post(link(), data=BY_LINK)
    page = rate(intruder, 1)

    assert reply.location == "/account/confirm"
    assert "not blind until you confirm your password" in page
    assert 'href="/account/confirm"' in intruder.get("/").text
    assert flags_of(stored) == [True, False]


@pytest.mark.thorough
def test_a_device_from_before_the_link_confirms_with_a_new_password(app, ada, project, link, sign_in, stored):
    own = app.test_client()
    sign_in(own)
    rate(own, 0)
    own.post(link(), data=BY_LINK)

    page = own.get("/account/confirm").text
    reminder = own.get("/").text
    reply = own.post("/account/confirm", data=NEW)
    rate(own, 1)

    assert "You signed in on this device before the link was used" in page
    assert 'href="/account/confirm"' in reminder
    assert 'href="/account/confirm"' not in own.get("/").text
    assert reply.status_code == 302
    assert flags_of(stored) == [True, True]
    assert sign_in(app.test_client(), password=BY_LINK["password"]).status_code == 200, (
        "the maker may know it"
    )
    assert sign_in(app.test_client(), password=NEW["password"]).status_code == 302


@pytest.mark.thorough
def test_the_device_that_opened_the_link_confirms_nothing(app, ada, link, sign_in):
    intruder = app.test_client()
    intruder.post(link(), data=BY_LINK)
    sign_in(intruder, password=BY_LINK["password"])
    # A second link, and in again: the device is known by now, but not from before the first one.
    intruder.post(link(), data=BY_LINK)

    page = intruder.get("/account/confirm").text
    reply = intruder.post("/account/confirm", data=NEW)

    assert "You signed in on this device before" not in page
    assert "If you still know your old password, enter it here" in page
    assert reply.status_code == 200


@pytest.mark.thorough
def test_the_password_of_before_confirms_and_a_wrong_one_does_not(app, client, ada, link, sign_in):
    client.post(link(), data=BY_LINK)

    wrong = client.post("/account/confirm", data={**NEW, "earlier": BY_LINK["password"]})
    right = client.post("/account/confirm", data={**NEW, "earlier": PASSWORD})

    assert "This is not the password you had before the link." in wrong.text
    assert (right.status_code, right.location) == (302, "/")
    assert client.get("/account/confirm").location == "/account"


@pytest.mark.thorough
def test_guesses_at_the_password_of_before_are_slowed_down(client, ada, link):
    client.post(link(), data=BY_LINK)
    guess = {**NEW, "earlier": "a wrong guess"}

    statuses = [client.post("/account/confirm", data=guess).status_code for _ in range(PER_SOURCE.free + 1)]

    assert statuses == [200] * PER_SOURCE.free + [429]


def test_whoever_confirms_chooses_another_password_than_that_of_the_link(client, ada, link):
    client.post(link(), data=BY_LINK)

    reply = client.post("/account/confirm", data={**BY_LINK, "earlier": PASSWORD})

    assert "Choose another password than the one you set with the link." in reply.text
    assert client.get("/account/confirm").status_code == 200


def test_changing_the_password_alone_confirms_nothing(client, ada, link):
    client.post(link(), data=BY_LINK)

    changed = client.post("/account/password", data={**NEW, "present": BY_LINK["password"]})

    assert changed.status_code == 302
    assert client.get("/account/confirm").status_code == 200


def test_devices_are_listed_with_network_and_time_and_each_can_be_signed_out(
    app, client, ada, sign_in, stored
):
    here, there = app.test_client(), app.test_client()
    sign_in(here, headers=FIREFOX)
    sign_in(there, environ_base={"REMOTE_ADDR": "192.0.2.9"})

    page = here.get("/account/devices").text
    assert "Firefox on Linux" in page
    assert "IP address 192.0.2.9" in page
    assert page.count("This device") == 1
    assert page.count("in use now") == page.count("last used at about") == 1
    assert page.index("in use now") > page.index("This device")
    (other,) = set(re.findall(r"/account/devices/(\d+)/sign-out", page))
    reply = here.post(f"/account/devices/{other}/sign-out", follow_redirects=True)

    assert "That device is signed out." in reply.text
    assert there.get("/api/v1/session").status_code == 401
    assert here.get("/api/v1/session").status_code == 200
    with stored.read() as session:
        assert len(session.scalars(select(OpenSession.id)).all()) == 1


def test_nobody_signs_out_the_device_of_somebody_else(app, ada, sign_in, client_of, admin, stored):
    mine = app.test_client()
    sign_in(mine)
    with stored.read() as session:
        number = session.scalars(select(OpenSession.id)).one()

    reply = client_of(admin).post(f"/account/devices/{number}/sign-out")

    assert reply.status_code == 404
    assert mine.get("/api/v1/session").status_code == 200


@pytest.mark.parametrize("path", ["/sign-out", "/account/sign-out-everywhere"])
def test_a_session_that_ends_leaves_the_list(client, ada, sign_in, stored, path):
    sign_in(client)
    sign_in(client)

    client.post(path)

    with stored.read() as session:
        assert len(session.scalars(select(OpenSession.id)).all()) == (0 if path == "/sign-out" else 1)


def test_signing_in_and_failing_to_are_in_the_trail_and_typed_addresses_are_not(client, ada, sign_in, stored):
    from app.services.accounts.audit import AuditFilter, entries_of

    sign_in(client, password="wrong one, sorry")
    sign_in(client, email="my secret password")
    sign_in(client)
    client.post("/sign-out")

    with stored.read() as session:
        _, rows = entries_of(session, AuditFilter(), 1)
    assert [(row.kind.value, row.actor, row.person, row.network) for row in rows] == [
        ("signed_out", "Ada Byron", "Ada Byron", "127.0.0.1"),
        ("signed_in", "Ada Byron", "Ada Byron", "127.0.0.1"),
        ("sign_in_failed", None, None, "127.0.0.1"),
        ("sign_in_failed", None, "Ada Byron", "127.0.0.1"),
    ]
    assert EMAIL not in str(rows)
    assert "secret" not in str(rows)
