"""Sign-in by the organisation: which account somebody gets whom a provider or a proxy vouches for, and roles.

Nothing here trusts an address that nobody has checked: an account is found by it, or made for it, only where
the provider says that it is verified. And a password that the account had until then is removed: an account
here is made without checking its address, so somebody else may have made it to wait for this person.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.person import Membership, OrganisationIdentity, Person, PersonKind, Role
from app.models.project import Project
from app.models.token import Invitation
from app.sentences import message
from app.services.accounts.audit import record
from app.services.accounts.confirming import confirm, find_unconfirmed
from app.services.accounts.directory import check_not_last_admin
from app.services.accounts.memberships import change_role, give_role
from app.services.accounts.people import create_person, end_sessions, find_person, revoke_links
from app.services.accounts.tokens import revoke_tokens_of
from app.services.errors import ConflictError, InvalidError

ADMIN = "admin"
LONGEST_NAME = 200
GroupRoles = tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class OrganisationProfile:
    """Who somebody is for the organisation; `by` is "organisation" or "proxy"."""

    issuer: str
    subject: str
    email: str
    is_verified: bool
    name: str
    groups: frozenset[str]
    by: str


def account_of(session: Session, profile: OrganisationProfile, group_roles: GroupRoles) -> Person:
    """Return the account that a person of the organisation signs in to, with the roles of their groups.

    :raise InvalidError: The address is missing or not verified, or none of the groups may use this site.
    :raise ConflictError: The account is disabled, or belongs to somebody else of the organisation.
    """
    known = session.get(OrganisationIdentity, (profile.issuer, profile.subject))
    person = session.get_one(Person, known.person_id) if known else _link(session, profile, group_roles)
    if person.disabled_at is not None or person.erased_at is not None:
        raise ConflictError(
            message("Your account is disabled. Ask an administrator of this site."), code="disabled"
        )
    _follow_groups(session, person, profile.groups, group_roles)
    if person.password_hash is not None and (
        known is None or find_unconfirmed(session, person.id) is not None
    ):
        if known is None:
            # Like the password: whoever made the account may have made them.
            revoke_tokens_of(session, person.id)
        _remove_password(session, person)
    session.refresh(person)
    return person


def _link(session: Session, profile: OrganisationProfile, group_roles: GroupRoles) -> Person:
    """Return the account of a verified address, or a new one, and remember whose it is there."""
    if not profile.email:
        raise InvalidError(
            message(
                "Your organisation did not send your e-mail address. Ask the people who run its sign-in."
            ),
            code="no_email",
        )
    if not profile.is_verified:
        raise InvalidError(
            message(
                "Your organisation has not verified your e-mail address. Ask the people who run its sign-in."
            ),
            code="unverified_email",
        )
    person = find_person(session, profile.email)
    if person is None:
        person = _create(session, profile, group_roles)
    elif person.kind != PersonKind.PERSON or person.disabled_at is not None:
        raise ConflictError(
            message("Your account is disabled. Ask an administrator of this site."), code="disabled"
        )
    elif _is_somebody_elses(session, person, profile.issuer):
        # Addresses are given to new people; what was the other one's stays theirs.
        raise ConflictError(
            message("The account with your e-mail address belongs to someone else. Ask an administrator."),
            code="other_identity",
        )
    session.add(OrganisationIdentity(issuer=profile.issuer, subject=profile.subject, person_id=person.id))
    record(session, AuditKind.ACCOUNT_LINKED, person_id=person.id, actor_id=person.id, by=profile.by)
    return person


def _create(session: Session, profile: OrganisationProfile, group_roles: GroupRoles) -> Person:
    if group_roles and not any(group in profile.groups for group, _role, _slug in group_roles):
        raise InvalidError(
            message("Your account is in no group that may use this site. Ask an administrator of this site."),
            code="no_group",
        )
    name = " ".join(profile.name.split())[:LONGEST_NAME] or profile.email.partition("@")[0]
    person = create_person(session, email=profile.email, name=name)
    record(
        session,
        AuditKind.ACCOUNT_MADE,
        person_id=person.id,
        actor_id=person.id,
        by=profile.by,
        is_admin=False,
    )
    return person


def _is_somebody_elses(session: Session, person: Person, issuer: str) -> bool:
    theirs = select(OrganisationIdentity).where(
        OrganisationIdentity.person_id == person.id, OrganisationIdentity.issuer == issuer
    )
    return session.scalar(theirs.limit(1)) is not None


def _remove_password(session: Session, person: Person) -> None:
    """Take from an account what somebody else may know; the organisation vouches for the person now."""
    person.password_hash = None
    revoke_links(session, Invitation.kind == "reset", Invitation.person_id == person.id)
    if find_unconfirmed(session, person.id) is not None:
        confirm(session, person.id, "organisation")
    end_sessions(session, person.id)


def _follow_groups(session: Session, person: Person, groups: frozenset[str], group_roles: GroupRoles) -> None:
    """Give the roles of the groups, and take those that no group gives any more; the last owner stays.

    In a project that the setting names, roles follow groups alone; the first entry that fits counts.
    """
    fitting = [(role, slug) for group, role, slug in group_roles if group in groups]
    wanted = {slug: Role(role) for role, slug in reversed(fitting) if role != ADMIN}
    for slug in dict.fromkeys(slug for _group, role, slug in group_roles if role != ADMIN):
        project = session.scalar(select(Project).where(Project.slug == slug))
        if project is not None:
            _set_role(session, project, person, wanted.get(slug))
    if any(role == ADMIN for _group, role, _slug in group_roles):
        _set_admin(session, person, is_admin=(ADMIN, "") in fitting)


def _set_role(session: Session, project: Project, person: Person, role: Role | None) -> None:
    membership = session.get(Membership, (person.id, project.id))
    if membership is None or membership.role is None:
        if role is not None:
            give_role(session, project.id, person.id, role)
        return
    try:
        change_role(session, project.id, person.id, role)
    except ConflictError:
        return  # a project needs an owner


def _set_admin(session: Session, person: Person, *, is_admin: bool) -> None:
    if person.is_admin == is_admin:
        return
    if not is_admin:
        try:
            check_not_last_admin(session, person)
        except ConflictError:
            return  # the site needs an administrator
        revoke_links(session, Invitation.created_by == person.id)
    person.is_admin = is_admin
    record(session, AuditKind.ADMIN_CHANGED, person_id=person.id, actor_id=person.id, is_admin=is_admin)
    end_sessions(session, person.id)
