"""The questions whose unrated answers matter most to a project, whoever is asked: for its overview."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.scoring.priority import priority_order
from app.services.assignment import dealing_seed, in_depth_order, race_of
from app.services.quality import quality_of

if TYPE_CHECKING:
    from datetime import datetime

    from app.models import Project
    from app.scoring.arrays import Flags
    from app.services.evidence import Evidence

# More than any priority: the block of the next test goes before everything else, as in every second batch.
BLOCK = 10.0


def first_questions(evidence: Evidence, project: Project, now: datetime, *, most: int) -> list[int]:
    """Return the numbers of the questions to rate first, by the rule that deals.

    By the open race those of the next test come first, as in every second batch. What one person is dealt
    next depends besides on what they rated and on what others hold: see `coming_questions`.
    """
    judged = evidence.judged()
    unrated = judged.pooled & ~judged.judged
    unrated &= evidence.active_queries()[evidence.structure.query]
    if not unrated.any():
        return []
    if quality_of(project).dealing == "depth":
        return in_depth_order(evidence, unrated).queries[:most]
    return _by_race(evidence, project, unrated, now, most)


def _by_race(evidence: Evidence, project: Project, unrated: Flags, now: datetime, most: int) -> list[int]:
    structure, race = evidence.structure, race_of(evidence, now)
    value = np.where(unrated, race.priority + BLOCK * race.block[structure.query], -1.0)
    # Of the few best questions only, the answers are put in order: ties as in dealing.
    best = np.maximum.reduceat(value, structure.first_cells)
    least = np.sort(best)[-min(most, len(best))]
    cells = np.flatnonzero(unrated & (value >= least - 1e-9))
    order = priority_order(value[cells], structure.candidate_id[cells], dealing_seed(project))
    found = dict.fromkeys(structure.query_id[structure.query[cells[order]]].tolist())
    return [int(number) for number in found][:most]
