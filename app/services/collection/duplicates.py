"""Duplicate documents: owners merge them, or keep similar ones separate, and take either back.

All are ledger events that touch no judgment; a merge re-forms the pool. What a merge means for scores is
computed in `evidence`. The stored projections follow it here: the heads of documents, and the pool.

Keeping documents separate moves no score; the pair is not shown again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.event import Event, EventKind
from app.models.judgment import CurrentJudgment
from app.models.project import Project
from app.sentences import message
from app.services.bulk import batches, lock_project, update_where_id
from app.services.collection.files import refuse_archived
from app.services.collection.merged_documents import heads_of, merges_at
from app.services.collection.pool import form_pool, merged_documents
from app.services.current_judgments import RATING
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.ledger import record_event

MOST_AT_ONCE = 50
MERGING = (EventKind.DOCUMENTS_MERGED, EventKind.MERGE_UNDONE)
KEEPING_SEPARATE = (EventKind.DOCUMENTS_KEPT_APART, EventKind.APART_UNDONE)
Kinds = tuple[EventKind, EventKind]


def merge_documents(
    session: Session, project: Project, document_ids: Sequence[int], *, actor_id: int | None = None
) -> Event:
    """Make some documents one answer and return the event. The one with most ratings represents all.

    :raise NotFoundError: The project has no such document.
    :raise InvalidError: They are fewer than two or too many, or one has no text: nobody can know what it
        equals.
    :raise ConflictError: They are one already, or the project is archived.
    """
    refusal = message("Choose 2 to %(most)s documents to merge.", most=MOST_AT_ONCE)
    project, found = _chosen_documents(session, project, document_ids, refusal=refusal)
    for document in found:
        if document.content_hash is None or document.retired_revision is not None:
            raise InvalidError(
                message(
                    "The document %(name)s has no text to compare: import its text first.",
                    name=document.external_id,
                ),
                code="no_text",
            )
    events = _events(session, project.id, MERGING)
    heads = heads_of(merges_at(events))
    wanted = [document.id for document in found]
    if len({heads.get(number, number) for number in wanted}) == 1:
        raise ConflictError("These documents are merged already.", code="merged_already")
    payload = {"document_ids": _most_rated_first(session, wanted)}
    coming = Event(kind=EventKind.DOCUMENTS_MERGED.value, payload=payload)
    return _record_merging(session, project, events, coming, actor_id)


def undo_merge(session: Session, project: Project, revision: int, *, actor_id: int | None = None) -> Event:
    """Part the documents that the merge of a revision made one, and return the event.

    :raise NotFoundError: No merge has this revision.
    :raise ConflictError: It is undone already, or the project is archived.
    """
    missing = f"The project {project.slug} has no merge with the revision {revision}."
    project, events = _refuse_undone(
        session, project, revision, MERGING, missing=missing, undone=message("This merge is undone already.")
    )
    coming = Event(kind=EventKind.MERGE_UNDONE.value, payload={"revision": revision})
    return _record_merging(session, project, events, coming, actor_id)


def _chosen_documents(
    session: Session, project: Project, document_ids: Sequence[int], *, refusal: str
) -> tuple[Project, list[Document]]:
    """Return the project, held until the commit, and some of its documents, in the order given.

    :raise NotFoundError: The project has no such document.
    :raise InvalidError: They are fewer than two or too many.
    :raise ConflictError: The project is archived.
    """
    refuse_archived(project)
    wanted = list(dict.fromkeys(document_ids))
    if not 2 <= len(wanted) <= MOST_AT_ONCE:
        raise InvalidError(refusal, code="merge_size")
    project = lock_project(session, project.id)
    rows = session.scalars(select(Document).where(Document.project_id == project.id, Document.id.in_(wanted)))
    found = {document.id: document for document in rows}
    if len(found) < len(wanted):
        raise NotFoundError("There is no such document.")
    return project, [found[number] for number in wanted]


def _record_merging(
    session: Session, project: Project, before: list[Event], coming: Event, actor_id: int | None
) -> Event:
    """Record what is to come, with the projections that follow from it."""
    # Its revision is taken last; until then it comes after all others.
    coming.revision = 2**62
    _project_heads(session, project.id, heads_of(merges_at([*before, coming])))
    return form_pool(session, project, EventKind(coming.kind), coming.payload, actor_id=actor_id)[0]


def _refuse_undone(
    session: Session, project: Project, revision: int, kinds: Kinds, *, missing: str, undone: str
) -> tuple[Project, list[Event]]:
    """Return the project, held until the commit, and the events of two kinds, if one may still be undone."""
    refuse_archived(project)
    project = lock_project(session, project.id)
    events = _events(session, project.id, kinds)
    if not any(event.revision == revision and event.kind == kinds[0] for event in events):
        raise NotFoundError(missing)
    if all(event.revision != revision for event in _in_force(events, kinds)):
        raise ConflictError(undone, code="undone_already")
    return project, events


def _events(session: Session, project_id: int, kinds: Kinds) -> list[Event]:
    wanted = select(Event).where(Event.project_id == project_id, Event.kind.in_(kinds))
    return list(session.scalars(wanted.order_by(Event.revision)))


def _in_force(events: list[Event], kinds: Kinds) -> list[Event]:
    """Return the events of the first kind that none of the second has undone, oldest first."""
    made, undone = kinds
    gone = {event.payload["revision"] for event in events if event.kind == undone}
    return [event for event in events if event.kind == made and event.revision not in gone]


def _project_heads(session: Session, project_id: int, heads: dict[int, int]) -> None:
    """Store which document represents each merged one."""
    before = merged_documents(session, project_id)
    gone = np.array([number for number in before if number not in heads], dtype=np.int64)
    update_where_id(session, Document, gone, {"merged_into": None})
    for head in set(heads.values()):
        mine = [number for number, its in heads.items() if its == head and before.get(number) != head]
        update_where_id(session, Document, np.array(mine, dtype=np.int64), {"merged_into": head})
    for known in [row for row in session if isinstance(row, Document)]:
        session.expire(known)


def ratings_of_documents(session: Session, document_ids: Sequence[int]) -> dict[int, int]:
    """Return how many grades count now for each of some documents that have any."""
    found: dict[int, int] = {}
    for some in batches(document_ids):
        rows = session.execute(
            select(Candidate.document_id, func.count())
            .join(CurrentJudgment, CurrentJudgment.candidate_id == Candidate.id)
            .where(
                Candidate.document_id.in_(some),
                CurrentJudgment.kind == RATING,
                CurrentJudgment.grade.is_not(None),
            )
            .group_by(Candidate.document_id)
        )
        found.update((row[0], row[1]) for row in rows)
    return found


def _most_rated_first(session: Session, document_ids: list[int]) -> list[int]:
    ratings = ratings_of_documents(session, document_ids)
    return sorted(document_ids, key=lambda number: (-ratings.get(number, 0), number))


@dataclass(frozen=True)
class DecidedDocument:
    """A document that was spoken about; `edited` when its text has changed since."""

    document_id: int
    external_id: str
    title: str
    edited: bool


@dataclass(frozen=True)
class DuplicateDecision:
    """A current merge, whose first document represents all, or documents kept separate; by its revision."""

    revision: int
    at: datetime
    documents: tuple[DecidedDocument, ...]

    @property
    def differs(self) -> bool:
        """Whether a text was edited since: what held then may not hold any more."""
        return any(document.edited for document in self.documents)


def merges_in_force(session: Session, project_id: int) -> list[DuplicateDecision]:
    """Return the current merges, newest first."""
    return _decisions(session, project_id, MERGING)


def kept_separate(session: Session, project_id: int) -> list[DuplicateDecision]:
    """Return what is kept apart, newest first."""
    return _decisions(session, project_id, KEEPING_SEPARATE)


def pairs_kept_separate(session: Session, project_id: int) -> set[tuple[int, int]]:
    """Return the pairs of documents that are kept apart, the lower number first."""
    events = _in_force(_events(session, project_id, KEEPING_SEPARATE), KEEPING_SEPARATE)
    return {pair for event in events for pair in combinations(sorted(event.payload["document_ids"]), 2)}


def _decisions(session: Session, project_id: int, kinds: Kinds) -> list[DuplicateDecision]:
    events = _in_force(_events(session, project_id, kinds), kinds)[::-1]
    numbers = {number for event in events for number in event.payload["document_ids"]}
    rows = session.scalars(select(Document).where(Document.id.in_(sorted(numbers))))
    documents = {document.id: document for document in rows}
    decisions = [
        DuplicateDecision(
            event.revision,
            event.at,
            tuple(
                DecidedDocument(
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
    return [decision for decision in decisions if len(decision.documents) > 1]


def keep_separate(
    session: Session, project: Project, document_ids: Sequence[int], *, actor_id: int | None = None
) -> Event:
    """Say that no two of some documents are the same, and return the event.

    :raise NotFoundError: The project has no such document.
    :raise InvalidError: They are fewer than two or too many.
    :raise ConflictError: All of this was said before, two of them are merged, or the project is archived.
    """
    refusal = message("Choose 2 to %(most)s documents to keep apart.", most=MOST_AT_ONCE)
    project, found = _chosen_documents(session, project, document_ids, refusal=refusal)
    if len({document.merged_into or document.id for document in found}) < len(found):
        raise ConflictError(
            "Some of these documents are merged: undo the merge first.", code="merged_already"
        )
    wanted = sorted(document.id for document in found)
    if pairs_kept_separate(session, project.id).issuperset(combinations(wanted, 2)):
        raise ConflictError("These documents are marked as different already.", code="apart_already")
    payload = {"document_ids": wanted}
    return record_event(session, project.id, EventKind.DOCUMENTS_KEPT_APART, payload, actor_id=actor_id)


def undo_separation(
    session: Session, project: Project, revision: int, *, actor_id: int | None = None
) -> Event:
    """Take back what was said at a revision, and return the event.

    :raise NotFoundError: Nothing was said about documents that are kept apart at this revision.
    :raise ConflictError: It is taken back already, or the project is archived.
    """
    missing = f"The project {project.slug} has nothing marked as different at revision {revision}."
    project, _ = _refuse_undone(
        session,
        project,
        revision,
        KEEPING_SEPARATE,
        missing=missing,
        undone=message("This is taken back already."),
    )
    payload = {"revision": revision}
    return record_event(session, project.id, EventKind.APART_UNDONE, payload, actor_id=actor_id)
