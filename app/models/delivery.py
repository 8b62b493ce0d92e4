"""What messages of webhooks and e-mails have in common: they wait, are tried, and arrive or are given up."""

from __future__ import annotations

import secrets
from datetime import datetime

from sqlalchemy import SmallInteger, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import UtcTime, now_utc


def new_message_id() -> str:
    """Return a random id, by which a receiver knows a message that comes twice."""
    return f"msg_{secrets.token_urlsafe(18)}"


class Delivery:
    """The columns of a message that is sent until it arrives."""

    id: Mapped[int] = mapped_column(primary_key=True)
    message_id: Mapped[str] = mapped_column(String(40), unique=True, default=new_message_id)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    state: Mapped[str] = mapped_column(String(10), default="waiting")
    attempts: Mapped[int] = mapped_column(SmallInteger, default=0)
    next_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    # The last answer: 0 where there was none, and then why.
    tried_at: Mapped[datetime | None] = mapped_column(UtcTime)
    status: Mapped[int] = mapped_column(SmallInteger, default=0)
    answer: Mapped[str] = mapped_column(Text, default="")
