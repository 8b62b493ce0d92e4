"""Who may be given what, and what is left for a person: one rule over all answers, or over the few chosen.

`eligibility_for` asks it of a whole project, on the evidence's arrays, which may be a moment old: batches,
open work, requests and next answers come from there. `read_eligibility` asks it of some answers in the
database: of those that were chosen, while nobody else assigns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np
from sqlalchemy import Select, Text, and_, bindparam, cast, func, or_, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import CurrentJudgment, Judgment, Origin, Reason
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Flags, Ints
from app.services.assignment.query_assignments import queries_for
from app.services.assignment.wanted import (
    BATCH_SIZE,
    PERSON,
    BatchRequest,
    can_be_shown,
    is_check,
    is_leased,
    is_on_lease,
    leases_of_candidate,
    spread_of,
    wanted_of,
)
from app.services.collection.pool import merged_documents
from app.services.current_judgments import (
    RATING,
    decision_on_candidate,
    in_ledger,
    is_rated_as,
    is_settled_by,
    ratings_of_candidate,
    spread_of_candidate,
)
from app.services.evidence.columns import CLEARED, COMMA, kinds_of
from app.services.evidence.passed import unratable_now
from app.services.evidence.state import Evidence
from app.services.prepared import Prepared
from app.services.scoring_settings import find_ruler


@dataclass(frozen=True)
class PersonRatings:
    """What a person says now; all arrays have shape (judgments,).

    Attributes
    ----------
    candidate_index, kind, revision
        integers: the place of the candidate, as what it was rated, and when.
    grade
        integers: the grade, or as the ledger's arrays have it, why there is none.
    """

    candidate_index: Ints
    kind: Ints
    revision: Ints
    grade: Ints

    def of(self, kind: int) -> PersonRatings:
        """Return what is of one kind."""
        rows = self.kind == kind
        return PersonRatings(*(getattr(self, name)[rows] for name in self.__annotations__))


@dataclass(frozen=True)
class Eligibility:
    """Whether some answers may be given to one person; arrays have shape (answers,).

    Attributes
    ----------
    shown
        bool: it has a text, and its query is active.
    allowed
        bool: the project is open, the query assigned to the person or to all, and not declined.
    pooled
        bool: it is in the pool.
    ratings, leases, wanted
        integers: grades that count; what others have on lease; ratings it gets, none where it was decided.
    mine
        bool: the person has settled it, met it as a gold answer, or has it on lease.
    """

    shown: Flags
    allowed: Flags
    pooled: Flags
    ratings: Ints
    leases: Ints
    wanted: Ints
    mine: Flags

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
        return np.asarray(self.shown & self.allowed & self.is_wanting & ~self.mine)


def eligibility_for(
    session: Session,
    evidence: Evidence,
    request: BatchRequest,
    own: PersonRatings | None = None,
    *,
    leases: Ints | None = None,
) -> Eligibility:
    """Return the eligibility of every candidate of a project.

    Parameters
    ----------
    own, leases
        What the person says now, and what is on lease, where it is known already.
    """
    structure, project = evidence.structure, request.project
    own = own or ratings_by_person(evidence, request.person_id)
    rated = own.of(RATING)
    mine = np.zeros(structure.candidate_count, dtype=np.bool_)
    mine[_held(session, evidence, request)] = True
    mine[rated.candidate_index[rated.grade != CLEARED]] = True
    mine[own.of(Origin.GOLD).candidate_index] = True
    return Eligibility(
        shown=evidence.active_queries()[structure.query] & ~structure.textless,
        allowed=_allowed(session, request, structure.query_id)[structure.query],
        pooled=evidence.pooled(),
        ratings=evidence.ratings,
        leases=leases_of(session, evidence, request) if leases is None else leases.copy(),
        wanted=wanted_of(project, structure.candidate_id, spread_of(evidence.counts_for_assignment))
        * ~evidence.decided,
        mine=mine,
    )


def ratings_by_person(evidence: Evidence, person_id: int) -> PersonRatings:
    """Return what a person says now, of every kind; merged documents are one answer."""
    ledger = evidence.ledger
    rows = np.flatnonzero(evidence.current & (ledger.annotator == person_id))
    return PersonRatings(
        evidence.candidate_index[rows], kinds_of(ledger.role[rows]), ledger.revision[rows], ledger.grade[rows]
    )


@dataclass(frozen=True)
class CandidateFacts:
    """What decides in the database whether a person may be given a candidate, as in `Eligibility`."""

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
    # The grade that was decided.
    decision: int | None
    mine: bool

    @property
    def taken(self) -> int:
        """Ratings and leases of others."""
        return self.ratings + self.leases


def assignment_request(session: Session, project: Project, person_id: int, now: datetime) -> BatchRequest:
    """Return a request for answers to be assigned, under today's scoring settings."""
    ruler = find_ruler(session, project.id)
    return BatchRequest(project, person_id, now, only_blind=ruler is not None and ruler.only_blind)


def eligible_candidates(
    session: Session, request: BatchRequest, *, query_id: int, among: Collection[int] | None = None
) -> list[CandidateFacts]:
    """Return what of a query may be given to a person, best placed first, read from the database.

    Parameters
    ----------
    among
        Of these candidates only.
    """
    numbers = [query_id] if among is None else among
    facts, eligibility = read_eligibility(session, request, "query_id" if among is None else "id", numbers)
    return [facts[index] for index in np.flatnonzero(eligibility.eligible)]


def read_eligibility(
    session: Session, request: BatchRequest, by: Literal["id", "query_id"], numbers: Collection[int]
) -> tuple[list[CandidateFacts], Eligibility]:
    """Return some candidates, or those of some queries, best placed first; and their eligibility."""
    values = {"person": request.person_id, "now": request.now, "numbers": list(numbers)}
    # Past the session: these rows are no objects.
    only_blind = request.only_blind
    rows = session.connection().execute(_facts(by, only_blind), values)
    facts = [CandidateFacts(**row._mapping) for row in rows]  # noqa: SLF001 - the documented way to a row's names
    merged_into = set(merged_documents(session, request.project.id).values())
    facts = [
        _with_merged(session, request, fact, only_blind=only_blind)
        if fact.document_id in merged_into
        else fact
        for fact in facts
    ]

    is_decided = np.array([fact.decision is not None for fact in facts], dtype=np.bool_)

    def column(name: str) -> Ints:
        return np.array([getattr(fact, name) for fact in facts], dtype=np.int64)

    return facts, Eligibility(
        shown=column("shown") > 0,
        allowed=_allowed(session, request, column("query_id")),
        pooled=column("pooled") > 0,
        ratings=column("ratings"),
        leases=column("leases"),
        wanted=wanted_of(request.project, column("candidate_id"), column("spread")) * ~is_decided,
        mine=column("mine") > 0,
    )


@cache
def _facts(by: str, only_blind: bool) -> Select[*tuple[Any, ...]]:
    # Built once: putting it together takes longer than running it.
    return (
        select(
            Candidate.id.label("candidate_id"),
            Candidate.public_id,
            Candidate.query_id,
            Candidate.document_id,
            Candidate.best_rank,
            Candidate.in_pool.label("pooled"),
            and_(*can_be_shown()).label("shown"),
            ratings_of_candidate(only_blind=only_blind).label("ratings"),
            leases_of_candidate().label("leases"),
            spread_of_candidate(only_blind=only_blind).label("spread"),
            decision_on_candidate().label("decision"),
            or_(is_settled_by(PERSON), is_rated_as(PERSON, Origin.GOLD), is_on_lease()).label("mine"),
        )
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(getattr(Candidate, by).in_(bindparam("numbers", expanding=True)))
        .order_by(Candidate.best_rank, Candidate.public_id)
    )


def _with_merged(
    session: Session, request: BatchRequest, fact: CandidateFacts, *, only_blind: bool
) -> CandidateFacts:
    """Return the facts of an answer that several documents are: what was said of any was said of it.

    It is the person's where they have settled, met as gold, or hold on lease any of them.
    """
    merged = session.scalars(
        select(Candidate.id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.query_id == fact.query_id, Document.merged_into == fact.document_id)
    ).all()
    if not merged:
        return fact
    grade_of = _grades_of_all(session, [fact.candidate_id, *merged])
    grades = [grade for grade, blind in grade_of.values() if grade is not None and (blind or not only_blind)]
    holders = set(
        session.scalars(
            select(Assignment.person_id)
            .join(AssignmentCandidate, AssignmentCandidate.assignment_id == Assignment.id)
            .where(AssignmentCandidate.candidate_id.in_(merged), is_leased(Assignment, request.now))
        )
    )
    person_id = request.person_id
    decisions = (
        select(CurrentJudgment.grade)
        .where(
            CurrentJudgment.candidate_id.in_([fact.candidate_id, *merged]),
            CurrentJudgment.kind == int(Origin.ADJUDICATION),
        )
        .order_by(CurrentJudgment.revision.desc())
    )
    met_as_gold = select(Candidate.id).where(Candidate.id.in_(merged), is_rated_as(person_id, Origin.GOLD))
    return replace(
        fact,
        leases=fact.leases + len(holders - grade_of.keys() - {person_id}),
        ratings=len(grades),
        spread=max(grades) - min(grades) if grades else 0,
        decision=session.scalar(decisions.limit(1)),
        mine=fact.mine
        or person_id in grade_of
        or person_id in holders
        or session.scalar(met_as_gold.limit(1)) is not None,
    )


def _grades_of_all(session: Session, candidates: Collection[int]) -> dict[int, tuple[int | None, bool]]:
    """Return what every annotator says now of some candidates, and whether blind.

    A grade, or None for "can't judge".
    """
    rows = session.execute(
        select(CurrentJudgment.annotator_id, CurrentJudgment.grade, CurrentJudgment.reason, Judgment.blind)
        .join(Judgment, in_ledger(CurrentJudgment))
        .where(CurrentJudgment.candidate_id.in_(candidates), CurrentJudgment.kind == RATING)
        .order_by(CurrentJudgment.revision)
    )
    grade_of: dict[int, tuple[int | None, bool]] = {}
    for annotator, grade, reason, blind in rows:
        grade_of.pop(annotator, None)
        if reason != Reason.CLEARED:
            grade_of[annotator] = grade, blind
    return grade_of


def _allowed(session: Session, request: BatchRequest, query_id: Ints) -> Flags:
    """Return of which queries a person may be given something at all: none while the project is not open."""
    project, person_id = request.project, request.person_id
    if project.state != "open":
        return np.zeros(len(query_id), dtype=np.bool_)
    declined = _declined.scalars(session, {"project": project.id, "person": person_id})
    allowed = ~np.isin(query_id, declined)
    assigned = queries_for(session, project, person_id)
    if assigned is not None:
        allowed &= np.isin(query_id, list(assigned))
    return np.asarray(allowed)


@Prepared
def _declined() -> Select[int]:
    return select(Assignment.query_id).where(
        Assignment.project_id == bindparam("project"),
        Assignment.person_id == PERSON,
        Assignment.declined.is_not(None),
    )


def leases_of(session: Session, evidence: Evidence, request: BatchRequest) -> Ints:
    """Return how many other people hold each candidate unsettled, checks left out: int64 (candidates,)."""
    values = {"project": evidence.project_id, "person": request.person_id, "now": request.now}
    (held,) = _listed_by_others.scalars(session, values)
    candidates = held.split(",") if held else ()
    return np.bincount(_indices(evidence, candidates), minlength=evidence.structure.candidate_count)


@Prepared
def _listed_by_others() -> Select[str | None]:
    # In one row: with SQLite each row hands the interpreter to another thread, and this is done in turns.
    held = held_by_others.build().subquery()
    return select(func.aggregate_strings(cast(held.c.candidate_id, Text), COMMA))


@Prepared
def held_by_others() -> Select[int, int]:
    """Return the statement of what others than `:person` hold unsettled, and in which assignments.

    Checks are left out.
    """
    return (
        select(AssignmentCandidate.candidate_id, AssignmentCandidate.assignment_id)
        .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .where(
            Assignment.project_id == bindparam("project"),
            is_leased(Assignment),
            Assignment.person_id != PERSON,
            ~is_check(AssignmentCandidate),
            ~is_settled_by(Assignment.person_id),
        )
    )


def _held(session: Session, evidence: Evidence, request: BatchRequest) -> Ints:
    """Return the places of what a person holds on lease."""
    values = {"project": evidence.project_id, "person": request.person_id, "now": request.now}
    return _indices(evidence, _held_by.scalars(session, values))


@Prepared
def _held_by() -> Select[int]:
    return (
        select(AssignmentCandidate.candidate_id)
        .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
        .where(
            Assignment.project_id == bindparam("project"),
            Assignment.person_id == PERSON,
            is_leased(Assignment),
        )
    )


def _indices(evidence: Evidence, candidate_ids: Sequence[int]) -> Ints:
    indices = evidence.structure.indexes_of(np.array(candidate_ids, dtype=np.int64))
    return indices[indices >= 0]


@dataclass(frozen=True)
class OpenWork:
    """The answers that may be given to one person, computed on the evidence: `assign_batch` decides.

    Attributes
    ----------
    query_id
        int64 (answers,): the query of each.
    first
        How many of them are `untaken`.
    untaken
        bool (candidates,): has no rating yet, and is on nobody else's page.
    """

    query_id: Ints
    first: int
    untaken: Flags

    @property
    def answers(self) -> int:
        """The number of answers."""
        return len(self.query_id)

    @property
    def batches(self) -> int:
        """The number of batches that they fill, each of one query."""
        _, answers = np.unique(self.query_id, return_counts=True)
        return int(np.ceil(answers / BATCH_SIZE).sum())

    def suffices(self, each: int, *, others: int) -> bool:
        """Return whether each annotator at work has as many batches left: then some are assigned early.

        A lone annotator takes them from nobody.
        """
        return not others or self.batches >= each * (1 + others)


def open_work_for(
    session: Session, evidence: Evidence, request: BatchRequest, *, decides: bool = False
) -> OpenWork:
    """Return what may be given to a person.

    Parameters
    ----------
    decides
        Without the answers that wait for a decision: for owners, who find those in Review.
    """
    eligibility, structure = eligibility_for(session, evidence, request), evidence.structure
    open_ones, untaken = eligibility.eligible, eligibility.is_wanting & (eligibility.taken == 0)
    if decides:
        ratable = ~unratable_now(session, evidence, request.project)
        open_ones, untaken = open_ones & ratable, untaken & ratable
    first = int(np.count_nonzero(open_ones & untaken))
    return OpenWork(structure.query_id[structure.query[open_ones]], first, untaken)
