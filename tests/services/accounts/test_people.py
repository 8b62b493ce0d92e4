"""Accounts: one mailbox is one account, and a change of password ends what was open before."""

import pytest
from sqlalchemy import select

from app.models import Invitation, Person, Role
from app.services.accounts.invitations import issue_reset
from app.services.accounts.people import (
    account_exists,
    change_password,
    create_person,
    end_sessions,
    find_person,
    get_person,
    normal_email,
    normal_name,
    projects_of,
)
from app.services.errors import ConflictError, InvalidError, NotFoundError


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("ada@example.org", "ada@example.org"),
        (" Ada@Example.ORG\n", "ada@example.org"),
        ("ａｄａ@example.org", "ada@example.org"),
        ("ada+rating@example.org", "ada+rating@example.org"),
        ("ÄDA@exämple.org", "äda@exämple.org"),
        ("ada@mail.example.org", "ada@mail.example.org"),
    ],
)
def test_an_address_has_one_spelling(written, stored):
    assert normal_email(written) == stored


@pytest.mark.parametrize(
    "written",
    [
        "",
        "ada",
        "ada@",
        "@example.org",
        "ada@example",
        "ada@example.",
        "ada byron@example.org",
        "ada@example.org,bo@example.org",
        "ada@@example.org",
        "ada@example.org\u200b",
        "a\u00adda@example.org",
        "ada\u202e@example.org",
        "ada\x00@example.org",
        "ada@example.org\x7f",
        "a" * 320 + "@example.org",
    ],
)
def test_what_is_no_address_is_said(written):
    with pytest.raises(InvalidError, match="is not an e-mail address") as refused:
        normal_email(written)

    assert len(refused.value.message) < 200


@pytest.mark.parametrize(
    ("written", "stored"),
    [("  Ada \t King\n", "Ada King"), ("Ada\u202e King", "Ada King"), ("李 小龙", "李 小龙")],
)
def test_a_name_is_one_line_of_signs_that_can_be_seen(written, stored):
    assert normal_name(written) == stored


@pytest.mark.parametrize("written", ["", "  ", "\u200b", "x" * 201])
def test_a_name_that_nobody_could_read_is_refused(written):
    with pytest.raises(InvalidError):
        normal_name(written)


def test_one_mailbox_is_one_account(session):
    create_person(session, email="ada@example.org", name="Ada")

    for same in ("ada@example.org", "ADA@example.org ", "ａda@example.org"):
        with pytest.raises(ConflictError, match="already an account for ada@"):
            create_person(session, email=same, name="Ada again")


def test_somebody_who_was_quicker_is_noticed_by_the_database(session, monkeypatch):
    create_person(session, email="ada@example.org", name="Ada")
    monkeypatch.setattr("app.services.accounts.people.find_person", lambda *_: None)

    with pytest.raises(ConflictError), session.begin_nested():
        create_person(session, email="ada@example.org", name="Ada again")


def test_an_account_is_found_in_any_spelling(session, make):
    ada = make.person(email="ada@example.org")

    assert find_person(session, " ADA@example.org") is ada
    assert find_person(session, "bo@example.org") is None
    assert find_person(session, "nonsense") is None
    assert get_person(session, ada.id) is ada
    with pytest.raises(NotFoundError):
        get_person(session, ada.id + 1)


def test_an_account_without_a_password_is_nobody_who_can_sign_in(session, make):
    make.person()
    assert not account_exists(session)

    make.person(password_hash="x")
    assert account_exists(session)


def test_a_new_password_ends_sessions_and_open_reset_links(session, make):
    ada, bo = make.person(), make.person()
    issue_reset(session, ada)
    issue_reset(session, bo)

    changed = change_password(session, ada.id, "a new hash")

    assert (changed.password_hash, changed.session_epoch) == ("a new hash", 1)
    links = session.scalars(select(Invitation).order_by(Invitation.id)).all()
    assert [link.revoked_at is not None for link in links] == [True, False]


def test_the_epoch_only_rises(session, make):
    ada = make.person()

    assert [end_sessions(session, ada.id).session_epoch for _ in range(3)] == [1, 2, 3]


def test_two_changes_at_once_end_up_at_two_epochs(database):
    """Each adds to what is stored, not to what it has read before."""
    with database.write() as session:
        session.add(Person(name="Ada", email="ada@example.org"))
        session.flush()
        number = session.scalars(select(Person.id)).one()
    with database.read() as stale:
        assert stale.get_one(Person, number).session_epoch == 0
        with database.write() as session:
            end_sessions(session, number)
        with database.write() as session:
            assert end_sessions(session, number).session_epoch == 2


def test_people_see_their_own_projects_and_administrators_all(session, make):
    first, second = make.project(name="A"), make.project(name="B")
    member, admin = make.member(first, "viewer"), make.person(is_admin=True)
    make.member(second, "owner")

    assert projects_of(session, member) == [(first, Role.VIEWER)]
    assert projects_of(session, admin) == [(first, Role.OWNER), (second, Role.OWNER)]
