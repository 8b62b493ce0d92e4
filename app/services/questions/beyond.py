"""What rankers hold below the cutoff: the gain that a deeper look would have found (EVALUATION.md 7.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.services.evidence.reading import read_rankings
from app.services.shelf import Shelf

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Floats
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence

DEEPEST = 50
AT_ONCE = 16
"""Rankers whose lists are held in memory together."""
MOST_KEPT = 16

_shelf: Shelf[Floats] = Shelf(MOST_KEPT)


def gain_beyond(session: Session, evidence: Evidence, board: Scoreboard) -> Floats:
    """Return the gain that one ranker's list holds from place k + 1 to place 50, the most of all: (queries,).

    Lists are read from the database, so this is for those who ask for it; it is kept as long as the grades.
    """
    runs = tuple(scored.run.id for scored in board.runs)
    return _shelf.kept_or_made(board.judged, runs, lambda: _gain_beyond(session, evidence, board))


def _gain_beyond(session: Session, evidence: Evidence, board: Scoreboard) -> Floats:
    structure, k = evidence.structure, board.ruler.k
    most = np.zeros(len(structure.query_id))
    for first in range(0, len(board.runs), AT_ONCE):
        runs = tuple(scored.run for scored in board.runs[first : first + AT_ONCE])
        documents, _ = read_rankings(session, runs, structure.query_id, DEEPEST)
        below = board.judged.gain.take(structure.positions_of(documents)[k:])
        np.maximum(most, below.sum(axis=0).max(axis=0), out=most)
    return most
