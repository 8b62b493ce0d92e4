"""Who rated how much. Agreement between people is a later page: below its sample rules it says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sqlalchemy import bindparam, select

from app.models import Membership, Person, Role
from app.services.overview.tallies import COUNTS, tallies_of

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


# Built once: it is asked at every rating.
MEMBERS = (
    select(Person.id, Person.name, Person.kind, Membership.role)
    .join(Membership, Membership.person_id == Person.id)
    .where(Membership.project_id == bindparam("project"))
)


class _Named(NamedTuple):
    """Somebody who may rate: only these columns are read, as it is asked at every rating."""

    id: int
    name: str
    kind: str
    role: str | None


def contributors_of(session: Session, evidence: Evidence, pooled: Flags) -> list[Contributor]:
    """Return everybody who rated, and the annotators who have not begun, busiest first."""
    tallies = tallies_of(evidence, pooled)
    span = len(tallies["rows"])
    found = []
    for person in _people(session, evidence.project_id, np.flatnonzero(tallies["rows"]).tolist()):
        counts = {name: int(tallies[name][person.id]) if person.id < span else 0 for name in COUNTS}
        if person.role == Role.ANNOTATOR or any(counts.values()):
            found.append(Contributor(name=person.name, kind=person.kind, **counts))
    return sorted(found, key=lambda one: (-one.rated - one.outside, one.name))


def _people(session: Session, project_id: int, annotators: list[int]) -> list[_Named]:
    found = [_Named(*row) for row in session.execute(MEMBERS, {"project": project_id})]
    known = {one.id for one in found}
    # Administrators rate without a membership.
    if others := [number for number in annotators if number not in known]:
        rows = session.execute(select(Person.id, Person.name, Person.kind).where(Person.id.in_(others)))
        found += [_Named(*row, None) for row in rows]
    return found
