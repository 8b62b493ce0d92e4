"""How a batch ends: done, for later, "can't judge this question", or its lease released."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache

import numpy as np
from sqlalchemy import Select, bindparam, exists, func, select, update
from sqlalchemy.orm import Session

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.judgment import Judgment, Reason
from app.models.project import Project
from app.models.query import Query
from app.services.assignment.batches import (
    LEASE,
    count_unsettled,
    is_retired,
    is_unopened,
    lock_assignment,
    open_batches,
    other_parts,
    own_batches,
)
from app.services.assignment.eligibility import eligible_candidates, held_by_others, read_eligibility
from app.services.assignment.wanted import PERSON, RUNNING, BatchRequest, is_check, is_leased
from app.services.bulk import batches
from app.services.current_judgments import is_settled_by, kind_in_batch
from app.services.errors import ConflictError, NotFoundError


def get_assignment(session: Session, project_id: int, person_id: int, batch: int) -> Assignment:
    """Return one of a person's own batches.

    :raise NotFoundError: There is no such batch, or it is somebody else's.
    """
    assignment = find_assignment(session, project_id, person_id, batch)
    if assignment is None:
        raise NotFoundError("This is not one of your questions.")
    return assignment


def find_assignment(session: Session, project_id: int, person_id: int, batch: int) -> Assignment | None:
    """Return one of a person's own batches; None where there is no such batch, or it is somebody else's."""
    return session.scalar(_own_batch(), {"project": project_id, "person": person_id, "number": batch})


@cache
def _own_batch() -> Select[Assignment]:
    # Built once: putting it together takes longer than running it.
    return select(Assignment).where(
        Assignment.project_id == bindparam("project"),
        Assignment.person_id == PERSON,
        Assignment.batch == bindparam("number"),
    )


def find_begun(
    session: Session,
    project_id: int,
    person_id: int,
    *,
    query_id: int | None = None,
) -> Assignment | None:
    """Return the open batch that a person goes on with, of any query or of one, or None."""
    held = open_batches(session, project_id, person_id, query_id=query_id)
    return next((one for one in held if count_unsettled(session, one)), None)


def finish_batch(session: Session, project_id: int, person_id: int, batch: int) -> None:
    """Close a batch in which every answer is rated or passed on; of a declined or retired question any.

    :raise NotFoundError: It is not this person's.
    :raise ConflictError: Answers are left (`left` says how many).
    """
    assignment = get_assignment(session, project_id, person_id, batch)
    left = count_unsettled(session, assignment)
    is_over = is_retired(session, assignment) or any(one.declined for one in own_batches(session, assignment))
    if left and not is_over:
        raise ConflictError(
            "Some answers of this question are not rated yet.", code="answers_left", left=left
        )
    close_batch(session, assignment)


def close_batch(session: Session, assignment: Assignment) -> None:
    """Close a batch of which `count_unsettled` found nothing left."""
    if assignment.state in RUNNING:
        assignment.state = "done"
    session.flush()


def park_batch(session: Session, project_id: int, person_id: int, batch: int) -> None:
    """Leave a batch for later: it is leased for a day from now on, and the ratings stay.

    So is a finished one of which an answer was cleared since, and a released one that nobody has taken over;
    one of a retired question is not.

    :raise NotFoundError: It is not this person's.
    """
    assignment = get_assignment(session, project_id, person_id, batch)
    if is_retired(session, assignment):
        return
    if assignment.state == "released":
        lock_assignment(session, project_id)
    if (
        assignment.state == "open"
        or (assignment.state == "done" and count_unsettled(session, assignment))
        or (assignment.state == "released" and is_reserved(session, assignment))
    ):
        assignment.state, assignment.lease_end = "parked", now_utc() + LEASE
    session.flush()


def is_reserved(session: Session, assignment: Assignment) -> bool:
    """Return whether a batch is its annotator's, or what is unsettled in it may all be given to them again.

    What they hold in another batch by now may not: it would be left for later twice.
    """
    if assignment.state != "released":
        return True
    left = session.scalars(
        select(AssignmentCandidate.candidate_id)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .where(
            AssignmentCandidate.assignment_id == assignment.id,
            ~is_check(AssignmentCandidate),
            ~is_settled_by(assignment.person_id),
        )
    ).all()
    request = BatchRequest(session.get_one(Project, assignment.project_id), assignment.person_id, now_utc())
    free = eligible_candidates(session, request, query_id=assignment.query_id, among=left)
    return len(free) == len(left)


@dataclass(frozen=True)
class UnfinishedQuestion:
    """A page that its annotator has opened, with the answers left on it.

    `part` is its number among the parts of its question, 0 where the question has no others; `is_parked`
    tells whether it was left for later: an open one may be released before its time (`release_stale_leases`).
    """

    batch: int
    query: str
    left: int
    part: int
    is_parked: bool


def unfinished_questions(
    session: Session, project_id: int, person_id: int, now: datetime
) -> list[UnfinishedQuestion]:
    """Return a person's pages with answers left, those that are released first at the top.

    One that was fetched ahead of need and never opened is none of them.
    """
    rows = session.execute(
        select(Assignment, Query.text, func.count())
        .join(AssignmentCandidate, AssignmentCandidate.assignment_id == Assignment.id)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .join(Query, Query.id == Assignment.query_id)
        .where(
            Assignment.project_id == project_id,
            Assignment.person_id == person_id,
            is_leased(Assignment, now),
            ~is_settled_by(person_id, kind_in_batch(AssignmentCandidate.arm)),
        )
        .group_by(Assignment.id, Query.id)
        .order_by(Assignment.lease_end, Assignment.batch)
    )
    listed: list[UnfinishedQuestion] = []
    for page, text, left in rows.all():
        if is_unopened(page):
            continue
        parts = other_parts(session, page, now=now)
        part, is_parked = parts.number if parts.is_part else 0, page.state == "parked"
        listed.append(UnfinishedQuestion(page.batch, text, left, part, is_parked))
    return listed


def decline_query(session: Session, project_id: int, person_id: int, batch: int, reason: Reason) -> None:
    """Release a question that its annotator cannot judge, with the reason; it does not come back to them.

    That holds for all batches of it that they have, this one and those assigned ahead or left for later.
    Ratings given in them stay. The lease of this batch ends now, which is when the question was declined.
    Those of others left for later keep their end: `take_back_decline` knows them by it.

    :raise NotFoundError: It is not this person's.
    """
    assignment, now = get_assignment(session, project_id, person_id, batch), now_utc()
    assignment.declined = reason.name.lower()
    for one in own_batches(session, assignment):
        if one is assignment:
            one.lease_end = now
        elif one.state == "open":
            one.lease_end = min(one.lease_end, now)
        if one.state in RUNNING:
            one.state = "released"
    session.flush()


def take_back_decline(
    session: Session, project_id: int, person_id: int, batch: int, *, now: datetime | None = None
) -> None:
    """Take back "can't judge this question"; the batch is left for later.

    Whoever does so is at another batch as a rule: there they find this one again, and nobody else gets it.
    Of its other batches those that were left for later are so again, for as long as they were, unless
    somebody else has taken of them; the rest stays released. So does all of a retired question.

    :raise NotFoundError: It is not this person's.
    :raise ConflictError: Others have all of its answers by now.
    """
    now = now or now_utc()
    lock_assignment(session, project_id)
    assignment = get_assignment(session, project_id, person_id, batch)
    own = own_batches(session, assignment)
    for one in own:
        one.declined = None
    session.flush()
    if is_retired(session, assignment):
        return
    if assignment.state == "released":
        if not _is_free(session, assignment, now):
            raise ConflictError(
                "It is too late to undo this: others have the answers now, or an owner has decided.",
                code="taken",
            )
        assignment.state, assignment.lease_end = "parked", now + LEASE
    session.flush()
    for one in own:
        if one.state == "released" and one.lease_end > now and is_reserved(session, one):
            one.state = "parked"
            session.flush()


def _is_free(session: Session, assignment: Assignment, now: datetime) -> bool:
    """Return whether all that is unsettled in a released batch still has room for a rating."""
    answers = select(AssignmentCandidate.candidate_id).where(
        AssignmentCandidate.assignment_id == assignment.id, ~is_check(AssignmentCandidate)
    )
    project = session.get_one(Project, assignment.project_id)
    request = BatchRequest(project, assignment.person_id, now)
    _, eligibility = read_eligibility(session, request, "id", session.scalars(answers).all())
    return bool((eligibility.mine | (eligibility.taken < eligibility.wanted)).all())


# An annotator who has rated nothing for this long is not at work.
STALE_AFTER = timedelta(minutes=30)


def release_stale_leases(session: Session, project_id: int, person_id: int, now: datetime) -> int:
    """Release the batches of others that nobody is at, for somebody for whom nothing else is left.

    What was left for later stays. Who comes back to a page that stood open may still rate: that is an extra
    rating then, and none is lost.

    Returns
    -------
    How many batches were released.
    """
    project = session.get_one(Project, project_id)
    if project.state != "open":
        return 0
    rated = exists().where(
        Judgment.project_id == project_id,
        Judgment.annotator_id == Assignment.person_id,
        Judgment.received_at > now - STALE_AFTER,
    )
    done = session.execute(
        update(Assignment)
        .where(
            Assignment.id.in_(_held_elsewhere(session, BatchRequest(project, person_id, now))),
            Assignment.state == "open",
            Assignment.assigned_at <= now - STALE_AFTER,
            ~rated.correlate(Assignment),
        )
        .values(state="released", lease_end=now)
        .returning(Assignment.id)
        .execution_options(synchronize_session=False)
    )
    return len(done.all())


def others_at_work(session: Session, project_id: int, person_id: int, now: datetime) -> int:
    """Return how many other people were assigned something a short while ago and hold it."""
    held = select(func.count(Assignment.person_id.distinct())).where(
        Assignment.project_id == project_id,
        Assignment.person_id != person_id,
        Assignment.state == "open",
        Assignment.assigned_at > now - STALE_AFTER,
        Assignment.lease_end > now,
    )
    return session.execute(held).scalar_one()


def is_held_elsewhere(session: Session, project_id: int, person_id: int, now: datetime) -> bool:
    """Return whether others have answers on lease that this person could be given as well."""
    request = BatchRequest(session.get_one(Project, project_id), person_id, now)
    return bool(_held_elsewhere(session, request))


def _held_elsewhere(session: Session, request: BatchRequest) -> set[int]:
    """Return the batches of others with something that this person could be given if nobody held it."""
    values = {"project": request.project.id, "person": request.person_id, "now": request.now}
    held = held_by_others.rows(session, values)
    free: set[int] = set()
    for some in batches(list({row.candidate_id for row in held})):
        facts, eligibility = read_eligibility(session, request, "id", some)
        unleased = replace(eligibility, leases=np.zeros_like(eligibility.leases))
        free.update(facts[index].candidate_id for index in np.flatnonzero(unleased.eligible))
    return {row.assignment_id for row in held if row.candidate_id in free}
