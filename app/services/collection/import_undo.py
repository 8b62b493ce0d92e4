"""The imports of a project, and the undo of each."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Select, delete, or_, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.event import Event, EventKind
from app.models.judgment import CurrentJudgment, Flag, Origin, Reason
from app.models.likeness import Likeness
from app.models.project import Project
from app.models.query import Query
from app.models.ranker import Ranker
from app.models.request import Request
from app.models.run import Ranking, Run
from app.services.bulk import batches, lock_project, stream
from app.services.collection.judgment_files import NAMESPACE
from app.services.collection.pool import (
    active_runs,
    is_used,
    merged_documents,
    places_of_run,
    stored_candidates,
    union_of,
    with_merged,
)
from app.services.collection.withdrawal import withdraw_run
from app.services.errors import ConflictError, NotFoundError
from app.services.ledger import append_judgments, record_event
from app.services.sentences import counted

# What undoing an import would do, in words and numbers.


@dataclass(frozen=True)
class UndoPreview:
    """What undoing one import takes away and what it leaves.

    Attributes
    ----------
    revision
        The import.
    sentence
        What is lost and what stays, for the person who decides.
    count
        How many things go; 0 means that there is nothing to undo.
    """

    revision: int
    sentence: str
    count: int


# Undo an import of queries or documents: what nobody judged and no run names is removed, the rest stays.


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


# Undo an import of judgments: each is cleared by a newer row; the ledger keeps both.


def preview_judgments(session: Session, event: Event) -> UndoPreview:
    """Return what clearing the judgments of an import would do."""
    return _judgments_preview(event, len(session.execute(_standing_of(event)).all()))


def undo_judgments(session: Session, project: Project, event: Event, *, actor_id: int | None) -> UndoPreview:
    """Clear the judgments of an import that still stand."""
    lock_project(session, project.id)
    standing = [(row[0], row[1], row[2], row[3]) for row in session.execute(_standing_of(event))]
    if standing:
        append_judgments(session, project.id, _clearing(event, standing), len(standing))
        payload = {"of": event.revision, "count": len(standing)}
        record_event(session, project.id, EventKind.JUDGMENTS_UNDONE, payload, actor_id=actor_id)
    return _judgments_preview(event, len(standing))


def _judgments_preview(event: Event, count: int) -> UndoPreview:
    sentence = (
        f"Clears {counted(count, 'rating')}: {'it' if count == 1 else 'they'} no longer "
        f"{'counts, but stays' if count == 1 else 'count, but stay'} in the history. "
        "Importing the file again restores them."
    )
    return UndoPreview(event.revision, sentence, count)


def _standing_of(event: Event) -> Select[int, int, int, Origin]:
    """Select revision, candidate, annotator and role of the rows of an import that count now."""
    now = CurrentJudgment
    return (
        select(now.revision, now.candidate_id, now.annotator_id, now.role)
        .where(
            now.project_id == event.project_id,
            now.annotator_id.in_(event.payload["annotator_ids"]),
            now.revision >= event.revision - event.payload["count"],
            now.revision < event.revision,
        )
        .order_by(now.revision)
    )


def _clearing(event: Event, standing: list[tuple[int, int, int, Origin]]) -> Iterator[dict[str, Any]]:
    now = now_utc()
    for revision, candidate, annotator, role in standing:
        yield {
            "candidate_id": candidate,
            "annotator_id": annotator,
            "grade": None,
            "reason": Reason.CLEARED,
            "client_uuid": uuid.uuid5(
                NAMESPACE, f"undo {event.project_id} {event.revision} {revision}"
            ).bytes,
            "judged_at": now,
            "received_at": now,
            "role": role,
        }


# The imports of a project, and the way back from each.


IMPORTS = (
    EventKind.QUERIES_ADDED,
    EventKind.DOCUMENTS_ADDED,
    EventKind.RUN_PUBLISHED,
    EventKind.JUDGMENTS_IMPORTED,
)
PREVIEWS = {
    EventKind.QUERIES_ADDED: preview_queries,
    EventKind.DOCUMENTS_ADDED: preview_documents,
    EventKind.JUDGMENTS_IMPORTED: preview_judgments,
}
UNDOES = {
    EventKind.QUERIES_ADDED: undo_queries,
    EventKind.DOCUMENTS_ADDED: undo_documents,
    EventKind.JUDGMENTS_IMPORTED: undo_judgments,
}


@dataclass(frozen=True)
class ImportFact:
    """One import of a project: its revision, when it was and what it brought."""

    revision: int
    kind: EventKind
    at: datetime
    what: str


def list_imports(session: Session, project: Project) -> list[ImportFact]:
    """Return the imports of a project, newest first."""
    events = session.scalars(
        select(Event)
        .where(Event.project_id == project.id, Event.kind.in_([kind.value for kind in IMPORTS]))
        .order_by(Event.revision.desc())
    ).all()
    return [
        ImportFact(event.revision, EventKind(event.kind), event.at, _what(session, event))
        for event in events
        if not _is_deleted(session, event)
    ]


def preview_undo(session: Session, project: Project, revision: int) -> UndoPreview:
    """Return what undoing the import of a revision would take away; nothing is written.

    Raises
    ------
    NotFoundError
        No import has this revision.
    """
    event = _get_import(session, project, revision)
    kind = EventKind(event.kind)
    if kind is EventKind.RUN_PUBLISHED:
        return _preview_run(session, event)
    return PREVIEWS[kind](session, event)


def undo_import(
    session: Session, project: Project, revision: int, *, actor_id: int | None = None
) -> UndoPreview:
    """Undo the import of a revision, and return what went.

    Raises
    ------
    NotFoundError
        No import has this revision.
    ConflictError
        Nothing is left to undo.
    """
    event = _get_import(session, project, revision)
    kind = EventKind(event.kind)
    if kind is EventKind.RUN_PUBLISHED:
        done = _preview_run(session, event)
        withdraw_run(session, _run_of(session, event), actor_id=actor_id)
        return done
    done = UNDOES[kind](session, project, event, actor_id=actor_id)
    if not done.count:
        raise ConflictError("There is nothing to undo in this import.", code="nothing_to_undo")
    return done


def _get_import(session: Session, project: Project, revision: int) -> Event:
    event = session.get(Event, (project.id, revision))
    known = event is not None and event.kind in {kind.value for kind in IMPORTS}
    if event is None or not known or _is_deleted(session, event):
        raise NotFoundError(f"The project {project.slug} has no import with the revision {revision}.")
    return event


def _is_deleted(session: Session, event: Event) -> bool:
    """Tell whether an import brought a version that was deleted since."""
    return event.kind == EventKind.RUN_PUBLISHED and session.get(Run, event.payload["run_id"]) is None


def _run_of(session: Session, event: Event) -> Run:
    return session.get_one(Run, event.payload["run_id"])


def _what(session: Session, event: Event) -> str:
    count = event.payload.get("count", 0)
    if event.kind == EventKind.RUN_PUBLISHED:
        run = _run_of(session, event)
        state = " (withdrawn)" if run.state == "withdrawn" else ""
        return f"run {session.get_one(Ranker, run.ranker_id).name} {run.version}{state}"
    nouns = {
        EventKind.QUERIES_ADDED: ("query", "queries"),
        EventKind.DOCUMENTS_ADDED: ("document", "documents"),
        EventKind.JUDGMENTS_IMPORTED: ("judgment", "judgments"),
    }
    return counted(count, *nouns[EventKind(event.kind)])


def _preview_run(session: Session, event: Event) -> UndoPreview:
    run = _run_of(session, event)
    name = f"{session.get_one(Ranker, run.ranker_id).name} {run.version}"
    if run.state == "withdrawn":
        return UndoPreview(event.revision, f"{name} is withdrawn already.", 0)
    others = [number for number in active_runs(session, event.project_id) if number != run.id]
    depth = session.get_one(Project, event.project_id).pool_depth
    staying = union_of(places_of_run(session, number, depth) for number in others)
    staying = with_merged(session, event.project_id, staying)
    stored = stored_candidates(session, event.project_id)
    leaving = int(np.count_nonzero(stored.pooled & ~np.isin(stored.key, staying.key)))
    sentence = (
        f"Withdraws {name}. {counted(leaving, 'answer leaves', 'answers leave')} the pool: "
        f"no other version returns {'it' if leaving == 1 else 'them'}. Ratings stay and count in the best "
        "possible order. You can restore the version."
    )
    return UndoPreview(event.revision, sentence, 1)
