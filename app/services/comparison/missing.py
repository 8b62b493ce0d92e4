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
    chosen = list(rows)
    found = np.flatnonzero(basis.open_at_top[chosen].any(axis=0))
    if not len(found):
        return Missing(0, (), 0)
    query = basis.evidence.structure.query[found]
    inside = basis.covered[chosen].all(axis=0)[query]
    found, query = found[inside], query[inside]
    # Candidates come query by query.
    first = np.append(True, query[1:] != query[:-1])[: len(query)]
    ratable = int(np.count_nonzero(~basis.unratable[found]))
    return Missing(len(found), tuple(query[first].tolist()), ratable)
