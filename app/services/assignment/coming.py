"""What comes next in a project, as pages tell it: requests and the next questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.assignment import AssignmentCandidate
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.person import Person
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Flags, Ints
from app.scoring.priority_batches import UNTOUCHED, next_queries
from app.sentences import Message, message, number_message
from app.services.assignment.batches import count_unsettled, open_batches
from app.services.assignment.eligibility import leases_of
from app.services.assignment.requests import (
    WaitingRequest,
    requested_first,
    unrated_answers,
    waiting_requests,
)
from app.services.assignment.selection import (
    assignment_state_of,
    coming_for,
    next_numbers,
)
from app.services.assignment.wanted import BatchRequest
from app.services.evidence.passed import unratable_now
from app.services.evidence.state import Evidence
from app.services.scores.context import ScoringContext
from app.services.scores.verdict_text import name_of


@dataclass(frozen=True)
class RequestSummary:
    """One request that waits.

    Attributes
    ----------
    what, about
        The question, the answer, or the two versions; and of an answer its question.
    query_id
        The question that it leads to; None for two versions.
    left, blocked
        How many answers have no rating yet: those that can be rated, and those that nobody can rate.
    """

    id: int
    what: str
    about: str
    query_id: int | None
    left: int
    blocked: int
    by: str
    at: datetime


def request_summaries(session: Session, evidence: Evidence, project: Project) -> list[RequestSummary]:
    """Return the requests that wait, in the order in which they were asked.

    An answer that several name is counted once, under the oldest; one without answers of its own is left out.
    """
    stuck = unratable_now(session, evidence, project)
    waiting, counted = [], np.zeros(evidence.structure.candidate_count, dtype=np.bool_)
    for one in waiting_requests(session, evidence):
        own = one.left & ~counted
        counted |= own
        if own.any():
            waiting.append(replace(one, left=own))
    wanted = select(Person.id, Person.name).where(Person.id.in_({one.request.person_id for one in waiting}))
    people = {row.id: row.name for row in session.execute(wanted)}
    return [_told(session, evidence, one, stuck, people[one.request.person_id]) for one in waiting]


def _told(
    session: Session, evidence: Evidence, waiting: WaitingRequest, stuck: Flags, by: str
) -> RequestSummary:
    request = waiting.request
    what, about, query_id = "", "", request.query_id
    if request.query_id is not None:
        what = session.get_one(Query, request.query_id).text
    elif request.candidate_id is not None:
        candidate = session.get_one(Candidate, request.candidate_id)
        document = session.get_one(Document, candidate.document_id)
        what, query_id = document.title or document.text or document.external_id, candidate.query_id
        about = session.get_one(Query, candidate.query_id).text
    else:
        runs = evidence.structure.run_of
        both = [runs[number] for number in (request.first_run_id, request.second_run_id) if number]
        one, other = (f"{run.ranker} {run.version}" for run in both)
        what = message("To compare %(one)s with %(other)s", one=one, other=other)
    return RequestSummary(
        id=request.id,
        what=what,
        about=about,
        query_id=query_id,
        left=int((waiting.left & ~stuck).sum()),
        blocked=int((waiting.left & stuck).sum()),
        by=by,
        at=request.created_at,
    )


def count_reserved(session: Session, evidence: Evidence, project: Project, person_id: int) -> int:
    """Return how many of the answers that wait for a first rating are on other people's pages now."""
    leases = leases_of(session, evidence, BatchRequest(project, person_id, now_utc()))
    waiting = unrated_answers(evidence) & ~unratable_now(session, evidence, project)
    return int((waiting & (leases > 0)).sum())


@dataclass(frozen=True)
class NextQuery:
    """One question that comes soon, and why."""

    query_id: int
    text: str
    kind: str
    why: str


@dataclass(frozen=True)
class BegunBatch:
    """A batch that the person is at, which comes before anything new.

    `left` includes later parts of its question; `is_new` where none of the batch is done yet.
    """

    batch: int
    query_id: int
    text: str
    left: int
    is_new: bool


def begun_batches(session: Session, project_id: int, person_id: int, now: datetime) -> list[BegunBatch]:
    """Return the batches that a person holds with something left, in order; of one question together."""
    found: dict[int, BegunBatch] = {}
    for held in open_batches(session, project_id, person_id, now=now):
        if not (left := count_unsettled(session, held)):
            continue
        if first := found.get(held.query_id):
            found[held.query_id] = replace(first, left=first.left + left)
            continue
        text = session.get_one(Query, held.query_id).text
        of = session.scalar(select(func.count()).where(AssignmentCandidate.assignment_id == held.id))
        found[held.query_id] = BegunBatch(held.batch, held.query_id, text, left, is_new=left == of)
    return list(found.values())


def next_queries_for(
    session: Session,
    context: ScoringContext,
    project: Project,
    person_id: int,
    now: datetime,
    *,
    most: int = 6,
) -> list[NextQuery]:
    """Return the questions that come next for a person, in their order; it holds nothing for them."""
    proposals = coming_for(session, context.evidence, BatchRequest(project, person_id, now), most=most)
    wanted = select(Query.id, Query.text).where(Query.id.in_([one.query_id for one in proposals]))
    texts = {row.id: row.text for row in session.execute(wanted)}
    reasons = reasons_to_rate(session, context, [one.query_id for one in proposals])
    return [
        NextQuery(
            one.query_id,
            texts[one.query_id],
            one.kind,
            reasons[one.query_id] if "answer" in one.arms.values() else message("A second rating is needed."),
        )
        for one in proposals
    ]


def _compared_runs(evidence: Evidence) -> list[int]:
    """Return the newest version of each ranker, and the one in production."""
    current, production = list(evidence.current_runs()), evidence.production_run()
    return current if production is None or production in current else [*current, production]


def _in_no_top(evidence: Evidence) -> Message:
    return message("In no current top %(k)s.", k=evidence.ruler_at().k)


def _where(rank: int) -> Message:
    named = {1: message("first"), 2: message("second"), 3: message("third")}
    return named.get(rank) or message("at place %(rank)s", rank=rank)


def waiting_answers(context: ScoringContext) -> Flags:
    """Return which answers of today's pool wait for a first rating: bool (candidates,)."""
    return unrated_answers(context.evidence) & ~context.unratable


def free_answers(session: Session, context: ScoringContext, request: BatchRequest) -> Flags:
    """Return which answers that wait for a first rating are on nobody else's page: bool (candidates,)."""
    return np.asarray(waiting_answers(context) & (leases_of(session, context.evidence, request) == 0))


def first_questions(
    session: Session, context: ScoringContext, request: BatchRequest, waiting: Flags, *, most: int
) -> list[int]:
    """Return the numbers of the questions whose unrated answers come first, by the rule that assigns.

    What one person is given next depends besides on what they rated: see `next_queries_for`.

    Parameters
    ----------
    waiting
        Which answers can be rated: bool (candidates,).
    """
    evidence, project, now = context.evidence, request.project, request.now
    touched = np.full(len(waiting), UNTOUCHED)
    state = assignment_state_of(session, evidence, project, now, eligible=waiting, touched=touched)
    found = next_queries(state, next_numbers(session, project.id, now), most=most)
    return [int(evidence.structure.query_id[place]) for place in found]


def reasons_to_rate(session: Session, context: ScoringContext, query_ids: Sequence[int]) -> dict[int, str]:
    """Return why the unrated answers of each of some questions matter, the same on every page."""
    places = context.evidence.structure.query_id.tolist()
    left, requested = _each(context, waiting_answers(context)), _requested_each(session, context)
    found = {}
    for number in query_ids:
        place = places.index(number)
        count = int(requested[place])
        if not count:
            found[number] = _reason(context, place)
        elif count == left[place]:
            found[number] = message("Requested.")
        else:
            found[number] = number_message("%(num)s requested.", "%(num)s requested.", count)
    return found


def _each(context: ScoringContext, some: Flags) -> Ints:
    """Return how many of some answers each question has: int64 (queries,)."""
    structure = context.evidence.structure
    return np.bincount(structure.query[some], minlength=len(structure.query_id))


def _requested_each(session: Session, context: ScoringContext) -> Ints:
    """Return how many answers of each question a request puts first and can be rated: int64 (queries,)."""
    asked = requested_first(session, context.evidence)
    if not asked:
        return np.zeros(len(context.evidence.structure.query_id), dtype=np.int64)
    return _each(context, np.logical_or.reduce(list(asked.values())) & ~context.unratable)


def _reason(context: ScoringContext, place: int) -> str:
    """Return the best place at which compared versions put an unrated answer of a question.

    Parameters
    ----------
    place
        Of the question within the evidence.
    """
    evidence = context.evidence
    absent, k = evidence.judged().absent, evidence.ruler_at().k
    current = _compared_runs(evidence)
    indexes = evidence.lists(current, k).positions[:, :, place]
    waiting = (indexes < absent) & waiting_answers(context).take(np.minimum(indexes, absent - 1))
    if not waiting.any():
        return _in_no_top(evidence)
    rank = int(waiting.any(axis=1).argmax())
    rows = np.flatnonzero(waiting[rank])
    runs = [evidence.structure.runs[current[row]] for row in rows]
    names = [name_of(evidence, run) for run in runs]
    where = _where(rank + 1)
    if len(names) == 1:
        return message("%(ranker)s puts an unrated answer %(where)s.", ranker=names[0], where=where)
    if len(names) == 2:
        return message(
            "%(one)s and %(other)s put an unrated answer %(where)s.",
            one=names[0],
            other=names[1],
            where=where,
        )
    rankers = len({run.ranker_id for run in runs})
    return message("%(num)s rankers put an unrated answer %(where)s.", num=rankers, where=where)
