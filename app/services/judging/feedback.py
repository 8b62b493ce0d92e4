"""What the others gave, told to an annotator: where the owner allows it, and of closed questions only.

A question is closed once every answer of its pool has the ratings it gets and nobody is rating one of them.
Knowing others' grades influences one's own. So what was shown to whom is recorded, and an annotator who saw
it cannot change the grade, though the question opens again. A first rating is always taken, however late.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from functools import cache
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Integer, Select, bindparam, exists, func, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import CurrentJudgment, Disclosure, Reason
from app.models.project import Project
from app.sentences import message
from app.services.assignment.eligibility import read_eligibility
from app.services.assignment.wanted import (
    PERSON,
    BatchRequest,
    is_check,
    is_leased,
)
from app.services.bulk import insert_missing
from app.services.current_judgments import (
    RATING,
    is_settled_by,
    judged_by,
    kind_in_batch,
)
from app.services.errors import ConflictError
from app.services.judging.rating import OwnRating
from app.services.ledger import head_of
from app.services.projects.assignment_settings import quality_of

# Of no person, so that nobody's leases are left out.
NOBODY = 0
QUERIES = bindparam("queries", type_=Integer, expanding=True)


def others_gave(
    session: Session, project: Project, person_id: int, query_ids: Collection[int]
) -> dict[int, tuple[int, int]]:
    """Return what a person may be told: candidate -> the middle grade of all others, as its two middle ones.

    Empty where the owner does not allow it; of closed questions only, none of which waits for a check of this
    person's, and of answers that both they and others graded.
    """
    if not quality_of(project).feedback:
        return {}
    closed = closed_queries(session, project, query_ids)
    values = {"queries": list(closed), "person": person_id, "now": now_utc()}
    values["queries"] = list(closed - set(session.scalars(_checked_now(), values)))
    grades: defaultdict[int, list[int]] = defaultdict(list)
    for candidate_id, grade in session.execute(_of_others(), values):
        grades[candidate_id].append(grade)
    return {
        candidate_id: (given[(len(given) - 1) // 2], given[len(given) // 2])
        for candidate_id, given in grades.items()
    }


def untold(session: Session, person_id: int, candidate_ids: Collection[int]) -> set[int]:
    """Return of which of some answers it is not written down that a person knows what others gave."""
    known = select(Candidate.id).join(Document, Document.id == Candidate.document_id)
    known = known.where(Candidate.id.in_(candidate_ids), is_told())
    return set(candidate_ids) - set(session.scalars(known, {"person": person_id}))


def record_disclosure(
    session: Session, project: Project, person_id: int, candidate_ids: Collection[int]
) -> None:
    """Write down that a person is told what others gave for some answers; before they are told."""
    facts = {"project_id": project.id, "person_id": person_id, "told_at": now_utc()}
    facts["revision"] = head_of(session, project.id)
    rows = [facts | {"candidate_id": candidate_id} for candidate_id in sorted(candidate_ids)]
    if rows:
        session.execute(insert_missing(session, Disclosure, ("candidate_id", "person_id", "revision")), rows)


def is_told() -> ColumnElement[bool]:
    """Return whether `:person` was told what others gave for the statement's candidate and document."""
    return (
        exists()
        .where(
            Disclosure.candidate_id == Candidate.id,
            Disclosure.person_id == PERSON,
            Disclosure.revision >= func.coalesce(Document.edited_revision, 0),
        )
        .correlate_except(Disclosure)
    )


def check_may_change(*, told: bool, current: OwnRating | None) -> None:
    """Refuse to change what somebody said about an answer once they know what others gave for it.

    :raise ConflictError: They know (`others_known`).
    """
    if told and current is not None and current.reason is not Reason.CLEARED:
        refusal = message("You have seen how others rated this answer, so you cannot change your rating.")
        raise ConflictError(refusal, code="others_known")


def closed_queries(session: Session, project: Project, query_ids: Collection[int]) -> set[int]:
    """Return which of some queries have nothing left to rate, for nobody."""
    request = BatchRequest(project, NOBODY, now_utc())
    facts, eligibility = read_eligibility(session, request, "query_id", query_ids)
    asked = eligibility.shown & eligibility.pooled
    query_id = np.array([fact.query_id for fact in facts], dtype=np.int64)
    begun = asked & (eligibility.is_wanting | (eligibility.leases > 0))
    return set(np.setdiff1d(query_id[asked], query_id[begun]).tolist())


@cache
def _checked_now() -> Select[int]:
    """Return the statement of the questions in which `:person` holds a check that they have not rated."""
    return (
        select(Candidate.query_id)
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Candidate.query_id.in_(QUERIES),
            Assignment.person_id == PERSON,
            is_leased(Assignment),
            is_check(AssignmentCandidate),
            ~is_settled_by(PERSON, kind_in_batch(AssignmentCandidate.arm)),
        )
    )


@cache
def _of_others() -> Select[*tuple[Any, ...]]:
    own, is_own = judged_by(PERSON)
    graded = exists().where(is_own, own.grade.is_not(None))
    return (
        select(Candidate.id, CurrentJudgment.grade)
        .join(CurrentJudgment, CurrentJudgment.candidate_id == Candidate.id)
        .where(
            Candidate.query_id.in_(QUERIES),
            CurrentJudgment.kind == RATING,
            CurrentJudgment.annotator_id != PERSON,
            CurrentJudgment.grade.is_not(None),
            graded.correlate_except(own),
        )
        .order_by(Candidate.id, CurrentJudgment.grade)
    )
