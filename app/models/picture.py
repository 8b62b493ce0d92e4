"""Images of answers: kept here, so that no page asks another host for one."""

from __future__ import annotations

import secrets
from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc

PUBLIC_ID_BYTES = 16


def new_public_id() -> str:
    """Return an id that says nothing."""
    return secrets.token_urlsafe(PUBLIC_ID_BYTES)


class Picture(Base):
    """One image of a project; its address is a random id, which says nothing of whose answer it shows."""

    __tablename__ = "picture"
    __table_args__ = (
        UniqueConstraint("project_id", "source_hash"),
        CheckConstraint("state IN ('waiting', 'ready', 'failed')", name="state_is_known"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    public_id: Mapped[str] = mapped_column(String(32), unique=True, default=new_public_id)
    # What the documents call it: an address of the web, or the name of a file.
    source: Mapped[str] = mapped_column(Text)
    source_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    state: Mapped[str] = mapped_column(String(8), default="waiting")
    # Why it could not be fetched.
    problem: Mapped[str] = mapped_column(Text, default="")
    media_type: Mapped[str] = mapped_column(String(20), default="")
    width: Mapped[int] = mapped_column(default=0)
    height: Mapped[int] = mapped_column(default=0)
    size: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)


class PictureContent(Base):
    """The bytes of an image, apart: whoever asks for its size does not read them."""

    __tablename__ = "picture_content"

    picture_id: Mapped[int] = mapped_column(ForeignKey("picture.id"), primary_key=True, autoincrement=False)
    content: Mapped[bytes] = mapped_column(LargeBinary)
