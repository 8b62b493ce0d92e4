"""E-mails: to whom each one goes and what it is about. What it says is written when it is sent."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base
from app.models.delivery import Delivery


class MailMessage(Delivery, Base):
    """One e-mail, to a person or to the address of an invitation; it holds no text, no name and no link.

    It is `unneeded` if nothing was left to say when it was to be sent.
    """

    __tablename__ = "mail_message"
    __table_args__ = (
        Index("ix_mail_message_state", "state", "next_at"),
        CheckConstraint(
            "kind IN ('invitation', 'replies', 'work', 'weekly')",
            name="kind_is_known",
        ),
        CheckConstraint("state IN ('waiting', 'delivered', 'failed', 'unneeded')", name="state_is_known"),
    )

    kind: Mapped[str] = mapped_column(String(10))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    invitation_id: Mapped[int | None] = mapped_column(ForeignKey("invitation.id"))
    # None where it is about several.
    project_id: Mapped[int | None] = mapped_column(ForeignKey("project.id"))
