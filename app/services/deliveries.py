"""Messages that are sent until they arrive: whose turn it is, and when a failed one is tried again."""

from __future__ import annotations

from datetime import timedelta
from typing import TypeVar

from sqlalchemy import ColumnElement, and_, delete, select
from sqlalchemy.orm import Session

from app.models.base import now_utc
from app.models.mail import MailMessage
from app.models.webhook import WebhookDelivery

LONGEST_ANSWER = 500
# After each try in vain the next one comes so many minutes later; after the last there is none.
PAUSES = (1, 5, 30, 120, 360, 720)
# A message that is being sent is nobody else's for so long.
CLAIM = timedelta(minutes=2)
KEPT = timedelta(days=30)
KINDS = (WebhookDelivery, MailMessage)

Sent = TypeVar("Sent", WebhookDelivery, MailMessage)


def is_due(kind: type[Sent]) -> ColumnElement[bool]:
    """Return the condition that a message of a kind is to be sent now."""
    return and_(kind.state == "waiting", kind.next_at <= now_utc())


def claim_next(session: Session, kind: type[Sent], *which: ColumnElement[bool]) -> Sent | None:
    """Return the next message that is due; for a while nobody else gets it."""
    found = session.scalar(
        select(kind)
        .where(is_due(kind), *which)
        .order_by(kind.next_at, kind.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    if found is not None:
        found.attempts += 1
        found.next_at = now_utc() + CLAIM
        session.flush()
    return found


def note_try(
    message: WebhookDelivery | MailMessage,
    attempts: int,
    status: int,
    answer: str,
    *,
    has_arrived: bool,
    is_final: bool = False,
) -> None:
    """Write down what came of a try, and when the next one is; after a final answer there is none."""
    message.tried_at, message.status = now_utc(), status
    # Whatever it holds, a page can show it and every database store it.
    shown = "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in answer)
    message.answer = shown[:LONGEST_ANSWER]
    if has_arrived:
        message.state = "delivered"
    elif is_final or attempts > len(PAUSES):
        message.state = "failed"
    else:
        message.next_at = now_utc() + timedelta(minutes=PAUSES[attempts - 1])


def forget_old_deliveries(session: Session) -> None:
    """Delete what was sent or given up long ago."""
    for kind in KINDS:
        old = kind.created_at < now_utc() - KEPT
        session.execute(delete(kind).where(old, kind.state != "waiting"))
