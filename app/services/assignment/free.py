"""Which candidates may be dealt to a person, as arrays: ratings and leases below the number wanted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import bindparam, func, select

from app.models import Assignment, AssignmentCandidate, Candidate, Document, Judgment, Origin, Reason
from app.services.assignment.allotting import queries_for
from app.services.assignment.order import drawn_twice
from app.services.assignment.slots import NOW, PERSON, RUNNING, is_check, is_running, most_wanted
from app.services.current_judgments import COUNTED, WIDE, is_settled_by

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Flags, Ints
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class Free:
    """How every candidate stands for one person; arrays have shape (candidates,).

    Attributes
    ----------
    shown
        bool: it has a text, its query is active, allotted to the person or to all, and not declined.
    dealable
        bool: may be dealt to the person as an answer that still wants a rating.
    ratings, taken, wanted
        integers: grades that count; these and what others have on lease; ratings it gets.
    mine
        bool: the person has settled it, met it as a gold answer, or has it on lease.
    """

    shown: Flags
    dealable: Flags
    ratings: Ints
    taken: Ints
    wanted: Ints
    mine: Flags


def free_for(session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime) -> Free:
    """Return how every candidate stands for a person."""
    structure = evidence.structure
    ratings = evidence.ratings
    taken = ratings + _leases(session, evidence, person_id, now)
    wanted = _wanted(evidence, project)
    shown = evidence.active_queries()
    shown &= ~np.isin(structure.query_id, _declined(session, project.id, person_id))
    allotted = queries_for(session, project, person_id)
    if allotted is not None:
        shown &= np.isin(structure.query_id, list(allotted))
    shown = shown[structure.query]
    empty = _without_text(session, project.id)
    if empty:
        shown &= ~np.isin(structure.document, empty)
    mine = np.zeros(structure.cells, dtype=np.bool_)
    mine[_own_cells(session, evidence, person_id, now)] = True
    dealable = shown & evidence.pooled() & (taken < wanted) & ~mine
    return Free(shown, dealable, ratings, taken, wanted, mine)


def _wanted(evidence: Evidence, project: Project) -> Ints:
    candidate_id = evidence.structure.candidate_id
    if most_wanted(project) < 2:
        return np.ones(len(candidate_id), dtype=np.int64)
    extra = (_spread(evidence.counts()) >= WIDE).astype(np.int64)
    if project.overlap >= 2:
        return project.overlap + extra
    return 1 + drawn_twice(project.shuffle_secret, candidate_id, project.share_twice) + extra


def _spread(counts: Ints) -> Ints:
    """Return how far the grades of each candidate lie apart: integers (candidates,)."""
    given = counts > 0
    lowest = given.argmax(axis=1)
    highest = counts.shape[1] - 1 - given[:, ::-1].argmax(axis=1)
    return np.where(given.any(axis=1), highest - lowest, 0)


def _cells(evidence: Evidence, candidate_ids: list[int]) -> Ints:
    cells = evidence.structure.cells_of(np.array(candidate_ids, dtype=np.int64))
    return cells[cells >= 0]


def _leases(session: Session, evidence: Evidence, person_id: int, now: datetime) -> Ints:
    """Return how many other people hold each candidate unsettled, checks left out: int64 (candidates,)."""
    values = {"project": evidence.project_id, "person": person_id, "now": now}
    held = session.scalars(_held_by_others(), values).all()
    return np.bincount(_cells(evidence, list(held)), minlength=evidence.structure.cells)


@cache
def _held_by_others() -> Select[int]:
    # Built once: putting it together takes longer than running it.
    return (
        select(AssignmentCandidate.candidate_id)
        .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Assignment.project_id == bindparam("project"),
            is_running(Assignment),
            Assignment.lease_end > NOW,
            Assignment.person_id != PERSON,
            ~is_check(AssignmentCandidate),
            ~is_settled_by(Assignment.person_id),
        )
    )


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
    """Return the places of what a person has settled, met as a gold answer, or holds on lease."""
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
    gold = checked_cells(evidence, person_id, Origin.GOLD)
    return np.concatenate((_cells(evidence, list(held)), settled, gold))


def checked_cells(evidence: Evidence, person_id: int, role: Origin) -> Ints:
    """Return the places of what a person has rated in this role since its text stands."""
    ledger = evidence.ledger
    rows = np.flatnonzero((ledger.annotator == person_id) & (ledger.role == role) & (evidence.cell >= 0))
    return np.unique(evidence.cell[rows[~evidence.outdated[rows]]])


def _settled(session: Session, evidence: Evidence, person_id: int) -> Flags:
    """Return which candidates a person has rated or passed on, and not cleared since: bool (candidates,)."""
    newest = np.zeros(evidence.structure.cells, dtype=np.int64)
    mine = (evidence.ledger.annotator == person_id) & (evidence.cell >= 0)
    mine &= np.isin(evidence.ledger.role, COUNTED) & ~evidence.outdated
    # Rows stand in revision order, so the last one of each candidate wins.
    newest[evidence.cell[mine]] = evidence.ledger.revision[mine]
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
