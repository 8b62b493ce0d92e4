"""The answers of one question with their texts, as its page lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from app.models import Candidate, Document
from app.services.showing import written_as

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

    from app.services.questions.grades import Grades
    from app.services.questions.ratings import Rating

NOT_A_FIELD = {"format", "language"}
"""Columns that say how a text is shown; the page follows them instead of listing them."""


@dataclass(frozen=True)
class QuestionAnswer:
    """One answer: its text, and what is known about it.

    `public_id` is empty for an answer outside the pool that nobody rated; `given` holds the grade of each
    annotator, None for "can't judge"; `low` and `high` are its two middle grades, None where it is not rated.
    """

    public_id: str
    external_id: str
    title: str
    text: str
    url: str
    source: str
    fields: dict[str, Any]
    format: str
    language: str
    pooled: bool
    low: int | None
    high: int | None
    given: dict[int, int | None]
    decided: bool

    @property
    def name(self) -> str:
        """What it is called on a page."""
        return self.title or self.text[:80] or self.external_id

    @property
    def has_text(self) -> bool:
        """Whether there is anything to read, and so to rate."""
        return bool(self.title or self.text)


def answers_of(
    session: Session, query_id: int, wanted: Collection[int], grades: Grades, ratings: list[Rating]
) -> list[QuestionAnswer]:
    """Return some documents as answers of a question: rated ones first and best first, then the pool's.

    Merged documents are one answer, listed under the document that stands for all.
    """
    heads = {grades.head_of(number) for number in wanted}
    rows = session.execute(
        select(Document, Candidate.public_id)
        .outerjoin(Candidate, (Candidate.document_id == Document.id) & (Candidate.query_id == query_id))
        .where(Document.id.in_(sorted(heads)))
    )
    rating_of = {rating.document_id: rating for rating in ratings}
    found = [_answer(document, public_id, grades, rating_of) for document, public_id in rows]
    return sorted(
        found,
        key=lambda one: (-(one.low or -1) - (one.high or -1), one.low is None, not one.pooled, one.name),
    )


def _answer(
    document: Document, public_id: str | None, grades: Grades, rating_of: dict[int, Rating]
) -> QuestionAnswer:
    rating = rating_of.get(document.id)
    low, high = grades.of(document.id)
    return QuestionAnswer(
        public_id=public_id or "",
        external_id=document.external_id,
        title=document.title,
        text=document.text,
        url=document.url,
        source=document.source,
        fields={name: value for name, value in (document.extra or {}).items() if name not in NOT_A_FIELD},
        **written_as(document.extra),
        pooled=bool(grades.pooled.get(document.id)),
        low=low,
        high=high,
        given=rating.grades if rating else {},
        decided=rating.decided if rating else False,
    )
