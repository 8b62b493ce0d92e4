"""The questions to rate first, whoever is asked: for a project's overview."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.scoring.priority_batches import UNTOUCHED, next_queries
from app.services.assignment import desk_of, next_numbers
from app.services.comparison.closed import unratable

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.services.evidence import Evidence


def first_questions(
    session: Session, evidence: Evidence, project: Project, now: datetime, *, most: int
) -> list[int]:
    """Return the numbers of the questions whose unrated answers come first, by the rule that assigns.

    Answers that nobody can rate today, such as those without a text, are passed over.

    What one person is given next depends besides on what they rated and on what others hold: see
    `coming_questions`.
    """
    unrated = evidence.pooled() & (evidence.ratings == 0)
    unrated &= evidence.active_queries()[evidence.structure.query] & ~unratable(evidence)
    touched = np.full(len(unrated), UNTOUCHED)
    desk = desk_of(session, evidence, project, now, dealable=unrated, touched=touched)
    found = next_queries(desk, next_numbers(session, project.id), most=most)
    return [int(evidence.structure.query_id[place]) for place in found]


def reason_to_rate(evidence: Evidence, place: int) -> str:
    """Return why the unrated answers of a question matter: the best place at which rankers put one of them.

    Parameters
    ----------
    place
        Of the question within the evidence.
    """
    judged, k = evidence.judged(), evidence.ruler_at().k
    current = evidence.current_runs()
    cells = evidence.lists(current, k).positions[:, :, place]
    waiting = np.append(judged.pooled & ~judged.judged, [False, False]).take(cells)
    if not waiting.any():
        return f"Outside every ranker’s top {k}."
    rank = int(waiting.any(axis=1).argmax())
    names = [evidence.structure.runs[current[row]].ranker for row in np.flatnonzero(waiting[rank])]
    where = {0: "first", 1: "second", 2: "third"}.get(rank, f"at place {rank + 1}")
    if len(names) > 2:
        return f"{len(names)} rankers put one of them {where}."
    return f"{' and '.join(names)} {'puts' if len(names) == 1 else 'put'} one of them {where}."
