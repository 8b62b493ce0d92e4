"""Gold answers: owners say that the grade of an answer is beyond doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, func, select

from app.models import Candidate, Document, Gold, Membership, Person, Project, Query, Role
from app.services.errors import InvalidError, NotFoundError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

# So many owners have to agree, where there are so many.
AGREED_BY = 2


@dataclass(frozen=True)
class GoldAnswer:
    """An answer that somebody called gold: what each owner said, and the grade in force, if there is one."""

    candidate_id: int
    query_id: int
    query: str
    title: str
    said: tuple[tuple[str, int], ...]
    grade: int | None


def declare_gold(
    session: Session, project: Project, public_id: str, grade: int | None, *, actor_id: int
) -> int:
    """Let an owner say which grade an answer has beyond doubt, and return its query.

    None takes back what they said.

    Raises
    ------
    NotFoundError
        There is no such answer in this project.
    InvalidError
        It is neither the lowest nor the highest grade: a middle one is met too often by chance.
    """
    candidate = session.scalar(
        select(Candidate).where(Candidate.project_id == project.id, Candidate.public_id == public_id)
    )
    if candidate is None:
        raise NotFoundError("There is no such answer in this project.")
    if grade is not None and grade not in {project.scale_low, project.scale_high}:
        raise InvalidError(
            f"A gold answer has the grade {project.scale_low} or {project.scale_high}, not {grade}: "
            "one between them is met too often by chance.",
            code="gold_grade",
        )
    said = session.get(Gold, (candidate.id, actor_id))
    if said is not None and grade is None:
        session.delete(said)
    elif said is not None and grade is not None:
        said.grade = grade
    elif grade is not None:
        session.add(Gold(candidate_id=candidate.id, person_id=actor_id, project_id=project.id, grade=grade))
    session.flush()
    return candidate.query_id


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


def gold_answers(session: Session, project_id: int) -> list[GoldAnswer]:
    """Return the answers that owners called gold, question by question."""
    in_force = gold_of(session, project_id)
    shown = func.coalesce(func.nullif(Document.title, ""), func.substr(Document.text, 1, 70))
    rows = session.execute(
        select(Gold.candidate_id, Query.id, Query.text, shown, Person.name, Gold.grade)
        .join(Candidate, Candidate.id == Gold.candidate_id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .join(Person, Person.id == Gold.person_id)
        .where(Gold.project_id == project_id)
        .order_by(Query.id, Gold.candidate_id, Person.name)
    )
    found: dict[int, GoldAnswer] = {}
    for number, query_id, query, title, name, grade in rows:
        said = (*found[number].said, (name, grade)) if number in found else ((name, grade),)
        found[number] = GoldAnswer(number, query_id, query, title or "", said, in_force.get(number))
    return list(found.values())


@dataclass(frozen=True)
class GoldChoice:
    """An answer of a question, and the grade that one owner called beyond doubt, if they did."""

    public_id: str
    title: str
    said: int | None


def gold_choices(session: Session, project_id: int, query_id: int, person_id: int) -> list[GoldChoice]:
    """Return the answers of a question that can be shown, by title, with what a person said about each."""
    shown = func.coalesce(func.nullif(Document.title, ""), func.substr(Document.text, 1, 70))
    rows = session.execute(
        select(Candidate.public_id, shown, Gold.grade)
        .join(Document, Document.id == Candidate.document_id)
        .outerjoin(Gold, and_(Gold.candidate_id == Candidate.id, Gold.person_id == person_id))
        .where(
            Candidate.project_id == project_id,
            Candidate.query_id == query_id,
            Document.content_hash.is_not(None),
            Document.retired_revision.is_(None),
        )
        .order_by(shown, Candidate.id)
    )
    return [GoldChoice(*row) for row in rows]


def _owners(session: Session, project_id: int) -> int:
    wanted = select(func.count()).where(
        Membership.project_id == project_id, Membership.role == Role.OWNER.value
    )
    return session.scalar(wanted) or 0
