"""Merge documents and part them again: ledger events that re-form the pool and touch no judgment.

What a merge means for scores is worked out where they are: `evidence.merging`. Here the stored projections
follow it: which document stands for which, and the pool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select

from app.models import Candidate, Document, Event, EventKind, Judgment
from app.services.bulk import lock_project, update_where_id
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.evidence.merging import heads_of, merges_at
from app.services.import_file import refuse_archived
from app.services.ledger import record_event
from app.services.pooling import apply_change, change_of_pool, pool_places
from app.services.pooling.merged import merged_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from app.models import Project

MOST_AT_ONCE = 50
KINDS = (EventKind.DOCUMENTS_MERGED.value, EventKind.MERGE_UNDONE.value)


def merge_documents(
    session: Session, project: Project, document_ids: Sequence[int], *, actor_id: int | None = None
) -> Event:
    """Make some documents one answer and return the event. The one with most judgments stands for all.

    Raises
    ------
    NotFoundError
        The project has no such document.
    InvalidError
        They are fewer than two or too many, or one has no text: nobody can know what it equals.
    ConflictError
        They are one already, or the project is archived.
    """
    project, found = chosen_documents(session, project, document_ids, what="merge")
    for document in found:
        if document.content_hash is None or document.retired_revision is not None:
            raise InvalidError(
                f"The document {document.external_id} has no text to compare: import its text first.",
                code="no_text",
            )
    events = _events(session, project.id)
    heads = heads_of(merges_at(events))
    wanted = [document.id for document in found]
    if len({heads.get(number, number) for number in wanted}) == 1:
        raise ConflictError("These documents are merged already.", code="merged_already")
    payload = {"document_ids": _most_judged_first(session, wanted)}
    coming = Event(kind=EventKind.DOCUMENTS_MERGED.value, payload=payload)
    return _happen(session, project, events, coming, actor_id)


def undo_merge(session: Session, project: Project, revision: int, *, actor_id: int | None = None) -> Event:
    """Part the documents that the merge of a revision made one, and return the event.

    Raises
    ------
    NotFoundError
        No merge has this revision.
    ConflictError
        It is undone already, or the project is archived.
    """
    refuse_archived(project)
    project = lock_project(session, project.id)
    events = _events(session, project.id)
    if not any(one.revision == revision and one.kind == EventKind.DOCUMENTS_MERGED for one in events):
        raise NotFoundError(f"The project {project.slug} has no merge with the revision {revision}.")
    undone = {one.payload["revision"] for one in events if one.kind == EventKind.MERGE_UNDONE}
    if revision in undone:
        raise ConflictError("This merge is undone already.", code="undone_already")
    coming = Event(kind=EventKind.MERGE_UNDONE.value, payload={"revision": revision})
    return _happen(session, project, events, coming, actor_id)


def chosen_documents(
    session: Session, project: Project, document_ids: Sequence[int], *, what: str
) -> tuple[Project, list[Document]]:
    """Return the project, held until the commit, and some of its documents, in the order given.

    Raises
    ------
    NotFoundError
        The project has no such document.
    InvalidError
        They are fewer than two or too many.
    ConflictError
        The project is archived.
    """
    refuse_archived(project)
    wanted = list(dict.fromkeys(document_ids))
    if not 2 <= len(wanted) <= MOST_AT_ONCE:
        raise InvalidError(f"Choose 2 to {MOST_AT_ONCE} documents to {what}.", code="merge_size")
    project = lock_project(session, project.id)
    rows = session.scalars(select(Document).where(Document.project_id == project.id, Document.id.in_(wanted)))
    found = {document.id: document for document in rows}
    if len(found) < len(wanted):
        raise NotFoundError("There is no such document.")
    return project, [found[number] for number in wanted]


def _happen(
    session: Session, project: Project, before: list[Event], coming: Event, actor_id: int | None
) -> Event:
    """Record what is to come, with the projections that follow from it."""
    # Its revision is taken last; until then it stands after all others.
    coming.revision = 2**62
    _project_heads(session, project.id, heads_of(merges_at([*before, coming])))
    change = change_of_pool(session, project, pool_places(session, project.id, project.pool_depth))
    event = record_event(session, project.id, EventKind(coming.kind), coming.payload, actor_id=actor_id)
    apply_change(session, change, event.revision)
    return event


def _events(session: Session, project_id: int) -> list[Event]:
    wanted = select(Event).where(Event.project_id == project_id, Event.kind.in_(KINDS))
    return list(session.scalars(wanted.order_by(Event.revision)))


def _project_heads(session: Session, project_id: int, heads: dict[int, int]) -> None:
    """Store which document stands for each merged one."""
    before = merged_documents(session, project_id)
    gone = np.array([number for number in before if number not in heads], dtype=np.int64)
    update_where_id(session, Document, gone, {"merged_into": None})
    for head in set(heads.values()):
        mine = [number for number, its in heads.items() if its == head and before.get(number) != head]
        update_where_id(session, Document, np.array(mine, dtype=np.int64), {"merged_into": head})
    for known in [row for row in session if isinstance(row, Document)]:
        session.expire(known)


def _most_judged_first(session: Session, document_ids: list[int]) -> list[int]:
    rows = session.execute(
        select(Candidate.document_id, func.count())
        .join(Judgment, Judgment.candidate_id == Candidate.id)
        .where(Candidate.document_id.in_(document_ids))
        .group_by(Candidate.document_id)
    )
    count = {row[0]: row[1] for row in rows}
    return sorted(document_ids, key=lambda number: (-count.get(number, 0), number))
