"""Duplicate documents: merged, parted and kept apart by their owner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.event import Event, EventKind
from app.models.judgment import Judgment
from app.models.project import Project
from app.services.bulk import lock_project, update_where_id
from app.services.collection.files import refuse_archived
from app.services.collection.merged_documents import heads_of, merges_at
from app.services.collection.pool import form_pool, merged_documents
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.ledger import record_event

# Merge documents and part them again: ledger events that re-form the pool and touch no judgment.
#
# What a merge means for scores is worked out where they are: `evidence.merging`. Here the stored projections
# follow it: which document stands for which, and the pool.


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
    return form_pool(session, project, EventKind(coming.kind), coming.payload, actor_id=actor_id)[0]


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


# What owners said about alike documents and what is in force: merges, and documents that are kept apart.


@dataclass(frozen=True)
class NamedDocument:
    """A document that was spoken about; `edited` when its text has changed since."""

    document_id: int
    external_id: str
    title: str
    edited: bool


@dataclass(frozen=True)
class StandingWord:
    """A merge in force, whose first document stands for all, or documents kept apart; by its revision."""

    revision: int
    at: datetime
    documents: tuple[NamedDocument, ...]

    @property
    def differs(self) -> bool:
        """Whether a text was edited since: what held then may not hold any more."""
        return any(document.edited for document in self.documents)


def standing_merges(session: Session, project_id: int) -> list[StandingWord]:
    """Return the merges in force, newest first."""
    return _standing(session, project_id, EventKind.DOCUMENTS_MERGED, EventKind.MERGE_UNDONE)


def standing_apart(session: Session, project_id: int) -> list[StandingWord]:
    """Return what is kept apart, newest first."""
    return _standing(session, project_id, EventKind.DOCUMENTS_KEPT_APART, EventKind.APART_UNDONE)


def pairs_apart(session: Session, project_id: int) -> set[tuple[int, int]]:
    """Return the pairs of documents that are kept apart, the lower number first."""
    events = in_force(session, project_id, EventKind.DOCUMENTS_KEPT_APART, EventKind.APART_UNDONE)
    return {pair for event in events for pair in combinations(sorted(event.payload["document_ids"]), 2)}


def in_force(session: Session, project_id: int, said: EventKind, undone: EventKind) -> list[Event]:
    """Return the events of a kind that no event of another kind has undone, oldest first."""
    kinds = (said.value, undone.value)
    events = session.scalars(
        select(Event).where(Event.project_id == project_id, Event.kind.in_(kinds)).order_by(Event.revision)
    ).all()
    gone = {event.payload["revision"] for event in events if event.kind == undone}
    return [event for event in events if event.kind == said and event.revision not in gone]


def _standing(session: Session, project_id: int, said: EventKind, undone: EventKind) -> list[StandingWord]:
    events = in_force(session, project_id, said, undone)[::-1]
    documents = _documents(session, {n for event in events for n in event.payload["document_ids"]})
    words = [
        StandingWord(
            event.revision,
            event.at,
            tuple(
                NamedDocument(
                    number,
                    documents[number].external_id,
                    documents[number].title or documents[number].text[:80],
                    (documents[number].edited_revision or 0) > event.revision,
                )
                for number in event.payload["document_ids"]
                if number in documents
            ),
        )
        for event in events
    ]
    # An import that is undone takes its documents away.
    return [word for word in words if len(word.documents) > 1]


def _documents(session: Session, document_ids: Iterable[int]) -> dict[int, Document]:
    """Return documents by number."""
    wanted = select(Document).where(Document.id.in_(sorted(set(document_ids))))
    return {document.id: document for document in session.scalars(wanted)}


# Keep alike documents apart, and take that back: the owner's word on a pair that only looks the same.
#
# It moves no score and no pool; the pair is not held up to the owner again.


def keep_apart(
    session: Session, project: Project, document_ids: Sequence[int], *, actor_id: int | None = None
) -> Event:
    """Say that no two of some documents are the same, and return the event.

    Raises
    ------
    NotFoundError
        The project has no such document.
    InvalidError
        They are fewer than two or too many.
    ConflictError
        All of this was said before, two of them are merged, or the project is archived.
    """
    project, found = chosen_documents(session, project, document_ids, what="keep apart")
    if len({document.merged_into or document.id for document in found}) < len(found):
        raise ConflictError(
            "Some of these documents are merged: undo the merge first.", code="merged_already"
        )
    wanted = sorted(document.id for document in found)
    if pairs_apart(session, project.id).issuperset(combinations(wanted, 2)):
        raise ConflictError("These documents are kept apart already.", code="apart_already")
    payload = {"document_ids": wanted}
    return record_event(session, project.id, EventKind.DOCUMENTS_KEPT_APART, payload, actor_id=actor_id)


def undo_apart(session: Session, project: Project, revision: int, *, actor_id: int | None = None) -> Event:
    """Take back what was said at a revision, and return the event.

    Raises
    ------
    NotFoundError
        Nothing was said about documents that are kept apart at this revision.
    ConflictError
        It is taken back already, or the project is archived.
    """
    refuse_archived(project)
    project = lock_project(session, project.id)
    said = session.get(Event, (project.id, revision))
    if said is None or said.kind != EventKind.DOCUMENTS_KEPT_APART:
        raise NotFoundError(f"The project {project.slug} keeps nothing apart since the revision {revision}.")
    standing = in_force(session, project.id, EventKind.DOCUMENTS_KEPT_APART, EventKind.APART_UNDONE)
    if said not in standing:
        raise ConflictError("This is taken back already.", code="undone_already")
    payload = {"revision": revision}
    return record_event(session, project.id, EventKind.APART_UNDONE, payload, actor_id=actor_id)
