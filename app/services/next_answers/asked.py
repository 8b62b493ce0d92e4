"""What owners asked to be rated first and what of it is left, as a page tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Candidate, Document, Person, Query
from app.services.assignment import waiting_requests

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.services.assignment import Waiting
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class AskedFirst:
    """One request that waits.

    Attributes
    ----------
    what, about
        The question, the answer, or the two versions; and of an answer its question.
    query_id
        The question that it leads to; None for two versions.
    answers, left, blocked
        How many answers were asked for, how many still have no rating, and how many of these nobody can rate.
    """

    id: int
    what: str
    about: str
    query_id: int | None
    answers: int
    left: int
    blocked: int
    by: str
    at: datetime


def asked_first(session: Session, evidence: Evidence) -> list[AskedFirst]:
    """Return the requests that wait, in the order in which they were asked."""
    waiting = waiting_requests(session, evidence)
    wanted = select(Person.id, Person.name).where(Person.id.in_({one.request.person_id for one in waiting}))
    people = {row.id: row.name for row in session.execute(wanted)}
    return [_told(session, evidence, one, people[one.request.person_id]) for one in waiting]


def _told(session: Session, evidence: Evidence, waiting: Waiting, by: str) -> AskedFirst:
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
        what = " and ".join(f"{run.ranker} {run.version}" for run in both)
    return AskedFirst(
        id=request.id,
        what=what,
        about=about,
        query_id=query_id,
        answers=request.answers,
        left=waiting.answers,
        blocked=waiting.blocked,
        by=by,
        at=request.created_at,
    )
