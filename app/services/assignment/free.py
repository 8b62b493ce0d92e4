"""Which candidates may be dealt to a person, as arrays: ratings and leases below the number wanted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import bindparam, case, func, select

from app.models import Assignment, AssignmentCandidate, Candidate, CurrentJudgment, Document, Origin
from app.services.assignment.allotting import queries_for
from app.services.assignment.order import drawn_twice
from app.services.assignment.slots import NOW, PERSON, RUNNING, is_check, is_running, most_wanted
from app.services.current_judgments import RATING, WIDE, is_settled_by, settles

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Flags, Ints
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class Said:
    """What a person says now, of every kind and in order of time; all arrays have shape (judgments,).

    Attributes
    ----------
    cell, kind, revision
        integers: the place of the candidate, as what it was rated, and when.
    grade
        integers: -1 where there is none.
    settles
        integers: 0 where it was cleared.
    """

    cell: Ints
    kind: Ints
    revision: Ints
    grade: Ints
    settles: Ints

    def of(self, kind: int) -> Said:
        """Return what is of one kind; of merged documents the newest."""
        rows = np.flatnonzero(self.kind == kind)
        last = len(rows) - 1 - np.unique(self.cell[rows][::-1], return_index=True)[1]
        return Said(*(getattr(self, name)[rows[last]] for name in self.__annotations__))


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
    said
        What the person says now.
    """

    shown: Flags
    dealable: Flags
    ratings: Ints
    taken: Ints
    wanted: Ints
    mine: Flags
    said: Said


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
    mine[_held(session, evidence, person_id, now)] = True
    said = _said(session, evidence, person_id)
    rated = said.of(RATING)
    mine[rated.cell[rated.settles > 0]] = True
    mine[said.of(Origin.GOLD).cell] = True
    dealable = shown & evidence.pooled() & (taken < wanted) & ~mine
    return Free(shown, dealable, ratings, taken, wanted, mine, said)


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


def _held(session: Session, evidence: Evidence, person_id: int, now: datetime) -> Ints:
    """Return the places of what a person holds on lease."""
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
    return _cells(evidence, list(held))


def _said(session: Session, evidence: Evidence, person_id: int) -> Said:
    """Return what a person says now, in order of time; merged documents are one answer."""
    rows = session.execute(
        select(
            CurrentJudgment.candidate_id,
            CurrentJudgment.kind,
            CurrentJudgment.revision,
            func.coalesce(CurrentJudgment.grade, -1),
            case((settles(CurrentJudgment), 1), else_=0),
        )
        .where(CurrentJudgment.project_id == evidence.project_id, CurrentJudgment.annotator_id == person_id)
        .order_by(CurrentJudgment.revision)
    ).all()
    facts = np.array([tuple(row) for row in rows], dtype=np.int64).reshape(-1, 5)
    cell = evidence.structure.cells_of(facts[:, 0])
    kept = cell >= 0
    return Said(cell[kept], *facts[kept, 1:].T)
