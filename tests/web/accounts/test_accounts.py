"""The page of all accounts: administrators find, disable, enable, sign out, and confirm; nobody else sees it."""

import re

import pytest
from sqlalchemy import select

from app.models import Erasure, Invitation, Person, SharedLink


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


@pytest.fixture
def stored(in_two_projects):
    return in_two_projects.extensions["touchstone"].database


@pytest.fixture
def admin(two_projects, client_of):
    return client_of(two_projects.admin)


def is_in(client):
    return client.get("/api/v1/session").status_code == 200


def test_people_are_listed_with_their_roles_and_found_by_name_or_address(two_projects, admin):
    page = admin.get("/accounts").text
    assert "Sam Stranger" in page
    assert "sam@example.org" in page
    assert re.search(r'Owner of\s*<a href="/p/here/people" dir="auto">[^<]+</a>', page)
    assert "has not signed in yet" in page

    for search in ("STRANGER", "sam@exam"):
        found = admin.get("/accounts", query_string={"search": search}).text
        assert "Sam Stranger" in found
        assert "1 account<" in found
    assert "No account has this name or address." in admin.get("/accounts?search=%25").text


def test_long_lists_of_accounts_have_pages(two_projects, admin, stored):
    with stored.write() as session:
        session.add_all(Person(name=f"Counted {n:03}", email=f"p{n}@example.org") for n in range(60))

    first, second = (
        admin.get("/accounts?search=counted").text,
        admin.get("/accounts?search=counted&page=2").text,
    )

    assert "Counted 049" in first
    assert "Counted 050" not in first
    assert "Counted 059" in second


def test_a_disabled_account_is_out_at_once_and_can_come_back(app, two_projects, admin, client_of, stored):
    annotator = two_projects.here.annotator
    client, program = client_of(annotator), app.test_client()
    token = {"Authorization": f"Bearer {two_projects.here.tokens[annotator.id][1]}"}
    assert is_in(client)
    assert program.get("/api/v1/projects", headers=token).status_code == 200

    reply = admin.post(f"/accounts/{annotator.public_id}/disable", follow_redirects=True)

    assert f"{annotator.name} cannot sign in any more." in reply.text
    assert not is_in(client)
    assert program.get("/api/v1/projects", headers=token).status_code == 401
    assert admin.post(f"/accounts/{annotator.public_id}/password-link").status_code == 409
    admin.post(f"/accounts/{annotator.public_id}/enable")
    with stored.read() as session:
        person = session.get_one(Person, annotator.id)
    assert not is_in(client), "the session of before stays ended"
    assert is_in(client_of(person))


def test_links_of_a_disabled_account_stop_working(two_projects, admin, stored):
    admin.post(f"/accounts/{two_projects.here.owner.public_id}/disable")

    with stored.read() as session:
        made = session.scalars(
            select(Invitation).where(Invitation.created_by == two_projects.here.owner.id)
        ).all()
        shared = session.scalars(
            select(SharedLink).where(SharedLink.created_by == two_projects.here.owner.id)
        ).all()
    assert made
    assert shared
    assert all(link.revoked_at for link in [*made, *shared])


def test_nobody_disables_themselves(two_projects, admin, client_of):
    reply = admin.post(f"/accounts/{two_projects.admin.public_id}/disable", follow_redirects=True)

    assert "You cannot disable your own account" in reply.text
    assert is_in(admin)


def test_signing_somebody_out_ends_all_their_sessions(two_projects, admin, client_of):
    clients = [client_of(two_projects.here.viewer) for _ in range(2)]

    admin.post(f"/accounts/{two_projects.here.viewer.public_id}/sign-out")

    assert [is_in(client) for client in clients] == [False, False]
    assert is_in(admin)


def test_an_administrator_makes_a_password_link_but_none_for_administrators(app, two_projects, admin):
    page = admin.post(f"/accounts/{two_projects.here.owner.public_id}/password-link").text
    (link,) = set(re.findall(r"/reset/[\w-]{43}", page))

    assert app.test_client().get(link).status_code == 200
    assert admin.post(f"/accounts/{two_projects.admin.public_id}/password-link").status_code == 409


def test_the_maker_of_the_link_confirms_nothing_and_another_administrator_does(
    app, two_projects, admin, client_of, stored
):
    with stored.write() as session:
        session.get_one(Person, two_projects.here.annotator.id).password_hash = "before"
        other = Person(name="Ola", email="ola@example.org", is_admin=True)
        session.add(other)
    page = admin.post(f"/accounts/{two_projects.here.annotator.public_id}/password-link").text
    (link,) = set(re.findall(r"/reset/[\w-]{43}", page))
    app.test_client().post(link, data={"password": "a long enough one", "again": "a long enough one"})
    path = f"/accounts/{two_projects.here.annotator.public_id}/confirm"

    assert "Password not confirmed" in admin.get("/accounts").text
    assert "Password not confirmed" in client_of(two_projects.here.owner).get("/p/here/people").text
    assert "Another administrator must confirm this" in admin.post(path, follow_redirects=True).text
    assert "Confirmed." in client_of(other).post(path, follow_redirects=True).text
    assert "Password not confirmed" not in admin.get("/accounts").text


def test_the_menu_leads_administrators_to_both_pages_and_nobody_else(two_projects, admin, client_of):
    assert 'action="/accounts"' in admin.get("/").text
    assert 'action="/trail"' in admin.get("/").text
    assert "/accounts" not in client_of(two_projects.here.owner).get("/").text


def test_a_person_is_erased_once_the_address_is_typed_and_is_out_at_once(
    two_projects, admin, client_of, stored
):
    annotator = two_projects.here.annotator
    client = client_of(annotator)
    address = f"/accounts/{annotator.public_id}/erase"
    assert "so no score changes" in admin.get(address).text
    assert "Type the e-mail address" in admin.post(address, data={"typed": "x"}).text

    done = admin.post(address, data={"typed": annotator.email.upper()}, follow_redirects=True)

    assert "The person is erased. Their ratings stay." in done.text
    assert annotator.email not in done.text
    assert not is_in(client)
    with stored.read() as session:
        person = session.get_one(Person, annotator.id)
        assert person.name == "Erased person 1"
        erasure = session.scalars(select(Erasure)).one()
        assert erasure.actor_id == two_projects.admin.id
        assert erasure.cleaned_at is not None
    assert admin.get(address).status_code == 404


def test_nobody_erases_themselves(two_projects, admin, stored):
    refused = admin.post(
        f"/accounts/{two_projects.admin.public_id}/erase", data={"typed": two_projects.admin.email}
    )

    assert "You cannot erase your own account" in refused.text
    with stored.read() as session:
        assert session.get_one(Person, two_projects.admin.id).erased_at is None
