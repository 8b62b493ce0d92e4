"""What is left for a person, worked out on the evidence's arrays: quick in a project of any size.

The arrays may be a moment old. They choose where to look; `deal_batch` decides, in the database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.services.assignment.free import free_for
from app.services.assignment.slots import BATCH_SIZE

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Flags, Ints
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class Openings:
    """The answers that may be dealt to one person.

    Attributes
    ----------
    query_id
        int64 (answers,): the query of each, the best placed answer first.
    """

    query_id: Ints

    def suffices(self, each: int, *, others: int) -> bool:
        """Tell whether as many batches are left for everybody at work: then some are dealt ahead of need.

        Whoever is alone takes them from nobody.
        """
        return not others or self.batches >= each * (1 + others)

    @property
    def batches(self) -> int:
        """The number of batches that they fill, each of one query."""
        _, answers = np.unique(self.query_id, return_counts=True)
        return int(np.ceil(answers / BATCH_SIZE).sum())

    @property
    def answers(self) -> int:
        """The number of answers."""
        return len(self.query_id)

    @property
    def queries(self) -> list[int]:
        """The queries, in the order in which they are dealt."""
        numbers, first = np.unique(self.query_id, return_index=True)
        return [int(number) for number in numbers[np.argsort(first)]]


def openings_of(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime
) -> Openings:
    """Return what may be dealt to a person, best placed first."""
    return in_depth_order(evidence, free_for(session, evidence, project, person_id, now).dealable)


def in_depth_order(evidence: Evidence, dealable: Flags) -> Openings:
    """Return what may be dealt, best placed first."""
    structure = evidence.structure
    rank = _best_ranks(evidence)
    cells = np.flatnonzero(dealable)
    query_id = structure.query_id[structure.query[cells]]
    return Openings(query_id[np.lexsort((query_id, rank[cells]))])


def _best_ranks(evidence: Evidence) -> Ints:
    """Return the best place of each candidate in an active run: int32 (candidates,).

    Evidence holds the lists as deep as they are scored; what is pooled deeper comes after all that.
    """
    structure = evidence.structure
    positions = structure.positions[:, evidence.active_runs(), :]
    # One more for places without a candidate, and one for answers that a list returns again.
    ranks = np.full(structure.cells + 2, len(positions) + 1, dtype=np.int32)
    for rank in range(len(positions) - 1, -1, -1):
        ranks[positions[rank]] = rank + 1
    return ranks[:-2]
