"""Whole lists, for measures that read beyond the depth that evidence holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Ranking
from app.scoring.lists import Lists
from app.services.evidence.reading import read_rankings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from app.services.evidence.state import Evidence


def full_lists(session: Session, evidence: Evidence, runs: Sequence[int]) -> Lists:
    """Return the whole lists of some runs, read from the database."""
    structure = evidence.structure
    chosen = tuple(structure.runs[place] for place in runs)
    deepest = int(structure.lengths[list(runs)].max(initial=1))
    documents, lengths = read_rankings(session, chosen, structure.query_id, max(deepest, 1))
    return Lists(structure.positions_of(documents), lengths)


def list_of_run(session: Session, evidence: Evidence, run_id: int, place: int) -> list[int]:
    """Return one run's whole list for one query, as document numbers."""
    packed = session.scalar(
        select(Ranking.document_ids).where(
            Ranking.run_id == run_id, Ranking.query_id == int(evidence.structure.query_id[place])
        )
    )
    return np.frombuffer(bytes(packed), dtype="<i4").tolist() if packed else []
