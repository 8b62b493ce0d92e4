"""What an annotator says about one answer, and what is kept of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from app.models import Input, Origin, Project, Reason

WHOLE = 2**31 - 1


@dataclass(frozen=True)
class Annotator:
    """Who rates, and where; `blind` is False for anyone who could see rankers in this project."""

    project: Project
    person_id: int
    blind: bool


@dataclass(frozen=True, kw_only=True)
class Rating:
    """One rating as the annotator's device made it: a grade, or a reason why there is none.

    Attributes
    ----------
    id
        Made by the device: the same rating sent again is stored once.
    base
        The id of the last own rating of this answer that the annotator had before their eyes.
    place, of, batch
        Where the answer stood, among how many, in which batch. Data, never a key.
    guidelines
        The version that the annotator's page showed, 0 for none; None means the newest.
    """

    id: UUID
    grade: int | None
    reason: Reason | None = None
    base: UUID | None = None
    place: int = 0
    of: int = 0
    batch: int = 0
    active_ms: int = 0
    input: Input
    at: datetime
    guidelines: int | None = None


@dataclass(frozen=True, kw_only=True)
class OwnRating:
    """A stored rating, as its own annotator may see it."""

    id: UUID
    revision: int
    candidate_id: int
    grade: int | None
    reason: Reason | None
    role: Origin
    place: int
    length: int
    batch: int
    active_ms: int
    input: Input
    judged_at: datetime
    received_at: datetime

    def says_the_same(self, rating: Rating, candidate_id: int) -> bool:
        """Tell whether a rating with this id is this one, sent again."""
        mine = (
            self.candidate_id,
            self.grade,
            self.reason,
            self.place,
            self.length,
            self.batch,
            self.active_ms,
            self.input,
            self.judged_at,
        )
        return mine == (
            candidate_id,
            rating.grade,
            rating.reason,
            rating.place,
            rating.of,
            rating.batch,
            rating.active_ms,
            rating.input,
            rating.at,
        )

    @property
    def facts(self) -> dict[str, Any]:
        """Return what the annotator is told of it, as plain values."""
        return {
            "id": str(self.id),
            "grade": self.grade,
            "reason": self.reason.name.lower() if self.reason else None,
            "at": self.judged_at.isoformat(),
            "saved_at": self.received_at.isoformat(),
        }


@dataclass(frozen=True)
class BatchProgress:
    """How far an annotator is with one batch: their own doing, nobody else's."""

    batch: int
    settled: int
    of: int


@dataclass(frozen=True)
class Recorded:
    """A rating that is in the ledger; `is_new` is False where it was there before."""

    rating: OwnRating
    progress: BatchProgress
    is_new: bool
