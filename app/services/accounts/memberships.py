"""Memberships: who has which role in a project, and what goes with a role that is lost."""

from __future__ import annotations

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.person import Membership, Person, PersonKind, Role
from app.models.token import ApiToken
from app.services.accounts.audit import record
from app.services.accounts.invitations import revoke_links_of
from app.services.accounts.people import end_sessions
from app.services.accounts.sharing import revoke_shared_links_of
from app.services.accounts.tokens import revoke_tokens_of
from app.services.errors import ConflictError, NotFoundError

ORDER = {Role.OWNER: 0, Role.ANNOTATOR: 1, Role.VIEWER: 2}


def give_role(session: Session, project_id: int, person_id: int, role: Role) -> Membership:
    """Give a person a role in a project and return the membership; one role per person and project."""
    membership = session.get(Membership, (person_id, project_id))
    if membership is None:
        membership = Membership(person_id=person_id, project_id=project_id)
        session.add(membership)
    _record_role(session, membership, role)
    membership.role = role.value
    # Anybody who could see rankers has seen them; a change back does not undo that.
    membership.saw_rankers = bool(membership.saw_rankers) or role in {Role.OWNER, Role.VIEWER}
    session.flush()
    return membership


def members_of(session: Session, project_id: int) -> list[tuple[Person, Membership]]:
    """Return the people of a project with their roles, owners first."""
    rows = session.execute(
        select(Person, Membership)
        .join(Membership, Membership.person_id == Person.id)
        .where(Membership.project_id == project_id, Membership.role.is_not(None))
        .order_by(Person.name)
    )
    return sorted(((p, m) for p, m in rows), key=lambda row: ORDER[Role(str(row[1].role))])


def owns_a_project(session: Session, person_id: int) -> bool:
    """Return whether somebody is an owner anywhere."""
    owned = exists().where(Membership.person_id == person_id, Membership.role == Role.OWNER.value)
    return bool(session.scalar(select(owned)))


def change_role(session: Session, project_id: int, person_id: int, role: Role | None) -> bool:
    """Give a member another role, or none, and return whether anything changed.

    All their sessions end; their tokens and the links they made for others work no more. Their ratings
    stay.

    Raises
    ------
    NotFoundError
        The person has no role there.
    ConflictError
        It is the last owner.
    """
    membership = session.get(Membership, (person_id, project_id))
    if membership is None or membership.role is None:
        raise NotFoundError("This person has no role in the project.")
    if membership.role == role:
        return False
    check_not_last_owner(session, membership)
    if role is None:
        _record_role(session, membership, None)
        membership.role = None
    else:
        give_role(session, project_id, person_id, role)
    # Somebody who is no owner any more must not come back through a link made in time.
    revoke_links_of(session, person_id, project_id)
    revoke_shared_links_of(session, person_id, project_id)
    revoke_tokens_of(session, person_id, ApiToken.project_id == project_id)
    end_sessions(session, person_id)
    return True


def check_not_last_owner(session: Session, membership: Membership) -> None:
    """Refuse to leave a project without an owner.

    Raises
    ------
    ConflictError
        This is its last one.
    """
    if membership.role != Role.OWNER:
        return
    owners = session.scalars(
        select(Membership.person_id)
        .where(Membership.project_id == membership.project_id, Membership.role == Role.OWNER.value)
        .order_by(Membership.person_id)
        # Two owners who take each other's role at once take turns.
        .with_for_update()
    ).all()
    if membership.person_id in owners and len(owners) == 1:
        raise ConflictError("A project needs an owner: make someone else an owner first.", code="last_owner")


def _record_role(session: Session, membership: Membership, role: Role | None) -> None:
    person = session.get(Person, membership.person_id)
    # Files and machines have roles too, and go with the project that they belong to.
    if membership.role == role or person is None or person.kind != PersonKind.PERSON:
        return
    record(
        session,
        AuditKind.ROLE_CHANGED,
        person_id=person.id,
        project_id=membership.project_id,
        before=membership.role,
        role=role.value if role else None,
    )
