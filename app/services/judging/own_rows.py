"""An annotator's own rows of the ledger, read with statements that are put together once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Integer, LargeBinary, String, bindparam, case, func, select

from app.models import (
    Assignment,
    AssignmentCandidate,
    Candidate,
    Guideline,
    Judgment,
    Person,
)
from app.services.current_judgments import in_ledger, is_settled_by, kind_in_batch, said_by
from app.services.errors import NotFoundError
from app.services.judging.rating import BatchProgress, OwnRating

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Result, Select
    from sqlalchemy.orm import Session

PERSON = bindparam("person", type_=Integer)
CANDIDATE = bindparam("candidate", type_=Integer)


@dataclass(frozen=True)
class Shown:
    """A candidate that somebody rates, and the guidelines of today.

    `kind` is as what they rate it in their batch: the role of a check, or 0 for a rating that counts.
    """

    id: int
    public_id: str
    query_id: int
    guideline_version: int
    kind: int


def ask(
    session: Session, wanted: Select[*tuple[Any, ...]], values: dict[str, Any]
) -> Result[*tuple[Any, ...]]:
    """Return the rows of a statement that names columns only: objects would cost half a millisecond."""
    return session.connection().execute(wanted, values)


def get_shown(session: Session, project_id: int, person_id: int, public_id: str, *, batch: int = 0) -> Shown:
    """Return a candidate, and let its annotator's other devices wait until this transaction ends.

    Parameters
    ----------
    batch
        In which of their batches it stands; without it, or if it does not, the first one that holds it.

    Raises
    ------
    NotFoundError
        There is no such candidate in this project.
    """
    values = {"project": project_id, "person": person_id, "public_id": public_id, "batch": batch}
    row = ask(session, _shown(), values).one_or_none()
    if row is None:
        raise NotFoundError("This is not one of your answers.")
    return Shown(*row)


def find_current(session: Session, person_id: int, candidate_id: int, *, kind: int = 0) -> OwnRating | None:
    """Return a person's current row for a candidate, or None; `kind` as in `Shown`."""
    values = {"person": person_id, "candidate": candidate_id, "kind": kind}
    row = ask(session, _current(), values).one_or_none()
    return None if row is None else own_rating(row)


def find_by_id(session: Session, person_id: int, rating_id: UUID) -> OwnRating | None:
    """Return the row that a person's device has sent under this id, or None."""
    row = ask(session, _by_id(), {"person": person_id, "uuid": rating_id.bytes}).one_or_none()
    return None if row is None else own_rating(row)


def batch_progress(
    session: Session, project_id: int, person_id: int, batch: int, *, settled_now: dict[int, bool]
) -> BatchProgress:
    """Return how far a person is with a batch.

    Parameters
    ----------
    settled_now
        Candidates whose new rows are about to be written, and whether they are settled by them.
    """
    values = {"project": project_id, "person": person_id, "batch": batch}
    rows = ask(session, _progress(), values).all()
    settled = sum(settled_now.get(candidate_id, bool(done)) for candidate_id, done in rows)
    return BatchProgress(batch, settled, len(rows))


def own_rating(row: Sequence[Any]) -> OwnRating:
    """Return a row that begins with the device's id and goes on with `OWN_NAMES`."""
    facts: dict[str, Any] = dict(zip(OWN_NAMES, row[1:], strict=True))
    return OwnRating(id=UUID(bytes=bytes(row[0])), **facts)


OWN_NAMES = (
    "revision",
    "candidate_id",
    "grade",
    "reason",
    "role",
    "place",
    "length",
    "batch",
    "active_ms",
    "input",
    "judged_at",
    "received_at",
)


def _own_columns() -> Select[Any]:
    return select(Judgment.client_uuid, *(getattr(Judgment, name) for name in OWN_NAMES))


@cache
def _shown() -> Select[int, str, int, int, int]:
    dealt = (
        select(kind_in_batch(AssignmentCandidate.arm))
        .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
        .where(AssignmentCandidate.candidate_id == Candidate.id, Assignment.person_id == PERSON)
        .order_by(case((Assignment.batch == bindparam("batch", type_=Integer), 0), else_=1), Assignment.batch)
        .limit(1)
        .correlate(Candidate)
    )
    version = select(func.max(Guideline.version)).where(Guideline.project_id == bindparam("project"))
    return (
        select(
            Candidate.id,
            Candidate.public_id,
            Candidate.query_id,
            func.coalesce(version.scalar_subquery(), 0),
            func.coalesce(dealt.scalar_subquery(), 0),
        )
        .join(Person, Person.id == PERSON)
        .where(
            Candidate.public_id == bindparam("public_id", type_=String),
            Candidate.project_id == bindparam("project"),
        )
        # Two tabs of one person take turns; SQLite has one writer anyway.
        .with_for_update(of=Person, key_share=True)
    )


@cache
def _current() -> Select[Any]:
    own, is_own = said_by(PERSON, bindparam("kind", type_=Integer), candidate=CANDIDATE)
    return _own_columns().join(own, in_ledger(own)).where(is_own)


@cache
def _by_id() -> Select[Any]:
    return _own_columns().where(
        Judgment.annotator_id == PERSON, Judgment.client_uuid == bindparam("uuid", type_=LargeBinary)
    )


@cache
def _progress() -> Select[Any]:
    return (
        select(
            Candidate.id, case((is_settled_by(PERSON, kind_in_batch(AssignmentCandidate.arm)), 1), else_=0)
        )
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
        .where(
            Assignment.project_id == bindparam("project"),
            Assignment.batch == bindparam("batch"),
            Assignment.person_id == PERSON,
        )
    )
