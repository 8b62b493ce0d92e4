"""The imports of a project, and the way back from each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Event, EventKind, Project, Ranker, Run
from app.services.errors import ConflictError, NotFoundError
from app.services.pooling.candidates import stored_candidates
from app.services.pooling.merged import with_merged
from app.services.pooling.places import active_runs, places_of_run, union_of
from app.services.runs.states import withdraw_run
from app.services.undoing.corpus import preview_documents, preview_queries, undo_documents, undo_queries
from app.services.undoing.judgments import preview_judgments, undo_judgments
from app.services.undoing.preview import UndoPreview
from app.services.wording import counted

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

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
