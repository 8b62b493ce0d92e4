"""How much of the pool has been rated: per question, per ranker, and in all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.scoring.judged import Judged
    from app.services.evidence import Evidence

SECONDS_EACH = 20


@dataclass(frozen=True)
class QuestionCoverage:
    """One active query and its pool."""

    place: int
    query_id: int
    name: str
    pooled: int
    rated: int


@dataclass(frozen=True)
class Coverage:
    """Coverage of the pool.

    `complete` counts the queries whose pool is fully rated; `missing` the pool answers without a
    rating; `time` says what they would take one person at 20 seconds each.
    """

    questions: list[QuestionCoverage]
    complete: int
    pooled: int
    rated: int

    @property
    def missing(self) -> int:
        """Return how many pool answers nobody has rated."""
        return self.pooled - self.rated

    @property
    def time(self) -> str:
        """Return in words how long the missing answers would take one person."""
        minutes = -(-self.missing * SECONDS_EACH // 60)
        if minutes < 90:
            return "about 1 minute" if minutes == 1 else f"about {minutes} minutes"
        return f"about {round(minutes / 60)} hours"


def coverage_of(evidence: Evidence, judged: Judged) -> Coverage:
    """Return how much of today's pool has been rated."""
    structure = evidence.structure
    queries = len(structure.query_id)
    pooled = np.bincount(structure.query[judged.pooled], minlength=queries)
    rated = np.bincount(structure.query[judged.pooled & judged.judged], minlength=queries)
    active = np.flatnonzero(evidence.active_queries())
    questions = [
        QuestionCoverage(
            int(place),
            int(structure.query_id[place]),
            structure.query_name[place],
            int(pooled[place]),
            int(rated[place]),
        )
        for place in active
    ]
    return Coverage(
        questions=questions,
        complete=sum(1 for one in questions if one.pooled and one.rated == one.pooled),
        pooled=int(pooled[active].sum()),
        rated=int(rated[active].sum()),
    )
