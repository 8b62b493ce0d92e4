"""The merges in force, for the people who decide about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Document, Event, EventKind
from app.services.merging.acts import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class MergedDocument:
    """A document of a merge; `edited` when its text has changed since."""

    document_id: int
    external_id: str
    title: str
    edited: bool


@dataclass(frozen=True)
class StandingMerge:
    """A merge in force, by its revision; the first document stands for all."""

    revision: int
    at: datetime
    documents: tuple[MergedDocument, ...]

    @property
    def differs(self) -> bool:
        """Whether a text was edited since: what was equal then may not be so any more."""
        return any(document.edited for document in self.documents)


def standing_merges(session: Session, project_id: int) -> list[StandingMerge]:
    """Return the merges in force, newest first."""
    events = session.scalars(
        select(Event).where(Event.project_id == project_id, Event.kind.in_(KINDS)).order_by(Event.revision)
    ).all()
    undone = {event.payload["revision"] for event in events if event.kind == EventKind.MERGE_UNDONE}
    merges = [
        event
        for event in reversed(events)
        if event.kind == EventKind.DOCUMENTS_MERGED and event.revision not in undone
    ]
    documents = _documents(session, {n for event in merges for n in event.payload["document_ids"]})
    return [
        StandingMerge(
            event.revision,
            event.at,
            tuple(
                MergedDocument(
                    number,
                    documents[number].external_id,
                    documents[number].title or documents[number].text[:80],
                    (documents[number].edited_revision or 0) > event.revision,
                )
                for number in event.payload["document_ids"]
                if number in documents
            ),
        )
        for event in merges
    ]


def _documents(session: Session, document_ids: Iterable[int]) -> dict[int, Document]:
    """Return documents by number."""
    wanted = select(Document).where(Document.id.in_(sorted(set(document_ids))))
    return {document.id: document for document in session.scalars(wanted)}
