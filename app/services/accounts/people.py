"""People: accounts and their roles. Every account that signs in is a `person` row."""

from __future__ import annotations

import re
import unicodedata

from sqlalchemy import ColumnElement, and_, delete, exists, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.person import Membership, OpenSession, Person, PersonKind, Role
from app.models.project import Project
from app.models.token import Invitation
from app.sentences import message
from app.services.accounts.audit import record
from app.services.errors import ConflictError, InvalidError, NotFoundError

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")


def plain_email(text: str) -> str:
    """Return an address in the one spelling that identifies an account."""
    return unicodedata.normalize("NFKC", text).strip().lower()


def normal_email(text: str) -> str:
    """Return an address as it is stored: in the one spelling, without characters that nobody sees.

    Raises
    ------
    InvalidError
        It is not an address.
    """
    email = plain_email(text)
    # The length first: the pattern takes long over a long row of full stops.
    if len(email) > 320 or not EMAIL.fullmatch(email) or not email.isprintable():
        raise InvalidError(
            message("%(text)s is not an e-mail address.", text=repr(text.strip()[:80])), code="email"
        )
    return email


def normal_name(text: str) -> str:
    """Return a name as it is stored: trimmed, without control characters.

    Raises
    ------
    InvalidError
        It is empty or too long.
    """
    name = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not 1 <= len(name) <= 200:
        raise InvalidError("A name has 1 to 200 characters.", code="name")
    return name


def create_person(
    session: Session, *, email: str, name: str, password_hash: str | None = None, is_admin: bool = False
) -> Person:
    """Create an account and return it; without a password nobody can sign in to it yet.

    The hash is made before: hashing takes long on purpose, and everybody's ratings would wait for it.

    Raises
    ------
    ConflictError
        The address has an account.
    """
    address = normal_email(email)
    taken = ConflictError(
        message("There is already an account for %(email)s.", email=address), code="email_taken"
    )
    if find_person(session, address) is not None:
        raise taken
    person = Person(
        kind=PersonKind.PERSON.value,
        email=address,
        name=normal_name(name),
        password_hash=password_hash,
        is_admin=is_admin,
    )
    session.add(person)
    try:
        session.flush()
    except IntegrityError as error:  # somebody else was quicker with the same address
        raise taken from error
    return person


def find_person(session: Session, email: str) -> Person | None:
    """Return the account of an address, or None."""
    return session.scalar(select(Person).where(Person.email == plain_email(email)))


def get_person(session: Session, person_id: int) -> Person:
    """Return a person by number.

    Raises
    ------
    NotFoundError
        There is none.
    """
    person = session.get(Person, person_id)
    if person is None:
        raise NotFoundError("There is no such account.")
    return person


def account_exists(session: Session) -> bool:
    """Return whether anybody can sign in; until then a set-up link is shown at each start."""
    return bool(session.scalar(select(exists().where(Person.password_hash.is_not(None)))))


def change_password(session: Session, person_id: int, password_hash: str) -> Person:
    """Set a new password, end all sessions and links that could change it back, and return the person."""
    person = get_person(session, person_id)
    record(session, AuditKind.PASSWORD_CHANGED, person_id=person_id)
    person.password_hash = password_hash
    revoke_links(session, Invitation.kind == "reset", Invitation.person_id == person_id)
    return end_sessions(session, person_id)


# Links that were neither used nor taken back.
UNUSED = (Invitation.used_at.is_(None), Invitation.revoked_at.is_(None))


def is_open() -> ColumnElement[bool]:
    """Return the condition that an invitation still works."""
    return and_(*UNUSED, Invitation.expires_at > now_utc())


def revoke_links(session: Session, *which: ColumnElement[bool]) -> bool:
    """Take back those of some one-time links that nobody used; return whether there were any."""
    revoked = session.scalars(
        update(Invitation).where(*which, *UNUSED).values(revoked_at=now_utc()).returning(Invitation.id)
    )
    return bool(revoked.all())


def end_sessions(session: Session, person_id: int) -> Person:
    """Sign a person out everywhere and return them."""
    session.flush()
    # Added to in the database: two changes at once must not end up at the same number.
    session.execute(
        update(Person).where(Person.id == person_id).values(session_epoch=Person.session_epoch + 1)
    )
    session.execute(delete(OpenSession).where(OpenSession.person_id == person_id))
    person = get_person(session, person_id)
    session.refresh(person)
    return person


def projects_of(session: Session, person: Person) -> list[tuple[Project, Role]]:
    """Return the projects a person has a role in; admins own all of them."""
    if person.is_admin:
        every = select(Project).where(Project.is_complete()).order_by(Project.name)
        return [(project, Role.OWNER) for project in session.scalars(every)]
    rows = session.execute(
        select(Project, Membership.role)
        .join(Membership, Membership.project_id == Project.id)
        .where(Membership.person_id == person.id, Membership.role.is_not(None))
        .order_by(Project.name)
    )
    return [(project, Role(str(role))) for project, role in rows]
