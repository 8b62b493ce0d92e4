"""What waits for an adjudicator (EVALUATION.md section 4), worked out from the evidence.

An answer waits where its ratings lie two steps apart or more, no two of them are equal, and the one more
rating that this opens has been given or nobody is left to give it; where nobody has graded it, and
`PASSED_BY` people or everybody who rates could not judge it; or where an owner sent it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sqlalchemy import select

from app.models import Assignment, Candidate, Document, Membership, Person, PersonKind, Query, Referral, Role
from app.services.assignment.slots import can_be_shown, spread_of, wanted_ratings
from app.services.bulk import batches
from app.services.current_judgments import WIDE
from app.services.evidence.ledger import CLEARED, DECLINED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Ints
    from app.services.evidence import Evidence

# Whoever comes after so many people who could not judge an answer will hardly be able to.
PASSED_BY = 2


class Waiting(NamedTuple):
    """One answer that waits, and why: ``disputed``, ``passed`` or ``sent``."""

    candidate_id: int
    query_id: int
    why: str


@dataclass(frozen=True)
class Queue:
    """What waits, and the candidates that are decided, newest decision first."""

    waiting: tuple[Waiting, ...]
    decided: tuple[int, ...]

    def count(self, why: str) -> int:
        """Return how many answers wait for one reason."""
        return sum(one.why == why for one in self.waiting)


@dataclass(frozen=True)
class _Raters:
    """Who could still be dealt an answer, and who has passed on a whole question: query -> people."""

    people: frozenset[int]
    passed: dict[int, set[int]]
    are_dealt: bool

    def nobody_left(self, settled: Iterable[int]) -> bool:
        return not self.are_dealt or self.people <= set(settled)


def queue_of(session: Session, evidence: Evidence, project: Project) -> Queue:
    """Return what waits for adjudication in a project, and what is decided."""
    decided = _decided(evidence)
    raters = _raters(session, project)
    said = _Sayings(evidence)
    why: dict[int, str] = {}
    for cell in _disputed(evidence, project, raters, said):
        why[cell] = "disputed"
    for cell in _passed(evidence, raters, said):
        why[cell] = "passed"
    why = {cell: reason for cell, reason in why.items() if cell not in decided}
    for cell, revision in _sent(session, evidence).items():
        if decided.get(cell, -1) <= revision:
            why[cell] = "sent"
            decided.pop(cell, None)
    structure = evidence.structure
    waiting = [
        Waiting(int(structure.candidate_id[cell]), int(structure.query_id[structure.query[cell]]), reason)
        for cell, reason in sorted(why.items())
    ]
    shown = _can_be_shown(session, [one.candidate_id for one in waiting])
    newest = sorted(decided, key=lambda cell: -decided[cell])
    return Queue(
        tuple(one for one in waiting if one.candidate_id in shown),
        tuple(structure.candidate_id[newest].tolist()),
    )


def _decided(evidence: Evidence) -> dict[int, int]:
    """Return the revision of the decision that stands, by place of the candidate."""
    decisions = evidence.decisions(only_blind=False)
    found: dict[int, int] = {}
    for cell, column, revision in zip(
        decisions.cell.tolist(), decisions.column.tolist(), decisions.revision.tolist(), strict=True
    ):
        found.pop(cell, None)
        if column >= 0:
            found[cell] = revision
    return found


class _Sayings:
    """What everybody says now about an answer: annotator -> grade, or `DECLINED`."""

    def __init__(self, evidence: Evidence) -> None:
        self._ledger, self._cell = evidence.ledger, evidence.cell
        self._settled = evidence.ratings_now & (evidence.ledger.grade != CLEARED)

    def passed_cells(self) -> Ints:
        """Return the places of all answers that somebody passed on."""
        return np.unique(self._cell[self._settled & (self._ledger.grade == DECLINED)])

    def of(self, cells: Ints) -> dict[int, dict[int, int]]:
        """Return what is said about some answers, by place."""
        said: dict[int, dict[int, int]] = {int(cell): {} for cell in cells}
        for row in np.flatnonzero(self._settled & np.isin(self._cell, cells)).tolist():
            annotator, grade = int(self._ledger.annotator[row]), int(self._ledger.grade[row])
            said[int(self._cell[row])][annotator] = grade
        return said


def _disputed(evidence: Evidence, project: Project, raters: _Raters, sayings: _Sayings) -> list[int]:
    counts = evidence.counts(only_blind=evidence.ruler_at().only_blind)
    ratings, spread = counts.sum(axis=1), spread_of(counts)
    active = evidence.active_queries()[evidence.structure.query]
    apart = np.flatnonzero((spread >= WIDE) & (counts.max(axis=1, initial=0) <= 1) & active)
    said = sayings.of(apart)
    return [
        cell
        for cell in apart.tolist()
        if ratings[cell]
        >= wanted_ratings(project, int(evidence.structure.candidate_id[cell]), spread=int(spread[cell]))
        or raters.nobody_left([*said[cell], *raters.passed.get(_query_of(evidence, cell), ())])
    ]


def _passed(evidence: Evidence, raters: _Raters, sayings: _Sayings) -> list[int]:
    structure = evidence.structure
    passed_queries = np.isin(structure.query_id[structure.query], list(raters.passed))
    somebody = np.zeros(structure.cells, dtype=np.bool_)
    somebody[sayings.passed_cells()] = True
    unjudged = ~evidence.judged().judged[: structure.cells]
    active = evidence.active_queries()[structure.query]
    cells = np.flatnonzero((somebody | passed_queries) & unjudged & evidence.pooled() & active)
    said = sayings.of(cells)
    found = []
    for cell in cells.tolist():
        people = {*said[cell], *raters.passed.get(_query_of(evidence, cell), ())}
        if people and (len(people) >= PASSED_BY or raters.nobody_left(people)):
            found.append(cell)
    return found


def _query_of(evidence: Evidence, cell: int) -> int:
    return int(evidence.structure.query_id[evidence.structure.query[cell]])


def _raters(session: Session, project: Project) -> _Raters:
    people = session.scalars(
        select(Membership.person_id)
        .join(Person, Person.id == Membership.person_id)
        .where(
            Membership.project_id == project.id,
            Membership.role == Role.ANNOTATOR.value,
            Person.kind == PersonKind.PERSON.value,
        )
    )
    passed: dict[int, set[int]] = {}
    rows = session.execute(
        select(Assignment.query_id, Assignment.person_id).where(
            Assignment.project_id == project.id, Assignment.declined.is_not(None)
        )
    )
    for query_id, person_id in rows:
        passed.setdefault(query_id, set()).add(person_id)
    return _Raters(frozenset(people), passed, project.state == "open")


def _sent(session: Session, evidence: Evidence) -> dict[int, int]:
    """Return what owners sent, by place: the revision at which they did."""
    rows = session.execute(
        select(Referral.candidate_id, Referral.revision).where(Referral.project_id == evidence.project_id)
    ).all()
    if not rows:
        return {}
    cells = evidence.structure.cells_of(np.array([row.candidate_id for row in rows], dtype=np.int64))
    return {cell: row.revision for cell, row in zip(cells.tolist(), rows, strict=True) if cell >= 0}


def _can_be_shown(session: Session, candidate_ids: list[int]) -> set[int]:
    found: set[int] = set()
    for some in batches(candidate_ids):
        wanted = (
            select(Candidate.id)
            .join(Query, Query.id == Candidate.query_id)
            .join(Document, Document.id == Candidate.document_id)
            .where(Candidate.id.in_(some), *can_be_shown())
        )
        found.update(session.scalars(wanted))
    return found
