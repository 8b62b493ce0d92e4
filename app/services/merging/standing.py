"""What owners said about alike documents and what is in force: merges, and documents that are kept apart."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Document, Event, EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.orm import Session


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
