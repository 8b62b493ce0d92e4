"""Judgments of simulated annotators: written in bulk, in order, by accounts that cannot sign in."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from app.models.base import now_utc
from app.models.judgment import Reason
from app.models.person import Person, PersonKind, Role
from app.models.project import BatchHead, Project
from app.services.accounts.memberships import give_role
from app.services.ledger import append_judgments


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedJudgment:
    """One rating to be written: a grade, or the reason why there is none."""

    annotator_id: int
    candidate_id: int
    grade: int | None
    reason: str | None
    batch: int
    place: int
    length: int
    guideline_version: int


def add_simulated_annotator(session: Session, project: Project, name: str) -> Person:
    """Add an annotator that nobody can sign in as, and return it."""
    person = Person(name=name, kind=PersonKind.SIMULATED)
    session.add(person)
    session.flush()
    give_role(session, project.id, person.id, Role.ANNOTATOR)
    return person


def record_simulated_judgments(
    session: Session, project: Project, judgments: Sequence[SimulatedJudgment]
) -> None:
    """Append the judgments in the order given; batches that are assigned later are numbered after theirs."""
    if not judgments:
        return
    at = now_utc()
    last = max(judgment.batch for judgment in judgments)
    for column, following in ((BatchHead.odd, last + 1 + last % 2), (BatchHead.even, last + 2 - last % 2)):
        head = update(BatchHead).where(BatchHead.project_id == project.id, column < following)
        session.execute(head.values({column: following}))
    rows = (_row_of(one, at) for one in judgments)
    append_judgments(session, project.id, rows, len(judgments))


def _row_of(one: SimulatedJudgment, at: datetime) -> dict[str, Any]:
    return {
        "candidate_id": one.candidate_id,
        "annotator_id": one.annotator_id,
        "grade": one.grade,
        "reason": None if one.reason is None else Reason[one.reason.upper()],
        "place": one.place,
        "length": one.length,
        "batch": one.batch,
        "client_uuid": uuid.uuid4().bytes,
        "judged_at": at,
        "received_at": at,
        "guideline_version": one.guideline_version,
    }
