"""What nobody has rated yet in the top k of some runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.services.comparison.closed import unratable

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


def missing_of(basis: Basis, pairs: Sequence[tuple[int, int]]) -> list[Missing]:
    """Return what nobody has rated in the top k of each pair of rows, over the queries that both cover."""
    first, second = np.array(pairs).T
    unrated = basis.board.judged.open
    ratable = unrated & ~unratable(basis.evidence)
    held, covered = basis.tops[first] | basis.tops[second], basis.covered[first] & basis.covered[second]
    for pair in np.flatnonzero(~covered.all(axis=1)).tolist():
        held[pair] &= np.packbits(covered[pair].take(basis.evidence.structure.query))
    counts = [np.bitwise_count(held & np.packbits(some)).sum(axis=1).tolist() for some in (unrated, ratable)]
    return [Missing(*numbers) for numbers in zip(*counts, strict=True)]


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
    tops = np.bitwise_or.reduce(basis.tops[list(rows if only is None else only)], axis=0)
    held = np.unpackbits(tops, count=structure.cells).view(np.bool_) & basis.board.judged.open
    covered = np.asarray(basis.covered[list(rows)].all(axis=0))
    return np.where(covered, np.bincount(structure.query[held], minlength=len(covered)), 0)
