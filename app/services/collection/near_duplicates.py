"""Documents with the same or nearly the same text, for an owner to look at."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import combinations

import numpy as np
from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.event import Event, EventKind
from app.models.near_duplicate import NearDuplicate, NearDuplicateSearch
from app.scoring.shingles import Words, shingles_of
from app.services.bulk import batches
from app.services.collection.duplicates import pairs_kept_separate, ratings_of_documents
from app.services.collection.pool import merged_documents


@dataclass(frozen=True)
class SimilarDocuments:
    """Documents that are alike, directly or by way of each other.

    Attributes
    ----------
    groups
        The members of each group by its lowest number; of merged documents only what represents them.
    least
        The least resemblance of any pair that ties a group.
    merged
        What represents every merged document.
    """

    groups: dict[int, list[int]]
    least: dict[int, float]
    merged: dict[int, int]


def similar_documents(session: Session, project_id: int) -> SimilarDocuments:
    """Return the groups of a project. No tie joins two documents that an owner keeps separate."""
    merged = merged_documents(session, project_id)
    # What represents one that is kept separate is kept separate as well.
    separate = {
        frozenset(merged.get(number, number) for number in pair)
        for pair in pairs_kept_separate(session, project_id)
    }
    wary = {number for pair in separate for number in pair}
    ties = [*_equal(session, project_id, merged, wary), *_near(session, project_id, merged)]
    return SimilarDocuments(*_grouped([tie for tie in ties if frozenset(tie[:2]) not in separate]), merged)


def _equal(
    session: Session, project_id: int, merged: dict[int, int], wary: set[int]
) -> Iterable[tuple[int, int, float]]:
    """Yield ties between documents of equal texts, just enough to join all of them.

    Parameters
    ----------
    wary
        Documents that are kept separate from others: none of these can join all the others.
    """
    usable = (
        Document.project_id == project_id,
        Document.content_hash.is_not(None),
        Document.retired_revision.is_(None),
    )
    # Of the hash alone, which the index holds.
    several = select(Document.content_hash).where(*usable[:2]).group_by(Document.content_hash)
    several = several.having(func.count() > 1)
    rows = session.execute(
        select(Document.content_hash, Document.id)
        .where(*usable, Document.content_hash.in_(several))
        .order_by(Document.id)
    )
    equal: dict[bytes, dict[int, None]] = defaultdict(dict)
    for content, number in rows:
        equal[content or b""][merged.get(number, number)] = None
    for members in equal.values():
        hub = next((number for number in members if number not in wary), None)
        pairs = combinations(members, 2) if hub is None else ((hub, number) for number in members)
        yield from ((first, second, 1.0) for first, second in pairs)


def _near(session: Session, project_id: int, merged: dict[int, int]) -> Iterable[tuple[int, int, float]]:
    """Yield the ties that the last search found."""
    near = select(NearDuplicate.document_id, NearDuplicate.other_id, NearDuplicate.share)
    for row in session.execute(near.where(NearDuplicate.project_id == project_id)):
        yield (
            merged.get(row.document_id, row.document_id),
            merged.get(row.other_id, row.other_id),
            row.share,
        )


def _grouped(ties: Iterable[tuple[int, int, float]]) -> tuple[dict[int, list[int]], dict[int, float]]:
    """Return the members of each group by its lowest number, and the least share of its ties."""
    above: dict[int, int] = {}

    def head_of(number: int) -> int:
        while above.setdefault(number, number) != number:
            above[number] = above[above[number]]
            number = above[number]
        return number

    kept = [tie for tie in ties if tie[0] != tie[1]]
    for first, second, _ in kept:
        low, high = sorted((head_of(first), head_of(second)))
        above[high] = low
    groups: dict[int, list[int]] = defaultdict(list)
    for number in sorted(above):
        groups[head_of(number)].append(number)
    least = dict.fromkeys(groups, 1.0)
    for first, _, share in kept:
        head = head_of(first)
        least[head] = min(least[head], share)
    return groups, least


TEXTS_AT_ONCE = 1_000
SILENT = timedelta(minutes=2)
"""A search that has said nothing for so long was killed, and may be started again."""
TEXTS_MOVED = (
    EventKind.DOCUMENTS_ADDED,
    EventKind.DOCUMENTS_FILLED,
    EventKind.DOCUMENTS_EDITED,
    EventKind.DOCUMENTS_REMOVED,
)
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
    """Return the state of the last search of a project; None before the first."""
    search = session.get(NearDuplicateSearch, project_id)
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
            select(NearDuplicateSearch.project_id).where(
                NearDuplicateSearch.state.in_(["waiting", "running"])
            )
        )
    )


def note_progress(session: Session, project_id: int, state: str, done: int = 0, total: int = 0) -> None:
    """Write down how far a search is."""
    search = session.get(NearDuplicateSearch, project_id)
    if search is None:
        search = NearDuplicateSearch(project_id=project_id)
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


def replace_near_duplicates(
    session: Session, project_id: int, revision: int, found: Iterable[tuple[int, int, float]]
) -> None:
    """Put what a search found into the place of what the one before found; it is done then.

    Documents that were removed meanwhile are left out.
    """
    session.execute(delete(NearDuplicate).where(NearDuplicate.project_id == project_id))
    rows = list(found)
    mine = select(Document.id).where(Document.project_id == project_id)
    there = set(session.scalars(mine)) if rows else set()
    values = [
        {"project_id": project_id, "document_id": first, "other_id": second, "share": share}
        for first, second, share in rows
        if first in there and second in there
    ]
    for some in batches(values):
        session.execute(insert(NearDuplicate), some)
    note_progress(session, project_id, "done")
    session.get_one(NearDuplicateSearch, project_id).revision = revision
    session.flush()


EACH = 20
MOST_IN_GROUP = 20


@dataclass(frozen=True)
class SimilarDocument:
    """One document of a group. `stands_for`: the number of others that are merged into it already."""

    document_id: int
    external_id: str
    title: str
    text: str
    ratings: int
    stands_for: int


@dataclass(frozen=True)
class SimilarGroup:
    """Documents that are alike, directly or by way of each other.

    Attributes
    ----------
    documents
        The first `MOST_IN_GROUP` of them, those rated most first; merged ones are left out.
    size
        How many there are.
    share
        The least resemblance of any pair that ties them; 1 where all say the same.
    questions
        Questions of which two or more of them are candidates: only there a merge moves scores.
    """

    documents: tuple[SimilarDocument, ...]
    size: int
    share: float
    questions: int


@dataclass(frozen=True)
class SimilarPage:
    """One page of the groups; those that meet in most questions come first.

    `exact` and `near` count the groups of equal and of nearly equal texts.
    """

    groups: list[SimilarGroup]
    exact: int
    near: int
    page: int
    pages: int


def count_similar(session: Session, project_id: int) -> tuple[int, int]:
    """Return how many groups of equal and of nearly equal texts there are to look at."""
    shares = similar_documents(session, project_id).least.values()
    exact = sum(share >= 1.0 for share in shares)
    return exact, len(shares) - exact


def similar_page(session: Session, project_id: int, *, page: int = 1) -> SimilarPage:
    """Return the groups of documents that are alike, neither merged nor kept separate."""
    found = similar_documents(session, project_id)
    groups, least, heads = found.groups, found.least, list(found.merged.values())
    meet = _meetings(session, project_id, groups)
    order = sorted(groups, key=lambda head: (-meet[head], -least[head], head))
    pages = max(1, -(-len(order) // EACH))
    page = min(max(page, 1), pages)
    shown = order[(page - 1) * EACH : page * EACH]
    ratings = ratings_of_documents(session, [number for head in shown for number in groups[head]])
    return SimilarPage(
        groups=[
            SimilarGroup(
                _documents(session, groups[head], ratings, heads),
                len(groups[head]),
                least[head],
                meet[head],
            )
            for head in shown
        ],
        exact=sum(least[head] >= 1.0 for head in order),
        near=sum(least[head] < 1.0 for head in order),
        page=page,
        pages=pages,
    )


def _meetings(session: Session, project_id: int, groups: dict[int, list[int]]) -> dict[int, int]:
    """Return in how many questions two or more of each group are candidates."""
    head_of = {number: head for head, members in groups.items() for number in members}
    met: dict[tuple[int, int], int] = defaultdict(int)
    for some in batches(sorted(head_of)):
        rows = session.execute(
            select(Candidate.query_id, Candidate.document_id).where(
                Candidate.project_id == project_id, Candidate.document_id.in_(some)
            )
        )
        for query, document in rows:
            met[head_of[document], query] += 1
    questions = dict.fromkeys(groups, 0)
    for (head, _), count in met.items():
        questions[head] += count > 1
    return questions


def _documents(
    session: Session, members: list[int], ratings: dict[int, int], heads: list[int]
) -> tuple[SimilarDocument, ...]:
    """Return the documents of a group, those rated most first."""
    chosen = sorted(members, key=lambda number: (-ratings.get(number, 0), number))[:MOST_IN_GROUP]
    rows = {row.id: row for row in session.scalars(select(Document).where(Document.id.in_(chosen)))}
    return tuple(
        SimilarDocument(
            number,
            rows[number].external_id,
            rows[number].title,
            rows[number].text,
            ratings.get(number, 0),
            heads.count(number),
        )
        for number in chosen
    )
