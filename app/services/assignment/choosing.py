"""Which answers go into a batch, decided in the database while nobody else deals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Select, and_, bindparam, select

from app.models import Candidate, Document, Origin, Query
from app.services.assignment.eligibility import open_slots
from app.services.assignment.slots import BATCH_SIZE, PERSON, can_be_shown, is_on_lease
from app.services.current_judgments import is_rated_as, is_settled_by

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.assignment.eligibility import Slot
    from app.services.assignment.proposing import Proposal
    from app.services.assignment.slots import Turn


@dataclass(frozen=True)
class Chosen:
    """One answer of a batch, and why it is in it."""

    candidate_id: int
    public_id: str
    arm: str


def choose(session: Session, turn: Turn, proposal: Proposal) -> list[Chosen]:
    """Return the answers of the batch proposed; none if somebody was quicker at one of them."""
    checks = _open_checks(session, turn, proposal)
    if proposal.kind == "check":
        return checks
    answers = (
        _as_proposed(session, turn, proposal)
        if proposal.arms
        else _best_placed(session, turn, proposal.query_id, BATCH_SIZE - len(checks))
    )
    return answers + checks if answers else []


def _as_proposed(session: Session, turn: Turn, proposal: Proposal) -> list[Chosen]:
    slots = open_slots(
        session,
        turn.project,
        turn.person_id,
        turn.now,
        query_id=proposal.query_id,
        among=proposal.arms,
    )
    free = {slot.candidate_id: slot.public_id for slot in slots}
    if not proposal.arms.keys() <= free.keys():
        return []
    return [Chosen(number, free[number], arm) for number, arm in proposal.arms.items()]


def _best_placed(session: Session, turn: Turn, query_id: int, room: int) -> list[Chosen]:
    slots = open_slots(session, turn.project, turn.person_id, turn.now, query_id=query_id)
    # First ratings before second ones.
    slots.sort(key=lambda slot: (slot.ratings > 0, slot.taken > 0))
    return [chosen_of(slot) for slot in slots[:room]]


def chosen_of(slot: Slot) -> Chosen:
    """Return an answer that the database chose."""
    return Chosen(slot.candidate_id, slot.public_id, "second" if slot.ratings else "answer")


def _open_checks(session: Session, turn: Turn, proposal: Proposal) -> list[Chosen]:
    """Return the checks that the person does not hold and has not rated as such meanwhile."""
    if not proposal.checks:
        return []
    values = {"person": turn.person_id, "now": turn.now, "query": proposal.query_id}
    rows = session.execute(_checks(list(proposal.checks)), values)
    return [
        Chosen(row.id, row.public_id, arm)
        for row in rows
        # What was rated as an ordinary answer meanwhile is known to them, and no gold any more.
        if not ((arm := proposal.checks[row.id]) == "gold" and row.is_settled)
    ]


def _checks(candidate_ids: list[int]) -> Select[int, str, bool]:
    return (
        select(Candidate.id, Candidate.public_id, is_settled_by(PERSON).label("is_settled"))
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Candidate.id.in_(candidate_ids),
            Candidate.query_id == bindparam("query"),
            and_(*can_be_shown()),
            ~is_on_lease(),
            ~is_rated_as(PERSON, Origin.GOLD, Origin.REPEAT),
        )
        .order_by(Candidate.id)
    )
