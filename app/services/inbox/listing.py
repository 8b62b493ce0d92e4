"""What annotators said, as owners read it: newest first, filtered, by pages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, or_

from app.models import Candidate, Document, Handling, Person, Query
from app.services.inbox.said import Wanted, chosen, key_of, said_in

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

EACH = 30


@dataclass(frozen=True, kw_only=True)
class Remark:
    """One flag, note or "can't judge", and what an owner did about it.

    Without a title it is about a whole question. `seen`: its annotator has read the reply.
    """

    key: str
    kind: str
    person: str
    query_id: int
    query: str
    public_id: str | None
    title: str
    text: str
    reason: str
    at: datetime
    state: str
    reply: str
    seen: bool


def remarks_of(
    session: Session, project_id: int, wanted: Wanted, *, first: int = 0, most: int = EACH
) -> list[Remark]:
    """Return the remarks that are wanted, newest first: at most so many from a place on."""
    said = said_in(project_id)
    resolved = or_(said.c.is_resolved == 1, func.coalesce(Handling.state, "") == "resolved")
    rows = session.execute(
        chosen(
            said,
            project_id,
            wanted,
            said,
            Person.name.label("person"),
            Query.text.label("query"),
            Candidate.public_id,
            Document.title,
            func.substr(Document.text, 1, 120).label("start"),
            case((resolved, "resolved"), else_="open").label("state"),
            Handling.reply,
            Handling.seen_at,
        )
        .join(Query, Query.id == said.c.query_id)
        .outerjoin(Candidate, Candidate.id == said.c.candidate_id)
        .outerjoin(Document, Document.id == Candidate.document_id)
        .order_by(said.c.said_at.desc(), said.c.source, said.c.number.desc())
        .limit(most)
        .offset(first)
    )
    return [_remark(row) for row in rows]


def count_remarks(session: Session, project_id: int, wanted: Wanted) -> int:
    """Return how many remarks are wanted."""
    return session.scalar(chosen(said_in(project_id), project_id, wanted, func.count())) or 0


def count_open(session: Session, project_id: int) -> int:
    """Return how many remarks nobody has resolved."""
    return count_remarks(session, project_id, Wanted(state="open"))


def people_of(session: Session, project_id: int, wanted: Wanted) -> list[tuple[str, str, int]]:
    """Return public id, name and number of remarks of whoever said what is wanted, whoever is chosen."""
    said = said_in(project_id)
    everybody = replace(wanted, person="")
    columns: tuple[Any, ...] = (Person.public_id, Person.name, func.count())
    rows = session.execute(
        chosen(said, project_id, everybody, *columns)
        .group_by(Person.id, Person.public_id, Person.name)
        .order_by(Person.name, Person.id)
    ).all()
    return [(row[0], row[1], row[2]) for row in rows]


def _remark(row: Any) -> Remark:
    return Remark(
        key=key_of(row.source, row.number),
        kind=row.kind,
        person=row.person,
        query_id=row.query_id,
        query=row.query,
        public_id=row.public_id,
        title=row.title or row.start or "",
        text=row.text,
        reason=row.reason or "",
        at=row.said_at,
        state=row.state,
        reply=row.reply or "",
        seen=row.seen_at is not None,
    )
