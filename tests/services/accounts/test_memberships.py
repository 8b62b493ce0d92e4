"""Roles: given, changed and taken, never the last owner's, and with every session and link that went with them."""

import threading

import pytest
from sqlalchemy import select

from app.models import Invitation, Membership, Person, Role
from app.services.accounts.invitations import invite
from app.services.accounts.memberships import change_role, give_role, members_of
from app.services.errors import ConflictError, NotFoundError
from tests.furniture.factories import Make


def role_of(session, person, project):
    return session.get_one(Membership, (person.id, project.id)).role


@pytest.mark.parametrize("before", ["annotator", "viewer", "owner"])
@pytest.mark.parametrize("after", ["annotator", "viewer", "owner", None])
def test_every_change_of_role_ends_all_sessions(session, make, before, after):
    project = make.project()
    make.member(project, "owner")
    ada = make.member(project, before)

    changed = change_role(session, project.id, ada.id, Role(after) if after else None)

    assert changed == (before != after)
    assert role_of(session, ada, project) == after
    assert ada.session_epoch == (1 if changed else 0)


@pytest.mark.parametrize("seen", ["owner", "viewer"])
def test_eyes_that_saw_rankers_are_never_blind_again(session, make, seen):
    project = make.project()
    make.member(project, "owner")
    ada = make.member(project, seen)

    change_role(session, project.id, ada.id, Role.ANNOTATOR)
    change_role(session, project.id, ada.id, None)
    give_role(session, project.id, ada.id, Role.ANNOTATOR)

    assert session.get_one(Membership, (ada.id, project.id)).saw_rankers


def test_an_annotator_is_blind_until_they_see(session, make):
    project = make.project()
    ada = make.member(project, "annotator")

    assert not session.get_one(Membership, (ada.id, project.id)).saw_rankers


@pytest.mark.parametrize("after", [Role.ANNOTATOR, Role.VIEWER, None])
def test_the_last_owner_stays(session, make, after):
    project = make.project()
    owner = make.member(project, "owner")
    make.member(project, "viewer")

    with pytest.raises(ConflictError, match="needs an owner"):
        change_role(session, project.id, owner.id, after)

    assert role_of(session, owner, project) == "owner"


def test_an_owner_of_another_project_does_not_count(session, make):
    project = make.project()
    owner = make.member(project, "owner")
    make.member(make.project(), "owner")

    with pytest.raises(ConflictError):
        change_role(session, project.id, owner.id, None)


def test_two_owners_who_put_each_other_out_at_once_leave_one(database):
    with database.write() as session:
        make = Make(session)
        project = make.project()
        owners = [make.member(project, "owner").id for _ in range(2)]
        number = project.id
    start, refused = threading.Barrier(2), []

    def put_out(person_id):
        start.wait(20)
        try:
            with database.write() as session:
                change_role(session, number, person_id, None)
        except ConflictError:
            refused.append(person_id)

    threads = [threading.Thread(target=put_out, args=(owner,)) for owner in owners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with database.read() as session:
        roles = session.scalars(select(Membership.role).where(Membership.project_id == number)).all()
    assert sorted(roles, key=str) == [None, "owner"]
    assert len(refused) == 1


def test_nobody_changes_the_role_of_somebody_who_has_none(session, make):
    project = make.project()
    make.member(project, "owner")
    left = make.member(project, "annotator")
    change_role(session, project.id, left.id, None)

    for stranger in (left, make.person()):
        with pytest.raises(NotFoundError):
            change_role(session, project.id, stranger.id, Role.OWNER)


def test_links_that_somebody_made_go_with_their_role(session, make):
    project, other = make.project(), make.project()
    owner, remaining = make.member(project, "owner"), make.member(project, "owner")
    invite(session, project_id=project.id, role=Role.OWNER, created_by=owner.id)
    invite(session, project_id=other.id, role=Role.VIEWER, created_by=owner.id)
    invite(session, project_id=project.id, role=Role.VIEWER, created_by=remaining.id)

    change_role(session, project.id, owner.id, Role.VIEWER)

    links = session.scalars(select(Invitation).order_by(Invitation.id)).all()
    assert [link.revoked_at is not None for link in links] == [True, False, False]


def test_members_are_listed_owners_first_then_by_name_without_those_who_left(session, make):
    project = make.project()
    for role, name in (("viewer", "A"), ("annotator", "C"), ("annotator", "B"), ("owner", "Z")):
        make.member(project, role, name=name)
    gone = make.member(project, "annotator", name="Gone")
    session.get_one(Membership, (gone.id, project.id)).role = None
    make.member(make.project(), "owner", name="Noise")

    assert [person.name for person, _ in members_of(session, project.id)] == ["Z", "B", "C", "A"]
    assert session.scalar(select(Person.id).where(Person.name == "Gone"))
