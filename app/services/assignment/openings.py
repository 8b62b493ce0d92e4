"""What is left for a person, worked out on the evidence's arrays: quick in a project of any size.

The arrays may be a moment old. They choose where to look; `deal_batch` decides, in the database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.services.assignment.eligibility import free_for
from app.services.assignment.slots import BATCH_SIZE

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Ints
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class Openings:
    """The answers that may be assigned to one person.

    Attributes
    ----------
    query_id
        int64 (answers,): the query of each.
    first
        How many of them have no rating yet.
    """

    query_id: Ints
    first: int

    def suffices(self, each: int, *, others: int) -> bool:
        """Tell whether as many batches are left for everybody at work: then some are assigned ahead of need.

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


def openings_of(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime
) -> Openings:
    """Return what may be assigned to a person."""
    free, structure = free_for(session, evidence, project, person_id, now), evidence.structure
    first = int(np.count_nonzero(free.eligible & (free.ratings == 0)))
    return Openings(structure.query_id[structure.query[free.eligible]], first)
