"""The imports of a project, and the undo of each.

Of queries and documents, what nobody judged and no run names is removed, and the rest stays. An imported
judgment is cleared by a newer row, and the ledger keeps both. A run is withdrawn.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Select, delete, func, or_, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.event import Event, EventKind
from app.models.judgment import CurrentJudgment, Flag, Judgment, Origin, Reason
from app.models.near_duplicate import NearDuplicate
from app.models.project import Project
from app.models.query import Query
from app.models.ranker import Ranker
from app.models.request import Request
from app.models.run import Ranking, Run
from app.sentences import Message, message, number_message, together
from app.services.bulk import batches, lock_project, stream
from app.services.collection.files import refuse_archived
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


@dataclass(frozen=True)
class UndoPreview:
    """What undoing one import takes away and what it leaves.

    Attributes
    ----------
    revision
        The import.
    sentence
        What is lost and what stays, for the person who decides; where nothing can be undone, why.
    count
        How many things go; 0 means that there is nothing to undo.
    """

    revision: int
    sentence: str
    count: int


@dataclass(frozen=True)
class Undo:
    """The undo of one import: what it would do, and the writing of it by somebody."""

    preview: UndoPreview
    write: Callable[[int | None], object]


@dataclass(frozen=True)
class ImportFact:
    """One import of a project: its revision, when it was, what it brought and the name of its file.

    `version` is the name of the version that a run became, empty for other imports.
    """

    revision: int
    kind: EventKind
    at: datetime
    what: str
    file: str
    version: str


def list_imports(session: Session, project: Project) -> list[ImportFact]:
    """Return the imports of a project, newest first."""
    events = session.scalars(
        select(Event)
        .where(Event.project_id == project.id, Event.kind.in_([kind.value for kind in UNDOES]))
        .order_by(Event.revision.desc())
    ).all()
    return [
        ImportFact(
            event.revision,
            EventKind(event.kind),
            event.at,
            _what(session, event),
            event.payload.get("file", ""),
            _version(session, event),
        )
        for event in events
        if not _is_deleted(session, event)
    ]


def has_import(session: Session, project: Project, revision: int) -> bool:
    """Return whether a revision is an import that can be asked about; one that only replaced is none."""
    try:
        _get_import(session, project, revision)
    except NotFoundError:
        return False
    return True


def preview_undo(session: Session, project: Project, revision: int) -> UndoPreview:
    """Return what undoing the import of a revision would take away; nothing is written.

    :raise NotFoundError: No import has this revision.
    """
    event = _get_import(session, project, revision)
    return UNDOES[EventKind(event.kind)](session, event).preview


def undo_import(
    session: Session, project: Project, revision: int, *, actor_id: int | None = None
) -> UndoPreview:
    """Undo the import of a revision, and return what went.

    :raise NotFoundError: No import has this revision.
    :raise ConflictError: Nothing is left to undo, or the project is archived.
    """
    event = _get_import(session, project, revision)
    refuse_archived(lock_project(session, project.id))
    undo = UNDOES[EventKind(event.kind)](session, event)
    # Of a run that is withdrawn already, its own refusal says so.
    if not undo.preview.count and event.kind != EventKind.RUN_PUBLISHED:
        raise ConflictError("There is nothing to undo in this import.", code="nothing_to_undo")
    undo.write(actor_id)
    return undo.preview


def _get_import(session: Session, project: Project, revision: int) -> Event:
    event = session.get(Event, (project.id, revision))
    known = event is not None and event.kind in {kind.value for kind in UNDOES}
    if event is None or not known or _is_deleted(session, event):
        raise NotFoundError(f"The project {project.slug} has no import with the revision {revision}.")
    return event


def _is_deleted(session: Session, event: Event) -> bool:
    """Return whether an import brought a version that was deleted since."""
    return event.kind == EventKind.RUN_PUBLISHED and session.get(Run, event.payload["run_id"]) is None


def _what(session: Session, event: Event) -> str:
    if name := _version(session, event):
        is_withdrawn = session.get_one(Run, event.payload["run_id"]).state == "withdrawn"
        return (
            message("run %(name)s (withdrawn)", name=name)
            if is_withdrawn
            else message("run %(name)s", name=name)
        )
    return _counted(EventKind(event.kind), event.payload.get("count", 0))


def _version(session: Session, event: Event) -> str:
    is_run = event.kind == EventKind.RUN_PUBLISHED
    return _name_of(session, session.get_one(Run, event.payload["run_id"])) if is_run else ""


def _counted(kind: EventKind, count: int) -> Message:
    """Return in words how many things an import of some kind brought."""
    if kind == EventKind.QUERIES_ADDED:
        return number_message("%(num)s query", "%(num)s queries", count)
    if kind == EventKind.DOCUMENTS_ADDED:
        return number_message("%(num)s document", "%(num)s documents", count)
    return number_message("%(num)s judgment", "%(num)s judgments", count)


def _name_of(session: Session, run: Run) -> str:
    return f"{session.get_one(Ranker, run.ranker_id).name} {run.version}"


def _undo_queries(session: Session, event: Event) -> Undo:
    removable, present = _removable_queries(session, event)

    def write(actor_id: int | None) -> None:
        for some in batches(removable):
            session.execute(delete(Candidate).where(Candidate.query_id.in_(some)))
            session.execute(delete(Query).where(Query.id.in_(some)))
        _record_removal(session, event, EventKind.QUERIES_REMOVED, len(removable), actor_id)

    return Undo(_corpus_preview(session, event, len(removable), len(present)), write)


def _undo_documents(session: Session, event: Event) -> Undo:
    removable, present = _removable_documents(session, event)

    def write(actor_id: int | None) -> None:
        for some in batches(removable):
            session.execute(delete(Candidate).where(Candidate.document_id.in_(some)))
            similar = or_(NearDuplicate.document_id.in_(some), NearDuplicate.other_id.in_(some))
            session.execute(delete(NearDuplicate).where(similar))
            session.execute(delete(Document).where(Document.id.in_(some)))
        _record_removal(session, event, EventKind.DOCUMENTS_REMOVED, len(removable), actor_id)

    return Undo(_corpus_preview(session, event, len(removable), len(present)), write)


def _record_removal(
    session: Session, event: Event, kind: EventKind, count: int, actor_id: int | None
) -> None:
    payload = {"count": count, "of": event.revision}
    record_event(session, event.project_id, kind, payload, actor_id=actor_id)
    session.expire_all()


def _corpus_preview(session: Session, event: Event, removable: int, present: int) -> UndoPreview:
    stays = (
        number_message(
            "The changed content of %(num)s answer stays as it is.",
            "The changed content of %(num)s answers stays as it is.",
            event.payload["replaced"],
        )
        if event.payload.get("replaced")
        else ""
    )
    if not present:
        return UndoPreview(event.revision, together(message("All of it is removed already."), stays), 0)
    kind, staying = EventKind(event.kind), present - removable
    removes = message("This removes %(what)s.", what=_counted(kind, removable)) if removable else ""
    used = _counted(kind, staying)
    keeps = (
        number_message("%(what)s in use stays.", "%(what)s in use stay.", staying, what=used)
        if removable
        else number_message(
            "Cannot be undone: a version uses %(what)s, or it was rated or assigned.",
            "Cannot be undone: versions use all %(what)s, or they were rated or assigned.",
            staying,
            what=used,
        )
    )
    frees = number_message(
        "Delete the versions that use it first, withdrawn ones too.",
        "Delete the versions that use them first, withdrawn ones too.",
        staying,
    )
    return UndoPreview(
        event.revision,
        together(
            removes,
            keeps if staying else "",
            frees if not removable and _only_versions_use(session, event.project_id) else "",
            stays,
        ),
        removable,
    )


def _only_versions_use(session: Session, project_id: int) -> bool:
    """Return whether all that is in use is free once the versions of rankers are deleted."""
    kinds = set(
        session.scalars(
            select(Ranker.kind).join(Run, Run.ranker_id == Ranker.id).where(Run.project_id == project_id)
        )
    )
    rests = select(Candidate.id).where(Candidate.project_id == project_id, is_used()).limit(1)
    return kinds == {"system"} and session.scalar(rests) is None and not merged_documents(session, project_id)


def _in_use() -> ColumnElement[bool]:
    return or_(Candidate.in_pool.is_(True), is_used())


def _removable_queries(session: Session, event: Event) -> tuple[list[int], list[int]]:
    """Return the numbers of the removable queries of an import, and of all that are still there."""
    mine = select(Query.id).where(
        Query.project_id == event.project_id, Query.added_revision == event.revision
    )
    present = set(session.scalars(mine))
    used = set(session.scalars(select(Ranking.query_id).where(Ranking.query_id.in_(mine)).distinct()))
    used |= set(session.scalars(select(Assignment.query_id).where(Assignment.query_id.in_(mine))))
    asked = session.scalars(select(Request.query_id).where(Request.query_id.in_(mine)))
    used |= {number for number in asked if number is not None}
    used |= set(session.scalars(select(Flag.query_id).where(Flag.query_id.in_(mine))))
    used |= set(session.scalars(select(Candidate.query_id).where(Candidate.query_id.in_(mine), _in_use())))
    return sorted(present - used), sorted(present)


def _removable_documents(session: Session, event: Event) -> tuple[list[int], list[int]]:
    """Return the numbers of the removable documents of an import, and of all that are still there."""
    mine = np.concatenate([np.arange(first, last + 1) for first, last in event.payload["ranges"]])
    # SQLite gives the numbers of removed documents to later ones.
    there = session.scalars(
        select(Document.id).where(Document.project_id == event.project_id, Document.created_at <= event.at)
    )
    present = np.intersect1d(mine, np.fromiter(there, dtype=np.int64))
    used = np.zeros(int(present.max(initial=0)) + 1, dtype=np.bool_)
    packed = select(Ranking.document_ids).join(Run).where(Run.project_id == event.project_id)
    for (ids,) in stream(session, packed):
        _mark(used, np.frombuffer(bytes(ids), dtype="<i4"))
    candidates = select(Candidate.document_id).where(Candidate.project_id == event.project_id, _in_use())
    _mark(used, np.fromiter(session.scalars(candidates), dtype=np.int64))
    for merged in merged_documents(session, event.project_id).items():
        _mark(used, np.array(merged))
    return present[~used[present]].tolist(), present.tolist()


def _mark(used: np.ndarray, ids: np.ndarray) -> None:
    used[ids[ids < len(used)]] = True


def _undo_judgments(session: Session, event: Event) -> Undo:
    counting = [(row[0], row[1], row[2], row[3]) for row in session.execute(_counting_of(event))]
    count = len(counting)

    def write(actor_id: int | None) -> None:
        append_judgments(session, event.project_id, _clearing(event, counting), count)
        payload = {"of": event.revision, "count": count}
        record_event(session, event.project_id, EventKind.JUDGMENTS_UNDONE, payload, actor_id=actor_id)

    if not count:
        none = message("None of these ratings counts any more.")
        return Undo(UndoPreview(event.revision, none, 0), write)
    clears = number_message(
        "This clears %(num)s rating: it no longer counts, but stays in the history.",
        "This clears %(num)s ratings: they no longer count, but stay in the history.",
        count,
    )
    restores = message("Importing the file again for the same annotator restores them.")
    return Undo(
        UndoPreview(event.revision, together(clears, restores, _replaced(session, event)), count), write
    )


def _replaced(session: Session, event: Event) -> str:
    """Return that ratings which an import replaced do not come back; nothing where it replaced none."""
    counting = _counting_of(event).order_by(None).subquery()
    before = (
        select(or_(Judgment.reason.is_(None), Judgment.reason != Reason.CLEARED))
        .where(
            Judgment.project_id == event.project_id,
            Judgment.candidate_id == counting.c.candidate_id,
            Judgment.annotator_id == counting.c.annotator_id,
            Judgment.revision < event.revision - event.payload["count"],
        )
        .order_by(Judgment.revision.desc())
        .limit(1)
        .scalar_subquery()
    )
    replaced = session.scalar(select(func.count()).select_from(counting).where(before))
    if not replaced:
        return ""
    return number_message(
        "%(num)s of them replaced an earlier rating, which comes back only if you import its file again.",
        "%(num)s of them replaced earlier ratings, which come back only if you import their file again.",
        replaced,
    )


def _counting_of(event: Event) -> Select[int, int, int, Origin]:
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


def _clearing(event: Event, counting: list[tuple[int, int, int, Origin]]) -> Iterator[dict[str, Any]]:
    now = now_utc()
    for revision, candidate, annotator, role in counting:
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


def _undo_run(session: Session, event: Event) -> Undo:
    run = session.get_one(Run, event.payload["run_id"])

    def write(actor_id: int | None) -> None:
        withdraw_run(session, run, actor_id=actor_id)

    name = _name_of(session, run)
    if run.state == "withdrawn":
        already = message("%(name)s is withdrawn already.", name=name)
        return Undo(UndoPreview(event.revision, already, 0), write)
    others = [number for number in active_runs(session, event.project_id) if number != run.id]
    depth = session.get_one(Project, event.project_id).pool_depth
    staying = union_of(places_of_run(session, number, depth) for number in others)
    staying = with_merged(session, event.project_id, staying)
    stored = stored_candidates(session, event.project_id)
    leaving = int(np.count_nonzero(stored.pooled & ~np.isin(stored.key, staying.key)))
    gone = (
        number_message(
            "%(num)s answer leaves the pool: no other version has it in its top %(depth)s.",
            "%(num)s answers leave the pool: no other version has them in its top %(depth)s.",
            leaving,
            depth=depth,
        )
        if leaving
        else ""
    )
    before = _shown_instead(session, run, others)
    instead = (
        message("The overview then shows %(name)s instead.", name=_name_of(session, before)) if before else ""
    )
    without = message("Once %(name)s is withdrawn, it has no score.", name=name)
    stays = message("No answer and no rating is lost. You can restore the version.")
    sentence = together(without, instead, gone, stays)
    return Undo(UndoPreview(event.revision, sentence, 1), write)


def _shown_instead(session: Session, run: Run, others: Sequence[int]) -> Run | None:
    """Return the version that pages show of a ranker without its newest; None where it is not the newest."""
    wanted = select(Run).where(Run.id.in_(others), Run.ranker_id == run.ranker_id).order_by(Run.id.desc())
    newest = session.scalars(wanted.limit(1)).first()
    return newest if newest is not None and newest.id < run.id else None


UNDOES: dict[EventKind, Callable[[Session, Event], Undo]] = {
    EventKind.QUERIES_ADDED: _undo_queries,
    EventKind.DOCUMENTS_ADDED: _undo_documents,
    EventKind.RUN_PUBLISHED: _undo_run,
    EventKind.JUDGMENTS_IMPORTED: _undo_judgments,
}
