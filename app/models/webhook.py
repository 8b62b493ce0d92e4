"""Webhooks: addresses that are told what happens in a project, and each message that is or was sent there."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Float,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc
from app.models.delivery import Delivery


class Webhook(Base):
    """One address, what it is told, and the secret that signs it."""

    __tablename__ = "webhook"
    __table_args__ = (Index("ix_webhook_project_id", "project_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    address: Mapped[str] = mapped_column(String(1000))
    # Not hashed: it signs. Shown once.
    secret: Mapped[bytes] = mapped_column(LargeBinary(32), default=lambda: secrets.token_bytes(32))
    # Words of `services.webhooks.EVENTS`, separated by blanks.
    events: Mapped[str] = mapped_column(String(200))
    # What is sent; empty for our own JSON.
    template: Mapped[str] = mapped_column(Text, default="")
    # By how many points, of 100, the score in production must drop.
    points: Mapped[float] = mapped_column(Float, default=2.0)
    # Then it is told nothing, and what waits is not sent.
    paused: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    # Then the row holds nothing else: its number, which the audit trail names, is not given again.
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)


class WebhookDelivery(Delivery, Base):
    """A message for one address: written in the transaction of what it tells of, sent afterwards."""

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        Index("ix_webhook_delivery_webhook_id", "webhook_id"),
        Index("ix_webhook_delivery_state", "state", "next_at"),
        CheckConstraint("state IN ('waiting', 'delivered', 'failed')", name="state_is_known"),
    )

    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhook.id"))
    event: Mapped[str] = mapped_column(String(30))
    # Names and numbers of what happened, and a sentence; nothing of who rated what.
    data: Mapped[dict[str, Any]] = mapped_column(JSON)


class WebhookWatch(Base):
    """What a project's webhooks were last told of scores, which only computing shows."""

    __tablename__ = "webhook_watch"

    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"), primary_key=True, autoincrement=False)
    revision: Mapped[int] = mapped_column(BigInteger, default=0)
    looked_at: Mapped[datetime] = mapped_column(UtcTime)
    facts: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
