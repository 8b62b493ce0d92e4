"""What an owner asked to be rated first: a question, an answer, or what two versions still need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.event import EventKind
from app.models.project import Project
from app.models.query import Query
from app.models.request import Request
from app.scoring.arrays import Flags
from app.sentences import message
from app.services.bulk import lock_project
from app.services.collection.files import refuse_archived
from app.services.errors import ConflictError, NotFoundError
from app.services.evidence.passed import unratable_now
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact
from app.services.ledger import record_event

# Built once: it is asked at every rating.
NOT_WITHDRAWN = (
    select(Request)
    .where(Request.project_id == bindparam("project"), Request.withdrawn_revision.is_(None))
    .order_by(Request.id)
)


@dataclass(frozen=True)
class WaitingRequest:
    """A request that is not withdrawn, and the answers that it still waits for.

    Attributes
    ----------
    left
        bool (candidates,): asked for, and without a rating. Where there is none, the request is done.
    """

    request: Request
    left: Flags

    @property
    def answers(self) -> int:
        """The number of answers without a rating."""
        return int(self.left.sum())


def request_question(
    session: Session, project: Project, query_id: int, *, evidence: Evidence, actor_id: int
) -> int:
    """Ask for the unrated answers of a question to be rated first, and return how many there are.

    :raise NotFoundError: The project has no such question.
    :raise ConflictError: It is asked for already, nothing of it can be rated, or the project is archived.
    """
    query = session.get(Query, query_id)
    if query is None or query.project_id != project.id:
        raise NotFoundError("There is no such question.")
    return _ask(session, project, evidence, Request(query_id=query_id), actor_id)


def request_answer(
    session: Session, project: Project, public_id: str, *, evidence: Evidence, actor_id: int
) -> int:
    """Ask for an answer to be rated first, and return 1.

    :raise NotFoundError: The project has no such answer.
    :raise ConflictError: It is asked for already, has a rating, cannot be rated, or the project is archived.
    """
    candidate = session.scalar(
        select(Candidate).where(Candidate.project_id == project.id, Candidate.public_id == public_id)
    )
    if candidate is None:
        raise NotFoundError("There is no such answer.")
    return _ask(session, project, evidence, Request(candidate_id=candidate.id), actor_id)


def request_pair(
    session: Session, project: Project, run_ids: tuple[int, int], *, evidence: Evidence, actor_id: int
) -> int:
    """Ask for every unrated answer in the top k of two versions to be rated first; return how many there are.

    :raise NotFoundError: The project has no such version, or it is withdrawn.
    :raise ConflictError: It is asked for already, nothing of it can be rated, or the project is archived.
    """
    first, second = sorted(run_ids)
    active = {evidence.structure.runs[place].id for place in evidence.active_runs()}
    if first == second or not {first, second} <= active:
        raise NotFoundError("Choose two different versions that are in use.")
    return _ask(session, project, evidence, Request(first_run_id=first, second_run_id=second), actor_id)


def withdraw_request(session: Session, project: Project, request_id: int, *, actor_id: int) -> None:
    """Take a request back; ratings that it brought stay. One that is taken back already stays so.

    :raise NotFoundError: The project has no such request.
    :raise ConflictError: The project is archived.
    """
    project = lock_project(session, project.id)
    refuse_archived(project)
    request = session.get(Request, request_id, populate_existing=True)
    if request is None or request.project_id != project.id:
        raise NotFoundError("There is no such request.")
    if request.withdrawn_revision is not None:
        return
    payload = {"request_id": request.id}
    event = record_event(session, project.id, EventKind.REQUEST_WITHDRAWN, payload, actor_id=actor_id)
    request.withdrawn_revision = event.revision
    session.flush()


def waiting_requests(session: Session, evidence: Evidence) -> list[WaitingRequest]:
    """Return the requests that wait for answers, in the order in which they were asked."""
    requests = session.scalars(NOT_WITHDRAWN, {"project": evidence.project_id}).all()
    if not requests:
        return []
    unrated = unrated_answers(evidence)
    found = []
    for request in requests:
        left = _asked_for(evidence, request) & unrated
        if left.any():
            found.append(WaitingRequest(request, left))
    return found


def requested_first(session: Session, evidence: Evidence) -> dict[int, Flags]:
    """Return the answers that wait because of a request, by the request's number, oldest request first.

    Where nobody ever asked, the database is not asked either: this is for every rating.
    """
    if not evidence.structure.was_requested:
        return {}
    return {one.request.id: one.left for one in waiting_requests(session, evidence)}


def answers_to_request(
    session: Session, evidence: Evidence, query_id: int, unratable: Flags
) -> tuple[set[str], set[str]]:
    """Return the unrated answers of a question that requests name, and the others, by their public ids.

    Parameters
    ----------
    unratable
        The answers that nobody can rate, which are left out: bool (candidates,).
    """
    structure, unrated = evidence.structure, unrated_answers(evidence) & ~unratable
    asked = np.logical_or.reduce([unratable, *requested_first(session, evidence).values()])
    ids = select(Candidate.id, Candidate.public_id).where(Candidate.query_id == query_id)
    named = {row.id: row.public_id for row in session.execute(ids)}
    requested: set[str] = set()
    others: set[str] = set()
    indexes = structure.indexes_of(np.array([*named], dtype=np.int64))
    for index, public_id in zip(indexes, named.values(), strict=True):
        if index >= 0 and unrated[index]:
            (requested if asked[index] else others).add(public_id)
    return requested, others


def is_pair_requested(
    session: Session, evidence: Evidence, first: RunFact, second: RunFact, unratable: Flags
) -> bool:
    """Return whether requests, for whatever they were made, name all that two versions need and can be rated.

    Parameters
    ----------
    unratable
        The answers that nobody can rate: bool (candidates,).
    """
    asked = requested_first(session, evidence)
    if not asked:
        return False
    needed = _asked_for(evidence, Request(first_run_id=first.id, second_run_id=second.id))
    needed &= unrated_answers(evidence) & ~unratable
    return bool(needed.any()) and not bool((needed & ~np.logical_or.reduce(list(asked.values()))).any())


def _ask(session: Session, project: Project, evidence: Evidence, request: Request, actor_id: int) -> int:
    project = lock_project(session, project.id)
    refuse_archived(project)
    asked = _asked_for(evidence, request)
    unrated = asked & unrated_answers(evidence)
    if not unrated.any():
        raise ConflictError(_why_none_is_left(evidence, asked), code="nothing_to_rate")
    left = unrated & ~unratable_now(session, evidence, project)
    count = int(left.sum())
    if not count:
        raise ConflictError(_why_unratable(evidence, unrated), code="cannot_be_rated")
    # Nobody asks for what is asked for already and not yet rated.
    for waiting in waiting_requests(session, evidence):
        left &= ~waiting.left
    if not left.any():
        raise ConflictError("This is requested already.", code="requested")
    request.project_id, request.person_id, request.answers = project.id, actor_id, count
    request.revision = 0
    session.add(request)
    session.flush()
    payload = {"request_id": request.id, "answers": count}
    event = record_event(session, project.id, EventKind.REQUESTED, payload, actor_id=actor_id)
    request.revision = event.revision
    session.flush()
    return count


def _why_none_is_left(evidence: Evidence, asked: Flags) -> str:
    """Return why nobody is given any of the answers that a request names, as a sentence."""
    if not asked.any():
        return message("None of its answers is in the pool, so nobody rates them.")
    unrated = asked & (evidence.ratings == 0) & ~evidence.decided
    if not unrated.any():
        return message("All its answers are rated already.")
    if not (unrated & evidence.active_queries()[evidence.structure.query]).any():
        return message("The question is retired, so nobody rates it. Restore it first.")
    return message("This answer is not in the pool, so nobody rates it.")


def _why_unratable(evidence: Evidence, unrated: Flags) -> str:
    """Return why nobody can rate any of the unrated answers that a request names, as a sentence."""
    textless = evidence.structure.textless[unrated]
    if textless.all():
        return message("Its unrated answers have no text. Import the text first.")
    if not textless.any():
        return message("Annotators could not judge its unrated answers: they wait in Review.")
    return message(
        "Its unrated answers cannot be rated: they have no text, or annotators could not judge them."
    )


def unrated_answers(evidence: Evidence) -> Flags:
    """Return the answers in today's pool that nobody has rated or decided: bool (candidates,)."""
    return np.asarray(evidence.active_pool() & (evidence.ratings == 0) & ~evidence.decided)


def _asked_for(evidence: Evidence, request: Request) -> Flags:
    """Return the answers that a request names: bool (candidates,).

    Of a question those in the pool when it was asked for: what newer versions return is not asked for.
    """
    structure = evidence.structure
    found = np.zeros(structure.candidate_count, dtype=np.bool_)
    if request.query_id is not None:
        asked = request.revision or None
        return np.asarray((structure.query_id[structure.query] == request.query_id) & evidence.pooled(asked))
    if request.candidate_id is not None:
        indexes = structure.indexes_of(np.array([request.candidate_id], dtype=np.int64))
        found[indexes[indexes >= 0]] = True
        return found
    wanted = {request.first_run_id, request.second_run_id}
    places = [place for place, run in enumerate(structure.runs) if run.id in wanted]
    indexes = np.unique(evidence.lists(places, evidence.ruler_at().k).positions)
    found[indexes[(indexes >= 0) & (indexes < structure.candidate_count)]] = True
    return found
