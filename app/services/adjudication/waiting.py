"""The answers that wait for a decision, as a list shows them: blind, with the reason why they wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from app.models import Candidate, Document, Query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from app.services.adjudication.queue import Queue


@dataclass(frozen=True, kw_only=True)
class WaitingAnswer:
    """One answer to decide. `why`: ``disputed``, ``passed`` or ``sent``."""

    public_id: str
    query_id: int
    query: str
    title: str
    why: str


def waiting_of(
    session: Session, queue: Queue, order: Sequence[int], *, first: int, most: int
) -> list[WaitingAnswer]:
    """Return the answers that wait, by question in the order given: at most so many from a place on."""
    places = {query_id: place for place, query_id in enumerate(order)}
    waiting = sorted(queue.waiting, key=lambda one: (places[one.query_id], one.candidate_id))
    shown = waiting[first : first + most]
    rows = session.execute(
        select(
            Candidate.id,
            Candidate.public_id,
            Query.text,
            Document.title,
            func.substr(Document.text, 1, 120).label("start"),
        )
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.id.in_([one.candidate_id for one in shown]))
    )
    found = {row.id: row for row in rows}
    return [
        WaitingAnswer(
            public_id=found[one.candidate_id].public_id,
            query_id=one.query_id,
            query=found[one.candidate_id].text,
            title=found[one.candidate_id].title or found[one.candidate_id].start,
            why=one.why,
        )
        for one in shown
    ]
