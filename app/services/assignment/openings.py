"""What is left for a person, worked out on the evidence's arrays: quick in a project of any size.

The arrays may be a moment old. They choose where to look; `deal_batch` decides, in the database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select

from app.models import Assignment, AssignmentCandidate, Candidate, Document, Judgment, Reason
from app.services.assignment.order import drawn_twice
from app.services.assignment.slots import RUNNING
from app.services.current_judgments import COUNTED, is_settled_by

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Flags, Ints
    from app.services.evidence import Evidence

# Four whole batches.
PLENTY = 48


@dataclass(frozen=True)
class Openings:
    """The answers that may be dealt to one person.

    Attributes
    ----------
    query_id
        int64 (answers,): the query of each, the best placed answer first.
    """

    query_id: Ints

    @property
    def is_plenty(self) -> bool:
        """Tell whether enough is left to deal some of it ahead of need, without leaving others short."""
        return len(self.query_id) >= PLENTY

    @property
    def answers(self) -> int:
        """The number of answers."""
        return len(self.query_id)

    @property
    def queries(self) -> list[int]:
        """The queries, in the order in which they are dealt."""
        numbers, first = np.unique(self.query_id, return_index=True)
        return [int(number) for number in numbers[np.argsort(first)]]


def openings_of(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime
) -> Openings:
    """Return what may be dealt to a person, best placed first."""
    structure = evidence.structure
    rank = _best_ranks(evidence)
    taken = evidence.counts().sum(axis=1) + _leases(session, evidence, person_id, now)
    wanted = _wanted(evidence, project)
    free = evidence.pooled() & (taken < wanted) & evidence.active_queries()[structure.query]
    free &= ~np.isin(structure.document, _without_text(session, project.id))
    free &= ~np.isin(structure.query_id[structure.query], _declined(session, project.id, person_id))
    free[_own_cells(session, evidence, person_id, now)] = False
    cells = np.flatnonzero(free)
    query_id = structure.query_id[structure.query[cells]]
    return Openings(query_id[np.lexsort((query_id, rank[cells]))])


def _best_ranks(evidence: Evidence) -> Ints:
    """Return the best place of each candidate in an active run: int32 (candidates,).

    Evidence holds the lists as deep as they are scored; what is pooled deeper comes after all that.
    """
    structure = evidence.structure
    positions = structure.positions[:, evidence.active_runs(), :]
    ranks = np.full(structure.cells + 1, len(positions) + 1, dtype=np.int32)
    for rank in range(len(positions) - 1, -1, -1):
        ranks[positions[rank]] = rank + 1
    return ranks[:-1]


def _wanted(evidence: Evidence, project: Project) -> Ints:
    candidate_id = evidence.structure.candidate_id
    if project.overlap >= 2:
        return np.full(len(candidate_id), project.overlap)
    return 1 + drawn_twice(project.shuffle_secret, candidate_id, project.share_twice).astype(np.int64)


def _cells(evidence: Evidence, candidate_ids: list[int]) -> Ints:
    cells = evidence.structure.cells_of(np.array(candidate_ids, dtype=np.int64))
    return cells[cells >= 0]


def _leases(session: Session, evidence: Evidence, person_id: int, now: datetime) -> Ints:
    """Return how many other people hold each candidate unsettled: int64 (candidates,)."""
    held = session.scalars(
        select(AssignmentCandidate.candidate_id)
        .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Assignment.project_id == evidence.project_id,
            Assignment.state.in_(RUNNING),
            Assignment.lease_end > now,
            Assignment.person_id != person_id,
            ~is_settled_by(Assignment.person_id),
        )
    ).all()
    return np.bincount(_cells(evidence, list(held)), minlength=evidence.structure.cells)


def _without_text(session: Session, project_id: int) -> list[int]:
    wanted = select(Document.id).where(Document.project_id == project_id, Document.content_hash.is_(None))
    return list(session.scalars(wanted))


def _declined(session: Session, project_id: int, person_id: int) -> list[int]:
    wanted = select(Assignment.query_id).where(
        Assignment.project_id == project_id,
        Assignment.person_id == person_id,
        Assignment.declined.is_not(None),
    )
    return list(session.scalars(wanted))


def _own_cells(session: Session, evidence: Evidence, person_id: int, now: datetime) -> Ints:
    """Return the places of what a person has settled or holds on lease."""
    held = session.scalars(
        select(AssignmentCandidate.candidate_id)
        .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
        .where(
            Assignment.project_id == evidence.project_id,
            Assignment.person_id == person_id,
            Assignment.state.in_(RUNNING),
            Assignment.lease_end > now,
        )
    ).all()
    settled = np.flatnonzero(_settled(session, evidence, person_id))
    return np.concatenate((_cells(evidence, list(held)), settled))


def _settled(session: Session, evidence: Evidence, person_id: int) -> Flags:
    """Return which candidates a person has rated or passed on, and not cleared since: bool (candidates,)."""
    newest = np.zeros(evidence.structure.cells, dtype=np.int64)
    mine = (evidence.ledger.annotator == person_id) & (evidence.cell >= 0)
    mine &= np.isin(evidence.ledger.role, COUNTED)
    # Rows stand in revision order, so the last one of each candidate wins.
    newest[evidence.cell[mine]] = evidence.ledger.revision[mine]
    for void in evidence.voids:
        newest[void.cells] *= newest[void.cells] >= void.revision
    cleared = session.scalars(
        select(func.max(Judgment.revision))
        .where(
            Judgment.project_id == evidence.project_id,
            Judgment.annotator_id == person_id,
            Judgment.reason == Reason.CLEARED,
        )
        .group_by(Judgment.candidate_id)
    ).all()
    settled: Flags = (newest > 0) & ~np.isin(newest, list(cleared))
    return settled
