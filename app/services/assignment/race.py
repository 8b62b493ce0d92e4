"""The open race of a project: how much each answer's rating is worth now, shared by all its annotators.

Everything is worked out on the evidence, outside any write session, and kept for 25 ratings.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from app.scoring.priority import Candidates, openness_of, race_priority
from app.scoring.simulation import REFRESH
from app.services.comparison import Basis, basis_of, state_of
from app.services.comparison.estimate import expected_ndcg
from app.services.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from app.scoring.arrays import Flags, Floats
    from app.services.evidence import Evidence

# A version registered so lately is to become readable soon.
FRESH = timedelta(days=7)
MOST_KEPT = 8
# Of more races the most open ones are looked at: the settled ones weigh next to nothing.
MOST_RACES = 300
# Candidates times runs that are laid out at a time.
PART = 2_000_000


@dataclass(frozen=True)
class Race:
    """Where ratings count most in a project; the same for all annotators.

    Attributes
    ----------
    priority
        float64 (candidates,): by the open-race rule.
    pooled_since
        float64 (candidates,): since when an active run brings it into the pool, seconds of the epoch;
        infinite outside the pool.
    block
        bool (queries,): in the open milestone block.
    openness
        float64 (pairs,): how open the race of every two current runs is, in the order of
        ``combinations(evidence.current_runs(), 2)``; of very many, settled ones are 0.
    """

    priority: Floats
    pooled_since: Floats
    block: Flags
    openness: Floats


_shelf: Shelf[Race] = Shelf(MOST_KEPT)


def race_of(evidence: Evidence, now: datetime) -> Race:
    """Return the race of a project, at most 25 ratings old."""
    fresh = _fresh(evidence, now)
    key = (len(evidence.ledger) // REFRESH, evidence.ruler_at().fingerprint, tuple(fresh))
    return _shelf.kept_or_made(evidence.structure.positions, key, lambda: _race(evidence, fresh))


def _fresh(evidence: Evidence, now: datetime) -> list[bool]:
    """Return which of the current runs were registered within the last seven days."""
    return [run.registered_at > now - FRESH for run in evidence.run_facts(evidence.current_runs())]


def _race(evidence: Evidence, fresh: list[bool]) -> Race:
    basis = basis_of(evidence)
    state = state_of(basis)
    block = np.zeros(len(evidence.structure.query_id), dtype=np.bool_)
    if state is not None:
        block[state.waiting] = True
    openness = _openness(basis, fresh)
    return Race(_priority(basis, openness), _pooled_since(evidence), block, openness)


def _priority(basis: Basis, openness: Floats) -> Floats:
    evidence = basis.evidence
    active, current = evidence.active_runs(), set(basis.places)
    is_current = np.array([place in current for place in active], dtype=np.bool_)
    # The races stand in the order of the scoreboard's rows, the runs in that of the evidence.
    row = {place: number for number, place in enumerate(basis.places)}
    turn = np.array([row[place] for place in active if place in current], dtype=np.int64)
    openness = _turned(openness, turn)
    return _by_parts(basis, active, is_current, openness)


def _openness(basis: Basis, fresh: list[bool]) -> Floats:
    """Return how open each race is, the rows as in the scoreboard; races beyond the most open ones are 0."""
    judged = basis.board.judged
    rated = np.zeros(judged.queries, dtype=np.bool_)
    rated[judged.query[judged.judged]] = True
    scores = expected_ndcg(basis.evidence, basis.board)[:, rated & basis.evidence.active_queries()]
    openness = openness_of(scores, np.array(fresh, dtype=np.bool_))
    if len(openness) > MOST_RACES:
        openness[np.argsort(-openness, kind="stable")[MOST_RACES:]] = 0.0
    return openness


def _turned(openness: Floats, turn: Any) -> Floats:
    """Return the races of rows given in another order."""
    size = len(turn)
    table = np.zeros((size, size))
    first, second = np.triu_indices(size, 1)
    table[first, second] = table[second, first] = openness
    return np.asarray(table[np.ix_(turn, turn)][first, second])


def _by_parts(basis: Basis, active: Sequence[int], is_current: Flags, openness: Floats) -> Floats:
    """Return the priority of every candidate, a stretch of queries at a time."""
    evidence = basis.evidence
    structure, k = evidence.structure, basis.board.ruler.k
    weights = basis.board.judged.ruler.discounts(k).weights
    queries = len(structure.query_id)
    starts = np.searchsorted(structure.query, np.arange(queries + 1))
    each = max(1, int(PART * queries / max(1, structure.cells * max(1, len(active)))))
    found = np.zeros(structure.cells)
    for first in range(0, queries, each):
        last = min(queries, first + each)
        low, high = int(starts[first]), int(starts[last])
        table = np.zeros((len(active), high - low + 1))
        for rank in range(min(k, len(structure.positions))):
            places = structure.positions[rank][active, first:last]
            here = np.where(places < structure.cells, places - low, high - low)
            np.put_along_axis(table, here, weights[rank], axis=1)
        candidates = Candidates(
            query=structure.query[low:high],
            weights=table[:, :-1],
            pooled=np.zeros(0, dtype=np.bool_),
            current=is_current,
            popularity=np.zeros(0, dtype=np.int64),
        )
        found[low:high] = race_priority(candidates, openness)
    return found


def _pooled_since(evidence: Evidence) -> Floats:
    """Return since when an active run brings each candidate into the pool."""
    since = np.full(evidence.structure.cells, np.inf)
    depth = evidence.depth_at()
    for place in evidence.active_runs():
        at = evidence.structure.runs[place].registered_at.timestamp()
        mine = evidence.structure.pooled_by([place], depth)
        since[mine] = np.minimum(since[mine], at)
    return since
