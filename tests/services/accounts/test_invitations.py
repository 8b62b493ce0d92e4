"""Links that work once: made, found, taken back; stored as a hash and nothing else."""

from datetime import timedelta

import pytest
from sqlalchemy import select, text

from app.models import Invitation, Role, now_utc
from app.services.accounts.invitations import (
    get_invitation,
    invite,
    issue_reset,
    issue_set_up,
    open_invitations,
    revoke_invitation,
)
from app.services.errors import ConflictError, GoneError, InvalidError, NotFoundError


def links(session):
    return session.scalars(select(Invitation).order_by(Invitation.id)).all()


def test_a_link_has_256_random_bits_and_is_stored_as_their_hash(session, make):
    project = make.project()
    tokens = [invite(session, project_id=project.id, role=Role.ANNOTATOR) for _ in range(50)]

    assert len(set(tokens)) == 50
    assert {len(token) for token in tokens} == {43}
    for link, token in zip(links(session), tokens, strict=True):
        assert len(link.token_hash) == 32
        assert token.encode() not in bytes(link.token_hash)


def test_no_column_of_any_row_holds_a_token(session, make):
    person = make.person()
    tokens = [invite(session, project_id=make.project().id, role=Role.OWNER), issue_reset(session, person)]
    tokens.append(issue_set_up(session))

    rows = str(session.execute(text("SELECT * FROM invitation")).all())
    for token in tokens:
        assert token not in rows


@pytest.mark.parametrize(
    ("kind", "lives"),
    [("invite", timedelta(days=7)), ("reset", timedelta(minutes=30)), ("set_up", timedelta(days=365))],
)
def test_each_kind_lives_as_long_as_promised(session, make, kind, lives):
    before = now_utc()
    if kind == "invite":
        invite(session, project_id=make.project().id, role=Role.VIEWER)
    elif kind == "reset":
        issue_reset(session, make.person())
    else:
        issue_set_up(session)

    (link,) = links(session)
    assert before + lives <= link.expires_at <= now_utc() + lives


@pytest.mark.parametrize("token", ["", "x", "\0", "\ud800", "a" * 10_000, "' OR 1=1 --"])
def test_a_token_that_nobody_made_is_gone(session, make, token):
    invite(session, project_id=make.project().id, role=Role.OWNER)

    with pytest.raises(GoneError):
        get_invitation(session, token, "invite")


def test_a_link_works_until_its_last_moment(session, make):
    token = invite(session, project_id=make.project().id, role=Role.OWNER)
    (link,) = links(session)

    link.expires_at = now_utc() + timedelta(seconds=60)
    session.flush()
    assert get_invitation(session, token, "invite") is link

    link.expires_at = now_utc() - timedelta(microseconds=1)
    session.flush()
    with pytest.raises(GoneError):
        get_invitation(session, token, "invite")


def test_a_link_of_one_kind_is_none_of_another(session, make):
    token = issue_reset(session, make.person())

    assert get_invitation(session, token, "reset")
    for kind in ("invite", "set_up"):
        with pytest.raises(GoneError):
            get_invitation(session, token, kind)


def test_every_start_ends_the_link_of_the_start_before(session, make):
    first, second = issue_set_up(session), issue_set_up(session)

    with pytest.raises(GoneError):
        get_invitation(session, first, "set_up")
    assert get_invitation(session, second, "set_up")


def test_there_is_no_set_up_link_once_somebody_can_sign_in(session, make):
    token = issue_set_up(session)
    make.person(password_hash="x")

    with pytest.raises(GoneError):
        get_invitation(session, token, "set_up")
    assert issue_set_up(session) is None
    assert all(link.revoked_at is not None for link in links(session))


@pytest.mark.parametrize("kind", ["imported", "simulated"])
def test_nobody_resets_the_password_of_a_file(session, make, kind):
    with pytest.raises(InvalidError, match="is not an account that signs in"):
        issue_reset(session, make.person(kind=kind, email=None))


def test_nobody_resets_the_password_of_somebody_erased(session, make):
    with pytest.raises(InvalidError):
        issue_reset(session, make.person(erased_at=now_utc()))


@pytest.mark.parametrize("email", ["", "  ", None])
def test_an_invitation_without_an_address_is_for_whoever_has_it(session, make, email):
    invite(session, project_id=make.project().id, role=Role.VIEWER, email=email)

    assert links(session)[0].email is None


def test_an_invitation_keeps_the_address_in_its_one_spelling(session, make):
    invite(session, project_id=make.project().id, role=Role.VIEWER, email=" ADA@example.org")

    assert links(session)[0].email == "ada@example.org"
    with pytest.raises(InvalidError):
        invite(session, project_id=None, role=Role.VIEWER, email="nonsense")


def test_an_invitation_is_taken_back_once(session, make):
    project = make.project()
    token = invite(session, project_id=project.id, role=Role.VIEWER)
    (link,) = links(session)

    revoke_invitation(session, project.id, link.id)

    with pytest.raises(GoneError):
        get_invitation(session, token, "invite")
    with pytest.raises(ConflictError, match="already used or revoked"):
        revoke_invitation(session, project.id, link.id)


def test_an_invitation_that_was_used_cannot_be_taken_back(session, make):
    project = make.project()
    invite(session, project_id=project.id, role=Role.VIEWER)
    (link,) = links(session)
    link.used_at = now_utc()
    session.flush()

    with pytest.raises(ConflictError):
        revoke_invitation(session, project.id, link.id)


def test_nobody_takes_back_what_belongs_to_another_project_or_to_none(session, make):
    project, other = make.project(), make.project()
    invite(session, project_id=other.id, role=Role.VIEWER)
    issue_reset(session, make.member(project, "viewer"))
    issue_set_up(session)

    for number in [link.id for link in links(session)] + [999]:
        with pytest.raises(NotFoundError):
            revoke_invitation(session, project.id, number)
    assert all(link.revoked_at is None for link in links(session))


def test_open_invitations_are_those_of_the_project_that_still_work(session, make):
    project = make.project()
    for _ in range(4):
        invite(session, project_id=project.id, role=Role.VIEWER)
    invite(session, project_id=make.project().id, role=Role.VIEWER)
    used, expired, revoked, works, _ = links(session)
    used.used_at = expired.expires_at = revoked.revoked_at = now_utc()
    session.flush()

    assert open_invitations(session, project.id) == [works]
