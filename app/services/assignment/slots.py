"""How many ratings an answer gets, and what takes its places: the parts that statements about it share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Integer, bindparam, exists, func, or_, select
from sqlalchemy.orm import aliased

from app.models import Assignment, AssignmentCandidate, Candidate, Document, Query
from app.models.base import UtcTime
from app.services.assignment.order import drawn_twice, is_rated_twice
from app.services.current_judgments import WIDE, is_settled_by

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement

    from app.models import Project
    from app.scoring.arrays import Ints

BATCH_SIZE = 12
RUNNING = ("open", "parked")
# Arms of answers that measure the annotator: a known one, and one that they rated before.
CHECKS = ("gold", "repeat")
PERSON = bindparam("person", type_=Integer)
NOW = bindparam("now", type_=UtcTime)


@dataclass(frozen=True)
class Turn:
    """Whose turn it is to be dealt something: in which project, who, and when."""

    project: Project
    person_id: int
    now: datetime


def wanted_ratings(project: Project, candidate_id: int, *, spread: int = 0) -> int:
    """Return how many ratings a candidate gets: the overlap, and two for the share rated twice.

    Where its ratings lie two steps apart or more (`spread`), it gets one more.
    """
    extra = spread >= WIDE
    if project.overlap >= 2:
        return project.overlap + extra
    return 1 + is_rated_twice(project.shuffle_secret, candidate_id, project.share_twice) + extra


def wanted_of(project: Project, candidate_id: Ints, spread: Ints) -> Ints:
    """Return the same for many candidates: integers (candidates,)."""
    extra = (spread >= WIDE).astype(np.int64)
    if project.overlap >= 2:
        return project.overlap + extra
    if project.share_twice <= 0:
        return 1 + extra
    return 1 + drawn_twice(project.shuffle_secret, candidate_id, project.share_twice) + extra


def spread_of(counts: Ints) -> Ints:
    """Return how far the grades of each candidate lie apart: integers (candidates,)."""
    given = counts > 0
    lowest = given.argmax(axis=1)
    highest = counts.shape[1] - 1 - given[:, ::-1].argmax(axis=1)
    return np.where(given.any(axis=1), highest - lowest, 0)


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


def can_be_shown() -> tuple[ColumnElement[bool], ...]:
    """Return what makes the statement's query and document fit to be dealt."""
    return (
        Query.retired_revision.is_(None),
        Document.retired_revision.is_(None),
        Document.content_hash.is_not(None),
    )
