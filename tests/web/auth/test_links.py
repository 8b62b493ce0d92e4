"""Links that work once, in the browser: the set-up link, invitations and password resets."""

import re

import pytest
from sqlalchemy import select

from app.models import Invitation, Membership, Person, Role, now_utc
from app.services.accounts.invitations import invite, issue_reset, issue_set_up
from app.services.accounts.sign_in import PER_SOURCE
from tests.web.auth.conftest import EMAIL, PASSWORD

NEW = {"name": "Eve Example", "email": "eve@example.org", "password": "a long enough one"}
PASSWORDS = {"password": "another long one", "again": "another long one"}


@pytest.fixture
def project(making):
    with making() as make:
        return make.project(slug="help-centre", name="Help centre")


@pytest.fixture
def link(making, project):
    """Return what makes an invitation and returns its path."""

    def link(role="annotator", email=None):
        with making() as make:
            return "/invitation/" + invite(make.session, project_id=project.id, role=Role(role), email=email)

    return link


@pytest.fixture
def reset(making, ada):
    with making() as make:
        return "/reset/" + issue_reset(make.session, make.session.get_one(Person, ada.person.id))


@pytest.fixture
def set_up(making):
    with making() as make:
        return f"/set-up/{issue_set_up(make.session)}"


def role_of(database, email):
    with database.read() as session:
        wanted = select(Membership.role).join(Person, Person.id == Membership.person_id)
        return session.scalar(wanted.where(Person.email == email))


def is_signed_in(client):
    return client.get("/api/v1/session").status_code == 200


def test_the_set_up_link_makes_an_administrator(client, set_up, stored):
    page = client.get(set_up)
    reply = client.post(set_up, data=NEW)

    assert (page.status_code, reply.status_code, reply.location) == (200, 302, "/")
    assert is_signed_in(client)
    with stored.read() as session:
        assert session.scalars(select(Person.is_admin).where(Person.email == NEW["email"])).one()


def test_the_set_up_link_makes_the_owner_of_the_demo_and_of_nothing_else(client, set_up, making, stored):
    with making() as make:
        demo, other = make.project(is_demo=True), make.project()
    client.post(set_up, data=NEW)

    with stored.read() as session:
        wanted = select(Membership.project_id, Membership.role).join(
            Person, Person.id == Membership.person_id
        )
        assert session.execute(wanted.where(Person.email == NEW["email"])).all() == [(demo.id, "owner")]
    demo_page, other_page = (client.get(f"/p/{one.slug}/people").text for one in (demo, other))
    assert "You, as an administrator" not in demo_page
    assert NEW["email"] in demo_page
    assert "You, as an administrator" in other_page


def test_an_administrator_is_listed_beside_the_members(client, set_up, making):
    with making() as make:
        project = make.project()
        member = make.member(project, "annotator")
    client.post(set_up, data=NEW)
    page = client.get(f"/p/{project.slug}/people").text

    assert "You, as an administrator" in page
    assert member.name in page


def test_who_signs_in_before_the_first_account_is_pointed_to_the_set_up_link(client, set_up):
    page = client.get("/sign-in")
    client.post(set_up, data=NEW)
    client.post("/sign-out")

    assert "Make the first one with the set-up link" in page.text
    assert "Ask an owner of your project" not in page.text
    assert "Ask an owner of your project" in client.get("/sign-in").text


def test_the_set_up_link_works_once(app, client, set_up):
    client.post(set_up, data=NEW)

    again = app.test_client().post(set_up, data={**NEW, "email": "mallory@example.org"})

    assert again.status_code == 410


def test_the_set_up_link_is_worth_nothing_once_somebody_can_sign_in(client, set_up, ada):
    assert client.get(set_up).status_code == 410
    assert client.post(set_up, data=NEW).status_code == 410


def test_the_set_up_link_of_an_earlier_start_is_worth_nothing(client, set_up, making):
    with making() as make:
        newer = issue_set_up(make.session)

    assert client.get(set_up).status_code == 410
    assert client.get(f"/set-up/{newer}").status_code == 200


def test_an_invitation_makes_an_account_that_gets_its_role_by_signing_in(app, client, link, sign_in, stored):
    path = link("viewer")

    page = client.get(path)
    reply = client.post(path, data=NEW)
    form = client.get(reply.location)

    assert "Help centre" in page.text
    assert "Create an account, then sign in to accept the invitation." in page.text
    assert "Accept the invitation" not in page.text
    assert (reply.status_code, reply.location) == (302, "/sign-in")
    assert not is_signed_in(client)
    assert "To accept the invitation, sign in here, in this browser, with the address" in form.text
    assert f'value="{NEW["email"]}"' in form.text
    assert sign_in(client, NEW["email"], NEW["password"]).location == "/"
    assert is_signed_in(client)
    assert role_of(stored, NEW["email"]) == "viewer"
    assert app.test_client().get(path).status_code == 410


def test_whoever_makes_an_account_is_told_who_sees_the_address(
    client, client_of, making, project, link, set_up
):
    told = "You sign in with it, and owners of your projects see it. Nothing is sent to it."
    with making() as make:
        owner = make.member(project, "owner")

    assert told in client.get(set_up).text
    path = link("viewer")
    assert told in client.get(path).text
    client.post(path, data=NEW)
    client.post("/sign-in", data=NEW)
    assert NEW["email"] in client_of(owner).get("/p/help-centre/people").text


def test_whoever_signs_in_elsewhere_before_the_invitation_is_taken_can_open_it_again(
    app, client, link, stored
):
    path, elsewhere = link("viewer"), app.test_client()
    client.post(path, data=NEW)

    home = elsewhere.post("/sign-in", data=NEW, follow_redirects=True).text

    assert "You are not part of a project yet." in home
    assert "Open your invitation link again, or ask an owner for one." in home
    elsewhere.post(path, data={})
    assert role_of(stored, NEW["email"]) == "viewer"


def test_an_invitation_is_taken_with_the_account_that_is_signed_in(client_of, ada, link, stored):
    client = client_of(ada.person)
    path = link("viewer")

    assert "You are signed in as Ada Byron" in client.get(path).text
    assert client.post(path, data={}).location == "/"
    assert role_of(stored, EMAIL) == "viewer"
    assert client.get(path).status_code == 410


@pytest.mark.thorough
@pytest.mark.parametrize("present", ["owner", "annotator", "viewer"])
@pytest.mark.parametrize("offered", ["owner", "annotator", "viewer"])
def test_an_invitation_never_takes_a_role_away(client_of, making, project, link, stored, present, offered):
    with making() as make:
        member = make.member(project, present, email="bo@example.org")
    path = link(offered)

    reply = client_of(member).post(path, data={})

    gains = offered == "owner" != present
    assert role_of(stored, "bo@example.org") == ("owner" if gains else present)
    assert reply.status_code == (302 if gains else 200)
    if not gains:
        assert f"{present} of this project already" in reply.text
        assert client_of(member).get(path).status_code == 200, "it can still be given to somebody else"


def test_whoever_was_taken_out_can_be_invited_again_and_has_still_seen_rankers(
    client_of, making, project, link, stored
):
    with making() as make:
        member = make.member(project, "viewer", email="bo@example.org")
        make.session.get_one(Membership, (member.id, project.id)).role = None

    client_of(member).post(link("annotator"), data={})

    with stored.read() as session:
        membership = session.get_one(Membership, (member.id, project.id))
    assert (membership.role, membership.saw_rankers) == ("annotator", True)


def test_an_invitation_for_one_address_takes_no_other(client, client_of, ada, link, sign_in, stored):
    path = link("owner", email="EVE@example.org ")

    as_mallory = client.post(path, data={**NEW, "email": "mallory@example.org"})
    as_ada = client_of(ada.person).post(path, data={})
    as_eve = client.post(path, data=NEW)

    assert "This invitation is for eve@example.org." in as_mallory.text
    assert "This invitation is for eve@example.org." in as_ada.text
    assert as_eve.status_code == 302
    sign_in(client, NEW["email"], NEW["password"])
    assert role_of(stored, EMAIL) is None
    assert role_of(stored, "eve@example.org") == "owner"


@pytest.mark.parametrize("email", [EMAIL, "ADA@EXAMPLE.ORG", " ada@example.org", "ａda@example.org"])
@pytest.mark.thorough
def test_an_address_that_has_an_account_is_answered_like_one_that_has_none(app, ada, link, stored, email):
    known, unknown = (
        answers(app.test_client(), link(), {**NEW, "email": typed, "password": "mallory's password"})
        for typed in (email, "nobody@example.org")
    )

    assert known == unknown
    with stored.read() as session:
        hashes = dict(session.execute(select(Person.email, Person.password_hash)).all())
    assert hashes.keys() == {EMAIL, "nobody@example.org"}
    assert hashes[EMAIL] == ada.person.password_hash


def answers(client, path, form):
    """Return what somebody sees who fills an invitation in: status and place, next page, the link again."""
    reply = client.post(path, data=form)
    pages = [client.get(reply.location), client.get(path), client.post(path, data=form)]
    seen = [(page.status_code, page.location, stripped(page.text)) for page in pages]
    typed = re.escape(form["email"].strip())
    return [reply.status_code, reply.location, re.sub(f"{typed}|ada@example.org|{path}", "X", str(seen))]


def test_an_invitation_answers_for_one_address_only(client, ada, link):
    path = link()
    client.post(path, data={**NEW, "email": "nobody@example.org"})

    reply = client.post(path, data={**NEW, "email": EMAIL})

    assert reply.status_code == 200
    assert "This invitation is for nobody@example.org." in reply.text


def test_an_account_that_was_there_takes_the_invitation_with_its_own_password(
    client, ada, link, sign_in, stored
):
    client.post(link(), data={**NEW, "email": EMAIL})

    assert sign_in(client, EMAIL, NEW["password"]).status_code == 200
    assert role_of(stored, EMAIL) is None
    assert sign_in(client).status_code == 302
    assert role_of(stored, EMAIL) == "annotator"


def test_whoever_signs_in_with_another_account_does_not_take_the_invitation(
    client, ada, link, sign_in, stored
):
    client.post(link(), data=NEW)

    assert sign_in(client).location == "/"

    assert "This invitation is for eve@example.org." in client.get("/").text
    assert role_of(stored, EMAIL) is None


def test_an_invitation_that_was_revoked_meanwhile_keeps_nobody_from_signing_in(client, link, sign_in, stored):
    client.post(link(), data=NEW)
    with stored.write() as session:
        session.scalars(select(Invitation)).one().revoked_at = now_utc()

    assert sign_in(client, NEW["email"], NEW["password"]).location == "/"

    assert is_signed_in(client)
    assert role_of(stored, NEW["email"]) is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    "email", ["ada@example.org\u200b", "ada\u00ad@example.org", "a b@example.org", "ada", "@", "a@b"]
)
def test_an_address_that_only_looks_like_another_is_refused(client, ada, link, email):
    reply = client.post(link(), data={**NEW, "email": email})

    assert reply.status_code == 200
    assert "is not an e-mail address" in reply.text


@pytest.mark.thorough
@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": "x" * 201},
        {"email": ""},
        {"password": "short"},
        {"password": "x" * 501},
        {"name": "\u200b"},
    ],
)
def test_what_cannot_be_right_is_said_and_uses_nothing_up(client, link, change):
    path = link()

    reply = client.post(path, data={**NEW, **change})

    assert reply.status_code == 200
    assert "<title>Error: " in reply.text
    assert client.post(path, data=NEW).status_code == 302


def test_a_reset_sets_the_password_and_ends_every_session(app, client, client_of, ada, reset, sign_in):
    elsewhere = client_of(ada.person)
    assert is_signed_in(elsewhere)

    reply = client.post(reset, data=PASSWORDS)

    assert (reply.status_code, reply.location) == (302, "/account/confirm")
    assert is_signed_in(client)
    assert not is_signed_in(elsewhere)
    assert sign_in(app.test_client()).status_code == 200
    assert sign_in(app.test_client(), password=PASSWORDS["password"]).status_code == 302


@pytest.mark.thorough
def test_a_reset_lets_somebody_in_who_was_locked_out(app, client, reset, sign_in):
    for _ in range(PER_SOURCE.free):
        sign_in(app.test_client(), password="wrong")
    assert sign_in(app.test_client()).status_code == 429

    client.post(reset, data=PASSWORDS)

    assert sign_in(app.test_client(), password=PASSWORDS["password"]).status_code == 302


def test_a_reset_works_once(app, client, reset):
    client.post(reset, data=PASSWORDS)

    told = "If you have used it already, sign in with your new password."
    for again in (app.test_client().get(reset), app.test_client().post(reset, data=PASSWORDS)):
        assert again.status_code == 410
        assert told in again.text


def test_an_invitation_that_is_none_is_called_needless_to_whoever_has_used_it(client):
    page = client.get("/invitation/abc").text

    assert "If you have used it already, you need none." in page
    assert "new password" not in page


def test_a_new_password_makes_every_other_reset_link_worthless(app, client, making, ada, reset):
    with making() as make:
        second = "/reset/" + issue_reset(make.session, make.session.get_one(Person, ada.person.id))

    client.post(reset, data=PASSWORDS)

    assert app.test_client().get(second).status_code == 410


def test_a_reset_of_somebody_erased_is_worthless(client, stored, ada, reset):
    with stored.write() as session:
        session.get_one(Person, ada.person.id).erased_at = now_utc()

    assert client.post(reset, data=PASSWORDS).status_code == 410


@pytest.mark.parametrize(
    "passwords",
    [
        {"password": "short", "again": "short"},
        {"password": "a long enough one", "again": "a long enough two"},
        {},
    ],
)
def test_a_reset_that_is_refused_can_be_tried_again(client, reset, passwords):
    assert client.post(reset, data=passwords).status_code == 200
    assert client.post(reset, data=PASSWORDS).status_code == 302


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["invitation", "reset", "set_up"])
@pytest.mark.parametrize("end", ["used", "expired", "revoked", "unknown"])
def test_every_link_that_works_no_more_gives_the_same_page(request, client, link, stored, kind, end):
    path = link() if kind == "invitation" else request.getfixturevalue(kind)
    with stored.write() as session:
        (row,) = session.scalars(select(Invitation).where(Invitation.kind != "x"))
        if end == "used":
            row.used_at = now_utc()
        elif end == "expired":
            row.expires_at = now_utc()
        elif end == "revoked":
            row.revoked_at = now_utc()
    path = path if end != "unknown" else path[:-1] + ("A" if path[-1] != "A" else "B")

    replies = [client.get(path), client.post(path, data={**NEW, **PASSWORDS})]
    nonsense = client.get(f"/{kind.replace('_', '-')}/nonsense")

    for reply in replies:
        assert reply.status_code == 410
        assert "This link no longer works" in reply.text
    assert stripped(replies[0].text) == stripped(nonsense.text)


def stripped(page):
    return re.sub(r'(csrf[^>]*(?:content|value)=|name="next" value=)"[^"]*', r"\1", page)


def test_links_of_one_kind_are_worthless_as_another(client, link, reset):
    invitation = link().rpartition("/")[2]
    token = reset.rpartition("/")[2]

    for path in (f"/reset/{invitation}", f"/set-up/{invitation}", f"/invitation/{token}", f"/set-up/{token}"):
        assert client.get(path).status_code == 410
        assert client.post(path, data={**NEW, **PASSWORDS}).status_code == 410


def test_nothing_but_its_own_fields_is_taken_from_the_form(client, link, sign_in, stored):
    everything = {column.name: "1" for column in Person.__table__.columns} | {
        "role": "owner",
        "project_id": "7",
        "kind": "set_up",
        "is_admin": "y",
        "session_epoch": "99",
    }

    client.post(link("annotator"), data={**everything, **NEW})
    sign_in(client, NEW["email"], NEW["password"])

    with stored.read() as session:
        person = session.scalars(select(Person).where(Person.email == NEW["email"])).one()
    assert (person.is_admin, person.session_epoch, person.kind, person.erased_at) == (
        False,
        0,
        "person",
        None,
    )
    assert person.preferences == {}
    assert role_of(stored, NEW["email"]) == "annotator"


def test_tokens_are_nowhere_in_the_database(client, ada, link, reset, making, stored, tmp_path):
    with making() as make:
        project_less = invite(make.session, project_id=None, role=Role.VIEWER)
    used = link()
    client.post(used, data=NEW)

    kept = b"".join(path.read_bytes() for path in tmp_path.glob("touchstone.sqlite3*"))
    for token in (used.rpartition("/")[2], reset.rpartition("/")[2], project_less):
        assert len(token) == 43, "256 bits"
        assert token.encode() not in kept
    assert NEW["password"].encode() not in kept
    assert PASSWORD.encode() not in kept
    assert b"$argon2id$" in kept


def test_an_invitation_made_by_an_owner_is_worthless_after_they_lost_their_role(
    client, client_of, making, project, stored
):
    with making() as make:
        first, second = make.member(project, "owner"), make.member(project, "owner", email="bo@example.org")
    client = client_of(second)
    page = client.post("/p/help-centre/people", data={"role": "owner"}).text
    (way_back,) = set(re.findall(r"/invitation/[\w-]{43}", page))

    client_of(first).post(f"/p/help-centre/people/{second.public_id}/role", data={"role": "none"})

    assert client.get(way_back).status_code == 410
    assert not is_signed_in(client)
