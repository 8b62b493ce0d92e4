"""Assigning batches for pages and API: computed in a snapshot, then leased in a write session of its own.

Nobody's rating waits for the arithmetic. Requests of one project take turns, so that no batch is computed in
vain. Whoever has the turn assigns for some of those who wait too, with one snapshot and one commit. If
another process is quicker all the same, it is computed again.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from sqlalchemy.orm import Session

from app.database import Database
from app.models import Assignment, Project, now_utc
from app.services.assignment.batch_lifecycle import (
    close_batch,
    find_begun,
    others_at_work,
    release_stale_leases,
)
from app.services.assignment.batches import (
    AHEAD,
    assign_ahead,
    assign_batch,
    count_unsettled,
    open_batches,
    parked_batches,
    take_up_parked,
)
from app.services.assignment.eligibility import open_work_for
from app.services.assignment.requests import unrated_answers
from app.services.assignment.selection import (
    Proposal,
    proposal_of_query,
    proposals_for,
    proposals_for_all,
)
from app.services.assignment.wanted import BatchRequest
from app.services.evidence.state import Evidence
from app.services.evidence.store import evidence_of

# What the lock is for: one number for each use of `Database.hold`.
ASSIGNING = 1
# How often others may be quicker before the database chooses among the answers of the question.
TRIES = 5

# Where more answers than this have no rating, there is nearly always another page for everybody.
MANY = 200

# For how many others whoever has the turn assigns as well: ratings wait for the commit on SQLite.
MOST_OTHERS = 5


class _Asked:
    """Somebody who waits for the next batch, and its number once it is assigned."""

    __slots__ = ("batch", "person_id")

    def __init__(self, person_id: int) -> None:
        self.person_id = person_id
        self.batch: int | None = None


class _Turn:
    """The turn of a project in this process, and who waits for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting: list[_Asked] = []

    def take(self, mine: _Asked) -> list[_Asked]:
        """Return one who waits and some others, those who came first; they wait no more."""
        with _guard:
            others = [one for one in self.waiting if one is not mine]
            self.waiting = others[MOST_OTHERS:]
        return [mine, *others[:MOST_OTHERS]]


_guard = threading.Lock()
_turns: defaultdict[tuple[str, int], _Turn] = defaultdict(_Turn)


def find_next_batch(database: Database, project_id: int, person_id: int) -> int | None:
    """Return the number of the batch that is next for somebody; None where nothing is left for them."""
    with database.read() as session:
        begun = find_begun(session, project_id, person_id)
        if begun is not None:
            return begun.batch
    turn, mine = _turn_of(database, project_id), _Asked(person_id)
    with _guard:
        turn.waiting.append(mine)
    with turn.lock:
        if mine.batch is None:
            asked = turn.take(mine)
            with database.hold(ASSIGNING, project_id):
                if len(asked) > 1:
                    _assign_together(database, project_id, asked)
                if mine.batch is None:
                    mine.batch = _assign_next(database, project_id, person_id)
    return mine.batch


def _turn_of(database: Database, project_id: int) -> _Turn:
    with _guard:
        return _turns[database.url, project_id]


@contextmanager
def _turn(database: Database, project_id: int) -> Iterator[None]:
    """Wait for a project's turn to assign, in this process and then among all, before any session opens."""
    with _turn_of(database, project_id).lock, database.hold(ASSIGNING, project_id):
        yield


def _assign_together(database: Database, project_id: int, asked: list[_Asked]) -> None:
    """Assign a batch to all for whom one is left; the others look further when it is their turn."""
    with database.read() as session:
        evidence, now = evidence_of(database, project_id, fresh=session), now_utc()
        project = session.get_one(Project, project_id)
        people = dict.fromkeys(one.person_id for one in asked)
        requests = [BatchRequest(project, person_id, now) for person_id in people]
        proposals = proposals_for_all(session, evidence, requests)
    numbers: dict[int, int] = {}
    with database.write() as session:
        for person_id, proposal in proposals.items():
            found = _begun(session, project_id, person_id)
            found = found or assign_batch(session, project_id, person_id, proposal=proposal)
            if found is not None:
                numbers[person_id] = found.batch
    # Only now: what somebody is told is committed.
    for one in asked:
        one.batch = numbers.get(one.person_id)


def _assign_next(database: Database, project_id: int, person_id: int) -> int | None:
    proposal: Proposal | None = None
    for _ in range(TRIES):
        proposal = next(iter(_proposals(database, project_id, person_id, 1)), None)
        with database.write() as session:
            found = _begun(session, project_id, person_id)
            if found is None and proposal is not None:
                found = assign_batch(session, project_id, person_id, proposal=proposal)
            if found is None and proposal is None:
                found = take_up_parked(session, project_id, person_id)
            if found is not None:
                return found.batch
            # Before a page is empty, what others have left lying is assigned.
            if proposal is None and not release_stale_leases(session, project_id, person_id, now_utc()):
                return None
    with database.write() as session:
        found = _begun(session, project_id, person_id)
        if found is None and proposal is not None:
            of_query = Proposal(query_id=proposal.query_id)
            found = assign_batch(session, project_id, person_id, proposal=of_query)
        found = found or take_up_parked(session, project_id, person_id)
        return found.batch if found else None


def assign_question(database: Database, project_id: int, person_id: int, query_id: int) -> int | None:
    """Return the number of a batch of one query for an owner who asks for it; None where nothing is left.

    A batch of this query that they hold already is gone on with.
    """
    with _turn(database, project_id):
        for _ in range(TRIES):
            with database.read() as session:
                evidence, now = evidence_of(database, project_id, fresh=session), now_utc()
                project = session.get_one(Project, project_id)
                proposal = proposal_of_query(
                    session, evidence, BatchRequest(project, person_id, now), query_id=query_id
                )
            if proposal is None:
                break
            with database.write() as session:
                assigned = assign_batch(session, project_id, person_id, proposal=proposal)
                if assigned is not None:
                    return assigned.batch
    with database.read() as session:
        held = find_begun(session, project_id, person_id, query_id=query_id)
        return held.batch if held is not None else None


def assign_next_ahead(database: Database, project_id: int, person_id: int, *, after: int) -> list[int]:
    """Return the numbers of somebody's batches after the one at hand.

    New ones are assigned only while as many are left for everybody else at work.
    """
    ahead: list[int] = []
    with _turn(database, project_id):
        for _ in range(TRIES):
            proposals = _proposals(database, project_id, person_id, AHEAD, ahead=True)
            with database.write() as session:
                ahead = assign_ahead(session, project_id, person_id, after=after, proposals=proposals)
            if not proposals or len(ahead) >= AHEAD:
                break
    return ahead


def is_last_batch(
    database: Database, project_id: int, person_id: int, batch: int, *ahead: int, at_once: bool = False
) -> bool:
    """Tell whether nothing else is left for somebody: left for later, the batch would come again at once.

    What is `ahead` of it is not counted as something else.

    With `at_once` it is not computed where more than `MANY` answers have no rating: that would make a page a
    quarter dearer, and nearly always there is another one.
    """
    if at_once and np.count_nonzero(unrated_answers(evidence_of(database, project_id))) > MANY:
        return False
    with database.read() as session:
        held = [
            *open_batches(session, project_id, person_id),
            *parked_batches(session, project_id, person_id),
        ]
        if any(one.batch not in {batch, *ahead} and count_unsettled(session, one) for one in held):
            return False
    return not _proposals(database, project_id, person_id, 1)


def _proposals(
    database: Database, project_id: int, person_id: int, most: int, *, ahead: bool = False
) -> list[Proposal]:
    with database.read() as session:
        evidence, now = evidence_of(database, project_id, fresh=session), now_utc()
        project = session.get_one(Project, project_id)
        request = BatchRequest(project, person_id, now)
        if ahead and not _may_look_ahead(session, evidence, request):
            return []
        return proposals_for(session, evidence, request, most=most)


def _may_look_ahead(session: Session, evidence: Evidence, request: BatchRequest) -> bool:
    others = others_at_work(session, request.project.id, request.person_id, request.now)
    return not others or open_work_for(session, evidence, request).suffices(AHEAD, others=others)


def _begun(session: Session, project_id: int, person_id: int) -> Assignment | None:
    """Return the open batch to go on with, and close those before it with nothing left."""
    for begun in open_batches(session, project_id, person_id):
        if count_unsettled(session, begun):
            return begun
        close_batch(session, begun)
    return None
