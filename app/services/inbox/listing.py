"""The inbox as owners read it: newest first, filtered, by pages."""

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


@dataclass(frozen=True)
class RemarkPage:
    """One page of remarks, how many match in all, and how many pages that makes."""

    remarks: list[Remark]
    total: int
    page: int
    pages: int


def remarks_of(
    session: Session, project_id: int, wanted: Wanted, *, page: int = 1, each: int = EACH
) -> RemarkPage:
    """Return one page of the remarks that are wanted; a page beyond the last is the last."""
    said = said_in(project_id)
    total = session.scalar(chosen(said, project_id, wanted, func.count())) or 0
    pages = max(1, -(-total // each))
    page = min(max(page, 1), pages)
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
        .limit(each)
        .offset((page - 1) * each)
    )
    return RemarkPage([_remark(row) for row in rows], total, page, pages)


def count_open(session: Session, project_id: int) -> int:
    """Return how many remarks nobody has resolved."""
    said = said_in(project_id)
    return session.scalar(chosen(said, project_id, Wanted(state="open"), func.count())) or 0


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
