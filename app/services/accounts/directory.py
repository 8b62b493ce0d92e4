"""The accounts of the site: found, disabled and enabled by administrators."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.person import Membership, Person, PersonKind
from app.models.project import Project
from app.models.token import Invitation, SharedLink
from app.sentences import message
from app.services.accounts.audit import record
from app.services.accounts.confirming import unconfirmed_among
from app.services.accounts.people import end_sessions, plain_email, revoke_links
from app.services.accounts.sharing import revoke_shared_links
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.pages import Page, page_of

EACH = 50


@dataclass(frozen=True)
class AccountRow:
    """One account with its roles, as slug, name and role of each project."""

    person: Person
    roles: list[tuple[str, str, str]]
    unconfirmed: bool


def accounts(session: Session, search: str = "", number: int = 1) -> tuple[Page, list[AccountRow]]:
    """Return a page of the accounts whose name or address holds a text, by name."""
    which = _matching(search)
    total = session.scalar(select(func.count()).select_from(Person).where(*which)) or 0
    page = page_of(total, number, EACH)
    wanted = select(Person).where(*which).order_by(Person.name, Person.id)
    people = session.scalars(wanted.offset(page.rows.start).limit(EACH)).all()
    return page, _rows(session, list(people))


def every_account(session: Session, search: str = "") -> list[AccountRow]:
    """Return all accounts whose name or address holds a text, by name."""
    wanted = select(Person).where(*_matching(search)).order_by(Person.name, Person.id)
    return _rows(session, list(session.scalars(wanted)))


def get_account(session: Session, public_id: str) -> Person:
    """Return an account by its public id.

    :raise NotFoundError: Nobody signs in with it.
    """
    person = session.scalar(select(Person).where(Person.public_id == public_id, *_matching("")))
    if person is None:
        raise NotFoundError("There is no such account.")
    return person


def disable_account(session: Session, person: Person, *, actor_id: int | None = None) -> None:
    """Let nobody sign in to an account: its sessions end, and links made with it or for it stop working.

    Its ratings and its roles stay. Its tokens work no more as long as it is disabled.

    :raise ConflictError: It is disabled already, it is one's own, or that of the last administrator.
    :raise InvalidError: Nobody signs in to it.
    """
    if person.kind != PersonKind.PERSON or person.erased_at is not None:
        raise InvalidError(
            message("%(name)s is not an account that signs in.", name=person.name), code="no_account"
        )
    if person.disabled_at is not None:
        raise ConflictError(
            message("The account of %(name)s is disabled already.", name=person.name), code="disabled"
        )
    if person.id == actor_id:
        raise ConflictError("You cannot disable your own account: ask another administrator.", code="own")
    check_not_last_admin(session, person)
    person.disabled_at = now_utc()
    revoke_links(session, or_(Invitation.created_by == person.id, Invitation.person_id == person.id))
    revoke_shared_links(session, SharedLink.created_by == person.id)
    end_sessions(session, person.id)
    record(session, AuditKind.ACCOUNT_DISABLED, person_id=person.id)


def enable_account(session: Session, person: Person) -> None:
    """Let somebody sign in again, with the password and the roles of before.

    :raise ConflictError: It is not disabled.
    """
    if person.disabled_at is None:
        raise ConflictError(
            message("The account of %(name)s is not disabled.", name=person.name), code="not_disabled"
        )
    person.disabled_at = None
    record(session, AuditKind.ACCOUNT_ENABLED, person_id=person.id)


def check_not_last_admin(session: Session, person: Person) -> None:
    """Refuse to leave the site without an administrator who can sign in.

    :raise ConflictError: This is the last one.
    """
    if not person.is_admin:
        return
    others = select(Person.id).where(Person.is_admin, Person.id != person.id, *_matching(""))
    if session.scalar(others.where(Person.disabled_at.is_(None)).limit(1)) is None:
        raise ConflictError(
            "This is the only administrator: make another account one first.",
            code="last_admin",
        )


def _matching(search: str) -> list[ColumnElement[bool]]:
    which: list[ColumnElement[bool]] = [Person.kind == PersonKind.PERSON.value, Person.erased_at.is_(None)]
    if text := plain_email(search):
        which.append(
            or_(
                func.lower(Person.name).contains(text, autoescape=True),
                Person.email.contains(text, autoescape=True),
            )
        )
    return which


def _rows(session: Session, people: list[Person]) -> list[AccountRow]:
    numbers = [person.id for person in people]
    roles: dict[int, list[tuple[str, str, str]]] = {}
    found = session.execute(
        select(Membership.person_id, Project.slug, Project.name, Membership.role)
        .join(Project, Project.id == Membership.project_id)
        .where(Membership.role.is_not(None), Membership.person_id.in_(numbers))
        .order_by(Project.slug)
    )
    for person_id, slug, name, role in found:
        roles.setdefault(person_id, []).append((slug, name, str(role)))
    waiting = unconfirmed_among(session, numbers)
    return [AccountRow(person, roles.get(person.id, []), person.id in waiting) for person in people]
