"""Documents that say the same, or nearly: groups for the owner to look at, and to merge or leave apart."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from app.models import Candidate, Document, Judgment, Likeness
from app.services.bulk import batches

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

EACH = 20
MOST_IN_GROUP = 20


@dataclass(frozen=True)
class AlikeDocument:
    """One document of a group. `stands_for`: it is merged already, and stands for so many others."""

    document_id: int
    external_id: str
    title: str
    text: str
    url: str
    ratings: int
    stands_for: int


@dataclass(frozen=True)
class AlikeGroup:
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

    documents: tuple[AlikeDocument, ...]
    size: int
    share: float
    questions: int


@dataclass(frozen=True)
class Alike:
    """One page of the groups; those that meet in most questions come first.

    `exact` and `near` count the groups of equal and of nearly equal texts.
    """

    groups: list[AlikeGroup]
    exact: int
    near: int
    page: int
    pages: int


def alike_documents(session: Session, project_id: int, *, page: int = 1) -> Alike:
    """Return the groups of documents that are alike and not merged."""
    merged = {row.id: row.merged_into for row in session.execute(_merged(project_id))}
    ties = [
        (merged.get(first, first), merged.get(second, second), share)
        for first, second, share in _ties(session, project_id)
    ]
    groups, least = _grouped(ties)
    meet = _meetings(session, project_id, groups)
    order = sorted(groups, key=lambda head: (-meet[head], -least[head], head))
    pages = max(1, -(-len(order) // EACH))
    page = min(max(page, 1), pages)
    shown = order[(page - 1) * EACH : page * EACH]
    return Alike(
        groups=[_group(session, groups[head], least[head], meet[head], merged) for head in shown],
        exact=sum(least[head] >= 1.0 for head in order),
        near=sum(least[head] < 1.0 for head in order),
        page=page,
        pages=pages,
    )


def _merged(project_id: int) -> Select[int, int | None]:
    return select(Document.id, Document.merged_into).where(
        Document.project_id == project_id, Document.merged_into.is_not(None)
    )


def _ties(session: Session, project_id: int) -> Iterable[tuple[int, int, float]]:
    """Yield pairs that are alike: of equal texts each with the first one, and what the last search found."""
    usable = (
        Document.project_id == project_id,
        Document.content_hash.is_not(None),
        Document.retired_revision.is_(None),
    )
    several = select(Document.content_hash).where(*usable).group_by(Document.content_hash)
    several = several.having(func.count() > 1)
    rows = session.execute(
        select(Document.content_hash, Document.id)
        .where(*usable, Document.content_hash.in_(several))
        .order_by(Document.id)
    )
    first: dict[bytes, int] = {}
    for content, number in rows:
        head = first.setdefault(content or b"", number)
        if head != number:
            yield head, number, 1.0
    near = select(Likeness.document_id, Likeness.other_id, Likeness.share)
    found = session.execute(near.where(Likeness.project_id == project_id))
    yield from ((row.document_id, row.other_id, row.share) for row in found)


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


def _group(
    session: Session, members: list[int], share: float, questions: int, merged: dict[int, int | None]
) -> AlikeGroup:
    ratings = {
        row[0]: row[1]
        for row in session.execute(
            select(Candidate.document_id, func.count())
            .join(Judgment, Judgment.candidate_id == Candidate.id)
            .where(Candidate.document_id.in_(members), Judgment.grade.is_not(None))
            .group_by(Candidate.document_id)
        )
    }
    chosen = sorted(members, key=lambda number: (-ratings.get(number, 0), number))[:MOST_IN_GROUP]
    rows = {row.id: row for row in session.scalars(select(Document).where(Document.id.in_(chosen)))}
    heads = list(merged.values())
    documents = tuple(
        AlikeDocument(
            number,
            rows[number].external_id,
            rows[number].title,
            rows[number].text,
            rows[number].url,
            ratings.get(number, 0),
            heads.count(number),
        )
        for number in chosen
    )
    return AlikeGroup(documents, len(members), share, questions)
