"""Uploads: files that wait in INSTANCE_PATH for their confirmation, and the work done on them."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Dialect, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

from app.models.base import Base, UtcTime, now_utc
from app.sentences import packed, unpacked


class Said(TypeDecorator[dict[str, Any]]):
    """JSON whose messages keep their patterns and values."""

    impl = JSON
    cache_ok = True

    def coerce_compared_value(self, op: Any, value: Any) -> Any:
        """Return the type of what a member is compared with."""
        return self.impl_instance.coerce_compared_value(op, value)

    def process_bind_param(self, value: dict[str, Any] | None, dialect: Dialect) -> Any:
        """Return plain JSON."""
        del dialect
        return packed(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Return what was stored."""
        del dialect
        return unpacked(value)


class Upload(Base):
    """One file on its way in: stored under its random id; the name people gave it is display text only."""

    __tablename__ = "upload"
    __table_args__ = (
        CheckConstraint("kind IN ('queries', 'documents', 'run', 'judgments')", name="kind_is_known"),
        CheckConstraint(
            "state IN ('waiting', 'checking', 'checked', 'importing', 'done', 'failed', 'cancelled')",
            name="state_is_known",
        ),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True, default=lambda: secrets.token_urlsafe(16))
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    kind: Mapped[str] = mapped_column(String(12))
    file_name: Mapped[str] = mapped_column(String(300))
    size: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[bytes] = mapped_column(LargeBinary(32))
    state: Mapped[str] = mapped_column(String(12), default="waiting")
    # How to read it, which ranker it belongs to, what to do with unknown ids.
    options: Mapped[dict[str, Any]] = mapped_column(Said, default=dict)
    # What the check or the import found; shown as it is.
    report: Mapped[dict[str, Any]] = mapped_column(Said, default=dict)
    progress_done: Mapped[int] = mapped_column(BigInteger, default=0)
    progress_total: Mapped[int] = mapped_column(BigInteger, default=0)
    # The project's revision at the check; another one at the confirmation means: check again.
    checked_revision: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    expires_at: Mapped[datetime] = mapped_column(UtcTime)
