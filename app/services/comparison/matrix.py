"""All pairs of the best rankers at once, as a square."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from app.scoring.means import mean_of
from app.services.comparison.wording import signed_gap
from app.services.evaluation import best_first

if TYPE_CHECKING:
    from app.services.comparison.basis import Basis
    from app.services.evidence.structure import RunFact

MOST_RANKERS = 12


@dataclass(frozen=True)
class Cell:
    """The row's ranker against the column's: `mean` is the row's score minus the column's.

    Gaps are looked at here, not tested: the page of two rankers says how sure one is.
    """

    row: RunFact
    column: RunFact
    mean: float | None
    n: int

    @property
    def text(self) -> str:
        """The gap in points as it is shown: whole, with its sign."""
        return signed_gap(self.mean)


@dataclass(frozen=True)
class Matrix:
    """The best rankers, best first; `cells[row][column]` is None on the diagonal.

    `left_out` counts the rankers that are not among the best.
    """

    runs: list[RunFact]
    cells: list[list[Cell | None]]
    left_out: int


def matrix_of(basis: Basis) -> Matrix:
    """Return the gap between every two of the best rankers, each pair on its own common queries."""
    order = best_first(basis.board)
    best = order[:MOST_RANKERS]
    cells: dict[tuple[int, int], Cell] = {}
    for a, b in combinations(best, 2):
        queries = basis.board.counted[a] & basis.board.counted[b]
        mean = mean_of(basis.values[a, queries] - basis.values[b, queries])
        runs, n = (basis.board.runs[a].run, basis.board.runs[b].run), int(queries.sum())
        cells[a, b] = Cell(runs[0], runs[1], mean, n)
        cells[b, a] = Cell(runs[1], runs[0], None if mean is None else -mean, n)
    return Matrix(
        runs=[basis.board.runs[row].run for row in best],
        cells=[[cells.get((a, b)) for b in best] for a in best],
        left_out=len(order) - len(best),
    )
