"""Who rates in a project: people, simulations, files of grades, and machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Membership, Person, PersonKind, Role
from app.services.errors import NotFoundError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.evidence import Evidence

SOURCES = (PersonKind.IMPORTED, PersonKind.MACHINE)
"""Kinds that only files speak for."""


@dataclass(frozen=True)
class AnnotatorFact:
    """One annotator; `number` is that of the ledger, `public_id` the one in addresses."""

    number: int
    public_id: str
    name: str
    kind: PersonKind
    role: Role | None

    @property
    def is_source(self) -> bool:
        """Tell whether files speak for them: they are compared with people, not counted among them."""
        return self.kind in SOURCES


def annotators_of(session: Session, evidence: Evidence) -> list[AnnotatorFact]:
    """Return everybody who has rated, and the annotators who have not begun, by name."""
    rated = np.flatnonzero(np.bincount(evidence.ledger.annotator)).tolist()
    rows = session.execute(
        select(Person.id, Person.public_id, Person.name, Person.kind, Membership.role)
        .outerjoin(
            Membership,
            (Membership.person_id == Person.id) & (Membership.project_id == evidence.project_id),
        )
        .where(Person.id.in_(rated) | (Membership.role == Role.ANNOTATOR.value))
        .order_by(Person.name, Person.id)
    )
    return [
        AnnotatorFact(number, public_id, name, PersonKind(kind), Role(role) if role else None)
        for number, public_id, name, kind, role in rows
    ]


def get_annotator(session: Session, evidence: Evidence, public_id: str) -> AnnotatorFact:
    """Return one annotator of a project.

    Raises
    ------
    NotFoundError
        Nobody there has this id.
    """
    for one in annotators_of(session, evidence):
        if one.public_id == public_id:
            return one
    raise NotFoundError("There is no such annotator in this project.")
