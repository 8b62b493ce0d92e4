"""Redeeming a link: fifty people at once, one winner; bound to an address; never a role taken away."""

import threading

import pytest
from sqlalchemy import func, select

from app.models import Invitation, Membership, Person, Role, now_utc
from app.services.accounts.invitations import invite, issue_reset, issue_set_up
from app.services.accounts.redeeming import accept_as, accept_reset, accept_set_up, sign_up
from app.services.errors import ConflictError, GoneError, InvalidError, ServiceError
from tests.furniture.factories import Make

PEOPLE = 50


def at_once(work, numbers):
    """Run a piece of work for each number at the same moment, and return what each came to."""
    start, results = threading.Barrier(len(numbers)), {}

    def run(number):
        start.wait(30)
        try:
            results[number] = work(number)
        except ServiceError as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results.keys() == set(numbers), "nothing but a refusal may stop a redemption"
    return results


@pytest.fixture
def project(database):
    with database.write() as session:
        return Make(session).project()


def test_of_fifty_new_people_with_one_link_exactly_one_gets_an_account(database, project):
    with database.write() as session:
        token = invite(session, project_id=project.id, role=Role.ANNOTATOR)

    def accept(number):
        with database.write() as session:
            new = {"email": f"p{number}@example.org", "name": "P", "password_hash": "x"}
            return sign_up(session, token, **new)

    results = at_once(accept, range(PEOPLE))

    (winner,) = [number for number, result in results.items() if result is None]
    assert {type(result) for result in results.values() if result is not None} == {InvalidError}
    with database.read() as session:
        assert session.scalars(select(Person.email)).all() == [f"p{winner}@example.org"]
        assert session.scalar(select(Invitation.email)) == f"p{winner}@example.org"


def test_of_fifty_clicks_by_one_new_person_exactly_one_makes_the_account(database, project):
    with database.write() as session:
        tokens = [invite(session, project_id=project.id, role=Role.ANNOTATOR) for _ in range(2)]

    def accept(number):
        with database.write() as session:
            new = {"email": "ada@example.org", "name": "Ada", "password_hash": "x"}
            return sign_up(session, tokens[number % 2], **new)

    results = at_once(accept, range(PEOPLE))

    assert set(results.values()) == {None}, "none of them learns who was first"
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Person)) == 1


def test_of_fifty_accounts_with_one_link_exactly_one_gets_the_role(database, project):
    with database.write() as session:
        make = Make(session)
        people = [make.person().id for _ in range(PEOPLE)]
        token = invite(session, project_id=project.id, role=Role.OWNER)

    def accept(number):
        with database.write() as session:
            accept_as(session, token, people[number])

    results = at_once(accept, range(PEOPLE))

    assert sum(result is None for result in results.values()) == 1
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Membership)) == 1


def test_of_fifty_new_passwords_through_one_link_exactly_one_is_set(database):
    with database.write() as session:
        person = Make(session).person(password_hash="old")
        token = issue_reset(session, person)

    def accept(number):
        with database.write() as session:
            accept_reset(session, token, f"hash {number}")

    results = at_once(accept, range(PEOPLE))

    (winner,) = [number for number, result in results.items() if result is None]
    with database.read() as session:
        stored = session.get_one(Person, person.id)
    assert (stored.password_hash, stored.session_epoch) == (f"hash {winner}", 1)


def test_of_fifty_who_set_up_a_site_exactly_one_administers_it(database):
    with database.write() as session:
        token = issue_set_up(session)

    def accept(number):
        with database.write() as session:
            new = {"email": f"p{number}@example.org", "name": "P", "password_hash": "x"}
            return accept_set_up(session, token, **new).id

    at_once(accept, range(PEOPLE))

    with database.read() as session:
        assert session.scalars(select(Person.is_admin)).all() == [True]


def test_a_refusal_uses_nothing_up(session, make):
    project = make.project()
    make.person(email="bo@example.org")
    token = invite(session, project_id=project.id, role=Role.VIEWER, email="ada@example.org")
    member = make.member(project, "owner", email="olga@example.org")

    with pytest.raises(InvalidError, match="for ada@"):
        sign_up(session, token, email="bo@example.org", name="Bo", password_hash="x")
    with pytest.raises(InvalidError, match="for ada@"):
        accept_as(session, token, member.id)

    assert session.scalars(select(Invitation.used_at)).all() == [None]
    sign_up(session, token, email=" ADA@example.org", name="Ada", password_hash="x")


def test_signing_up_with_the_address_of_an_account_leaves_the_account_as_it_is(session, make):
    project = make.project()
    ada = make.person(name="Ada", email="ada@example.org", password_hash="hers")
    token = invite(session, project_id=project.id, role=Role.VIEWER)

    sign_up(session, token, email="ada@example.org", name="Mallory", password_hash="his")

    assert (ada.name, ada.password_hash) == ("Ada", "hers")
    assert session.get(Membership, (ada.id, project.id)) is None, "she has to accept it herself"
    accept_as(session, token, ada.id)
    assert session.get_one(Membership, (ada.id, project.id)).role == "viewer"


@pytest.mark.parametrize("present", ["owner", "annotator", "viewer"])
@pytest.mark.parametrize("offered", ["owner", "annotator", "viewer"])
def test_a_role_is_raised_to_owner_and_never_otherwise_changed(session, make, present, offered):
    project = make.project()
    member = make.member(project, present)
    token = invite(session, project_id=project.id, role=Role(offered))

    if offered == "owner" and present != "owner":
        accept_as(session, token, member.id)
        expected = "owner"
    else:
        with pytest.raises(ConflictError, match=f"{present} of this project already"):
            accept_as(session, token, member.id)
        expected = present

    assert session.get_one(Membership, (member.id, project.id)).role == expected


def test_whoever_becomes_owner_through_a_link_has_seen_rankers(session, make):
    project = make.project()
    member = make.member(project, "annotator")

    accept_as(session, invite(session, project_id=project.id, role=Role.OWNER), member.id)

    assert session.get_one(Membership, (member.id, project.id)).saw_rankers


def test_only_the_set_up_link_makes_an_administrator(session, make):
    invited = invite(session, project_id=make.project().id, role=Role.OWNER)
    set_up = issue_set_up(session)

    sign_up(session, invited, email="ada@example.org", name="Ada", password_hash=None)
    with pytest.raises(GoneError):
        accept_set_up(session, invited, email="eve@example.org", name="Eve", password_hash="x")
    first = accept_set_up(session, set_up, email="bo@example.org", name="Bo", password_hash="x")

    assert first.is_admin
    assert session.scalars(select(Person.email).where(Person.is_admin)).all() == ["bo@example.org"]


def test_a_link_for_somebody_erased_sets_no_password(session, make):
    person = make.person()
    token = issue_reset(session, person)
    person.erased_at = now_utc()
    session.flush()

    with pytest.raises(GoneError):
        accept_reset(session, token, "x")

    assert person.password_hash is None
