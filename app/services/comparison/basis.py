"""What every verdict of one moment rests on: the scoreboard, and what is worked out from it only once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.verdict import is_provisional
from app.services.comparison.closed import closed_queries
from app.services.comparison.kept_bounds import run_bounds_of
from app.services.evaluation import Scoreboard, score_runs
from app.services.evidence.layout import pool_bits
from app.services.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from app.scoring.arrays import Flags, Floats
    from app.services.evidence import Evidence

    Bits = NDArray[np.uint8]


KEPT_AS = "basis"
MOST_KEPT = 4

_tops: Shelf[Bits] = Shelf(MOST_KEPT)


@dataclass(frozen=True)
class Basis:
    """Scores of some runs under the present ruler, with today's judgments.

    Rows are those of the scoreboard, columns the queries of the evidence.
    """

    evidence: Evidence
    board: Scoreboard

    @property
    def values(self) -> Floats:
        """The headline measure: float64 (runs, queries), NaN where a query has no score."""
        return self.board.values[self.board.headline]

    @property
    def weight_judged(self) -> Floats:
        """The judged share of the discounts of what was returned: float64 (runs, queries)."""
        return self.board.values[f"weight-judged@{self.board.ruler.k}"]

    @property
    def complete(self) -> bool:
        """Whether the owner declared the grades complete."""
        return self.board.ruler.unjudged == "complete"

    @property
    def bounded(self) -> bool:
        """Whether the unjudged items leave something open that can be bounded."""
        return self.board.ruler.ideal != "returned"

    @cached_property
    def places(self) -> list[int]:
        """The runs as places in the evidence, by row."""
        return [scored.place for scored in self.board.runs]

    @cached_property
    def rows(self) -> dict[int, int]:
        """The row of every run by its number in the database."""
        return {scored.run.id: row for row, scored in enumerate(self.board.runs)}

    @cached_property
    def covered(self) -> Flags:
        """Which active queries each run covers: bool (runs, queries)."""
        return self.evidence.covered(self.places) & self.evidence.active_queries()

    @cached_property
    def possible(self) -> Flags:
        """The active queries that are scored or could become so: bool (queries,)."""
        return np.asarray(self.board.scored | self.board.unjudged)

    @cached_property
    def closed(self) -> Flags:
        """Which queries are closed for each run: bool (runs, queries)."""
        return closed_queries(self.evidence, self.board.judged, self.places, self.board.ruler.k)

    @cached_property
    def tops(self) -> Bits:
        """Which candidates each run has in its top k, one bit each: uint8 (runs, bytes)."""
        structure, places, k = self.evidence.structure, self.places, self.board.ruler.k

        def make() -> Bits:
            return pool_bits(self.evidence.lists(places, k).positions, [k], structure.cells)[k]

        return _tops.kept_or_made(structure.positions, (tuple(places), k), make)

    @cached_property
    def bounds(self) -> list[tuple[float, float] | None]:
        """How low and how high each row's mean can still come out, as by `evaluation.bounds_of`."""
        return self.bounds_over(self.board.counted)

    def bounds_over(self, counted: Flags) -> list[tuple[float, float] | None]:
        """Return the same over other queries: bool (queries,) or (runs, queries)."""
        if not self.bounded:
            return [None] * len(self.board.runs)
        if counted.ndim == 1 and (self.board.counted == counted).all():
            return self.bounds  # every run counts these very queries
        return run_bounds_of(self).means(counted)

    @cached_property
    def provisional(self) -> list[bool]:
        """Whether each row's score is provisional: too much of what it rests on is missing."""
        return [self._is_provisional(row) for row in range(len(self.board.runs))]

    def _is_provisional(self, row: int) -> bool:
        weight = self.board.runs[row].judged[f"weight-judged@{self.board.ruler.k}"]
        if weight is None:
            return False
        low, high = self.bounds[row] or (0.0, 0.0)
        return is_provisional(weight, high - low, complete=self.complete)


def basis_of(evidence: Evidence, runs: Sequence[int] | None = None) -> Basis:
    """Return the basis for some runs, by their places in the evidence; the current ones by default.

    That of the current runs is kept until the next revision: every page of an owner rests on it.
    """
    if runs is not None:
        return _made(evidence, runs)
    kept: Basis | None = evidence.memory.kept.get(KEPT_AS)
    if kept is None or kept.evidence is not evidence:
        kept = _made(evidence, evidence.current_runs())
        evidence.memory.kept[KEPT_AS] = kept
    return kept


def _made(evidence: Evidence, runs: Sequence[int]) -> Basis:
    return Basis(evidence, score_runs(evidence, runs, measures=f"weight-judged@{evidence.ruler_at().k}"))
