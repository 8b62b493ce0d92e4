"""What stands before a rating is written: all that decides whether and as what it counts, in one question.

Each statement costs more than its rows do; this one stands on the path of every rating.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Integer, LargeBinary, and_, bindparam, case, exists, func, select, true
from sqlalchemy.orm import aliased

from app.models import Assignment, AssignmentCandidate, Candidate, Document, Judgment, Origin
from app.services.assignment.slots import is_on_lease, leases_of_candidate
from app.services.current_judgments import (
    in_ledger,
    is_settled_by,
    kind_in_batch,
    ratings_of_candidate,
    said_by,
)
from app.services.judging.feedback import is_told
from app.services.judging.own_rows import OWN_NAMES, own_rating
from app.services.judging.rating import BatchProgress

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from app.services.judging.own_rows import Shown
    from app.services.judging.rating import Annotator, OwnRating, Rating

PERSON = bindparam("person", type_=Integer)
CANDIDATE = bindparam("candidate", type_=Integer)
KIND = bindparam("kind", type_=Integer)


@dataclass(frozen=True)
class Standing:
    """How a candidate stands for one person: were they ever dealt it, and who else has taken its places.

    `told`: they know what others gave for it (see `feedback`).
    """

    dealt: bool
    told: bool
    on_lease: bool
    planned: int
    leased: int


@dataclass(frozen=True)
class Before:
    """What stands before a rating.

    Attributes
    ----------
    stored
        The row that the person's device has sent under the same id, or None.
    current
        The person's current row for the candidate, or None.
    others_settled, of, is_in_batch
        Of the rating's batch: how many of its other answers are settled, how many it has, and whether the
        candidate is one of them.
    """

    stored: OwnRating | None
    current: OwnRating | None
    standing: Standing
    others_settled: int
    of: int
    is_in_batch: bool

    def progress(self, batch: int, *, settles: bool) -> BatchProgress:
        """Return how far the person is with the batch once the rating is written."""
        return BatchProgress(batch, self.others_settled + (settles and self.is_in_batch), self.of)


def read_before(
    session: Session, annotator: Annotator, shown: Shown, rating: Rating, *, now: datetime
) -> Before:
    """Return what stands before a rating of a candidate that `get_shown` has found."""
    values = {
        "project": annotator.project.id,
        "person": annotator.person_id,
        "candidate": shown.id,
        "uuid": rating.id.bytes,
        "batch": rating.batch,
        "kind": shown.kind,
        "now": now,
    }
    row = tuple(session.connection().execute(_before(), values).one())
    width = len(OWN_NAMES) + 1
    stored, standing, rest = row[:width], row[width : 2 * width], row[2 * width :]
    return Before(
        own_rating(stored) if stored[0] is not None else None,
        own_rating(standing) if standing[0] is not None else None,
        Standing(*rest[:5]),
        int(rest[5] or 0),
        rest[6],
        bool(rest[7]),
    )


def standing_of(session: Session, person_id: int, candidate_id: int, now: datetime) -> Standing:
    """Return how a candidate stands for a person."""
    values = {"person": person_id, "candidate": candidate_id, "now": now}
    return Standing(*session.connection().execute(_standing(), values).one())


def _standing_columns() -> tuple[Any, ...]:
    dealt = exists().where(
        AssignmentCandidate.candidate_id == Candidate.id,
        AssignmentCandidate.assignment_id == Assignment.id,
        Assignment.person_id == PERSON,
    )
    return (
        dealt.correlate_except(AssignmentCandidate, Assignment),
        is_told(),
        is_on_lease(),
        ratings_of_candidate(but=PERSON, role=Origin.PLANNED),
        leases_of_candidate(),
    )


@cache
def _standing() -> Select[Any]:
    return (
        select(*_standing_columns())
        .select_from(Candidate)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.id == CANDIDATE)
    )


@cache
def _before() -> Select[Any]:
    stored, own = aliased(Judgment), aliased(Judgment)
    now, is_now = said_by(PERSON, KIND)
    names = ("client_uuid", *OWN_NAMES)
    batch = (
        select(
            func.sum(
                case(
                    (
                        and_(
                            Candidate.id != CANDIDATE,
                            is_settled_by(PERSON, kind_in_batch(AssignmentCandidate.arm)),
                        ),
                        1,
                    ),
                    else_=0,
                )
            ).label("settled"),
            func.count().label("of"),
            func.max(case((Candidate.id == CANDIDATE, 1), else_=0)).label("here"),
        )
        .select_from(Assignment)
        .join(AssignmentCandidate, AssignmentCandidate.assignment_id == Assignment.id)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .where(
            Assignment.project_id == bindparam("project"),
            Assignment.batch == bindparam("batch"),
            Assignment.person_id == PERSON,
        )
        .correlate(None)
        .subquery()
    )
    return (
        select(
            *(getattr(stored, name) for name in names),
            *(getattr(own, name) for name in names),
            *_standing_columns(),
            batch.c.settled,
            batch.c.of,
            batch.c.here,
        )
        .select_from(Candidate)
        .join(Document, Document.id == Candidate.document_id)
        .join(batch, true())
        .outerjoin(
            stored,
            and_(stored.annotator_id == PERSON, stored.client_uuid == bindparam("uuid", type_=LargeBinary)),
        )
        .outerjoin(now, is_now)
        .outerjoin(own, in_ledger(now, own))
        .where(Candidate.id == CANDIDATE)
    )
