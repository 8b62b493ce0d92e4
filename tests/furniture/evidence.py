"""What tests ask of evidence and scores, and no page does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.scoring.bounds import ndcg_bounds
from app.scoring.means import means_of
from app.services.evidence import store

if TYPE_CHECKING:
    from app.database import Database
    from app.scoring.arrays import Floats
    from app.services.evidence.state import Evidence
    from app.services.scores.context import ScoringContext
    from app.services.scores.scoreboard import Scoreboard
    from app.services.scores.verdicts import PairVerdict


def forget_evidence(database: Database, project_id: int) -> None:
    """Throw a project's evidence away: it is read again when next asked for."""
    store._held.pop((database.url, project_id), None)


def bounds_of(evidence: Evidence, board: Scoreboard) -> list[tuple[float, float] | None]:
    """Return how low and how high each run's headline mean can still come out, over its scored queries.

    Exact (EVALUATION.md section 1.4), and conditional on today's scored queries, pool and consensus. None
    where there is no score, or where the ideal is the run's own list and nothing bounds it.
    """
    if board.ruler.ideal == "returned":
        return [None] * len(board.runs)
    lists = evidence.lists([scored.place for scored in board.runs], board.ruler.k)
    found = ndcg_bounds(lists, board.judged, board.ruler.k)
    lows, highs = means_of(found.low, board.counted), means_of(found.high, board.counted)
    return [
        None if low is None or high is None else (low, high) for low, high in zip(lows, highs, strict=True)
    ]


def differences_of(context: ScoringContext, pair: PairVerdict) -> Floats:
    """Return d on every query of the comparison set, in the order of the evidence: float64 (n,)."""
    first, second = pair.rows
    return np.asarray(context.values[first, pair.queries] - context.values[second, pair.queries])
