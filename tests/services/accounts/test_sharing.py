"""Shared links: what ends them, and whom they never help."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from app.models import Role, SharedLink, now_utc
from app.services.accounts.memberships import change_role
from app.services.accounts.sharing import get_shared_project, revoke_shared_link, share, shared_links_of
from app.services.errors import ConflictError, GoneError, InvalidError, NotFoundError
from app.services.projects.settings import archive_project, restore_project


@pytest.fixture
def owned(make):
    project = make.project()
    make.member(project, "owner")
    return project, make.member(project, "owner", name="Olga")


def only_link(session, project):
    return session.scalars(select(SharedLink).where(SharedLink.project_id == project.id)).one()


def test_the_database_holds_no_token(session, owned):
    project, olga = owned

    token = share(session, project.id, days=7, note=" The board ", created_by=olga.id)

    (row,) = shared_links_of(session, project.id)
    assert (row.link.note, row.maker, row.ender, row.state) == ("The board", "Olga", "", "works")
    assert token.encode() not in row.link.token_hash
    assert get_shared_project(session, token).id == project.id


def test_a_link_works_until_its_last_second(session, owned):
    project, _ = owned
    token = share(session, project.id, days=1)
    link = only_link(session, project)
    assert timedelta(hours=23) < link.expires_at - now_utc() <= timedelta(days=1)

    link.expires_at = now_utc() - timedelta(seconds=1)
    session.flush()

    with pytest.raises(GoneError):
        get_shared_project(session, token)
    assert shared_links_of(session, project.id)[0].state == "expired"


def test_a_link_is_taken_back_once_and_by_name(session, owned, make):
    project, olga = owned
    token = share(session, project.id, days=7)
    link = only_link(session, project)

    with pytest.raises(NotFoundError):
        revoke_shared_link(session, make.project().id, link.id)
    revoke_shared_link(session, project.id, link.id, revoked_by=olga.id)

    with pytest.raises(GoneError):
        get_shared_project(session, token)
    with pytest.raises(ConflictError):
        revoke_shared_link(session, project.id, link.id)
    session.expire_all()
    (row,) = shared_links_of(session, project.id)
    assert (row.state, row.ender) == ("revoked", "Olga")


def test_whoever_loses_a_role_loses_the_links_made_with_it(session, owned):
    project, olga = owned
    token, others = share(session, project.id, days=7, created_by=olga.id), share(session, project.id, days=7)

    change_role(session, project.id, olga.id, None)

    with pytest.raises(GoneError):
        get_shared_project(session, token)
    assert get_shared_project(session, others).id == project.id


def test_links_of_an_archived_project_rest(session, owned):
    project, _ = owned
    token = share(session, project.id, days=7)

    archive_project(session, project)
    with pytest.raises(GoneError):
        get_shared_project(session, token)
    restore_project(session, project)

    assert get_shared_project(session, token).id == project.id


@pytest.mark.parametrize("role", [*Role, None])
def test_annotators_stay_blind_whatever_they_are_sent(session, owned, make, role):
    project, _ = owned
    token = share(session, project.id, days=7)
    person = make.member(project, role.value) if role else make.person()

    if role is Role.ANNOTATOR:
        with pytest.raises(NotFoundError, match="ratings are blind"):
            get_shared_project(session, token, person_id=person.id)
    else:
        assert get_shared_project(session, token, person_id=person.id).id == project.id


@pytest.mark.parametrize("days", [0, -1, 367])
def test_no_link_lives_for_ever(session, owned, days):
    with pytest.raises(InvalidError, match=str(days)):
        share(session, owned[0].id, days=days)


@pytest.mark.parametrize("token", ["", "x", "é" * 50, "\udcff", "a" * 5000])
def test_anything_else_is_gone(session, token):
    with pytest.raises(GoneError):
        get_shared_project(session, token)
