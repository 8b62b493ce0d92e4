"""All pairs of the best rankers at once, as a square."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from app.services.comparison.pairs import pair_verdicts
from app.services.evaluation import best_first

if TYPE_CHECKING:
    from app.services.comparison.basis import Basis
    from app.services.comparison.walking import PlanState
    from app.services.evidence.structure import RunFact

MOST_RANKERS = 12


@dataclass(frozen=True)
class Cell:
    """The row's ranker against the column's: points are the row's score minus the column's, times 100.

    `ahead` is 1 where the word says that the row is ahead, -1 for the column, 0 where it names nobody.
    """

    row: RunFact
    column: RunFact
    word: str
    points: float | None
    ahead: int
    n: int

    @property
    def text(self) -> str:
        """The points as they are shown: whole, with their sign."""
        if self.points is None:
            return "–"
        whole = int(abs(self.points) + 0.5)
        return f"{'−' if self.points < 0 else '+'}{whole}" if whole else "0"


@dataclass(frozen=True)
class Matrix:
    """The best rankers, best first; `cells[row][column]` is None on the diagonal.

    `left_out` counts the rankers that are not among the best.
    """

    runs: list[RunFact]
    cells: list[list[Cell | None]]
    left_out: int


def matrix_of(basis: Basis, state: PlanState | None) -> Matrix:
    """Return the verdict on every two of the best rankers, each pair on its own common queries."""
    order = best_first(basis.board)
    best = order[:MOST_RANKERS]
    pairs = list(combinations(best, 2))
    cells: dict[tuple[int, int], Cell] = {}
    for (a, b), found in zip(pairs, pair_verdicts(basis, pairs, state=state), strict=True):
        points = None if found.mean is None else found.mean * 100
        word, ahead = found.verdict.word, found.verdict.ahead
        cells[a, b] = Cell(found.first, found.second, word, points, ahead, found.n)
        cells[b, a] = Cell(
            found.second, found.first, word, None if points is None else -points, -ahead, found.n
        )
    return Matrix(
        runs=[basis.board.runs[row].run for row in best],
        cells=[[cells.get((a, b)) for b in best] for a in best],
        left_out=len(order) - len(best),
    )
