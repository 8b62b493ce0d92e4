"""What was passed on for good: answers that nobody graded, and nobody here can rate any more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Select, bindparam, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment
from app.models.person import Membership, Person, PersonKind, Role
from app.models.project import Project
from app.scoring.arrays import Flags, Ints
from app.services.evidence.columns import CLEARED, DECLINED
from app.services.evidence.state import Evidence
from app.services.prepared import Prepared

# If this many people could not judge an answer, the next person hardly will.
PASSED_BY = 2


@dataclass(frozen=True)
class Raters:
    """Who could still be given an answer, and who has passed on a whole question: query -> people."""

    people: frozenset[int]
    passed: dict[int, set[int]]
    are_assigned: bool

    def nobody_left(self, settled: Iterable[int]) -> bool:
        """Return whether nobody is left for an answer that some people have settled."""
        return not self.are_assigned or self.people <= set(settled)

    @property
    def key(self) -> str:
        """What changes whenever they do: no revision of the ledger tells it."""
        passed = sorted((query, sorted(people)) for query, people in self.passed.items())
        return f"{sorted(self.people)} {passed} {self.are_assigned}"


class CurrentGrades:
    """What everybody says now about an answer: annotator -> grade, or `DECLINED`."""

    def __init__(self, evidence: Evidence) -> None:
        self._ledger, self._candidate_index = evidence.ledger, evidence.candidate_index
        self._settled = evidence.ratings_now & (evidence.ledger.grade != CLEARED)

    def passed_indexes(self) -> Ints:
        """Return the places of all answers that somebody passed on."""
        return np.unique(self._candidate_index[self._settled & (self._ledger.grade == DECLINED)])

    def of(self, indexes: Ints) -> dict[int, dict[int, int]]:
        """Return what is said about some answers, by place."""
        grades: dict[int, dict[int, int]] = {int(index): {} for index in indexes}
        for row in np.flatnonzero(self._settled & np.isin(self._candidate_index, indexes)).tolist():
            annotator, grade = int(self._ledger.annotator[row]), int(self._ledger.grade[row])
            grades[int(self._candidate_index[row])][annotator] = grade
        return grades


def passed_indexes(evidence: Evidence, raters: Raters, current: CurrentGrades) -> list[int]:
    """Return the places of the answers that only a decision can grade.

    Nobody has graded them, and `PASSED_BY` people or everybody who rates could not judge them.
    """
    structure = evidence.structure
    passed_queries = np.isin(structure.query_id[structure.query], list(raters.passed))
    somebody = np.zeros(structure.candidate_count, dtype=np.bool_)
    somebody[current.passed_indexes()] = True
    unjudged = ~evidence.judged().judged[: structure.candidate_count]
    indexes = np.flatnonzero((somebody | passed_queries) & unjudged & evidence.active_pool())
    grades = current.of(indexes)
    found = []
    for index in indexes.tolist():
        people = {*grades[index], *raters.passed.get(query_of(evidence, index), ())}
        if people and (len(people) >= PASSED_BY or raters.nobody_left(people)):
            found.append(index)
    return found


def unratable_now(session: Session, evidence: Evidence, project: Project) -> Flags:
    """Return which candidates nobody here can rate today: bool (candidates,).

    They have no text, or were passed on for good. That depends on who is a member today, and the ledger does
    not tell it: verdicts, which rest on the ledger alone, ask `unratable` of `scores.context` instead.
    """
    found = evidence.structure.textless
    # Most projects end here: pages ask at every rating.
    if not _passed_questions(session, project) and not (evidence.ledger.grade == DECLINED).any():
        return found
    found = found.copy()
    found[passed_indexes(evidence, raters_of(session, project), CurrentGrades(evidence))] = True
    return found


def query_of(evidence: Evidence, index: int) -> int:
    """Return the number of the query of a candidate."""
    return int(evidence.structure.query_id[evidence.structure.query[index]])


def raters_of(session: Session, project: Project) -> Raters:
    """Return who rates in a project, and which whole questions they passed on."""
    people = session.scalars(
        select(Membership.person_id)
        .join(Person, Person.id == Membership.person_id)
        .where(
            Membership.project_id == project.id,
            Membership.role == Role.ANNOTATOR.value,
            Person.kind == PersonKind.PERSON.value,
        )
    )
    return Raters(frozenset(people), _passed_questions(session, project), project.state == "open")


def _passed_questions(session: Session, project: Project) -> dict[int, set[int]]:
    """Return who passed on each whole question, by its number."""
    passed: dict[int, set[int]] = {}
    for query_id, person_id in _declined.rows(session, {"project": project.id}):
        passed.setdefault(query_id, set()).add(person_id)
    return passed


@Prepared
def _declined() -> Select[int, int]:
    return select(Assignment.query_id, Assignment.person_id).where(
        Assignment.project_id == bindparam("project"), Assignment.declined.is_not(None)
    )
