"""What is missing for the next look, and for a pair: unjudged answers, and the queries they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Ints
    from app.scoring.look_forecast import Forecast
    from app.scoring.milestones import Milestone
    from app.services.comparison.basis import Basis
    from app.services.comparison.walking import PlanState


@dataclass(frozen=True)
class Missing:
    """Unjudged answers in the top k of some runs: how many, and in which queries (by place)."""

    answers: int
    queries: tuple[int, ...]


@dataclass(frozen=True)
class NextLook:
    """The look that the present plan heads for.

    Attributes
    ----------
    number
        Which look of the plan it is, counted from 1.
    milestone
        The scored queries it comes at, or "all".
    length
        The queries in the order.
    missing
        What stands in its way.
    forecast
        The look that comes once nothing does: it can be a later one than `milestone`, even the last, where
        the queries behind are ready already.
    """

    number: int
    milestone: Milestone
    length: int
    missing: Missing
    forecast: Forecast


def missing_of(basis: Basis, rows: Sequence[int], queries: Ints | None = None) -> Missing:
    """Return what nobody has judged in the top k of some rows.

    Parameters
    ----------
    queries
        Places of the queries to look at; by default the active ones that all rows cover.
    """
    chosen = np.flatnonzero(basis.covered[list(rows)].all(axis=0)) if queries is None else queries
    lists = basis.evidence.lists([basis.places[row] for row in rows], basis.board.ruler.k)
    cells = np.unique(lists.positions[:, :, chosen])
    unjudged = cells[basis.board.judged.open_cells[cells]]
    found = np.unique(basis.evidence.structure.query[unjudged])
    return Missing(len(unjudged), tuple(found.tolist()))


def next_look_of(basis: Basis, state: PlanState | None) -> NextLook | None:
    """Return the next look of the present plan; None without a plan or after its last look."""
    if state is None or state.milestone is None or state.forecast is None or not len(state.order):
        return None
    return NextLook(
        number=len(state.taken) + 1,
        milestone=state.milestone,
        length=state.walk.length,
        missing=missing_of(basis, range(len(basis.board.runs)), state.waiting),
        forecast=state.forecast,
    )
