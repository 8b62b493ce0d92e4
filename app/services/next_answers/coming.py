"""The questions that come next for a person, each with how many answers and one short reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Query
from app.services.assignment import best_ranks, coming_for, count_unsettled, find_begun

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Ints
    from app.services.assignment import Proposal
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class Coming:
    """One question that comes soon: how many of its answers come together, and why it comes."""

    query_id: int
    text: str
    kind: str
    answers: int
    why: str


@dataclass(frozen=True)
class Begun:
    """A batch that the person is at: it comes before anything new."""

    batch: int
    query_id: int
    text: str
    left: int


def begun_batch(session: Session, project_id: int, person_id: int, now: datetime) -> Begun | None:
    """Return the oldest batch that a person holds with something left, or None."""
    held = find_begun(session, project_id, person_id, now=now)
    if held is None:
        return None
    text, left = session.get_one(Query, held.query_id).text, count_unsettled(session, held)
    return Begun(held.batch, held.query_id, text, left)


def coming_questions(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime, *, most: int = 6
) -> list[Coming]:
    """Return the questions that come next for a person, in their order; it holds nothing for them."""
    proposals = coming_for(session, evidence, project, person_id, now, most=most)
    wanted = select(Query.id, Query.text).where(Query.id.in_([one.query_id for one in proposals]))
    texts = {row.id: row.text for row in session.execute(wanted)}
    ranks = best_ranks(evidence, evidence.current_runs())
    return [
        Coming(one.query_id, texts[one.query_id], one.kind, len(one.arms), _why(evidence, ranks, one))
        for one in proposals
    ]


def _why(evidence: Evidence, ranks: Ints, one: Proposal) -> str:
    if one.kind == "front":
        return _placed(evidence, ranks, one)
    return {
        "requested": "Requested.",
        "finish": "The next question to finish.",
        "waiting": "One of its answers has waited for more than 14 days.",
        "random": "Picked at random.",
    }[one.kind]


def _placed(evidence: Evidence, ranks: Ints, one: Proposal) -> str:
    """Return where rankers put the best placed answer of a batch."""
    cells = evidence.structure.cells_of(np.array(list(one.arms), dtype=np.int64))
    best = int(ranks[cells].min())
    if "answer" not in one.arms.values():
        return "Its answers need a second rating."
    if best > len(evidence.structure.positions):
        return "No ranker puts its answers near the top."
    place = {1: "first", 2: "second", 3: "third"}.get(best, f"at place {best}")
    return f"A ranker puts one of its answers {place}."
