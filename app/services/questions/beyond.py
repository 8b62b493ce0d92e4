"""What rankers hold below the cutoff: the gain that a deeper look would have found (EVALUATION.md 7.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.services.evidence.reading import read_rankings

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Floats
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence

DEEPEST = 50
AT_ONCE = 16
"""Rankers whose lists are held in memory together."""


def gain_beyond(session: Session, evidence: Evidence, board: Scoreboard) -> Floats:
    """Return the gain that one ranker's list holds from place k + 1 to place 50, the most of all: (queries,).

    Lists are read from the database, so this is for those who ask for it.
    """
    structure, k = evidence.structure, board.ruler.k
    most = np.zeros(len(structure.query_id))
    for first in range(0, len(board.runs), AT_ONCE):
        runs = tuple(scored.run for scored in board.runs[first : first + AT_ONCE])
        documents, _ = read_rankings(session, runs, structure.query_id, DEEPEST)
        below = board.judged.gain.take(structure.positions_of(documents)[k:])
        np.maximum(most, below.sum(axis=0).max(axis=0), out=most)
    return most
