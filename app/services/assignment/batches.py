"""Batches of at most 12 answers of one query, leased to one annotator."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    Insert,
    Integer,
    Select,
    Update,
    bindparam,
    case,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningUpdate

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.judgment import CurrentJudgment
from app.models.project import BatchHead, Project
from app.models.query import Query
from app.scoring.priority_batches import BatchNumbers
from app.services.assignment.eligibility import CandidateFacts, assignment_request, eligible_candidates
from app.services.assignment.selection import Chosen, Proposal, choose, chosen_of, next_numbers
from app.services.assignment.wanted import (
    BATCH_SIZE,
    CHECKS,
    NOW,
    PERSON,
    RUNNING,
    BatchRequest,
    has_ended,
    has_unsettled,
    is_check,
    shuffled,
)
from app.services.bulk import table_of
from app.services.current_judgments import is_settled_by, kind_in_batch
from app.services.errors import NotFoundError
from app.services.prepared import Prepared

LEASE = timedelta(hours=24)
# A batch fetched ahead of need is soon free again when nobody opens it.
SHORT_LEASE = timedelta(hours=1)
AHEAD = 2


def assign_batch(
    session: Session,
    project_id: int,
    person_id: int,
    *,
    proposal: Proposal,
    lease: timedelta = LEASE,
    now: datetime | None = None,
) -> Assignment | None:
    """Lease a new batch to a person and return it; None where nothing is left for them.

    Where they have cleared answers of a finished batch since, that one is opened again instead: nobody has
    two pages with the same answer.

    Parameters
    ----------
    proposal
        What to assign (`proposals_for`). Only what it names is looked at again: None is returned if somebody
        was quicker.

    :raise NotFoundError: There is no such project.
    """
    now = now or now_utc()
    numbers = lock_assignment(session, project_id)
    project = session.get_one(Project, project_id)
    number = next_numbers(session, project_id, now).next if proposal.number is None else proposal.number
    if project.state != "open" or number not in {numbers.odd, numbers.even}:
        return None
    release_ended(session, project_id, now)
    request = assignment_request(session, project, person_id, now)
    chosen = choose(session, request, proposal)
    if not chosen:
        return None
    finished = _finished_with(session, proposal.query_id, person_id, chosen)
    if finished is not None:
        finished.state, finished.lease_end = "open", now + lease
        session.flush()
        return finished
    assignment = Assignment(
        project_id=project_id,
        person_id=person_id,
        query_id=proposal.query_id,
        batch=number,
        kind=proposal.kind,
        assigned_at=now,
        lease_end=now + lease,
    )
    write_batch(session, project, assignment, chosen)
    return assignment


def _finished_with(
    session: Session, query_id: int, person_id: int, chosen: list[Chosen]
) -> Assignment | None:
    """Return a person’s oldest finished batch that holds one of some answers of its question, or None."""
    values = {
        "query": query_id,
        "person": person_id,
        "candidates": [one.candidate_id for one in chosen if one.arm not in CHECKS],
    }
    return session.scalars(_finished(), values).first()


@cache
def _finished() -> Select[Assignment]:
    # Built once: putting it together takes longer than running it.
    return (
        select(Assignment)
        .join(AssignmentCandidate, AssignmentCandidate.assignment_id == Assignment.id)
        .where(
            Assignment.query_id == bindparam("query"),
            Assignment.person_id == PERSON,
            Assignment.state == "done",
            AssignmentCandidate.candidate_id.in_(bindparam("candidates", expanding=True)),
            ~is_check(AssignmentCandidate),
        )
        .order_by(Assignment.id)
        .limit(1)
    )


def write_batch(session: Session, project: Project, assignment: Assignment, chosen: list[Chosen]) -> None:
    """Write a batch with its answers in their annotator's own order; its number is given from now on."""
    following: dict[str, int | None] = {"next_odd": None, "next_even": None}
    following["next_odd" if assignment.batch % 2 else "next_even"] = assignment.batch + 2
    _give.write(session, [{"project": project.id, **following}])
    session.add(assignment)
    session.flush()
    _place.write(session, _placed(project, assignment, chosen))


@Prepared
def _give() -> Update:
    row = table_of(BatchHead)
    following = {
        name: func.coalesce(bindparam(f"next_{name}", type_=Integer), row.c[name]) for name in ("odd", "even")
    }
    return update(row).where(row.c.project_id == bindparam("project")).values(following)


@Prepared
def _place() -> Insert:
    return insert(table_of(AssignmentCandidate))


def assign_ahead(
    session: Session,
    project_id: int,
    person_id: int,
    *,
    after: int,
    proposals: list[Proposal],
    now: datetime | None = None,
) -> list[int]:
    """Return the numbers of a person's next batches: their open ones, and then new ones.

    New ones are leased for an hour only, and are given to nobody who is not at an open batch: they may only
    look. The order is the one to rate in (`turn_of`), whatever the numbers: parts of a question being
    finished were assigned one after another. A requested one is assigned although enough others are ahead.

    Parameters
    ----------
    after
        The batch at hand.
    proposals
        What to assign, in this order; see `proposals_for`. Of none, nothing new is assigned.
    """
    now = now or now_utc()
    lock_assignment(session, project_id)
    at_hand = session.scalars(
        select(Assignment).where(
            Assignment.project_id == project_id, Assignment.person_id == person_id, Assignment.batch == after
        )
    ).one_or_none()
    held = open_batches(session, project_id, person_id, now=now)
    ahead = [one for one in held if one is not at_hand and count_unsettled(session, one)]
    for proposal in proposals if at_hand and at_hand.state == "open" else ():
        if sum(proposal.kind != "requested" or one.kind == "requested" for one in ahead) >= AHEAD:
            break
        assigned = assign_batch(session, project_id, person_id, proposal=proposal, lease=SHORT_LEASE, now=now)
        if assigned is not None:
            ahead.append(assigned)
    return [assignment.batch for assignment in sorted(ahead, key=turn_of)[:AHEAD]]


def open_batches(
    session: Session,
    project_id: int,
    person_id: int,
    *,
    query_id: int | None = None,
    now: datetime | None = None,
) -> list[Assignment]:
    """Return the batches that a person is at, of any query or of one, in the order to rate in."""
    wanted = _own_running()
    if query_id is not None:
        wanted = wanted.where(Assignment.query_id == query_id)
    held = session.scalars(wanted, _own(project_id, person_id, "open", now or now_utc()))
    return sorted(held, key=turn_of)


def turn_of(assignment: Assignment) -> tuple[bool, int]:
    """Return what sorts a person's batches into the order to rate in.

    The oldest comes first. One that was requested comes before those that were fetched ahead and not opened.
    """
    return is_unopened(assignment) and assignment.kind != "requested", assignment.id


def is_unopened(assignment: Assignment) -> bool:
    """Return whether a batch was fetched ahead and not opened since: whoever opens it has it for longer."""
    return assignment.lease_end <= assignment.assigned_at + SHORT_LEASE


def parked_batches(
    session: Session, project_id: int, person_id: int, *, now: datetime | None = None
) -> list[Assignment]:
    """Return the batches that a person left for later, oldest first."""
    return list(session.scalars(_own_running(), _own(project_id, person_id, "parked", now or now_utc())))


def count_unsettled(session: Session, assignment: Assignment) -> int:
    """Return how many answers of a batch its annotator has neither rated nor passed on."""
    values = {"assignment": assignment.id, "person": assignment.person_id}
    left: int = _unsettled.scalars(session, values)[0]
    return left


@Prepared
def _unsettled() -> Select[int]:
    return (
        select(func.count())
        .select_from(Candidate)
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .where(
            AssignmentCandidate.assignment_id == bindparam("assignment"),
            ~is_settled_by(PERSON, kind_in_batch(AssignmentCandidate.arm)),
        )
    )


def is_retired(session: Session, assignment: Assignment) -> bool:
    """Return whether the question of a batch is retired: nobody is to rate it."""
    return session.get_one(Query, assignment.query_id).retired_revision is not None


def take_up_parked(
    session: Session, project_id: int, person_id: int, *, now: datetime | None = None
) -> Assignment | None:
    """Open the first batch with something left that a person left for later; None where there is none."""
    now = now or now_utc()
    for parked in parked_batches(session, project_id, person_id, now=now):
        if count_unsettled(session, parked):
            take_up(session, parked, now=now)
            return parked
    return None


def take_up(session: Session, assignment: Assignment, *, now: datetime | None = None) -> None:
    """Open a batch that is running, and lease it for another day: its annotator asked for it."""
    now = now or now_utc()
    if assignment.state in RUNNING and assignment.lease_end > now:
        assignment.state, assignment.lease_end = "open", now + LEASE
    session.flush()


def is_half_over(lease_end: datetime, now: datetime) -> bool:
    """Tell whether less than half a day is left of a lease."""
    return lease_end < now + LEASE / 2


def keep_lease(session: Session, project_id: int, person_id: int, batch: int, now: datetime) -> None:
    """Lease an open batch in which somebody rates for another day, if less than half a day is left."""
    values = {"project": project_id, "person": person_id, "number": batch, "now": now}
    _keep.write(session, [values | {"half": now + LEASE / 2, "day": now + LEASE}])


@Prepared
def _keep() -> Update:
    row = table_of(Assignment)
    end = row.c.lease_end
    return (
        update(row)
        .where(
            row.c.project_id == bindparam("project"),
            row.c.person_id == PERSON,
            row.c.batch == bindparam("number"),
            row.c.state == "open",
            end > NOW,
            end < bindparam("half", type_=end.type),
        )
        .values(lease_end=bindparam("day", type_=end.type))
    )


def release_ended(session: Session, project_id: int, now: datetime) -> None:
    """Release every batch whose lease has ended, and close those with nothing left; all ratings stay."""
    session.flush()
    released = set(_release.scalars(session, {"project": project_id, "now": now}))
    for held in session.identity_map.values() if released else ():
        if isinstance(held, Assignment) and held.id in released:
            session.expire(held)


@Prepared
def _release() -> ReturningUpdate[int]:
    row = table_of(Assignment)
    return (
        update(row)
        .where(row.c.project_id == bindparam("project"), has_ended(row))
        .values(state=case((has_unsettled(row), "released"), else_="done"))
        .returning(row.c.id)
    )


@cache
def _own_running() -> Select[Assignment]:
    # Built once: putting it together takes longer than running it.
    return (
        select(Assignment)
        .where(
            Assignment.project_id == bindparam("project"),
            Assignment.person_id == PERSON,
            Assignment.state == bindparam("state"),
            Assignment.lease_end > NOW,
        )
        .order_by(Assignment.id)
    )


def _own(project_id: int, person_id: int, state: str, now: datetime) -> dict[str, object]:
    return {"project": project_id, "person": person_id, "state": state, "now": now}


def lock_assignment(session: Session, project_id: int) -> BatchNumbers:
    """Return the next batch numbers, locked: other assignments in this project wait for the commit.

    :raise NotFoundError: There is no such project.
    """
    numbers = _lock.row(session, {"project": project_id})
    if numbers is None:
        raise NotFoundError("There is no such project.")
    return BatchNumbers(*numbers)


@Prepared
def _lock() -> ReturningUpdate[int, int]:
    row = table_of(BatchHead)
    here = row.c.project_id == bindparam("project")
    return update(row).where(here).values(odd=row.c.odd).returning(row.c.odd, row.c.even)


def _placed(project: Project, assignment: Assignment, chosen: list[Chosen]) -> list[dict[str, Any]]:
    by_public_id = {one.public_id: one for one in chosen}
    order = shuffled(
        project.shuffle_secret,
        by_public_id,
        annotator=assignment.person_id,
        query=assignment.query_id,
        batch=assignment.batch,
    )
    return [
        {
            "assignment_id": assignment.id,
            "candidate_id": by_public_id[public_id].candidate_id,
            "place": place,
            "arm": by_public_id[public_id].arm,
        }
        for place, public_id in enumerate(order, start=1)
    ]


def own_batches(session: Session, assignment: Assignment) -> list[Assignment]:
    """Return all batches of its question that its annotator ever got, oldest first."""
    wanted = (
        select(Assignment)
        .where(
            Assignment.project_id == assignment.project_id,
            Assignment.person_id == assignment.person_id,
            Assignment.query_id == assignment.query_id,
        )
        .order_by(Assignment.id)
    )
    return list(session.scalars(wanted))


@dataclass(frozen=True)
class OtherParts:
    """What there is of a question beside a batch.

    Attributes
    ----------
    more
        The answers of the question outside this batch that are left for its annotator.
    is_split
        Whether the question has more answers than a batch holds.
    goes_on
        Whether its annotator goes on to more answers of the same question, whatever they rate here.
    number
        The batch's place among those of its annotator: others may have answers of any part.
    is_part
        Whether its annotator has or gets other parts: it is called one.
    are_parked
        Whether all that is left in other parts was left for later.
    """

    more: int = 0
    is_split: bool = False
    goes_on: bool = False
    number: int = 1
    is_part: bool = False
    are_parked: bool = False


def other_parts(
    session: Session, assignment: Assignment, *, ahead: bool = False, now: datetime | None = None
) -> OtherParts:
    """Return what there is of a batch's question beside it; one that fits into a batch has no other parts.

    Parameters
    ----------
    ahead
        Whether the batch comes later: those before it will be done with by then.
    """
    (pooled,) = _pooled.scalars(session, {"query": assignment.query_id})
    if pooled <= BATCH_SIZE:
        return OtherParts()
    now = now or now_utc()
    every = own_batches(session, assignment)
    # What was released is assigned again in other batches, but declining takes no part its number.
    declined_at = min((one.lease_end for one in every if one.declined), default=now)
    own = [
        one for one in every if one.state != "released" or one is assignment or one.lease_end >= declined_at
    ]
    others = [
        one
        for one in _others(own, assignment, now)
        if not (ahead and turn_of(one) < turn_of(assignment) and one.state == "open")
    ]
    # What is unrated here is free again once the lease is over.
    here = session.scalars(
        select(AssignmentCandidate.candidate_id).where(AssignmentCandidate.assignment_id == assignment.id)
    )
    free = {one.candidate_id for one in _open(session, assignment, now)}.difference(here)
    more = len(free) + _count_unsettled(session, assignment.person_id, [one.id for one in others])
    return OtherParts(
        more=more,
        is_split=True,
        goes_on=_goes_on(session, assignment, ahead=ahead, left=len(free), now=now),
        number=sum(one.id <= assignment.id for one in own),
        is_part=len(own) > 1 or more > 0 or (any(one.declined for one in own) and _has_unrated(session, own)),
        are_parked=not free and all(one.state == "parked" for one in others),
    )


def _goes_on(session: Session, assignment: Assignment, *, ahead: bool, left: int, now: datetime) -> bool:
    """Tell whether the question of a batch goes on after it, as `find_next_batch` chooses."""
    held = open_batches(session, assignment.project_id, assignment.person_id, now=now)
    before = [one for one in held if one is assignment or (ahead and turn_of(one) < turn_of(assignment))]
    following = next((one for one in held if one not in before and count_unsettled(session, one)), None)
    if following is not None:
        return following.query_id == assignment.query_id
    # What is assigned next goes on with a question that is being finished, and else by priority.
    return assignment.kind == "finish" and left > 0


def _has_unrated(session: Session, own: list[Assignment]) -> bool:
    """Return whether a question has unrated answers outside some batches; a declined one has none open."""
    held = select(AssignmentCandidate.candidate_id).where(
        AssignmentCandidate.assignment_id.in_([one.id for one in own])
    )
    wanted = (
        select(Candidate.id)
        .where(
            Candidate.query_id == own[0].query_id,
            Candidate.in_pool,
            Candidate.id.not_in(held),
            ~exists().where(CurrentJudgment.candidate_id == Candidate.id),
        )
        .limit(1)
    )
    return session.scalar(wanted) is not None


@Prepared
def _pooled() -> Select[int]:
    return select(func.count()).where(Candidate.query_id == bindparam("query"), Candidate.in_pool)


def assign_rest_of_query(
    session: Session, assignment: Assignment, *, now: datetime | None = None
) -> list[Assignment]:
    """Assign all that is left of a batch's question to its annotator, and return all the parts but this one.

    For a step that settles the whole question: the parts that are returned are closed.
    """
    now = now or now_utc()
    lock_assignment(session, assignment.project_id)
    numbers = next_numbers(session, assignment.project_id, now)
    others = _others(own_batches(session, assignment), assignment, now)
    project = session.get_one(Project, assignment.project_id)
    left = _open(session, assignment, now)
    for start in range(0, len(left), BATCH_SIZE):
        part = Assignment(
            project_id=project.id,
            person_id=assignment.person_id,
            query_id=assignment.query_id,
            batch=numbers.next,
            kind=assignment.kind,
            assigned_at=now,
            lease_end=now,
        )
        chosen = [chosen_of(candidate) for candidate in left[start : start + BATCH_SIZE]]
        write_batch(session, project, part, chosen)
        numbers = numbers.after(part.batch)
        others.append(part)
    for part in others:
        part.state = "done"
    session.flush()
    return others


def _others(own: list[Assignment], assignment: Assignment, now: datetime) -> list[Assignment]:
    """Return the batches that run beside one."""
    return [one for one in own if one is not assignment and one.state in RUNNING and one.lease_end > now]


def give_back_parts(
    session: Session, assignment: Assignment, of: list[Assignment], *, now: datetime | None = None
) -> None:
    """Let parts of a batch's question run again that a step had closed, as they did before it.

    Those before the batch were left for later, those after it come next. What the step itself had assigned
    was never seen: it is released, and its answers are assigned in other parts. So is every part of a retired
    question.
    """
    now = now or now_utc()
    for part in of:
        if part is assignment or part.state in RUNNING:
            continue
        if part.lease_end <= now or is_retired(session, part):
            part.state = "released"
        else:
            part.state = "parked" if part.id < assignment.id else "open"
    session.flush()


def _open(session: Session, assignment: Assignment, now: datetime) -> list[CandidateFacts]:
    """Return what of a batch's question may still be given to its annotator."""
    project = session.get_one(Project, assignment.project_id)
    request = BatchRequest(project, assignment.person_id, now)
    return eligible_candidates(session, request, query_id=assignment.query_id)


def _count_unsettled(session: Session, person_id: int, assignments: list[int]) -> int:
    """Return how many answers of some batches take a rating that counts."""
    wanted = (
        select(func.count())
        .select_from(Candidate)
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .where(
            AssignmentCandidate.assignment_id.in_(assignments),
            ~is_check(AssignmentCandidate),
            ~is_settled_by(person_id),
        )
    )
    return session.scalar(wanted) or 0
