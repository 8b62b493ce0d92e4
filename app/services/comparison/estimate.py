"""The smoothed estimate of every run's scores: what they would probably be if everything were rated.

It guards the word "leaning", and is never a headline (EVALUATION.md section 2.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.scoring.dcg import dcg
from app.scoring.priority import Candidates
from app.scoring.priority_estimate import estimated_gains, ideal_of_gains

if TYPE_CHECKING:
    from app.scoring.arrays import Floats, Ints
    from app.scoring.judged import Judged
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence


def expected_ndcg(evidence: Evidence, board: Scoreboard) -> Floats:
    """Return nDCG@k with an estimate for every unjudged pool item: float64 (runs, queries)."""
    judged, k = board.judged, board.ruler.k
    discounts = judged.ruler.discounts(k)
    lists = evidence.lists([scored.place for scored in board.runs], k)
    candidates = Candidates(
        query=evidence.structure.query,
        weights=np.zeros((0, judged.absent)),
        pooled=judged.pooled,
        current=np.zeros(0, dtype=np.bool_),
        popularity=_popularity(evidence),
    )
    gains = estimated_gains(candidates, _known_gains(judged), judged.ruler.largest_gain)
    structure = evidence.structure
    ideal = ideal_of_gains(structure.query, gains, discounts, judged.queries, structure.query_rows)
    reached = dcg(lists.positions, np.append(gains, [0.0, 0.0]), discounts)
    return np.divide(reached, ideal, out=np.zeros_like(reached), where=ideal > 0)


def _popularity(evidence: Evidence) -> Ints:
    """Return how many current runs return each candidate within the pool's depth."""
    return evidence.structure.times_pooled(evidence.current_runs(), evidence.depth_at())


def _known_gains(judged: Judged) -> Floats:
    """Return the gain of every item, NaN where nothing is judged; what no ideal may hold is worth 0."""
    gains = np.where(judged.judged, judged.gain[: judged.absent], np.nan)
    if judged.ruler.ideal == "pool":
        gains[judged.judged & ~judged.pooled] = 0.0
    return gains
