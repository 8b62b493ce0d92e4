"""Which answers may be dealt to whom: ratings and running leases below the number wanted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Integer, and_, bindparam, exists, func, or_, select
from sqlalchemy.orm import aliased

from app.models import Assignment, AssignmentCandidate, Candidate, Document, Origin, Query
from app.models.base import UtcTime
from app.services.assignment.allotting import queries_for
from app.services.assignment.merged import merged_slot
from app.services.assignment.order import is_rated_twice
from app.services.current_judgments import (
    WIDE,
    is_rated_as,
    is_settled_by,
    ratings_of_candidate,
    spread_of_candidate,
)
from app.services.pooling.merged import merged_documents

if TYPE_CHECKING:
    from collections.abc import Collection, Generator
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from app.models import Project

BATCH_SIZE = 12
RUNNING = ("open", "parked")
# Arms of answers that measure the annotator: a known one, and one that they rated before.
CHECKS = ("gold", "repeat")
STREAMED = {"yield_per": 50}
PERSON = bindparam("person", type_=Integer)
NOW = bindparam("now", type_=UtcTime)


@dataclass(frozen=True)
class Turn:
    """Whose turn it is to be dealt something: in which project, who, and when."""

    project: Project
    person_id: int
    now: datetime


@dataclass(frozen=True)
class Slot:
    """A candidate that still takes a rating."""

    candidate_id: int
    public_id: str
    query_id: int
    best_rank: int
    taken: int
    ratings: int
    spread: int
    document_id: int


def wanted_ratings(project: Project, candidate_id: int, *, spread: int = 0) -> int:
    """Return how many ratings a candidate gets: the overlap, and two for the share rated twice.

    Where its ratings lie two steps apart or more (`spread`), it gets one more.
    """
    extra = spread >= WIDE
    if project.overlap >= 2:
        return project.overlap + extra
    return 1 + is_rated_twice(project.shuffle_secret, candidate_id, project.share_twice) + extra


def most_wanted(project: Project) -> int:
    """Return how many ratings a candidate of a project can want, but for the extra one of a wide spread."""
    return max(project.overlap, 2 if project.share_twice > 0 else 1)


def open_slots(
    session: Session,
    project: Project,
    person_id: int,
    now: datetime,
    *,
    query_id: int | None = None,
    among: Collection[int] | None = None,
) -> Generator[Slot]:
    """Yield what may be dealt to a person, best placed first, read from the database as it is needed.

    Pooled, with a text, of an active query; fewer ratings and running leases than wanted; neither
    rated, nor declined, nor on lease by this person.

    Parameters
    ----------
    query_id
        Of this query only.
    among
        Of these candidates only.
    """
    values = {
        "project": project.id,
        "person": person_id,
        "now": now,
        "query": query_id,
        "most": most_wanted(project),
    }
    if among is not None:
        values["among"] = list(among)
    # Whoever needs only the first one closes the generator, and the rest is never read.
    wanted = _dealable(of_one_query=query_id is not None, of_some=among is not None)
    heads = set(merged_documents(session, project.id).values())
    allotted = queries_for(session, project, person_id)
    # One query has few enough to be read at once.
    rows = session.execute(wanted, values, execution_options={} if query_id else STREAMED)
    try:
        for row in rows:
            slot: Slot | None = Slot(**row._mapping)  # noqa: SLF001 - the documented way to a row's names
            if slot and allotted is not None and slot.query_id not in allotted:
                continue
            if slot and slot.document_id in heads:
                slot = merged_slot(session, slot, person_id, now)
            if slot and slot.taken < wanted_ratings(project, slot.candidate_id, spread=slot.spread):
                yield slot
    finally:
        rows.close()


def is_running(lease: type[Assignment]) -> ColumnElement[bool]:
    """Return whether a lease is still held; without a list, which is expanded again at each execution."""
    return or_(*(lease.state == state for state in RUNNING))


def is_check(held: type[AssignmentCandidate]) -> ColumnElement[bool]:
    """Return whether an answer of a batch is a check of its annotator, and fills no slot."""
    return or_(*(held.arm == arm for arm in CHECKS))


def leases_of_candidate() -> Any:
    """Return how many others than `:person` hold the statement's candidate unsettled at `:now`.

    Checks are left out.
    """
    lease, held = aliased(Assignment), aliased(AssignmentCandidate)
    return (
        select(func.count())
        .select_from(held)
        .join(lease, lease.id == held.assignment_id)
        .where(
            held.candidate_id == Candidate.id,
            is_running(lease),
            lease.lease_end > NOW,
            lease.person_id != PERSON,
            ~is_check(held),
            ~is_settled_by(lease.person_id),
        )
        .correlate_except(lease, held)
        .scalar_subquery()
    )


def is_on_lease() -> ColumnElement[bool]:
    """Return whether `:person` holds the statement's candidate on a lease that runs at `:now`."""
    lease, held = aliased(Assignment), aliased(AssignmentCandidate)
    return (
        exists()
        .where(
            held.candidate_id == Candidate.id,
            held.assignment_id == lease.id,
            lease.person_id == PERSON,
            is_running(lease),
            lease.lease_end > NOW,
        )
        .correlate_except(held, lease)
    )


@cache
def _dealable(*, of_one_query: bool, of_some: bool) -> Select[*tuple[Any, ...]]:
    # Built once: putting it together takes longer than running it.
    ratings = ratings_of_candidate()
    taken = ratings + leases_of_candidate()
    spread = spread_of_candidate()
    most = bindparam("most", type_=Integer)
    wanted = (
        select(
            Candidate.id.label("candidate_id"),
            Candidate.public_id,
            Candidate.query_id,
            Candidate.best_rank,
            taken.label("taken"),
            ratings.label("ratings"),
            spread.label("spread"),
            Candidate.document_id,
        )
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Query.project_id == bindparam("project"),
            Candidate.in_pool,
            *can_be_shown(),
            ~is_settled_by(PERSON),
            ~is_rated_as(PERSON, Origin.GOLD),
            ~is_on_lease(),
            ~_is_declined(),
            # Only an answer that is rated twice can have ratings that lie apart.
            or_(taken < most, and_(most > 1, taken == most, spread >= WIDE)),
        )
        # The query id first among equals: a batch holds one query, whichever is met first.
        .order_by(Candidate.best_rank, Candidate.query_id, Candidate.public_id)
    )
    if of_some:
        wanted = wanted.where(Candidate.id.in_(bindparam("among", expanding=True)))
    # The project of a candidate stands in the index that is read in this order: to be named or not.
    if of_one_query:
        return wanted.where(Candidate.query_id == bindparam("query"))
    return wanted.where(Candidate.project_id == bindparam("project"))


def can_be_shown() -> tuple[ColumnElement[bool], ...]:
    """Return what makes the statement's query and document fit to be dealt."""
    return (
        Query.retired_revision.is_(None),
        Document.retired_revision.is_(None),
        Document.content_hash.is_not(None),
    )


def _is_declined() -> ColumnElement[bool]:
    declined = aliased(Assignment)
    return (
        exists()
        .where(
            declined.person_id == PERSON,
            declined.project_id == Candidate.project_id,
            declined.query_id == Candidate.query_id,
            declined.declined.is_not(None),
        )
        .correlate_except(declined)
    )
