"""People of a project in the browser: roles that change end sessions, and no owner reaches further than their own."""

import pytest
from sqlalchemy import select

from app.models import Invitation, Membership, Person, Role
from app.services.accounts.memberships import give_role


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


@pytest.fixture
def stored(in_two_projects):
    return in_two_projects.extensions["touchstone"].database


def is_signed_in(client):
    return client.get("/api/v1/session").status_code == 200


def role_of(database, person, project):
    with database.read() as session:
        return session.get_one(Membership, (person.id, project.id)).role


@pytest.mark.parametrize("role", ["owner", "viewer", "none"])
def test_whoever_gets_another_role_signs_in_again(app, two_projects, client_of, stored, role):
    elsewhere = client_of(two_projects.here.annotator)
    assert is_signed_in(elsewhere)

    client_of(two_projects.here.owner).post(
        f"/p/here/people/{two_projects.here.annotator.public_id}/role", data={"role": role}
    )

    assert role_of(stored, two_projects.here.annotator, two_projects.here.project) == (
        None if role == "none" else role
    )
    assert elsewhere.get("/api/v1/session").status_code == 401
    assert elsewhere.get("/p/here/rate").location.startswith("/sign-in")


def test_the_same_role_again_signs_nobody_out(two_projects, client_of, app):
    elsewhere = client_of(two_projects.here.annotator)

    reply = client_of(two_projects.here.owner).post(
        f"/p/here/people/{two_projects.here.annotator.public_id}/role", data={"role": "annotator"}
    )

    assert reply.status_code == 302
    assert is_signed_in(elsewhere)


def test_rights_end_with_the_role_even_in_a_new_session(app, two_projects, client_of, stored):
    client_of(two_projects.here.owner).post(
        f"/p/here/people/{two_projects.here.viewer.public_id}/role", data={"role": "none"}
    )
    with stored.read() as session:
        again = client_of(session.get_one(Person, two_projects.here.viewer.id))

    assert is_signed_in(again)
    assert again.get("/p/here/").status_code == 404
    assert "Help for here" not in again.get("/").text


def test_the_last_owner_cannot_leave(two_projects, client_of, stored):
    with stored.write() as session:
        session.get_one(Membership, (two_projects.admin.id, two_projects.here.project.id)).role = None

    reply = client_of(two_projects.here.owner).post(
        f"/p/here/people/{two_projects.here.owner.public_id}/role", data={"role": "annotator"}
    )

    assert reply.status_code == 409
    assert "A project needs an owner" in reply.text
    assert role_of(stored, two_projects.here.owner, two_projects.here.project) == "owner"


@pytest.mark.parametrize("role", ["admin", "", "Owner", "0", "annotator "])
def test_a_role_that_does_not_exist_is_refused(two_projects, client_of, stored, role):
    reply = client_of(two_projects.here.owner).post(
        f"/p/here/people/{two_projects.here.annotator.public_id}/role", data={"role": role}
    )

    assert reply.status_code == 422
    assert role_of(stored, two_projects.here.annotator, two_projects.here.project) == "annotator"


def test_an_owner_who_becomes_an_annotator_rates_with_open_eyes(two_projects, client_of, stored):
    """The role-change matrix of blindness: what was seen is not forgotten."""
    for seen in (two_projects.here.owner, two_projects.here.viewer):
        client_of(two_projects.admin).post(
            f"/p/here/people/{seen.public_id}/role", data={"role": "annotator"}
        )
        with stored.read() as session:
            person = session.get_one(Person, seen.id)
        page = client_of(person).post("/p/here/rate", follow_redirects=True).text

        assert "Your ratings are marked as not blind" in page


def test_owners_make_no_password_links(two_projects, client_of, stored):
    """Whoever holds such a link could rate as somebody else."""
    client = client_of(two_projects.here.owner)

    assert "password link" not in client.get("/p/here/people").text.replace("new password links", "")
    for path in (
        f"/p/here/people/{two_projects.here.annotator.public_id}/reset",
        f"/accounts/{two_projects.here.annotator.public_id}/password-link",
    ):
        assert client.post(path).status_code == 404
    with stored.read() as session:
        assert session.scalars(select(Invitation).where(Invitation.kind == "reset")).all() == []


def test_an_invitation_is_taken_back_and_that_is_said_once(two_projects, client_of, stored):
    path = f"/p/here/invitations/{two_projects.here.invitation_id}/revoke"

    first = client_of(two_projects.here.owner).post(path, follow_redirects=True)
    again = client_of(two_projects.here.owner).post(path)

    assert "The invitation is revoked." in first.text
    assert again.status_code == 409
    with stored.read() as session:
        assert session.get_one(Invitation, two_projects.here.invitation_id).revoked_at


def test_no_file_is_made_somebody(two_projects, client_of, stored):
    """Imported and simulated annotators are members, but no page changes their role or gives them a password."""
    with stored.write() as session:
        source = Person(name="Imported from qrels", kind="imported")
        session.add(source)
        session.flush()
        give_role(session, two_projects.here.project.id, source.id, Role.ANNOTATOR)

    for path in (f"/p/here/people/{source.public_id}/role", f"/accounts/{source.public_id}/password-link"):
        assert client_of(two_projects.admin).post(path, data={"role": "owner"}).status_code == 404


def test_whose_address_an_invitation_names_needs_no_account_yet(two_projects, client_of):
    page = client_of(two_projects.here.owner).get("/p/here/people").text

    assert "only an account with that address, existing or new, can use its link" in page


def test_an_address_for_an_invitation_is_checked(two_projects, client_of, stored):
    reply = client_of(two_projects.here.owner).post(
        "/p/here/people", data={"role": "annotator", "whom": "Ada\nno@sense"}
    )

    assert reply.status_code == 200
    assert "no@sense is not an e-mail address." in reply.text
    assert "/invitation/" not in reply.text


@pytest.mark.parametrize("email", ["ada\u200b@example.org", "x" * 330 + "@example.org", "a@b.c\u202e"])
def test_an_address_that_only_the_service_refuses_is_no_failure(two_projects, client_of, email):
    reply = client_of(two_projects.here.owner).post(
        "/p/here/people", data={"role": "annotator", "whom": email}
    )

    assert reply.status_code in {200, 422}
    assert "/invitation/" not in reply.text
