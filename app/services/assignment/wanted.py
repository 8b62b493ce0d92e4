"""How many ratings an answer gets, what takes their place, and in which order a batch is shown."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Integer, Table, and_, bindparam, exists, func, or_, select
from sqlalchemy.orm import aliased

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.base import UtcTime
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Flags, Ints
from app.services.current_judgments import WIDE, is_settled_by, kind_in_batch

BATCH_SIZE = 12
# States of a batch whose answers are held for its annotator.
RUNNING = ("open", "parked")
# Arms of answers that measure the annotator: a known one, and one that they rated before.
CHECKS = ("gold", "repeat")
PERSON = bindparam("person", type_=Integer)
NOW = bindparam("now", type_=UtcTime)
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
    """Return whether a candidate belongs to the keyed share that is rated twice."""
    if share <= 0:
        return False
    # The same in plain numbers: an array of one costs more than the whole sum.
    mixed = candidate_id * SPREAD + int.from_bytes(_keyed(secret, "twice")[:8], "big") & WORD
    for shift, factor in MIXING:
        mixed = (mixed ^ mixed >> shift) * factor & WORD
    return (mixed ^ mixed >> 31) >> 11 < share * 2.0**53


def _keyed(secret: bytes, message: str) -> bytes:
    return hmac.digest(secret, message.encode(), hashlib.sha256)


@dataclass(frozen=True)
class BatchRequest:
    """Who asks for a batch, in which project, and when.

    Where answers are assigned `only_blind` says whether only blind ratings count, as in the scoring settings.
    Showing an answer and taking its rating reads no setting of the scores: every rating counts there.
    """

    project: Project
    person_id: int
    now: datetime
    only_blind: bool = False


def wanted_ratings(project: Project, candidate_id: int) -> int:
    """Return how many ratings a candidate gets at first: the overlap, and two for the share rated twice."""
    if project.overlap >= 2:
        return project.overlap
    return 1 + is_rated_twice(project.shuffle_secret, candidate_id, project.share_twice)


def wanted_of(project: Project, candidate_id: Ints, spread: Ints, *, overlap: int | None = None) -> Ints:
    """Return the same for many candidates, at the project's overlap or another: integers (candidates,).

    Where the ratings of a candidate lie two steps apart or more (`spread`), it gets one more.
    """
    overlap, extra = overlap or project.overlap, (spread >= WIDE).astype(np.int64)
    if overlap >= 2 or project.share_twice <= 0:
        return overlap + extra
    return 1 + drawn_twice(project.shuffle_secret, candidate_id, project.share_twice) + extra


def ratings_expected(project: Project, overlap: int) -> float:
    """Return how many ratings a new answer may be expected to get: whether it gets two is not drawn yet."""
    return overlap if overlap >= 2 else 1 + project.share_twice


def spread_of(counts: Ints) -> Ints:
    """Return how far the grades of each candidate lie apart: integers (candidates,)."""
    lowest, highest = np.zeros((2, len(counts)), dtype=np.int64)
    # Grade by grade: many times quicker than looking along so short an axis.
    given = [counts[:, grade] > 0 for grade in range(counts.shape[1])]
    for grade, are_given in enumerate(given):
        highest[are_given] = grade
    for grade, are_given in reversed([*enumerate(given)]):
        lowest[are_given] = grade
    return highest - lowest


def is_leased(lease: type[Assignment], now: Any = NOW) -> ColumnElement[bool]:
    """Return whether a batch is held for its annotator; without a list, which each execution expands."""
    return and_(or_(*(lease.state == state for state in RUNNING)), lease.lease_end > now)


def has_ended(lease: Table) -> ColumnElement[bool]:
    """Return whether a batch, of the table of them, is still to be released: its lease is over at `:now`."""
    return and_(or_(*(lease.c.state == state for state in RUNNING)), lease.c.lease_end <= NOW)


def has_unsettled(lease: Table) -> ColumnElement[bool]:
    """Return whether a batch, of the table of them, holds an answer that its annotator has not settled."""
    held = aliased(AssignmentCandidate)
    own = is_settled_by(lease.c.person_id, kind_in_batch(held.arm))
    return (
        exists()
        .where(held.assignment_id == lease.c.id, Candidate.id == held.candidate_id, ~own)
        .correlate(lease)
    )


def is_check(held: type[AssignmentCandidate]) -> ColumnElement[bool]:
    """Return whether an answer of a batch is a check of its annotator, and is no rating that counts."""
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
            is_leased(lease),
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
            is_leased(lease),
        )
        .correlate_except(held, lease)
    )


def can_be_shown() -> tuple[ColumnElement[bool], ...]:
    """Return what makes the statement's query and document fit to be shown to an annotator."""
    return (
        Query.retired_revision.is_(None),
        Document.retired_revision.is_(None),
        Document.content_hash.is_not(None),
    )
