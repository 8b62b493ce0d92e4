"""What the others gave, told to an annotator: where the owner allows it, and of closed questions only.

A question is closed once every answer of its pool has the ratings it gets and nobody is at one of them.
What was told about it anchors, so from then on its ratings stay as they are.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Integer, bindparam, select

from app.models import Candidate, Document, Judgment, Query, now_utc
from app.services.assignment.slots import PERSON, can_be_shown, leases_of_candidate, wanted_ratings
from app.services.current_judgments import current, ratings_of_candidate, spread_of_candidate
from app.services.errors import ConflictError
from app.services.quality import quality_of
from app.services.sentences import said

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from app.models import Project

# Of no person, so that nobody's leases are left out.
NOBODY = 0
QUERIES = bindparam("queries", type_=Integer, expanding=True)


def others_gave(
    session: Session, project: Project, person_id: int, query_ids: Collection[int]
) -> dict[int, tuple[int, int]]:
    """Return what a person may be told: candidate -> the middle grade of all others, as its two middle ones.

    Empty where the owner does not allow it; of closed questions only, and of answers that others graded.
    """
    if not quality_of(project).feedback:
        return {}
    closed = closed_queries(session, project, query_ids)
    grades: defaultdict[int, list[int]] = defaultdict(list)
    for candidate_id, grade in session.execute(_of_others(), {"queries": list(closed), "person": person_id}):
        grades[candidate_id].append(grade)
    return {
        candidate_id: (given[(len(given) - 1) // 2], given[len(given) // 2])
        for candidate_id, given in grades.items()
    }


def check_may_change(session: Session, project: Project, query_id: int) -> None:
    """Refuse a rating of a closed question where annotators are told what others gave.

    Raises
    ------
    ConflictError
        It is closed (`question_closed`).
    """
    if quality_of(project).feedback and closed_queries(session, project, [query_id]):
        message = said("This question is closed: its ratings can be compared now, so they stay as they are.")
        raise ConflictError(message, code="question_closed")


def closed_queries(session: Session, project: Project, query_ids: Collection[int]) -> set[int]:
    """Return which of some queries have nothing left to rate, for nobody."""
    values = {"queries": list(query_ids), "person": NOBODY, "now": now_utc()}
    rows = session.execute(_standings(), values).all()
    begun = {
        row.query_id
        for row in rows
        if row.leases or row.ratings < wanted_ratings(project, row.id, spread=row.spread)
    }
    return {row.query_id for row in rows} - begun


@cache
def _standings() -> Select[*tuple[Any, ...]]:
    # Built once: putting it together takes longer than running it.
    return (
        select(
            Candidate.id,
            Candidate.query_id,
            ratings_of_candidate().label("ratings"),
            spread_of_candidate().label("spread"),
            leases_of_candidate().label("leases"),
        )
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.query_id.in_(QUERIES), Candidate.in_pool, *can_be_shown())
    )


@cache
def _of_others() -> Select[*tuple[Any, ...]]:
    return (
        select(Candidate.id, Judgment.grade)
        .join(Judgment, Judgment.candidate_id == Candidate.id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Candidate.query_id.in_(QUERIES),
            Judgment.annotator_id != PERSON,
            Judgment.grade.is_not(None),
            current(Judgment),
        )
        .order_by(Candidate.id, Judgment.grade)
    )
