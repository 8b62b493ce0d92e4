"""What nobody has rated yet in the top k of some runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Ints
    from app.services.comparison.basis import Basis


@dataclass(frozen=True)
class Missing:
    """Unrated answers: how many, and how many of them can be rated today."""

    answers: int
    ratable: int

    @property
    def unratable(self) -> int:
        """The answers that wait for an owner: without a text, or passed on by annotators."""
        return self.answers - self.ratable


def missing_of(basis: Basis, rows: Sequence[int]) -> Missing:
    """Return what nobody has rated in the top k of some rows, over the queries that all of them cover."""
    found = _unrated_cells(basis, rows, rows)
    return Missing(len(found), int(np.count_nonzero(~basis.unratable[found])))


def unrated_by_question(basis: Basis, rows: Sequence[int], only: Sequence[int] | None = None) -> Ints:
    """Return how many answers in the top k of some rows nobody has rated: int (queries,).

    Parameters
    ----------
    rows
        Over the queries that all of them cover.
    only
        Of the answers of these rows alone.
    """
    structure = basis.evidence.structure
    found = _unrated_cells(basis, rows, rows if only is None else only)
    return np.bincount(structure.query[found], minlength=len(structure.query_id))


def _unrated_cells(basis: Basis, rows: Sequence[int], only: Sequence[int]) -> Ints:
    waiting = basis.open_at_top
    found = waiting.cells[waiting.held[list(only)].any(axis=0)]
    covered = basis.covered[list(rows)].all(axis=0)
    return found if covered.all() else found[covered[basis.evidence.structure.query[found]]]
