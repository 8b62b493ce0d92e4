"""The questions to rate first, whoever is asked: for a project's overview."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.priority_batches import UNTOUCHED, next_batch
from app.services.assignment import dealing_seed, desk_of, next_numbers

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.services.evidence import Evidence


def first_questions(
    session: Session, evidence: Evidence, project: Project, now: datetime, *, most: int
) -> list[int]:
    """Return the numbers of the questions whose unrated answers come first, by the rule that assigns.

    What one person is given next depends besides on what they rated and on what others hold: see
    `coming_questions`.
    """
    unrated = evidence.pooled() & (evidence.counts().sum(axis=1) == 0)
    unrated &= evidence.active_queries()[evidence.structure.query]
    touched = np.full(len(unrated), UNTOUCHED)
    desk = desk_of(session, evidence, project, now, dealable=unrated, touched=touched)
    numbers, seed = next_numbers(session, project.id), dealing_seed(project)
    found: list[int] = []
    while len(found) < most and (batch := next_batch(desk, numbers, seed=seed)) is not None:
        found.append(int(evidence.structure.query_id[batch.query]))
        # Each question is named once.
        desk = replace(desk, dealable=desk.dealable & (desk.query != batch.query))
        numbers = numbers.after(batch.number)
    return found
