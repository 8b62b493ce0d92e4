"""What every verdict of one moment rests on: the scoreboard, and what is worked out from it only once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.scoring.verdict import is_provisional
from app.services.comparison.closed import closed_queries, unratable
from app.services.comparison.kept_bounds import run_bounds_of
from app.services.evaluation import Scoreboard, score_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags, Floats, Ints
    from app.services.evidence import Evidence


KEPT_AS = "basis"


class OpenAtTop(NamedTuple):
    """Unjudged candidates by place, int64 (n,), and which run has each in its top k: bool (runs, n)."""

    cells: Ints
    held: Flags


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

    @property
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
    def unratable(self) -> Flags:
        """Which candidates cannot be rated today: bool (candidates,)."""
        return unratable(self.evidence)

    @cached_property
    def closed(self) -> Flags:
        """Which queries are closed for each run: bool (runs, queries)."""
        return closed_queries(self.evidence, self.board.judged, self.places, self.board.ruler.k)

    @cached_property
    def open_at_top(self) -> OpenAtTop:
        """The unjudged candidates, and which of them each run has in its top k."""
        open_cells = self.board.judged.open_cells
        cells = np.flatnonzero(open_cells)
        held = np.zeros((len(self.places), len(cells)), dtype=np.bool_)
        if len(cells):
            number = np.empty(len(open_cells), dtype=np.int64)
            number[cells] = np.arange(len(cells))
            for row in range(len(self.places)):
                mine = self.top_lists[:, row]
                held[row, number[mine[open_cells.take(mine)]]] = True
        return OpenAtTop(cells, held)

    @cached_property
    def top_lists(self) -> Ints:
        """The lists cut at k, as places of candidates: int32 (depth, runs, queries)."""
        return self.evidence.lists(self.places, self.board.ruler.k).positions

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
