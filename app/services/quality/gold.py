"""Gold answers: owners say that the grade of an answer is beyond doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from app.models import Candidate, Gold, Membership, Project, Role
from app.services.errors import InvalidError, NotFoundError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

# So many owners have to agree, where there are so many.
AGREED_BY = 2


def declare_gold(
    session: Session, project: Project, candidate_id: int, grade: int | None, *, actor_id: int
) -> None:
    """Let an owner say which grade a candidate has beyond doubt; None takes back what they said.

    Raises
    ------
    NotFoundError
        There is no such candidate in this project.
    InvalidError
        It is neither the lowest nor the highest grade: a middle one is met too often by chance.
    """
    candidate = session.get(Candidate, candidate_id)
    if candidate is None or candidate.project_id != project.id:
        raise NotFoundError("There is no such answer in this project.")
    if grade is not None and grade not in {project.scale_low, project.scale_high}:
        raise InvalidError(
            f"A gold answer has the grade {project.scale_low} or {project.scale_high}, not {grade}: "
            "one between them is met too often by chance.",
            code="gold_grade",
        )
    said = session.get(Gold, (candidate_id, actor_id))
    if said is not None and grade is None:
        session.delete(said)
    elif said is not None and grade is not None:
        said.grade = grade
    elif grade is not None:
        session.add(Gold(candidate_id=candidate_id, person_id=actor_id, project_id=project.id, grade=grade))
    session.flush()


def gold_of(session: Session, project_id: int) -> dict[int, int]:
    """Return the gold answers in force: candidate -> grade.

    Two owners agree on each; one is enough in a project that has only one.
    """
    least = min(AGREED_BY, max(1, _owners(session, project_id)))
    rows = session.execute(
        select(Gold.candidate_id, func.min(Gold.grade))
        .where(Gold.project_id == project_id)
        .group_by(Gold.candidate_id)
        .having(func.count() >= least, func.min(Gold.grade) == func.max(Gold.grade))
        .order_by(Gold.candidate_id)
    )
    return {row[0]: row[1] for row in rows}


def gold_said(session: Session, project_id: int, query_id: int) -> dict[int, dict[int, int]]:
    """Return what owners said about the answers of a query: candidate -> person -> grade."""
    said: dict[int, dict[int, int]] = {}
    rows = session.execute(
        select(Gold.candidate_id, Gold.person_id, Gold.grade)
        .join(Candidate, Candidate.id == Gold.candidate_id)
        .where(Gold.project_id == project_id, Candidate.query_id == query_id)
        .order_by(Gold.candidate_id, Gold.person_id)
    )
    for candidate_id, person_id, grade in rows:
        said.setdefault(candidate_id, {})[person_id] = grade
    return said


def _owners(session: Session, project_id: int) -> int:
    wanted = select(func.count()).where(
        Membership.project_id == project_id, Membership.role == Role.OWNER.value
    )
    return session.scalar(wanted) or 0
