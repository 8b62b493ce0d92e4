"""Who rated how much. Agreement between people is a later page: below its sample rules it says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Membership, Person, Role
from app.services.evidence.ledger import DECLINED

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Flags
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class Contributor:
    """One annotator, or a source of ratings that cannot sign in (`kind`).

    `rated` and `declined` count pool answers by their latest judgment: a grade, or "can't judge".
    """

    name: str
    kind: str
    rated: int
    declined: int
    outside: int
    could_see_rankers: int


def contributors_of(session: Session, evidence: Evidence, pooled: Flags) -> list[Contributor]:
    """Return everybody who rated, and the annotators who have not begun, busiest first."""
    ledger, cell = evidence.ledger, evidence.cell
    span = int(ledger.annotator.max(initial=0)) + 1
    last = np.flatnonzero(evidence.newest & (cell >= 0))
    grade = ledger.grade[last]
    graded, declined = last[grade >= 0], last[grade == DECLINED]
    inside = pooled[cell[graded]]
    tallies = {
        "rated": np.bincount(ledger.annotator[graded][inside], minlength=span),
        "outside": np.bincount(ledger.annotator[graded][~inside], minlength=span),
        "declined": np.bincount(ledger.annotator[declined][pooled[cell[declined]]], minlength=span),
        "could_see_rankers": np.bincount(
            ledger.annotator[graded], weights=~ledger.blind[graded], minlength=span
        ),
    }
    found = []
    for person, role in _people(
        session, evidence.project_id, np.flatnonzero(np.bincount(ledger.annotator)).tolist()
    ):
        counts = {name: int(tally[person.id]) if person.id < span else 0 for name, tally in tallies.items()}
        if role == Role.ANNOTATOR or any(counts.values()):
            found.append(Contributor(name=person.name, kind=person.kind, **counts))
    return sorted(found, key=lambda one: (-one.rated - one.outside, one.name))


def _people(session: Session, project_id: int, annotators: list[int]) -> list[tuple[Person, str | None]]:
    members = session.execute(
        select(Person, Membership.role)
        .join(Membership, Membership.person_id == Person.id)
        .where(Membership.project_id == project_id)
    ).all()
    known = {person.id for person, _ in members}
    # Administrators rate without a membership.
    others = session.scalars(
        select(Person).where(Person.id.in_([number for number in annotators if number not in known]))
    )
    return [(person, role) for person, role in members] + [(person, None) for person in others]
