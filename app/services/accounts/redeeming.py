"""Redeeming a link that works once: an account, a role, or a new password."""

from __future__ import annotations

from contextlib import suppress

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.person import Membership, Person, Role
from app.models.project import Project
from app.models.token import Invitation
from app.sentences import message
from app.services.accounts.audit import record
from app.services.accounts.confirming import mark_unconfirmed
from app.services.accounts.invitations import get_invitation, gone
from app.services.accounts.memberships import give_role
from app.services.accounts.people import (
    UNUSED,
    change_password,
    create_person,
    find_person,
    get_person,
    normal_email,
    normal_name,
)
from app.services.accounts.sign_in import forget_failures
from app.services.errors import ConflictError, InvalidError


def accept_set_up(session: Session, token: str, *, email: str, name: str, password_hash: str) -> Person:
    """Create the account of the site's first administrator with the set-up link, and return it.

    It owns the demo project, if there is one.

    Raises
    ------
    GoneError
        The link works no more.
    ConflictError
        The address has an account.
    """
    link = get_invitation(session, token, "set_up")
    _use(session, link)
    person = create_person(session, email=email, name=name, password_hash=password_hash, is_admin=True)
    link.used_by = person.id
    record(session, AuditKind.ACCOUNT_MADE, person_id=person.id, actor_id=person.id, by="link", is_admin=True)
    session.info["actor"] = person.id  # nobody else gives what follows
    for project_id in session.scalars(select(Project.id).where(Project.is_demo)):
        give_role(session, project_id, person.id, Role.OWNER)
    return person


def sign_up(session: Session, token: str, *, email: str, name: str, password_hash: str) -> None:
    """Bind an invitation to an address, and create an account for it if it has none.

    Nothing tells whether it had one: the invitation is taken later, by signing in with that address.

    Raises
    ------
    GoneError
        The link works no more.
    InvalidError
        The invitation is for another address, or this is none, or the name is empty.
    """
    link = get_invitation(session, token, "invite")
    address, name = normal_email(email), normal_name(name)
    # One statement decides the race, as below.
    session.execute(
        update(Invitation).where(Invitation.id == link.id, Invitation.email.is_(None)).values(email=address)
    )
    session.refresh(link)
    _check_address(link, address)
    if find_person(session, address) is None:
        # Somebody else may be quicker, with another invitation to the same address.
        with suppress(ConflictError), session.begin_nested():
            person = create_person(session, email=address, name=name, password_hash=password_hash)
            record(session, AuditKind.ACCOUNT_MADE, person_id=person.id, by="link", is_admin=False)


def accept_as(session: Session, token: str, person_id: int) -> Invitation:
    """Use an invitation with an existing account, and return the invitation.

    It takes no role away: where it would, or would give none, it is refused and stays unused.

    Raises
    ------
    GoneError
        The link works no more.
    InvalidError
        The invitation is for another address.
    ConflictError
        The person has a role there.
    """
    link = get_invitation(session, token, "invite")
    person = get_person(session, person_id)
    # Whoever makes their account with it is not signed in yet.
    session.info["actor"] = person.id
    _check_address(link, person.email)
    _check_role_is_new(session, link, person)
    _use(session, link)
    _give_role_of(session, link, person)
    record(
        session,
        AuditKind.INVITATION_TAKEN,
        person_id=person.id,
        project_id=link.project_id,
        invitation=link.id,
        role=link.role,
    )
    return link


def accept_reset(session: Session, token: str, password_hash: str) -> Person:
    """Set a new password with a reset link, end all sessions, and return the person.

    Until it is confirmed that the person did this, and not who made the link, they rate as not blind.

    Wrong tries at the old password are forgotten: a person who has to wait can sign in at once.

    Raises
    ------
    GoneError
        The link works no more.
    """
    link = get_invitation(session, token, "reset")
    person = session.get(Person, link.person_id)
    if person is None or person.erased_at is not None or person.disabled_at is not None:
        raise gone(link.kind)
    _use(session, link)
    session.refresh(link)
    link.used_by = person.id
    mark_unconfirmed(session, person, link)
    record(session, AuditKind.PASSWORD_LINK_USED, person_id=person.id, actor_id=None)
    if person.email is not None:
        forget_failures(session, person.email)
    return change_password(session, person.id, password_hash)


def _check_address(link: Invitation, email: str | None) -> None:
    if link.email is not None and email != link.email:
        raise InvalidError(message("This invitation is for %(email)s.", email=link.email), code="other_email")


def _check_role_is_new(session: Session, link: Invitation, person: Person) -> None:
    present = session.get(Membership, (person.id, link.project_id)) if link.project_id else None
    if present is None or present.role is None or (link.role == Role.OWNER and present.role != Role.OWNER):
        return
    article = "a" if present.role == Role.VIEWER else "an"
    raise ConflictError(
        f"You are {article} {present.role} of this project already. An owner can change that under People.",
        code="has_role",
    )


def _give_role_of(session: Session, link: Invitation, person: Person) -> None:
    link.used_by = person.id
    if link.project_id is not None and link.role is not None:
        give_role(session, link.project_id, person.id, Role(link.role))
    session.flush()


def _use(session: Session, link: Invitation) -> None:
    # One statement decides the race: of fifty people with the same link exactly one changes the row.
    used = session.execute(
        update(Invitation)
        .where(Invitation.id == link.id, *UNUSED)
        .values(used_at=now_utc())
        .returning(Invitation.id)
        .execution_options(synchronize_session=False)
    ).scalar_one_or_none()
    if used is None:
        raise gone(link.kind)
