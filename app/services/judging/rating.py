"""What an annotator says about one answer, and their own rows of the ledger."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Integer, LargeBinary, Select, String, bindparam, case, func, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.candidate import Candidate
from app.models.judgment import Input, Judgment, JudgmentNote, Origin, Reason
from app.models.person import Person
from app.models.project import Guideline, Project
from app.models.query import Query
from app.services.assignment.wanted import PERSON
from app.services.current_judgments import in_ledger, is_settled_by, judged_by, kind_in_batch
from app.services.errors import NotFoundError
from app.services.prepared import Prepared
from app.services.projects.notes import note_rule_of

WHOLE = 2**31 - 1


@dataclass(frozen=True)
class Annotator:
    """Who rates, and where; `blind` is False for anyone who could see rankers in this project."""

    project: Project
    person_id: int
    blind: bool


@dataclass(frozen=True, kw_only=True)
class Rating:
    """One rating as the annotator's device made it: a grade, or a reason why there is none.

    Attributes
    ----------
    id
        Made by the device: the same rating sent again is stored once.
    base
        The id of the last own rating of this answer that the annotator had before their eyes.
    place, of, batch
        Where the answer stood, among how many, in which batch. Data, never a key.
    guidelines
        The version that the annotator's page showed, 0 for none; None means the newest.
    """

    id: UUID
    grade: int | None
    reason: Reason | None = None
    base: UUID | None = None
    place: int = 0
    of: int = 0
    batch: int = 0
    active_ms: int = 0
    input: Input
    at: datetime
    guidelines: int | None = None


@dataclass(frozen=True, kw_only=True)
class OwnRating:
    """A stored rating, as its own annotator may see it."""

    id: UUID
    revision: int
    candidate_id: int
    grade: int | None
    reason: Reason | None
    role: Origin
    place: int
    length: int
    batch: int
    active_ms: int
    input: Input
    judged_at: datetime
    received_at: datetime

    def says_the_same(self, rating: Rating, candidate_id: int) -> bool:
        """Return whether a rating with this id is this one, sent again."""
        mine = (
            self.candidate_id,
            self.grade,
            self.reason,
            self.place,
            self.length,
            self.batch,
            self.active_ms,
            self.input,
            self.judged_at,
        )
        return mine == (
            candidate_id,
            rating.grade,
            rating.reason,
            rating.place,
            rating.of,
            rating.batch,
            rating.active_ms,
            rating.input,
            rating.at,
        )

    @property
    def facts(self) -> dict[str, Any]:
        """Return what the annotator is told of it, as plain values."""
        return {
            "id": str(self.id),
            "grade": self.grade,
            "reason": self.reason.name.lower() if self.reason else None,
            "at": self.judged_at.isoformat(),
            "saved_at": self.received_at.isoformat(),
        }


@dataclass(frozen=True)
class BatchProgress:
    """How far an annotator is with one batch: their own doing, nobody else's."""

    batch: int
    settled: int
    of: int


@dataclass(frozen=True)
class Recorded:
    """A rating that is in the ledger; `is_new` is False where it was there before.

    `wording` is that of its question now (`wording_of`).
    """

    rating: OwnRating
    progress: BatchProgress
    is_new: bool
    wording: str


CANDIDATE = bindparam("candidate", type_=Integer)


@dataclass(frozen=True)
class RatedCandidate:
    """A candidate that somebody rates, and the guidelines of today.

    `kind` is as what they rate it in their batch: the role of a check, or 0 for a rating that counts.
    `wording` is that of its question (`wording_of`).
    """

    id: int
    public_id: str
    query_id: int
    guideline_version: int
    kind: int
    wording: str


def wording_of(text: str, intent: str, retired_revision: int | None) -> str:
    """Return what tells the words of a question from those that it had before; empty if it is retired."""
    if retired_revision is not None:
        return ""
    return hashlib.sha256(f"{text}\0{intent}".encode()).hexdigest()[:16]


def current_wording(session: Session, query_id: int) -> str:
    """Return the wording of a question now."""
    query = session.get_one(Query, query_id)
    return wording_of(query.text, query.intent, query.retired_revision)


def get_rated_candidate(
    session: Session, project_id: int, person_id: int, public_id: str, *, batch: int = 0
) -> RatedCandidate:
    """Return a candidate, and let its annotator's other devices wait until this transaction ends.

    Parameters
    ----------
    batch
        In which of their batches it is; without it, or if it does not, the first one that holds it.

    :raise NotFoundError: There is no such candidate in this project.
    """
    values = {"project": project_id, "person": person_id, "public_id": public_id, "batch": batch}
    row = _shown.row(session, values)
    if row is None:
        raise NotFoundError("This is not one of your answers.")
    number, name, query_id, version, kind, *words = row
    return RatedCandidate(number, name, query_id, version, kind, wording_of(*words))


def find_current(session: Session, person_id: int, candidate_id: int, *, kind: int = 0) -> OwnRating | None:
    """Return a person's current row for a candidate, or None; `kind` as in `RatedCandidate`."""
    values = {"person": person_id, "candidate": candidate_id, "kind": kind}
    row = _current.row(session, values)
    return None if row is None else own_rating(row)


def find_by_id(session: Session, person_id: int, rating_id: UUID) -> OwnRating | None:
    """Return the row that a person's device has sent under this id, or None."""
    row = _by_id.row(session, {"person": person_id, "uuid": rating_id.bytes})
    return None if row is None else own_rating(row)


def needs_note(project: Project, grade: int | None) -> bool:
    """Return whether an owner wants a note with this grade."""
    return grade is not None and grade in note_rule_of(project).grades


def has_note(session: Session, annotator: Annotator, candidate_id: int) -> bool:
    """Return whether a person has written a note on a candidate."""
    text = select(JudgmentNote.text).where(
        JudgmentNote.candidate_id == candidate_id, JudgmentNote.annotator_id == annotator.person_id
    )
    return bool(session.scalar(text))


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
    rows = _progress.rows(session, values)
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


@Prepared
def _shown() -> Select[*tuple[Any, ...]]:
    held_as = (
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
            func.coalesce(held_as.scalar_subquery(), 0),
            Query.text,
            Query.intent,
            Query.retired_revision,
        )
        .join(Query, Query.id == Candidate.query_id)
        .join(Person, Person.id == PERSON)
        .where(
            Candidate.public_id == bindparam("public_id", type_=String),
            Candidate.project_id == bindparam("project"),
        )
        # Two tabs of one person take turns; SQLite has one writer anyway.
        .with_for_update(of=Person, key_share=True)
    )


@Prepared
def _current() -> Select[Any]:
    own, is_own = judged_by(PERSON, bindparam("kind", type_=Integer), candidate=CANDIDATE)
    return _own_columns().join(own, in_ledger(own)).where(is_own)


@Prepared
def _by_id() -> Select[Any]:
    return _own_columns().where(
        Judgment.annotator_id == PERSON, Judgment.client_uuid == bindparam("uuid", type_=LargeBinary)
    )


@Prepared
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
