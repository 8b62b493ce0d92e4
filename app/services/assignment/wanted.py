"""How many ratings an answer gets, in which order answers come, and what merged documents share."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Integer, bindparam, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.base import UtcTime
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import CurrentJudgment, Origin, Reason
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Flags, Ints
from app.services.current_judgments import RATING, WIDE, is_rated_as, is_settled_by

# The annotator's own order of a batch: keyed, stable on reload, and blind to rank, score and ranker.


# The finisher of SplitMix64.
SPREAD = 0x9E3779B97F4A7C15
MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
WORD = 2**64 - 1


def shuffled(
    secret: bytes, public_ids: Iterable[str], *, annotator: int, query: int, batch: int
) -> list[str]:
    """Return the public ids of a batch in the order in which this annotator sees them.

    Sorted by HMAC-SHA256(secret; annotator | query | batch | candidate), so the order depends on
    nothing that a ranker decides, and can be formed again from the ledger at any time.
    """
    prefix = f"{annotator}|{query}|{batch}|"
    return sorted(public_ids, key=lambda public_id: _keyed(secret, prefix + public_id))


def drawn_twice(secret: bytes, candidate_ids: Ints, share: float) -> Flags:
    """Return which candidates belong to the keyed share that is rated twice: bool (candidates,).

    Each number is mixed with a key of the secret (the finisher of SplitMix64) and compared with the
    share, so the choice is the same at any time and says nothing about the answer.
    """
    key = np.uint64(int.from_bytes(_keyed(secret, "twice")[:8], "big"))
    mixed = candidate_ids.astype(np.uint64) * np.uint64(SPREAD) + key
    for shift, factor in MIXING:
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    chosen: Flags = (mixed >> np.uint64(11)).astype(np.float64) < share * 2.0**53
    return chosen


def is_rated_twice(secret: bytes, candidate_id: int, share: float) -> bool:
    """Tell whether a candidate belongs to the keyed share that is rated twice."""
    if share <= 0:
        return False
    # The same in plain numbers: an array of one costs more than the whole sum.
    mixed = candidate_id * SPREAD + int.from_bytes(_keyed(secret, "twice")[:8], "big") & WORD
    for shift, factor in MIXING:
        mixed = (mixed ^ mixed >> shift) * factor & WORD
    return (mixed ^ mixed >> 31) >> 11 < share * 2.0**53


def _keyed(secret: bytes, message: str) -> bytes:
    return hmac.digest(secret, message.encode(), hashlib.sha256)


# Ratings of merged documents: what was said of any of them was said of the answer that they are.


RUNNING = ("open", "parked")


def with_merged(
    session: Session, slot: EligibleCandidate, person_id: int, now: datetime
) -> EligibleCandidate:
    """Return the slot of an answer that several documents are, with what was said of all of them.

    It is the person's where they have settled, met as gold, or hold on lease any of them.
    """
    twins = session.scalars(
        select(Candidate.id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.query_id == slot.query_id, Document.merged_into == slot.document_id)
    ).all()
    if not twins:
        return slot
    said = _said(session, [slot.candidate_id, *twins])
    holders = _holders(session, twins, now)
    grades = [grade for grade in said.values() if grade is not None]
    return replace(
        slot,
        leases=slot.leases + len(holders - said.keys() - {person_id}),
        ratings=len(grades),
        spread=max(grades) - min(grades) if grades else 0,
        mine=slot.mine
        or person_id in said
        or person_id in holders
        or _met_as_gold(session, twins, person_id),
    )


def _said(session: Session, candidates: Iterable[int]) -> dict[int, int | None]:
    """Return what every annotator says now of some candidates: a grade, or None for "can't judge"."""
    rows = session.execute(
        select(CurrentJudgment.annotator_id, CurrentJudgment.grade, CurrentJudgment.reason)
        .where(CurrentJudgment.candidate_id.in_(list(candidates)), CurrentJudgment.kind == RATING)
        .order_by(CurrentJudgment.revision)
    )
    said: dict[int, int | None] = {}
    for annotator, grade, reason in rows:
        said.pop(annotator, None)
        if reason != Reason.CLEARED:
            said[annotator] = grade
    return said


def _holders(session: Session, candidates: Iterable[int], now: datetime) -> set[int]:
    """Return who holds one of some candidates on a lease that runs."""
    return set(
        session.scalars(
            select(Assignment.person_id)
            .join(AssignmentCandidate, AssignmentCandidate.assignment_id == Assignment.id)
            .where(
                AssignmentCandidate.candidate_id.in_(list(candidates)),
                Assignment.state.in_(RUNNING),
                Assignment.lease_end > now,
            )
        )
    )


def _met_as_gold(session: Session, candidates: Iterable[int], person_id: int) -> bool:
    met = select(Candidate.id).where(Candidate.id.in_(list(candidates)), is_rated_as(person_id, Origin.GOLD))
    return session.scalar(met.limit(1)) is not None


# How many ratings an answer gets, and what takes its places: the parts that statements about it share.


BATCH_SIZE = 12
# Arms of answers that measure the annotator: a known one, and one that they rated before.
CHECKS = ("gold", "repeat")
PERSON = bindparam("person", type_=Integer)
NOW = bindparam("now", type_=UtcTime)


@dataclass(frozen=True)
class EligibleCandidate:
    """An answer of one question, with what decides whether a person may be given it, as in `Free`."""

    candidate_id: int
    public_id: str
    query_id: int
    document_id: int
    best_rank: int
    pooled: bool
    shown: bool
    ratings: int
    leases: int
    spread: int
    mine: bool

    @property
    def taken(self) -> int:
        """Ratings and leases of others."""
        return self.ratings + self.leases


@dataclass(frozen=True)
class BatchRequest:
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
