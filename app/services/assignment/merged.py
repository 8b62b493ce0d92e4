"""Ratings of merged documents: what was said of any of them was said of the answer that they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Assignment, AssignmentCandidate, Candidate, CurrentJudgment, Document, Origin, Reason
from app.services.current_judgments import RATING, is_rated_as

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.services.assignment.eligibility import Slot

RUNNING = ("open", "parked")


def merged_slot(session: Session, slot: Slot, person_id: int, now: datetime) -> Slot:
    """Return the slot of an answer that several documents are, with what was said of all of them.

    It is the person's where they have settled, met as gold, or hold on lease any of them.
    """
    twins = session.scalars(
        select(Candidate.id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.query_id == slot.query_id, Document.merged_into == slot.document_id)
    ).all()
    if not twins:
        return slot
    said = _said(session, [slot.candidate_id, *twins])
    holders = _holders(session, twins, now)
    grades = [grade for grade in said.values() if grade is not None]
    return replace(
        slot,
        leases=slot.leases + len(holders - said.keys() - {person_id}),
        ratings=len(grades),
        spread=max(grades) - min(grades) if grades else 0,
        mine=slot.mine
        or person_id in said
        or person_id in holders
        or _met_as_gold(session, twins, person_id),
    )


def _said(session: Session, candidates: Iterable[int]) -> dict[int, int | None]:
    """Return what every annotator says now of some candidates: a grade, or None for "can't judge"."""
    rows = session.execute(
        select(CurrentJudgment.annotator_id, CurrentJudgment.grade, CurrentJudgment.reason)
        .where(CurrentJudgment.candidate_id.in_(list(candidates)), CurrentJudgment.kind == RATING)
        .order_by(CurrentJudgment.revision)
    )
    said: dict[int, int | None] = {}
    for annotator, grade, reason in rows:
        said.pop(annotator, None)
        if reason != Reason.CLEARED:
            said[annotator] = grade
    return said


def _holders(session: Session, candidates: Iterable[int], now: datetime) -> set[int]:
    """Return who holds one of some candidates on a lease that runs."""
    return set(
        session.scalars(
            select(Assignment.person_id)
            .join(AssignmentCandidate, AssignmentCandidate.assignment_id == Assignment.id)
            .where(
                AssignmentCandidate.candidate_id.in_(list(candidates)),
                Assignment.state.in_(RUNNING),
                Assignment.lease_end > now,
            )
        )
    )


def _met_as_gold(session: Session, candidates: Iterable[int], person_id: int) -> bool:
    met = select(Candidate.id).where(Candidate.id.in_(list(candidates)), is_rated_as(person_id, Origin.GOLD))
    return session.scalar(met.limit(1)) is not None
