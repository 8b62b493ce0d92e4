"""How much of the pool has been rated: per question, per ranker, and in all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Ints
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
        How many queries have every answer rated that some version of a ranker puts within the pool depth;
        known answers and probes, which are in the pool as well, are no ranker's.
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
    pooled, unrated = judged.pooled_counts, _per_query(evidence, judged.pooled & ~judged.judged)
    rated = pooled - unrated
    found, waiting = pooled, unrated
    if (returned := _returned(evidence)) is not None:
        found, waiting = _per_query(evidence, returned), _per_query(evidence, returned & ~judged.judged)
    active = np.flatnonzero(evidence.active_queries())
    return Coverage(
        questions=structure.query_id[active].tolist(),
        pooled_each=pooled[active].tolist(),
        rated_each=rated[active].tolist(),
        complete=int(np.count_nonzero((waiting[active] == 0) & (found[active] > 0))),
        pooled=int(pooled[active].sum()),
        rated=int(rated[active].sum()),
    )


def _returned(evidence: Evidence) -> Flags | None:
    """Return what the versions of rankers bring into the pool: bool (candidates,), None for all of it."""
    active = evidence.active_runs()
    rankers = [place for place in active if evidence.structure.runs[place].kind == "system"]
    if len(rankers) == len(active):
        return None
    return evidence.structure.pooled_by(rankers, evidence.depth_at())


def _per_query(evidence: Evidence, cells: Flags) -> Ints:
    """Return how many of some candidates each query has: int64 (queries,)."""
    structure = evidence.structure
    return np.bincount(structure.query.take(np.flatnonzero(cells)), minlength=len(structure.query_id))
