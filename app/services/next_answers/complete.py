"""The questions of a project whose whole pool is rated: what a replay starts from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.priority import Candidates
from app.scoring.simulation import Truth

if TYPE_CHECKING:
    from app.scoring.arrays import Floats, Ints
    from app.scoring.discounts import Discounts
    from app.services.comparison import Basis
    from app.services.evidence import Evidence

LEAST_RANKERS = 3
LEAST_QUESTIONS = 10
# Of more the best ones are put in order, or nobody could wait for it.
MOST_RANKERS = 16


@dataclass(frozen=True)
class TooLittle:
    """Why nothing is measured: fewer rankers, or fewer complete questions, than the rule wants."""

    rankers: int
    questions: int


@dataclass(frozen=True)
class Complete:
    """The complete questions: their items in order of the queries, as `Candidates` and `Truth` want them."""

    query: Ints
    weights: Floats
    popularity: Ints
    gains: Floats
    highest: float
    discounts: Discounts
    all_rankers: int

    @property
    def queries(self) -> Ints:
        """The places of the complete questions."""
        return np.unique(self.query)

    def truth(self, chosen: Ints) -> Truth:
        """Return the complete judgments of some questions."""
        chosen = np.sort(chosen)
        mine = np.flatnonzero(np.isin(self.query, chosen))
        candidates = Candidates(
            query=np.searchsorted(chosen, self.query[mine]),
            weights=self.weights[:, mine],
            pooled=np.ones(len(mine), dtype=np.bool_),
            current=np.ones(len(self.weights), dtype=np.bool_),
            popularity=self.popularity[mine],
        )
        return Truth(candidates, self.gains[mine], self.discounts, len(chosen), self.highest)


def complete_questions(basis: Basis, dealing: str) -> tuple[bytes, Complete | TooLittle]:
    """Return what a replay starts from, and a hash of all it rests on; too little is said as such.

    Complete is a query whose whole pool is rated, with something of gain in it, that all rankers cover.
    """
    evidence, runs = basis.evidence, _best_runs(basis)
    judged = basis.board.judged
    structure, queries = evidence.structure, len(evidence.structure.query_id)
    pooled = np.bincount(structure.query[judged.pooled], minlength=queries)
    rated = np.bincount(structure.query[judged.pooled & judged.judged], minlength=queries)
    complete = (pooled > 0) & (rated == pooled) & evidence.active_queries() & judged.scored
    complete &= evidence.covered(runs).all(axis=0)
    if len(runs) < LEAST_RANKERS or complete.sum() < LEAST_QUESTIONS:
        return b"", TooLittle(len(runs), int(complete.sum()))
    times = structure.times_pooled(runs, evidence.depth_at())
    items = np.flatnonzero(judged.pooled & complete[structure.query] & (times > 0))
    ready = Complete(
        query=structure.query[items],
        weights=_weights(evidence, runs, items),
        popularity=times[items],
        gains=judged.gain[: judged.absent][items],
        highest=judged.ruler.largest_gain,
        discounts=judged.ruler.discounts(basis.board.ruler.k),
        all_rankers=len(basis.board.runs),
    )
    said = hashlib.sha256(f"{dealing}|{evidence.ruler_at().fingerprint}".encode())
    for part in (ready.query, ready.weights, ready.gains):
        said.update(np.ascontiguousarray(part).tobytes())
    return said.digest(), ready


def _best_runs(basis: Basis) -> list[int]:
    """Return the places of the rankers that are put in order: of very many the best, in order of the rows."""
    means = [row.measures[basis.board.headline] or 0.0 for row in basis.board.runs]
    best = sorted(range(len(means)), key=lambda row: -means[row])[:MOST_RANKERS]
    return [basis.places[row] for row in sorted(best)]


def _weights(evidence: Evidence, runs: list[int], items: Ints) -> Floats:
    """Return the discount at which each run returns each item: float64 (runs, items)."""
    structure = evidence.structure
    discounts = evidence.judged().ruler.discounts(evidence.ruler_at().k)
    queries = np.unique(structure.query[items])
    # What is not among the items goes to a column of its own, which is left behind.
    column = np.full(structure.cells + 2, len(items))
    column[items] = np.arange(len(items))
    table = np.zeros((len(runs), len(items) + 1))
    for rank in range(min(discounts.depth, len(structure.positions))):
        places = structure.positions[rank][runs][:, queries]
        np.put_along_axis(table, column[places], discounts.weights[rank], axis=1)
    return table[:, :-1]
