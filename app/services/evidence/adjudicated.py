"""What adjudicators decided: their newest decision stands alone for its candidate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.models import Origin
from app.services.evidence.changes import with_voids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Ints
    from app.services.evidence.changes import Void
    from app.services.evidence.ledger import Ledger


@dataclass(frozen=True)
class Decisions:
    """All adjudications in revision order, and where edits of a document ended them.

    Attributes
    ----------
    revision, cell
        integers (decisions,): when, and the place of the candidate.
    column
        int8 (decisions,): the grade that was chosen, as a column; -1 where it was taken back or ended.
    """

    revision: Ints
    cell: Ints
    column: Ints


def decisions_of(
    ledger: Ledger,
    cell: Ints,
    own: Ints,
    *,
    lowest: int,
    voids: Sequence[Void] = (),
    only_blind: bool = False,
) -> Decisions:
    """Return the adjudications of a ledger.

    Parameters
    ----------
    cell, own
        integers (rows,): the place of each row's candidate; of merged documents each its own.
    voids
        Edits of documents: what was decided about an older text decides no more.
    only_blind
        Leave out adjudications by people who could see rankers.
    """
    kept = (ledger.role == Origin.ADJUDICATION) & (cell >= 0)
    rows = np.flatnonzero(kept & ledger.blind if only_blind else kept)
    revision, cells, grade = ledger.revision[rows], cell[rows], ledger.grade[rows]
    column = np.where(grade >= 0, grade - lowest, -1).astype(np.int8)
    return Decisions(*with_voids(revision, cells, own[rows], column, voids))


def adjudicated_until(decisions: Decisions, cells: int, revision: int) -> Ints | None:
    """Return the column an adjudicator chose for each cell (-1 for none), or None without any."""
    until = int(np.searchsorted(decisions.revision, revision, side="right"))
    if not until:
        return None
    chosen: Ints = np.full(cells, -1, dtype=np.int64)
    # The newest decision of each cell: the first of it when read backwards.
    newest, index = np.unique(decisions.cell[:until][::-1], return_index=True)
    chosen[newest] = decisions.column[:until][::-1][index]
    return chosen
