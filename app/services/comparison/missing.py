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
    unrated, stuck = basis.board.judged.open, unratable(basis.evidence)
    waiting, ratable = np.packbits(unrated), np.packbits(unrated & ~stuck)
    query, found = basis.evidence.structure.query, []
    for a, b in pairs:
        held, covered = basis.tops[a] | basis.tops[b], basis.covered[a] & basis.covered[b]
        if not covered.all():
            held &= np.packbits(covered.take(query))
        answers, left = (int(np.bitwise_count(held & some).sum()) for some in (waiting, ratable))
        found.append(Missing(answers, left))
    return found


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
    covered = basis.covered[list(rows)].all(axis=0)
    return np.where(covered, np.bincount(structure.query[held], minlength=len(covered)), 0)
