"""What nobody has rated yet in the top k of some runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.services.comparison.basis import Basis


@dataclass(frozen=True)
class Missing:
    """Unrated answers: how many, in which queries (by place), and how many of them can be rated today."""

    answers: int
    queries: tuple[int, ...]
    ratable: int

    @property
    def unratable(self) -> int:
        """The answers that wait for an owner: without a text, or passed on by annotators."""
        return self.answers - self.ratable


def missing_of(basis: Basis, rows: Sequence[int]) -> Missing:
    """Return what nobody has rated in the top k of some rows, over the queries that all of them cover."""
    open_cells = basis.board.judged.open_cells
    if not open_cells.any():
        return Missing(0, (), 0)
    chosen = np.flatnonzero(basis.covered[list(rows)].all(axis=0))
    lists = basis.top_lists[:, list(rows)][:, :, chosen]
    found = np.unique(lists[open_cells.take(lists)])
    queries = np.unique(basis.evidence.structure.query[found])
    ratable = int(np.count_nonzero(~basis.unratable[found]))
    return Missing(len(found), tuple(queries.tolist()), ratable)
