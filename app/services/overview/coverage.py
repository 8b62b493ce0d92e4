"""How much of the pool has been rated: per question, per ranker, and in all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from app.scoring.judged import Judged
    from app.services.evidence import Evidence

SECONDS_EACH = 20


class QuestionCoverage(NamedTuple):
    """One active query and its pool: a tuple, since there are thousands of them at every rating."""

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
    numbers = structure.query_id[active].tolist(), pooled[active].tolist(), rated[active].tolist()
    questions = [
        QuestionCoverage(place, query_id, structure.query_name[place], wanted, done)
        for place, query_id, wanted, done in zip(active.tolist(), *numbers, strict=True)
    ]
    return Coverage(
        questions=questions,
        complete=int(np.count_nonzero((rated == pooled)[active] & (pooled[active] > 0))),
        pooled=int(pooled[active].sum()),
        rated=int(rated[active].sum()),
    )
