"""Documents that say the same, or nearly: groups for the owner to look at, and to merge or keep apart."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from app.models import Candidate, Document, Judgment
from app.services.bulk import batches
from app.services.health.ties import tied

if TYPE_CHECKING:
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


def count_alike(session: Session, project_id: int) -> tuple[int, int]:
    """Return how many groups of equal and of nearly equal texts there are to look at."""
    shares = tied(session, project_id).least.values()
    exact = sum(share >= 1.0 for share in shares)
    return exact, len(shares) - exact


def alike_documents(session: Session, project_id: int, *, page: int = 1) -> Alike:
    """Return the groups of documents that are alike, neither merged nor kept apart."""
    found = tied(session, project_id)
    groups, least, heads = found.groups, found.least, list(found.merged.values())
    meet = _meetings(session, project_id, groups)
    order = sorted(groups, key=lambda head: (-meet[head], -least[head], head))
    pages = max(1, -(-len(order) // EACH))
    page = min(max(page, 1), pages)
    shown = order[(page - 1) * EACH : page * EACH]
    ratings = _ratings(session, [number for head in shown for number in groups[head]])
    return Alike(
        groups=[
            AlikeGroup(
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


def _ratings(session: Session, document_ids: list[int]) -> dict[int, int]:
    """Return how many grades were given to each of some documents."""
    found: dict[int, int] = {}
    for some in batches(document_ids):
        rows = session.execute(
            select(Candidate.document_id, func.count())
            .join(Judgment, Judgment.candidate_id == Candidate.id)
            .where(Candidate.document_id.in_(some), Judgment.grade.is_not(None))
            .group_by(Candidate.document_id)
        )
        found.update((row[0], row[1]) for row in rows)
    return found


def _documents(
    session: Session, members: list[int], ratings: dict[int, int], heads: list[int]
) -> tuple[AlikeDocument, ...]:
    """Return the documents of a group, those rated most first."""
    chosen = sorted(members, key=lambda number: (-ratings.get(number, 0), number))[:MOST_IN_GROUP]
    rows = {row.id: row for row in session.scalars(select(Document).where(Document.id.in_(chosen)))}
    return tuple(
        AlikeDocument(
            number,
            rows[number].external_id,
            rows[number].title,
            rows[number].text,
            ratings.get(number, 0),
            heads.count(number),
        )
        for number in chosen
    )
