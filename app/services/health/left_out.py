"""Pool bias: what each ranker's score owes to having helped to make the pool (leave one ranker out).

A ranker whose answers nobody else returns is rated on them because it was there when the pool was made. A
ranker that comes later has no such luck: its own answers count 0 until they are rated. So each ranker is
scored once as if it had come later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.judged import RELEVANT, judged_of
from app.scoring.means import mean_of
from app.scoring.tau import kendall_tau
from app.services.evaluation import score_runs
from app.services.evidence.state import consensus_at
from app.services.rulers import scoring_ruler

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Floats
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact

EARLY = 10
"""Fewer scored queries than this say nothing about an order."""
MOST = 40
"""Rankers that are left out one by one; each of them costs a scoring of all."""
KEPT = "left out"


@dataclass(frozen=True)
class LeftOut:
    """What becomes of one ranker without what only it brought into the pool.

    Attributes
    ----------
    only, relevant
        Pool answers that only its versions return, and those of them known to be relevant.
    queries
        Queries that all rankers cover and that are scored with and without these answers: the scores are
        over them.
    lost
        Scored queries that have no score without them.
    score, without
        The ranker's mean nDCG@k as it is, and without them; None without a query.
    rank, rank_without
        Its place among the rankers, 1 the best, in both cases.
    tau
        Kendall's tau of the order of all rankers in both cases; None where it means nothing.
    """

    run: RunFact
    only: int
    relevant: int
    queries: int
    lost: int
    score: float | None
    without: float | None
    rank: int | None
    rank_without: int | None
    tau: float | None

    @property
    def change(self) -> float | None:
        """What it would lose."""
        if self.score is None or self.without is None:
            return None
        return self.without - self.score

    @property
    def early(self) -> bool:
        """Whether too few queries are scored to say anything."""
        return self.queries < EARLY


def left_out(evidence: Evidence, board: Scoreboard) -> list[LeftOut]:
    """Return this for each ranker of a board of the current runs, in its order; kept for the revision.

    Of more than `MOST` rankers, for those that brought most answers of their own.
    """
    kept = evidence.memory.kept.get(KEPT)
    key = (evidence.revision, board.ruler.fingerprint, tuple(scored.run.id for scored in board.runs))
    if kept is None or kept[0] != key:
        own = [only_of(evidence, scored.run.ranker_id) for scored in board.runs]
        most = sorted(range(len(own)), key=lambda row: -int(own[row].sum()))[:MOST]
        kept = (key, [_left_out(evidence, board, row, own[row]) for row in sorted(most)])
        evidence.memory.kept[KEPT] = kept
    found: list[LeftOut] = kept[1]
    return found


def _left_out(evidence: Evidence, board: Scoreboard, row: int, only: Flags) -> LeftOut:
    relevant = only & (board.judged.state[: board.judged.absent] == RELEVANT)
    other = _board_without(evidence, board, only)
    queries = board.common & other.common
    before = _means(board, queries)
    after = _means(other, queries)
    known = bool(queries.any())
    return LeftOut(
        run=board.runs[row].run,
        only=int(only.sum()),
        relevant=int(relevant.sum()),
        queries=int(queries.sum()),
        lost=int((board.scored & ~other.scored).sum()),
        score=float(before[row]) if known else None,
        without=float(after[row]) if known else None,
        rank=_rank(before, row) if known else None,
        rank_without=_rank(after, row) if known else None,
        tau=kendall_tau(before, after) if known and queries.sum() >= EARLY else None,
    )


def only_of(evidence: Evidence, ranker_id: int) -> Flags:
    """Return which pool answers of active queries only the active versions of a ranker return."""
    runs = evidence.structure.runs
    others = [place for place in evidence.active_runs() if runs[place].ranker_id != ranker_id]
    elsewhere = (
        evidence.structure.pooled_by(others, evidence.depth_at())
        if others
        else np.zeros(evidence.structure.cells, dtype=np.bool_)
    )
    return evidence.pooled() & ~elsewhere & evidence.active_queries()[evidence.structure.query]


def _board_without(evidence: Evidence, board: Scoreboard, only: Flags) -> Scoreboard:
    judged = judged_of(
        consensus_at(evidence, board.ruler).without(only),
        evidence.structure.query,
        scoring_ruler(board.ruler),
        queries=len(evidence.structure.query_id),
        pooled=board.judged.pooled & ~only,
    )
    return score_runs(evidence, [scored.place for scored in board.runs], ruler=board.ruler, judged=judged)


def _means(board: Scoreboard, queries: Flags) -> Floats:
    means = [mean_of(row[queries]) for row in board.values[board.headline]]
    return np.array([np.nan if mean is None else mean for mean in means])


def _rank(means: Floats, row: int) -> int:
    return int(np.count_nonzero(means > means[row] + 1e-12)) + 1
