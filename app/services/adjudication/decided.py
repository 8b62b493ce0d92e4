"""What was decided, newest first, with what others had said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Candidate, Document, Hearing, Judgment, Person, Query
from app.services.adjudication.deciding import find_decision
from app.services.adjudication.hearing import Said, said_about

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.services.adjudication.queue import Queue

EACH = 20


@dataclass(frozen=True, kw_only=True)
class Decided:
    """One decision. `looked`: its adjudicator had seen the ratings before."""

    public_id: str
    query_id: int
    query: str
    title: str
    grade: int
    by: str
    at: datetime
    looked: bool
    note: str
    said: tuple[Said, ...]


def decided_of(
    session: Session, queue: Queue, *, with_names: bool, first: int = 0, most: int = EACH
) -> list[Decided]:
    """Return the decisions in force, newest first: at most so many from a place on.

    Names and notes are for owners.
    """
    wanted = queue.decided[first : first + most]
    said = said_about(session, wanted, with_names=with_names)
    found = []
    for candidate_id in wanted:
        decision = find_decision(session, candidate_id)
        if decision is not None and decision.grade is not None:
            found.append(_decided_page(session, decision, said.get(candidate_id, ()), with_names=with_names))
    return found


def _decided_page(
    session: Session, decision: Judgment, said: tuple[Said, ...], *, with_names: bool
) -> Decided:
    row = session.execute(
        select(Candidate.public_id, Query.id, Query.text, Document.title, Document.text, Person.name)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .join(Person, Person.id == decision.annotator_id)
        .where(Candidate.id == decision.candidate_id)
    ).one()
    hearing = session.get(Hearing, (decision.candidate_id, decision.annotator_id))
    looked = hearing is not None and hearing.shown_at is not None and hearing.shown_at <= decision.received_at
    return Decided(
        public_id=row[0],
        query_id=row[1],
        query=row[2],
        title=row[3] or row[4][:80],
        grade=int(decision.grade or 0),
        by=row[5] if with_names else "",
        at=decision.received_at,
        looked=looked,
        note=hearing.note if hearing and with_names else "",
        said=said,
    )
