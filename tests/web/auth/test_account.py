"""One's own account: name, keys, password, and every session but this one."""

import pytest

from app.models import Person
from app.services.accounts.sign_in import PER_SOURCE
from tests.web.auth.conftest import EMAIL, PASSWORD

CHANGE = {"present": PASSWORD, "password": "a quite new one", "again": "a quite new one"}


def is_signed_in(client):
    return client.get("/api/v1/session").status_code == 200


def test_a_new_password_ends_all_other_sessions(app, ada, client_of, sign_in):
    here, elsewhere = client_of(ada.person), client_of(ada.person)
    old = here.get_cookie("touchstone").value

    reply = here.post("/account/password", data=CHANGE)

    assert (reply.status_code, reply.location) == (302, "/account")
    assert is_signed_in(here)
    assert not is_signed_in(elsewhere)
    copy = app.test_client()
    copy.set_cookie("touchstone", old)
    assert copy.get("/").location.startswith("/sign-in")
    assert sign_in(app.test_client(), EMAIL, PASSWORD).status_code == 200
    assert sign_in(app.test_client(), EMAIL, CHANGE["password"]).status_code == 302


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"present": "wrong"}, "This is not your current password."),
        ({"present": ""}, "Enter your current password."),
        ({"password": "short", "again": "short"}, "Choose a password of at least 10 characters."),
        ({"password": "x" * 600, "again": "x" * 600}, "Choose a password of at most 500 characters."),
        ({"again": "something else"}, "The two passwords differ."),
    ],
)
def test_a_password_that_cannot_be_changed_stays(app, ada, client_of, sign_in, change, message):
    client = client_of(ada.person)

    reply = client.post("/account/password", data={**CHANGE, **change})

    assert reply.status_code == 200
    assert message in reply.text
    assert is_signed_in(client)
    assert sign_in(app.test_client()).status_code == 302


@pytest.mark.thorough
def test_a_stolen_session_cannot_try_passwords_for_ever(ada, client_of):
    client = client_of(ada.person)
    wrong = {**CHANGE, "present": "wrong"}

    statuses = [client.post("/account/password", data=wrong).status_code for _ in range(PER_SOURCE.free + 1)]

    assert statuses == [200] * PER_SOURCE.free + [429]


@pytest.mark.thorough
def test_other_peoples_mistakes_do_not_keep_anybody_from_changing_theirs(
    ada, client_of, making, password_hash
):
    with making() as make:
        others = [make.person(password_hash=password_hash) for _ in range(6)]
    for other in others:
        for number in range(7):
            client_of(other).post(
                "/account/password",
                data={**CHANGE, "present": "wrong"},
                environ_base={"REMOTE_ADDR": f"192.0.2.{number}"},
            )

    reply = client_of(ada.person).post(
        "/account/password", data=CHANGE, environ_base={"REMOTE_ADDR": "192.0.2.99"}
    )

    assert reply.status_code == 302


def test_name_and_keys_are_changed_and_what_else_is_kept_stays(ada, client_of, stored):
    with stored.write() as session:
        session.get_one(Person, ada.person.id).preferences = {"guidelines": {"1": 3}, "keys": True}

    client_of(ada.person).post("/account", data={"name": "  Ada  King ", "advance": "y"})

    with stored.read() as session:
        person = session.get_one(Person, ada.person.id)
    assert person.name == "Ada King"
    kept = {"guidelines": {"1": 3}, "keys": False, "advance": True}
    assert person.preferences == kept | {
        "tap": "touch",
        "single": False,
        "marks": False,
        "goal": 0,
        "language": "en",
    }


def test_nothing_else_of_the_account_is_changed_by_its_form(ada, client_of, stored):
    everything = {column.name: "1" for column in Person.__table__.columns} | {
        "is_admin": "y",
        "role": "owner",
    }

    client_of(ada.person).post("/account", data={**everything, "name": "Ada Byron"})

    with stored.read() as session:
        person = session.get_one(Person, ada.person.id)
    unchanged = (
        "id",
        "public_id",
        "kind",
        "email",
        "password_hash",
        "is_admin",
        "session_epoch",
        "erased_at",
    )
    assert [getattr(person, name) for name in unchanged] == [getattr(ada.person, name) for name in unchanged]


@pytest.mark.parametrize("name", ["", "   ", "x" * 201])
def test_a_name_that_cannot_be_is_said(ada, client_of, stored, name):
    reply = client_of(ada.person).post("/account", data={"name": name})

    assert reply.status_code == 200
    with stored.read() as session:
        assert session.get_one(Person, ada.person.id).name == "Ada Byron"
