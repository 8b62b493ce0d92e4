"""The questions that are dealt to a person next, each with the answers of its batch, and why.

They are what `coming_for` and `choose` return, the functions that deal; nothing is ranked here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select

from app.models import Candidate, Document, Query
from app.services.assignment import (
    Turn,
    choose,
    coming_for,
    count_unsettled,
    find_open_batch,
    race_of,
    wanted_ratings,
    why,
)
from app.services.next_answers.reasons import reasons_of
from app.services.quality import quality_of

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.services.assignment import Proposal
    from app.services.evidence import Evidence

EXCERPT = 160


@dataclass(frozen=True)
class ComingAnswer:
    """One answer of a batch to come."""

    candidate_id: int
    title: str
    arm: str
    why: str


@dataclass(frozen=True)
class Coming:
    """One question that is dealt soon; without an id it is drawn by lot only when it is dealt.

    Attributes
    ----------
    first
        Whether it is the very next: what a click on "rate" deals.
    why
        Why this question, in one sentence.
    answers
        Those of the batch that is dealt to whoever asks for this question now.
    """

    query_id: int
    text: str
    kind: str
    first: bool
    why: str
    answers: tuple[ComingAnswer, ...]


@dataclass(frozen=True)
class Begun:
    """A batch that the person is at: it comes before anything new."""

    batch: int
    query_id: int
    text: str
    left: int


def begun_batch(session: Session, project_id: int, person_id: int, now: datetime) -> Begun | None:
    """Return the oldest batch that a person holds with something left, or None."""
    held = find_open_batch(session, project_id, person_id, now=now)
    if held is None or not (left := count_unsettled(session, held)):
        return None
    return Begun(held.batch, held.query_id, session.get_one(Query, held.query_id).text, left)


def coming_questions(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime, *, most: int = 6
) -> list[Coming]:
    """Return the questions that would be dealt to a person next, in the order of dealing."""
    proposals = coming_for(session, evidence, project, person_id, now, most=most)
    turn = Turn(project, person_id, now)
    chosen = [
        {} if one.kind == "drawn" else {slot.candidate_id: slot.arm for slot in choose(session, turn, one)}
        for one in proposals
    ]
    texts = _texts(session, [one.query_id for one in proposals])
    answers = _answers(session, evidence, project, chosen, now)
    return [
        Coming(
            query_id=one.query_id,
            text=texts.get(one.query_id, ""),
            kind=one.kind,
            first=number == 0,
            why=_why_question(one, alone=len(evidence.current_runs()) < 2),
            answers=answers[number],
        )
        for number, one in enumerate(proposals)
        if one.kind == "drawn" or answers[number]
    ]


def _why_question(one: Proposal, *, alone: bool) -> str:
    if one.kind != "drawn":
        return why(one.kind, alone=alone)
    return (
        "One question is drawn by lot, each with the chance of its unrated answers. Which one shows when it "
        "is dealt, so that nobody can prefer one draw to another."
    )


def _texts(session: Session, query_ids: list[int]) -> dict[int, str]:
    rows = session.execute(select(Query.id, Query.text).where(Query.id.in_(query_ids)))
    return {row.id: row.text for row in rows}


def _answers(
    session: Session,
    evidence: Evidence,
    project: Project,
    chosen: list[dict[int, str]],
    now: datetime,
) -> list[tuple[ComingAnswer, ...]]:
    numbers = np.array([number for batch in chosen for number in batch], dtype=np.int64)
    cells = dict(zip(numbers.tolist(), evidence.structure.cells_of(numbers).tolist(), strict=True))
    titles = _titles(session, list(cells))
    race = race_of(evidence, now) if quality_of(project).dealing == "race" else None
    reasons = reasons_of(evidence, race, now)
    ratings = evidence.counts().sum(axis=1)
    return [
        tuple(
            ComingAnswer(
                number,
                titles.get(number, ""),
                arm,
                reasons.why(
                    arm,
                    cells[number],
                    ratings=int(ratings[cells[number]]),
                    wanted=wanted_ratings(project, number),
                ),
            )
            for number, arm in batch.items()
        )
        for batch in chosen
    ]


def _titles(session: Session, candidate_ids: list[int]) -> dict[int, str]:
    rows = session.execute(
        select(Candidate.id, Document.title, func.substr(Document.text, 1, EXCERPT).label("text"))
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.id.in_(candidate_ids))
    )
    return {row.id: row.title or row.text or "" for row in rows}
