"""Which answers come next for a person: proposed from the evidence, checked again under the write lock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice

import numpy as np
from sqlalchemy import Select, and_, bindparam, case, func, or_, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import Origin
from app.models.project import BatchHead, Project
from app.models.query import Query
from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.priority import NOT_RETURNED, front_first, random_first
from app.scoring.priority_batches import (
    HELD,
    NO_REQUEST,
    RATED,
    UNTOUCHED,
    AssignmentState,
    BatchNumbers,
    ProposedBatch,
    next_batch,
)
from app.scoring.seeds import seed_of
from app.services.assignment.checks import Checks, checks_for
from app.services.assignment.eligibility import (
    CandidateFacts,
    Eligibility,
    eligibility_for,
    eligible_candidates,
    leases_of,
    ratings_by_person,
)
from app.services.assignment.requests import requested_first
from app.services.assignment.wanted import (
    BATCH_SIZE,
    PERSON,
    BatchRequest,
    can_be_shown,
    has_ended,
    has_unsettled,
    is_on_lease,
)
from app.services.bulk import table_of
from app.services.cache import Cache
from app.services.current_judgments import is_rated_as, is_settled_by
from app.services.evidence.passed import unratable_now
from app.services.evidence.state import Evidence
from app.services.prepared import Prepared
from app.services.projects.assignment_settings import quality_of
from app.services.scores.context import closed_queries

DAY = 86_400.0
# The number of no person.
NOBODY = 0
MOST_KEPT = 8

_places: Cache[Ints] = Cache(MOST_KEPT)
_pooled_since: Cache[Floats] = Cache(MOST_KEPT)


def assignment_seed(project: Project) -> int:
    """Return the seed of everything that assignment leaves to chance, ties included."""
    return seed_of("dealing", project.shuffle_secret.hex())


def assignment_state_for(
    session: Session, evidence: Evidence, request: BatchRequest, eligibility: Eligibility
) -> AssignmentState:
    """Return what is ready for a person."""
    touched = np.where(eligibility.taken > 0, HELD, UNTOUCHED)
    touched[eligibility.ratings > 0] = RATED
    project, now = request.project, request.now
    return assignment_state_of(
        session, evidence, project, now, eligible=eligibility.eligible, touched=touched
    )


def assignment_state_of(
    session: Session, evidence: Evidence, project: Project, now: datetime, *, eligible: Flags, touched: Ints
) -> AssignmentState:
    """Return what is ready where these answers may be assigned."""
    structure = evidence.structure
    return AssignmentState(
        query=structure.query,
        key=structure.candidate_id,
        place=priority_of(evidence, project),
        eligible=eligible,
        touched=touched,
        waited=(now.timestamp() - pooled_since(evidence)) / DAY,
        requested=_requested(session, evidence),
        drawn=structure.place_drawn,
        unfinished=unfinished_queries(evidence),
        is_random=quality_of(project).dealing == "random",
    )


def priority_of(evidence: Evidence, project: Project) -> Ints:
    """Return the place of every candidate in the project's order of priority, from 0: int64 (candidates,)."""
    structure, seed, current = evidence.structure, assignment_seed(project), evidence.current_runs()
    if quality_of(project).dealing == "random":
        make = lambda: random_first(structure.candidate_id, seed)  # noqa: E731 - named by what it is kept as
        return _places.get_or_make(structure.positions, ("random", seed), make)
    depth = evidence.depth_at()
    return _places.get_or_make(
        structure.positions,
        (tuple(current), depth, seed),
        lambda: front_first(
            best_ranks(evidence, current),
            structure.times_pooled(current, depth),
            structure.candidate_id,
            seed,
        ),
    )


def best_ranks(evidence: Evidence, runs: Sequence[int]) -> Ints:
    """Return the best rank of each candidate in some runs, `NOT_RETURNED` where none has it: (candidates,).

    Evidence holds the lists as deep as they are scored: what is pooled deeper comes right after all that.
    """
    structure = evidence.structure
    positions = structure.positions[:, list(runs), :]
    # One more for places without a candidate, and one for answers that a list returns again.
    ranks = np.full(structure.candidate_count + 2, NOT_RETURNED, dtype=np.int64)
    pooled = structure.times_pooled(runs, evidence.depth_at()) > 0
    ranks[:-2][pooled] = len(positions) + 1
    for rank in range(len(positions) - 1, -1, -1):
        ranks[positions[rank]] = rank + 1
    return ranks[:-2]


def pooled_since(evidence: Evidence) -> Floats:
    """Return since when an active run brings each candidate into the pool, seconds of the epoch.

    Outside the pool it is infinite.
    """
    structure, active, depth = evidence.structure, evidence.active_runs(), evidence.depth_at()

    def make() -> Floats:
        since = np.full(structure.candidate_count, np.inf)
        for place in active:
            mine = structure.pooled_by([place], depth)
            since[mine] = np.minimum(since[mine], structure.runs[place].registered_at.timestamp())
        return since

    return _pooled_since.get_or_make(structure.positions, (tuple(active), depth), make)


def unfinished_queries(evidence: Evidence) -> Flags:
    """Return which queries are not closed for some current run: bool (queries,).

    A query is open for a pair of runs where it is open for either.
    """
    current = evidence.current_runs()
    if not current:
        return np.zeros(len(evidence.structure.query_id), dtype=np.bool_)
    closed = closed_queries(evidence, evidence.judged(), current, evidence.ruler_at().k)
    return np.asarray(~closed.all(axis=0))


def _requested(session: Session, evidence: Evidence) -> Ints:
    """Return the number of the first request for each candidate: int64 (candidates,)."""
    numbers = np.full(evidence.structure.candidate_count, NO_REQUEST, dtype=np.int64)
    for request, asked in requested_first(session, evidence).items():
        numbers[asked] = np.minimum(numbers[asked], request)
    return numbers


LOOKED_AHEAD = 3
# In a batch with other answers.
MOST_CHECKS = 3


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A batch as it should be assigned, computed on the evidence before the write session opens.

    It may be overtaken: `assign_batch` takes it only if it still holds, and somebody asks again.

    Attributes
    ----------
    query_id, kind
        Its query, and why this one: ``requested``, ``finish``, ``front``, ``waiting``, ``random``, ``check``,
        ``chosen``.
    number
        The number that it was computed for: where it is not the next one any more, it is not assigned. None
        where any number will do.
    arms
        Candidate -> ``answer``, or ``second`` where it has a rating; empty where the database chooses.
    checks
        Candidate -> ``gold`` or ``repeat``: what measures the annotator, and is no rating that counts.
    """

    query_id: int
    kind: str = "front"
    number: int | None = None
    arms: dict[int, str] = field(default_factory=dict)
    checks: dict[int, str] = field(default_factory=dict)


def proposals_for(
    session: Session, evidence: Evidence, request: BatchRequest, *, most: int = 1
) -> list[Proposal]:
    """Return what to assign to a person next, and after that; nothing where nothing is left for them."""
    numbers = next_numbers(session, request.project.id, request.now)
    return list(islice(_proposals(session, evidence, request, numbers), most))


def proposals_for_all(
    session: Session, evidence: Evidence, requests: Sequence[BatchRequest]
) -> dict[int, Proposal]:
    """Return what to assign to several people of a project, one after another, as far as anything is left."""
    structure, numbers = evidence.structure, next_numbers(session, evidence.project_id, requests[0].now)
    # What somebody holds is not theirs anyway, so it does not matter that it is counted here.
    leases = leases_of(session, evidence, replace(requests[0], person_id=NOBODY))
    found: dict[int, Proposal] = {}
    for request in requests:
        proposal = next(_proposals(session, evidence, request, numbers, leases), None)
        if proposal is not None:
            found[request.person_id] = proposal
            leases[structure.indexes_of(np.array([*proposal.arms], dtype=np.int64))] += 1
            numbers = numbers.after(numbers.next if proposal.number is None else proposal.number)
    return found


def _proposals(
    session: Session,
    evidence: Evidence,
    request: BatchRequest,
    numbers: BatchNumbers,
    leases: Ints | None = None,
) -> Iterator[Proposal]:
    own = ratings_by_person(evidence, request.person_id)
    eligibility = eligibility_for(session, evidence, request, own, leases=leases)
    checks = checks_for(session, evidence, request, eligibility, own)
    begun = begun_query(session, evidence, request)
    return _checked(_found(session, evidence, request, eligibility, begun, numbers=numbers), checks)


def coming_for(session: Session, evidence: Evidence, request: BatchRequest, *, most: int) -> list[Proposal]:
    """Return what comes next for a person, each question once, in its order: for owners.

    Checks are left out: what measures somebody is not told beforehand. So are answers that wait for a
    decision: an owner may rate them, but nobody has to.
    """
    eligibility = eligibility_for(session, evidence, request)
    stuck = unratable_now(session, evidence, request.project)
    eligibility = replace(eligibility, shown=eligibility.shown & ~stuck)
    begun = begun_query(session, evidence, request)
    numbers = next_numbers(session, request.project.id, request.now)
    found = _found(session, evidence, request, eligibility, begun, numbers=numbers)
    kept: dict[int, Proposal] = {}
    # A question may come several times in turn.
    for proposal in islice(found, LOOKED_AHEAD * most):
        kept.setdefault(proposal.query_id, proposal)
        if len(kept) == most:
            break
    return list(kept.values())


def proposal_of_query(
    session: Session, evidence: Evidence, request: BatchRequest, *, query_id: int
) -> Proposal | None:
    """Return what to assign to a person who asks for one query; None where nothing of it is left for them.

    Within the query the rule chooses as ever. It serves no turn: it is logged as ``chosen``.
    """
    structure, eligibility = evidence.structure, eligibility_for(session, evidence, request)
    here = eligibility.shown & (structure.query_id[structure.query] == query_id)
    numbers = next_numbers(session, request.project.id, request.now)
    first = next(
        _found(session, evidence, request, replace(eligibility, shown=here), None, numbers=numbers), None
    )
    return None if first is None else replace(first, kind="chosen", number=None)


def next_numbers(session: Session, project_id: int, now: datetime) -> BatchNumbers:
    """Return the next odd and the next even number of a project's batches."""
    row = _numbers.row(session, {"project": project_id, "now": now})
    return BatchNumbers(*row) if row else BatchNumbers()


@Prepared
def _numbers() -> Select[int, int, int]:
    batch, here = table_of(Assignment), BatchHead.project_id == bindparam("project")
    given_back = select(func.coalesce(func.sum(case((batch.c.batch % 2 == 1, 1), else_=-1)), 0)).where(
        batch.c.project_id == bindparam("project"),
        # What was released had answers left.
        or_(batch.c.state == "released", and_(has_ended(batch), has_unsettled(batch))),
    )
    return select(BatchHead.odd, BatchHead.even, given_back.scalar_subquery()).where(here)


def begun_query(session: Session, evidence: Evidence, request: BatchRequest) -> int | None:
    """Return the place of the query that a person's last batch was finishing, or None."""
    last = _last.row(session, {"project": request.project.id, "person": request.person_id})
    if last is None or last.kind != "finish":
        return None
    places = np.flatnonzero(evidence.structure.query_id == last.query_id)
    return int(places[0]) if len(places) else None


@Prepared
def _last() -> Select[str, int]:
    return (
        select(Assignment.kind, Assignment.query_id)
        .where(Assignment.project_id == bindparam("project"), Assignment.person_id == PERSON)
        .order_by(Assignment.id.desc())
        .limit(1)
    )


def _checked(found: Iterator[Proposal], checks: Checks) -> Iterator[Proposal]:
    """Yield the proposals with the checks that are due; some come alone, as long as work is left."""
    for proposal in found:
        alone = checks.take_alone(BATCH_SIZE)
        if alone is not None:
            yield Proposal(query_id=alone[0], kind="check", checks=alone[1])
            # What follows was computed for the number that this one takes.
            return
        mine = checks.take(proposal.query_id, MOST_CHECKS)
        # What the batch is for comes first; the checks take the last places.
        kept = list(proposal.arms.items())[: BATCH_SIZE - len(mine)]
        yield replace(proposal, arms=dict(kept), checks=mine)


def _found(
    session: Session,
    evidence: Evidence,
    request: BatchRequest,
    eligibility: Eligibility,
    begun: int | None,
    *,
    numbers: BatchNumbers,
) -> Iterator[Proposal]:
    """Yield the batches by the project's own rule, without checks."""
    state = assignment_state_for(session, evidence, request, eligibility)
    seed = assignment_seed(request.project)
    while (batch := next_batch(state, numbers, seed=seed, begun=begun, size=BATCH_SIZE)) is not None:
        yield _proposal(evidence, state, batch)
        left = state.eligible.copy()
        left[batch.items] = False
        state, numbers = replace(state, eligible=left), numbers.after(batch.number)
        begun = batch.query if batch.kind == "finish" else None


def _proposal(evidence: Evidence, state: AssignmentState, batch: ProposedBatch) -> Proposal:
    structure = evidence.structure
    arms = ["second" if touched == RATED else "answer" for touched in state.touched[batch.items]]
    return Proposal(
        query_id=int(structure.query_id[batch.query]),
        kind=batch.kind,
        number=batch.number,
        arms=dict(zip(structure.candidate_id[batch.items].tolist(), arms, strict=True)),
    )


@dataclass(frozen=True)
class Chosen:
    """One answer of a batch, and why it is in it."""

    candidate_id: int
    public_id: str
    arm: str


def choose(session: Session, request: BatchRequest, proposal: Proposal) -> list[Chosen]:
    """Return the answers of the batch proposed; none if somebody was quicker at one of them."""
    checks = _open_checks(session, request, proposal)
    if proposal.kind == "check":
        return checks
    if proposal.arms:
        answers = _as_proposed(session, request, proposal)
    else:
        answers = _best_placed(session, request, proposal.query_id)[: BATCH_SIZE - len(checks)]
    return answers + checks if answers else []


def _as_proposed(session: Session, request: BatchRequest, proposal: Proposal) -> list[Chosen]:
    found = eligible_candidates(session, request, query_id=proposal.query_id, among=proposal.arms)
    public_ids = {candidate.candidate_id: candidate.public_id for candidate in found}
    if not proposal.arms.keys() <= public_ids.keys():
        return []
    return [Chosen(number, public_ids[number], arm) for number, arm in proposal.arms.items()]


def _best_placed(session: Session, request: BatchRequest, query_id: int) -> list[Chosen]:
    found = eligible_candidates(session, request, query_id=query_id)
    # First ratings before second ones.
    found.sort(key=lambda candidate: (candidate.ratings > 0, candidate.taken > 0))
    return [chosen_of(candidate) for candidate in found]


def chosen_of(candidate: CandidateFacts) -> Chosen:
    """Return an answer that the database chose."""
    return Chosen(candidate.candidate_id, candidate.public_id, "second" if candidate.ratings else "answer")


def _open_checks(session: Session, request: BatchRequest, proposal: Proposal) -> list[Chosen]:
    """Return the checks that the person does not hold and has not rated as such meanwhile."""
    if not proposal.checks:
        return []
    values = {"person": request.person_id, "now": request.now, "query": proposal.query_id}
    rows = session.execute(_checks(list(proposal.checks)), values)
    return [
        Chosen(row.id, row.public_id, arm)
        for row in rows
        # What was rated as an ordinary answer meanwhile is known to them, and no gold any more.
        if not ((arm := proposal.checks[row.id]) == "gold" and row.is_settled)
    ]


def _checks(candidate_ids: list[int]) -> Select[int, str, bool]:
    return (
        select(Candidate.id, Candidate.public_id, is_settled_by(PERSON).label("is_settled"))
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Candidate.id.in_(candidate_ids),
            Candidate.query_id == bindparam("query"),
            and_(*can_be_shown()),
            ~is_on_lease(),
            ~is_rated_as(PERSON, Origin.GOLD, Origin.REPEAT),
        )
        .order_by(Candidate.id)
    )
