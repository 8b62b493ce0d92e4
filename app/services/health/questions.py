"""Questions that say little: no relevant answer (EVALUATION.md section 2.6), or one grade for everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.services.evidence.state import consensus_at

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Ints
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence

FEWEST_ANSWERS = 5
"""One grade for fewer judged answers than this says nothing about a question."""


@dataclass(frozen=True)
class QuestionHealth:
    """Active questions by what is known about their answers; each array holds places, in byte order of ids.

    Attributes
    ----------
    active, answered
        How many there are, and how many have a relevant answer.
    weak, none_found, unknown
        Some gain, but nothing relevant; a pool judged to the end without gain; no gain and something open.
    one_level
        Scored questions of which at least `FEWEST_ANSWERS` answers are judged, all with the same grade: any
        order of these scores alike.
    enough
        How many scored questions have that many judged answers.
    """

    active: int
    answered: int
    weak: Ints
    none_found: Ints
    unknown: Ints
    one_level: Ints
    enough: int

    @property
    def without(self) -> int:
        """How many have no relevant answer."""
        return self.active - self.answered


def question_health(evidence: Evidence, board: Scoreboard) -> QuestionHealth:
    """Return what is known about the answers of all active questions."""
    active, judged = evidence.active_queries(), board.judged
    answered = active & judged.answered
    enough, same = _levels(evidence, board)
    return QuestionHealth(
        active=int(active.sum()),
        answered=int(answered.sum()),
        weak=np.flatnonzero(active & judged.weak),
        none_found=np.flatnonzero(active & judged.no_relevant),
        unknown=np.flatnonzero(active & judged.undecided),
        one_level=np.flatnonzero(board.scored & enough & same),
        enough=int((board.scored & enough).sum()),
    )


def _levels(evidence: Evidence, board: Scoreboard) -> tuple[Flags, Flags]:
    """Return which queries have enough judged answers, and which have one grade only: bool (queries,)."""
    consensus = consensus_at(evidence, board.ruler, board.revision)
    cells = np.flatnonzero(consensus.judged)
    query, size = evidence.structure.query[cells], len(evidence.structure.query_id)
    # In half grades: the sum of the two middle ones.
    level = consensus.low[cells].astype(np.int64) + consensus.high[cells]
    lowest, highest = np.full(size, np.iinfo(np.int64).max), np.full(size, -1)
    np.minimum.at(lowest, query, level)
    np.maximum.at(highest, query, level)
    enough = np.bincount(query, minlength=size) >= FEWEST_ANSWERS
    return enough, np.asarray(lowest == highest)
