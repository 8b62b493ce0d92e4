"""Documents: the answers. Identity is the external id; equal contents are flagged, never merged silently."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class Document(Base):
    """One answer; without a text it is never given to anybody."""

    __tablename__ = "document"
    __table_args__ = (
        UniqueConstraint("project_id", "external_id"),
        Index("ix_document_project_id_content_hash", "project_id", "content_hash"),
        # Few are merged, and each assignment asks for them.
        Index(
            "ix_document_merged",
            "project_id",
            "merged_into",
            sqlite_where=text("merged_into IS NOT NULL"),
            postgresql_where=text("merged_into IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    # NULL until its import is published: no project has it yet, and no candidate names it.
    project_id: Mapped[int | None] = mapped_column(ForeignKey("project.id"))
    external_id: Mapped[str] = mapped_column(String(512))
    title: Mapped[str] = mapped_column(Text, default="")
    text: Mapped[str] = mapped_column(Text, default="")
    url: Mapped[str] = mapped_column(Text, default="")
    source: Mapped[str] = mapped_column(Text, default="")
    # Columns of the file that the product does not know: kept, not shown.
    extra: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    # Hash of the normalised title and text; NULL while both are empty (equal to nothing).
    content_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    # Judgments before this revision saw another text and count no more.
    edited_revision: Mapped[int | None] = mapped_column(BigInteger)
    retired_revision: Mapped[int | None] = mapped_column(BigInteger)
    # The document that represents it, while both are merged: a projection of the ledger's merges.
    merged_into: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
