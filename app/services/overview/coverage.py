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
class Coverage:
    """Coverage of the pool.

    Attributes
    ----------
    questions
        The numbers of the active queries, in the order of the evidence.
    pooled_each, rated_each
        The answers in the pool of each, and those of them with a rating: lists beside `questions`, as there
        are thousands of them at every rating.
    complete
        How many queries have a fully rated pool.
    pooled, rated
        The same over all of them.
    """

    questions: list[int]
    pooled_each: list[int]
    rated_each: list[int]
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
    pooled = np.bincount(structure.query.take(np.flatnonzero(judged.pooled)), minlength=queries)
    both = np.flatnonzero(judged.pooled & judged.judged)
    rated = np.bincount(structure.query.take(both), minlength=queries)
    active = np.flatnonzero(evidence.active_queries())
    return Coverage(
        questions=structure.query_id[active].tolist(),
        pooled_each=pooled[active].tolist(),
        rated_each=rated[active].tolist(),
        complete=int(np.count_nonzero((rated == pooled)[active] & (pooled[active] > 0))),
        pooled=int(pooled[active].sum()),
        rated=int(rated[active].sum()),
    )
