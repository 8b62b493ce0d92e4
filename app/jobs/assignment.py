"""Assigning batches for pages and API: computed in a snapshot, then leased in a write session of its own.

Nobody's rating waits for the arithmetic. Requests of one project take turns, so that no batch is computed in
vain; if another process is quicker all the same, it is computed again.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

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
    take_up_parked,
)
from app.services.assignment.eligibility import open_work_for
from app.services.assignment.selection import Proposal, proposal_of_query, proposals_for
from app.services.assignment.wanted import BatchRequest
from app.services.evidence.state import Evidence
from app.services.evidence.store import evidence_of

# What the lock is for: one number for each use of `Database.hold`.
ASSIGNING = 1
# How often others may be quicker before the database chooses among the answers of the question.
TRIES = 5

_guard = threading.Lock()
_turns: defaultdict[tuple[str, int], threading.Lock] = defaultdict(threading.Lock)


def find_next_batch(database: Database, project_id: int, person_id: int) -> int | None:
    """Return the number of the batch that is next for somebody; None where nothing is left for them."""
    with database.read() as session:
        begun = find_begun(session, project_id, person_id)
        if begun is not None:
            return begun.batch
    with _turn(database, project_id):
        return _assign_next(database, project_id, person_id)


@contextmanager
def _turn(database: Database, project_id: int) -> Iterator[None]:
    """Wait for a project's turn to assign, in this process and then among all, before any session opens."""
    with _guard:
        turn = _turns[database.url, project_id]
    with turn, database.hold(ASSIGNING, project_id):
        yield


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
            evidence, now = evidence_of(database, project_id), now_utc()
            with database.read() as session:
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


def _proposals(
    database: Database, project_id: int, person_id: int, most: int, *, ahead: bool = False
) -> list[Proposal]:
    evidence, now = evidence_of(database, project_id), now_utc()
    with database.read() as session:
        project = session.get_one(Project, project_id)
        request = BatchRequest(project, person_id, now)
        if ahead and not _may_look_ahead(session, evidence, request):
            return []
        return proposals_for(session, evidence, request, most=most)


def _may_look_ahead(session: Session, evidence: Evidence, request: BatchRequest) -> bool:
    others = others_at_work(session, request.project.id, request.person_id, request.now)
    return not others or open_work_for(session, evidence, request).suffices(AHEAD, others=others)


def _begun(session: Session, project_id: int, person_id: int) -> Assignment | None:
    """Return the oldest open batch with something left, and close those without."""
    for begun in open_batches(session, project_id, person_id):
        if count_unsettled(session, begun):
            return begun
        close_batch(session, begun)
    return None
