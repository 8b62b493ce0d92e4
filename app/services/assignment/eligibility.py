"""Who may be given what, and what is left for a person: one rule over all answers, or over the few chosen."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from typing import Any

import numpy as np
from sqlalchemy import Select, and_, bindparam, or_, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import Origin
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Flags, Ints
from app.services.assignment.query_assignments import queries_for
from app.services.assignment.wanted import (
    BATCH_SIZE,
    NOW,
    PERSON,
    RUNNING,
    EligibleCandidate,
    can_be_shown,
    is_check,
    is_on_lease,
    is_running,
    leases_of_candidate,
    spread_of,
    wanted_of,
    with_merged,
)
from app.services.collection.pool import merged_documents
from app.services.current_judgments import (
    RATING,
    is_rated_as,
    is_settled_by,
    ratings_of_candidate,
    spread_of_candidate,
)
from app.services.evidence.columns import CLEARED, kinds_of
from app.services.evidence.state import Evidence

# Who may be given what: one rule over all answers of a project, or over the few that were chosen.
#
# `free_for` asks it of a whole project, on the evidence's arrays, which may be a moment old: that is where
# batches, what is left, requests and next answers come from. `open_slots` asks it of the answers of one
# question, in the database: of those that were chosen, while nobody else assigns.


@dataclass(frozen=True)
class PersonRatings:
    """What a person says now; all arrays have shape (judgments,).

    Attributes
    ----------
    cell, kind, revision
        integers: the place of the candidate, as what it was rated, and when.
    grade
        integers: the grade, or as the ledger's arrays have it, why there is none.
    """

    cell: Ints
    kind: Ints
    revision: Ints
    grade: Ints

    def of(self, kind: int) -> PersonRatings:
        """Return what is of one kind."""
        rows = self.kind == kind
        return PersonRatings(*(getattr(self, name)[rows] for name in self.__annotations__))


NOTHING = PersonRatings(*(np.zeros(0, dtype=np.int64) for _ in range(4)))


@dataclass(frozen=True)
class Eligibility:
    """How some answers stand for one person; arrays have shape (answers,).

    Attributes
    ----------
    shown
        bool: it has a text, its query is active, allotted to the person or to all, and not declined.
    pooled
        bool: it is in the pool.
    ratings, leases, wanted
        integers: grades that count; what others have on lease; ratings it gets.
    mine
        bool: the person has settled it, met it as a gold answer, or has it on lease.
    said
        What the person says now.
    """

    shown: Flags
    pooled: Flags
    ratings: Ints
    leases: Ints
    wanted: Ints
    mine: Flags
    said: PersonRatings = NOTHING

    @property
    def taken(self) -> Ints:
        """Ratings and leases of others."""
        return np.asarray(self.ratings + self.leases)

    @property
    def is_wanting(self) -> Flags:
        """Which answers still want a rating of somebody."""
        return np.asarray(self.pooled & (self.taken < self.wanted))

    @cached_property
    def eligible(self) -> Flags:
        """Which answers may be given to the person."""
        return np.asarray(self.shown & self.is_wanting & ~self.mine)


FACTS = ("candidate_id", "query_id", "pooled", "shown", "ratings", "leases", "spread", "mine")


def eligibility_for(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime
) -> Eligibility:
    """Return how every candidate stands for a person."""
    structure = evidence.structure
    allowed = _allowed(session, project, person_id, structure.query_id)
    shown = (allowed & evidence.active_queries())[structure.query]
    empty = _without_text(session, project.id)
    if empty:
        shown &= ~np.isin(structure.document, empty)
    said = ratings_by_person(evidence, person_id)
    rated = said.of(RATING)
    mine = np.zeros(structure.cells, dtype=np.bool_)
    mine[_held(session, evidence, person_id, now)] = True
    mine[rated.cell[rated.grade != CLEARED]] = True
    mine[said.of(Origin.GOLD).cell] = True
    return Eligibility(
        shown=shown,
        pooled=evidence.pooled(),
        ratings=evidence.ratings,
        leases=_leases(session, evidence, person_id, now),
        wanted=wanted_of(project, structure.candidate_id, spread_of(evidence.counts())),
        mine=mine,
        said=said,
    )


def eligible_candidates(
    session: Session,
    project: Project,
    person_id: int,
    now: datetime,
    *,
    query_id: int,
    among: Collection[int] | None = None,
) -> list[EligibleCandidate]:
    """Return what of a query may be given to a person, best placed first, read from the database.

    Parameters
    ----------
    among
        Of these candidates only.
    """
    values = {"person": person_id, "now": now, "query": query_id}
    if among is not None:
        values["among"] = list(among)
    heads = set(merged_documents(session, project.id).values())
    rows = session.execute(_slots(of_some=among is not None), values)
    slots = [EligibleCandidate(**row._mapping) for row in rows]  # noqa: SLF001 - the documented way to a row's names
    slots = [with_merged(session, one, person_id, now) if one.document_id in heads else one for one in slots]
    facts = {name: np.array([getattr(one, name) for one in slots], dtype=np.int64) for name in FACTS}
    eligibility = Eligibility(
        shown=(facts["shown"] > 0) & _allowed(session, project, person_id, facts["query_id"]),
        pooled=facts["pooled"] > 0,
        ratings=facts["ratings"],
        leases=facts["leases"],
        wanted=wanted_of(project, facts["candidate_id"], facts["spread"]),
        mine=facts["mine"] > 0,
    )
    return [slots[place] for place in np.flatnonzero(eligibility.eligible)]


@cache
def _slots(*, of_some: bool) -> Select[*tuple[Any, ...]]:
    # Built once: putting it together takes longer than running it.
    wanted = (
        select(
            Candidate.id.label("candidate_id"),
            Candidate.public_id,
            Candidate.query_id,
            Candidate.document_id,
            Candidate.best_rank,
            Candidate.in_pool.label("pooled"),
            and_(*can_be_shown()).label("shown"),
            ratings_of_candidate().label("ratings"),
            leases_of_candidate().label("leases"),
            spread_of_candidate().label("spread"),
            or_(is_settled_by(PERSON), is_rated_as(PERSON, Origin.GOLD), is_on_lease()).label("mine"),
        )
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.query_id == bindparam("query"))
        .order_by(Candidate.best_rank, Candidate.public_id)
    )
    return wanted.where(Candidate.id.in_(bindparam("among", expanding=True))) if of_some else wanted


def _allowed(session: Session, project: Project, person_id: int, query_id: Ints) -> Flags:
    """Return of which queries a person may be given something at all: none while the project is not open."""
    if project.state != "open":
        return np.zeros(len(query_id), dtype=np.bool_)
    allowed = ~np.isin(query_id, _declined(session, project.id, person_id))
    allotted = queries_for(session, project, person_id)
    if allotted is not None:
        allowed &= np.isin(query_id, list(allotted))
    return np.asarray(allowed)


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


def ratings_by_person(evidence: Evidence, person_id: int) -> PersonRatings:
    """Return what a person says now, of every kind; merged documents are one answer."""
    ledger = evidence.ledger
    rows = np.flatnonzero(evidence.current & (ledger.annotator == person_id))
    return PersonRatings(
        evidence.cell[rows], kinds_of(ledger.role[rows]), ledger.revision[rows], ledger.grade[rows]
    )


# What is left for a person, worked out on the evidence's arrays: quick in a project of any size.
#
# The arrays may be a moment old. They choose where to look; `deal_batch` decides, in the database.


@dataclass(frozen=True)
class OpenWork:
    """The answers that may be assigned to one person.

    Attributes
    ----------
    query_id
        int64 (answers,): the query of each.
    first
        How many of them have no rating yet.
    """

    query_id: Ints
    first: int

    def suffices(self, each: int, *, others: int) -> bool:
        """Tell whether as many batches are left for everybody at work: then some are assigned ahead of need.

        Whoever is alone takes them from nobody.
        """
        return not others or self.batches >= each * (1 + others)

    @property
    def batches(self) -> int:
        """The number of batches that they fill, each of one query."""
        _, answers = np.unique(self.query_id, return_counts=True)
        return int(np.ceil(answers / BATCH_SIZE).sum())

    @property
    def answers(self) -> int:
        """The number of answers."""
        return len(self.query_id)


def open_work_for(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime
) -> OpenWork:
    """Return what may be assigned to a person."""
    eligibility, structure = eligibility_for(session, evidence, project, person_id, now), evidence.structure
    first = int(np.count_nonzero(eligibility.eligible & (eligibility.ratings == 0)))
    return OpenWork(structure.query_id[structure.query[eligibility.eligible]], first)
