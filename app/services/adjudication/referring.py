"""Sending an answer to adjudication by hand, whatever its ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from app.models import Candidate, Document, Query, Referral, now_utc
from app.services.adjudication.hearing import candidate_of
from app.services.assignment.slots import can_be_shown
from app.services.bulk import lock_project
from app.services.errors import InvalidError
from app.services.ledger import head_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project


def refer(session: Session, project: Project, public_id: str, *, actor_id: int) -> None:
    """Send an answer to adjudication; sent again after a decision, it waits again.

    Raises
    ------
    NotFoundError
        There is no such answer in this project.
    InvalidError
        It has no text, or its question is retired: nobody could judge it.
    """
    lock_project(session, project.id)
    candidate_id = candidate_of(session, project.id, public_id).id
    shown = session.scalar(
        select(Candidate.id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.id == candidate_id, *can_be_shown())
    )
    if shown is None:
        raise InvalidError("This answer has no text, or its question is retired: nobody could judge it.")
    head = head_of(session, project.id)
    referral = session.get(Referral, candidate_id)
    if referral is None:
        referral = Referral(candidate_id=candidate_id, project_id=project.id)
        session.add(referral)
    referral.person_id, referral.revision, referral.created_at = actor_id, head, now_utc()
    session.flush()


def take_referral_back(session: Session, project: Project, public_id: str) -> None:
    """Take an answer out of the queue that was sent there; its ratings may keep it in.

    Raises
    ------
    NotFoundError
        There is no such answer in this project.
    """
    referral = session.get(Referral, candidate_of(session, project.id, public_id).id)
    if referral is not None:
        session.delete(referral)
    session.flush()


@dataclass(frozen=True)
class Referable:
    """One answer of a question that can be sent, and whether it was."""

    public_id: str
    title: str
    sent: bool


def referable_of(session: Session, project_id: int, query_id: int) -> list[Referable]:
    """Return the answers of an active question that somebody could judge, pooled or judged."""
    rows = session.execute(
        select(Candidate.public_id, Document.title, func.substr(Document.text, 1, 80), Referral.candidate_id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .outerjoin(Referral, Referral.candidate_id == Candidate.id)
        .where(Candidate.project_id == project_id, Candidate.query_id == query_id, *can_be_shown())
        .order_by(Document.title, Document.id)
    )
    return [Referable(name, title or text, sent is not None) for name, title, text, sent in rows]
