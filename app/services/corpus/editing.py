"""Edit the words of a question on its page, also after ratings; every earlier wording is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from app.models import Candidate, Event, EventKind, Judgment, Person
from app.services.import_file import refuse_archived
from app.services.ledger import record_event

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project, Query


@dataclass(frozen=True)
class EarlierWording:
    """What a question said and counted before an edit; `by` is empty where nobody signed in edited it."""

    text: str
    intent: str
    tags: tuple[str, ...]
    weight: float
    until: datetime
    by: str


def edit_query(
    session: Session,
    project: Project,
    query: Query,
    *,
    text: str,
    intent: str,
    tags: Sequence[str],
    weight: float | None = None,
    actor_id: int | None = None,
) -> bool:
    """Give a question other words, tags or another weight, and return whether anything changed.

    Ratings that it has keep counting: whether they still answer the question is for the owner to say.

    Raises
    ------
    ConflictError
        The project is archived.
    """
    refuse_archived(project)
    before, kept = _words_of(query), list(dict.fromkeys(tags))
    weight = query.weight if weight is None else weight
    after = {"text": text, "intent": intent, "tags": kept, "weight": weight}
    if before == after:
        return False
    query.text, query.intent, query.tags, query.weight = text, intent, kept, weight
    payload = {"query_ids": [query.id], "before": before}
    record_event(session, project.id, EventKind.QUERIES_EDITED, payload, actor_id=actor_id)
    session.flush()
    return True


def earlier_wordings(session: Session, query: Query) -> list[EarlierWording]:
    """Return what a question said before each edit on its page, newest first."""
    rows = session.execute(
        select(Event, Person.name)
        .outerjoin(Person, Person.id == Event.actor_id)
        .where(Event.project_id == query.project_id, Event.kind == EventKind.QUERIES_EDITED.value)
        .order_by(Event.revision.desc())
    )
    return [
        EarlierWording(
            event.payload["before"]["text"],
            event.payload["before"]["intent"],
            tuple(event.payload["before"]["tags"]),
            event.payload["before"]["weight"],
            event.at,
            name or "",
        )
        for event, name in rows
        if "before" in event.payload and query.id in event.payload["query_ids"]
    ]


def ratings_given(session: Session, query: Query) -> int:
    """Return how many ledger entries rate answers of a question: given for the words that it has or had."""
    return (
        session.scalar(
            select(func.count())
            .select_from(Judgment)
            .join(Candidate, Candidate.id == Judgment.candidate_id)
            .where(Candidate.query_id == query.id, Judgment.grade.is_not(None))
        )
        or 0
    )


def _words_of(query: Query) -> dict[str, Any]:
    return {
        "text": query.text,
        "intent": query.intent,
        "tags": list(query.tags or ()),
        "weight": query.weight,
    }
