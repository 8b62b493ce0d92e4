"""Undo an import of queries or documents: what nobody judged and no run names is removed, the rest stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import delete, or_, select

from app.models import (
    Assignment,
    Candidate,
    Document,
    EventKind,
    Flag,
    Likeness,
    Query,
    Ranking,
    Request,
    Run,
)
from app.services.bulk import batches, lock_project, stream
from app.services.ledger import record_event
from app.services.pooling.candidates import is_used
from app.services.pooling.merged import merged_documents
from app.services.undoing.preview import UndoPreview
from app.services.wording import counted

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from app.models import Event, Project


def preview_queries(session: Session, event: Event) -> UndoPreview:
    """Return what removing the queries of an import would do."""
    removable, all_ = _queries_of(session, event)
    return _corpus_preview(event, len(removable), len(all_), "query", "queries")


def undo_queries(session: Session, project: Project, event: Event, *, actor_id: int | None) -> UndoPreview:
    """Remove the queries of an import that are in no use."""
    lock_project(session, project.id)
    removable, all_ = _queries_of(session, event)
    for some in batches(removable):
        session.execute(delete(Candidate).where(Candidate.query_id.in_(some)))
        session.execute(delete(Query).where(Query.id.in_(some)))
    _record(session, event, EventKind.QUERIES_REMOVED, len(removable), actor_id)
    return _corpus_preview(event, len(removable), len(all_), "query", "queries")


def preview_documents(session: Session, event: Event) -> UndoPreview:
    """Return what removing the documents of an import would do."""
    removable, all_ = _documents_of(session, event)
    return _corpus_preview(event, len(removable), len(all_), "document", "documents")


def undo_documents(session: Session, project: Project, event: Event, *, actor_id: int | None) -> UndoPreview:
    """Remove the documents of an import that are in no use."""
    lock_project(session, project.id)
    removable, all_ = _documents_of(session, event)
    for some in batches(removable):
        session.execute(delete(Candidate).where(Candidate.document_id.in_(some)))
        alike = or_(Likeness.document_id.in_(some), Likeness.other_id.in_(some))
        session.execute(delete(Likeness).where(alike))
        session.execute(delete(Document).where(Document.id.in_(some)))
    _record(session, event, EventKind.DOCUMENTS_REMOVED, len(removable), actor_id)
    return _corpus_preview(event, len(removable), len(all_), "document", "documents")


def _corpus_preview(event: Event, removable: int, all_: int, one: str, many: str) -> UndoPreview:
    sentence = f"Removes {counted(removable, one, many)}. " if removable else ""
    if all_ > removable:
        stay = (
            "stays: a run or a rating uses it."
            if all_ - removable == 1
            else "stay: runs or ratings use them."
        )
        sentence += f"{counted(all_ - removable, one, many)} {stay}"
    return UndoPreview(event.revision, sentence.strip(), removable)


def _record(session: Session, event: Event, kind: EventKind, count: int, actor_id: int | None) -> None:
    if count:
        payload = {"count": count, "of": event.revision}
        record_event(session, event.project_id, kind, payload, actor_id=actor_id)
        session.expire_all()


def _in_use() -> ColumnElement[bool]:
    return or_(Candidate.in_pool.is_(True), is_used())


def _queries_of(session: Session, event: Event) -> tuple[list[int], list[int]]:
    """Return the numbers of the removable queries of an import, and of all that are still there."""
    mine = select(Query.id).where(
        Query.project_id == event.project_id, Query.added_revision == event.revision
    )
    all_ = set(session.scalars(mine))
    used = set(session.scalars(select(Ranking.query_id).where(Ranking.query_id.in_(mine)).distinct()))
    used |= set(session.scalars(select(Assignment.query_id).where(Assignment.query_id.in_(mine))))
    asked = session.scalars(select(Request.query_id).where(Request.query_id.in_(mine)))
    used |= {number for number in asked if number is not None}
    used |= set(session.scalars(select(Flag.query_id).where(Flag.query_id.in_(mine))))
    used |= set(session.scalars(select(Candidate.query_id).where(Candidate.query_id.in_(mine), _in_use())))
    return sorted(all_ - used), sorted(all_)


def _documents_of(session: Session, event: Event) -> tuple[list[int], list[int]]:
    """Return the numbers of the removable documents of an import, and of all that are still there."""
    mine = np.concatenate([np.arange(first, last + 1) for first, last in event.payload["ranges"]])
    there = session.scalars(select(Document.id).where(Document.project_id == event.project_id))
    all_ = np.intersect1d(mine, np.fromiter(there, dtype=np.int64))
    used = np.zeros(int(all_.max(initial=0)) + 1, dtype=np.bool_)
    packed = select(Ranking.document_ids).join(Run).where(Run.project_id == event.project_id)
    for (ids,) in stream(session, packed):
        _mark(used, np.frombuffer(bytes(ids), dtype="<i4"))
    candidates = select(Candidate.document_id).where(Candidate.project_id == event.project_id, _in_use())
    _mark(used, np.fromiter(session.scalars(candidates), dtype=np.int64))
    for merged in merged_documents(session, event.project_id).items():
        _mark(used, np.array(merged))
    return all_[~used[all_]].tolist(), all_.tolist()


def _mark(used: np.ndarray, ids: np.ndarray) -> None:
    used[ids[ids < len(used)]] = True
