"""The search for near-duplicates: its state, the texts it reads, and what it leaves behind."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import delete, func, insert, select

from app.models import Document, Event, EventKind, Likeness, LikenessSearch, now_utc
from app.scoring.shingles import shingles_of
from app.services.bulk import batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

    from app.scoring.shingles import Words

TEXTS_AT_ONCE = 1_000
SILENT = timedelta(minutes=2)
"""A search that has said nothing for so long was killed, and may be started again."""
TEXTS_MOVED = (EventKind.DOCUMENTS_ADDED, EventKind.DOCUMENTS_EDITED, EventKind.DOCUMENTS_REMOVED)
# A letter of a script that puts no blanks between words is a word.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


@dataclass(frozen=True)
class SearchState:
    """The last search. `stale`: documents came, went or changed since; `at_work`: it is on its way."""

    state: str
    done: int
    total: int
    stale: bool
    at_work: bool


def texts_revision(session: Session, project_id: int) -> int:
    """Return the revision of the newest event that added, edited or removed documents."""
    wanted = select(func.max(Event.revision)).where(
        Event.project_id == project_id, Event.kind.in_([kind.value for kind in TEXTS_MOVED])
    )
    return session.scalar(wanted) or 0


def search_state(session: Session, project_id: int) -> SearchState | None:
    """Return how the last search of a project stands; None before the first."""
    search = session.get(LikenessSearch, project_id)
    if search is None:
        return None
    at_work = search.state in {"waiting", "running"} and search.updated_at > now_utc() - SILENT
    stale = search.revision != texts_revision(session, project_id)
    return SearchState(search.state, search.done, search.total, stale, at_work)


def request_search(session: Session, project_id: int) -> bool:
    """Write down that a search is wanted; False where one is on its way."""
    known = search_state(session, project_id)
    if known is not None and known.at_work:
        return False
    note_progress(session, project_id, "waiting")
    return True


def searches_at_work(session: Session) -> list[int]:
    """Return the projects whose search was asked for and is not done."""
    return list(
        session.scalars(
            select(LikenessSearch.project_id).where(LikenessSearch.state.in_(["waiting", "running"]))
        )
    )


def note_progress(session: Session, project_id: int, state: str, done: int = 0, total: int = 0) -> None:
    """Write down how far a search is."""
    search = session.get(LikenessSearch, project_id)
    if search is None:
        search = LikenessSearch(project_id=project_id)
        session.add(search)
    search.state, search.done, search.total, search.updated_at = state, done, total, now_utc()
    session.flush()


def documents_to_compare(session: Session, project_id: int) -> list[int]:
    """Return the documents with a text, of those with equal content the first one, by number."""
    wanted = (
        select(func.min(Document.id))
        .where(
            Document.project_id == project_id,
            Document.content_hash.is_not(None),
            Document.retired_revision.is_(None),
        )
        .group_by(Document.content_hash)
    )
    return sorted(session.scalars(wanted))


@dataclass
class Vocabulary:
    """A number for every word met so far."""

    numbers: dict[str, int] = field(default_factory=dict)

    def shingles(self, session: Session, document_ids: Sequence[int]) -> list[Words]:
        """Return the shingles of some documents, in their order; none for those that are gone."""
        texts = {
            number: f"{title}\n{text}"
            for number, title, text in session.execute(
                select(Document.id, Document.title, Document.text).where(Document.id.in_(document_ids))
            )
        }
        return [self._of(texts.get(number, "")) for number in document_ids]

    def _of(self, text: str) -> Words:
        words = WORD.findall(unicodedata.normalize("NFKC", text).casefold())
        numbers = self.numbers
        return shingles_of(
            np.fromiter(
                (numbers.setdefault(word, len(numbers)) for word in words), dtype=np.int64, count=len(words)
            )
        )


def replace_likenesses(
    session: Session, project_id: int, revision: int, found: Iterable[tuple[int, int, float]]
) -> None:
    """Put what a search found into the place of what the one before found; it is done then.

    Documents that were removed meanwhile are left out.
    """
    session.execute(delete(Likeness).where(Likeness.project_id == project_id))
    rows = list(found)
    mine = select(Document.id).where(Document.project_id == project_id)
    there = set(session.scalars(mine)) if rows else set()
    values = [
        {"project_id": project_id, "document_id": first, "other_id": second, "share": share}
        for first, second, share in rows
        if first in there and second in there
    ]
    for some in batches(values):
        session.execute(insert(Likeness), some)
    note_progress(session, project_id, "done")
    session.get_one(LikenessSearch, project_id).revision = revision
    session.flush()
