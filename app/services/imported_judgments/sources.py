"""Annotators who never sign in: the sources of imported judgments, members of their project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Membership, Person, PersonKind, Role
from app.services.errors import InvalidError
from app.services.memberships import give_role

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def find_source(
    session: Session, project_id: int, name: str, kind: PersonKind = PersonKind.IMPORTED
) -> Person | None:
    """Return the project's non-person annotator of this name, or None."""
    return session.scalars(
        select(Person)
        .join(Membership, Membership.person_id == Person.id)
        .where(Membership.project_id == project_id, Person.kind == kind.value, Person.name == name)
        .order_by(Person.id)
    ).first()


def kind_of_source(session: Session, project_id: int, name: str, wanted: str | None) -> PersonKind:
    """Return as what a file's annotator speaks; where nothing is wanted, as before, or for people.

    Raises
    ------
    InvalidError
        The name has spoken as the other kind: ratings never change sides by an import.
    """
    sides = (PersonKind.IMPORTED, PersonKind.MACHINE)
    known = [kind for kind in sides if find_source(session, project_id, name, kind) is not None]
    if wanted is None:
        return known[0] if known else PersonKind.IMPORTED
    kind = PersonKind(wanted)
    if known and kind not in known:
        before = "a machine" if kind is PersonKind.IMPORTED else "people"
        raise InvalidError(
            f"Ratings under the name {name!r} came from {before} before: give this file's annotator another "
            f"name, or say that {before} gave these too.",
            code="annotator",
        )
    return kind


def find_or_add_source(
    session: Session, project_id: int, name: str, kind: PersonKind = PersonKind.IMPORTED
) -> Person:
    """Return the project's non-person annotator of this name; a new one becomes a member.

    Raises
    ------
    InvalidError
        The name cannot be one.
    """
    found = find_source(session, project_id, name, kind)
    if found is not None:
        return found
    if not name.strip() or len(name) > 200 or not name.isprintable():
        raise InvalidError("An annotator's name has 1 to 200 characters on one line.", code="annotator")
    person = Person(kind=kind.value, name=name)
    session.add(person)
    session.flush()
    give_role(session, project_id, person.id, Role.ANNOTATOR)
    return person
