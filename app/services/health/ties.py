"""Which documents are alike: ties between two of them, and the groups that ties make."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from app.models import Document, Likeness
from app.services.merging import pairs_apart
from app.services.pooling.merged import merged_documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class Tied:
    """Documents that are alike, directly or by way of each other.

    Attributes
    ----------
    groups
        The members of each group by its lowest number; of merged documents only what stands for them.
    least
        The least resemblance of any pair that ties a group.
    merged
        What stands for every merged document.
    """

    groups: dict[int, list[int]]
    least: dict[int, float]
    merged: dict[int, int]


def tied(session: Session, project_id: int) -> Tied:
    """Return the groups of a project. No tie joins two documents that an owner keeps apart."""
    merged = merged_documents(session, project_id)
    # What stands for one that is kept apart is kept apart as well.
    apart = {
        frozenset(merged.get(number, number) for number in pair) for pair in pairs_apart(session, project_id)
    }
    wary = {number for pair in apart for number in pair}
    ties = [*_equal(session, project_id, merged, wary), *_near(session, project_id, merged)]
    return Tied(*_grouped([tie for tie in ties if frozenset(tie[:2]) not in apart]), merged)


def _equal(
    session: Session, project_id: int, merged: dict[int, int], wary: set[int]
) -> Iterable[tuple[int, int, float]]:
    """Yield ties between documents of equal texts, so many as are needed to join all of them.

    Parameters
    ----------
    wary
        Documents that are kept apart from others: none of these can join all the others.
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
    near = select(Likeness.document_id, Likeness.other_id, Likeness.share)
    for row in session.execute(near.where(Likeness.project_id == project_id)):
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
