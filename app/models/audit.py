"""The audit trail: who did what outside the ledger. No row is changed, and no new one is deleted."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, UtcTime, now_utc


class AuditKind(StrEnum):
    """What happened. Details hold numbers and fixed words, never names, addresses, or what anybody wrote.

    The host of a webhook is one of those that the operator has allowed.
    """

    SIGNED_IN = "signed_in"  # {"by": "password", "link", "organisation" or "proxy"}
    SIGN_IN_FAILED = "sign_in_failed"  # without a person where the address has no account
    SIGNED_OUT = "signed_out"
    SESSION_ENDED = "session_ended"  # one device, by its owner or an administrator
    SESSIONS_ENDED = "sessions_ended"  # all devices of a person
    ACCOUNT_MADE = "account_made"  # {"by": as above, "is_admin"}
    ACCOUNT_DISABLED = "account_disabled"
    ACCOUNT_ENABLED = "account_enabled"
    ACCOUNT_ERASED = "account_erased"
    ACCOUNT_LINKED = "account_linked"  # with the organisation's sign-in
    ADMIN_CHANGED = "admin_changed"  # {"is_admin"}
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - the name of a kind
    PASSWORD_LINK_MADE = "password_link_made"  # noqa: S105 - see above
    PASSWORD_LINK_USED = "password_link_used"  # noqa: S105 - see above
    PASSWORD_CONFIRMED = "password_confirmed"  # noqa: S105 - see above; {"by": "device", "password" or "admin"}
    ROLE_CHANGED = "role_changed"  # {"before", "role"}: null for none
    INVITATION_MADE = "invitation_made"  # {"invitation", "role"}
    INVITATION_TAKEN = "invitation_taken"  # {"invitation", "role"}
    INVITATION_REVOKED = "invitation_revoked"  # {"invitation"}
    SHARED_LINK_MADE = "shared_link_made"  # {"link", "days"}
    SHARED_LINK_REVOKED = "shared_link_revoked"  # {"link"}
    EXPORTED = "exported"  # {"what", "format"}, and {"token"} of a program
    SETTINGS_CHANGED = "settings_changed"  # {"what": names of settings}, and {"queries", "tags", "target"}
    PROJECT_PURGED = "project_purged"
    TOKEN_MADE = "token_made"  # noqa: S105 - see above; {"token", "scopes"}
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 - see above; {"token"}
    WEBHOOK_MADE = "webhook_made"  # {"webhook", "host", "events"}
    WEBHOOK_CHANGED = "webhook_changed"  # {"webhook", "host", "what"}
    WEBHOOK_DELETED = "webhook_deleted"  # {"webhook", "host"}


class AuditEntry(Base):
    """One thing that somebody did.

    Attributes
    ----------
    actor_id
        Who did it; None for nobody signed in, and for the command line.
    person_id
        Whom it is about, if anybody.
    project_number, project_slug
        In which project. No foreign key: the entry outlives a project that is purged.
    network
        The address it came from; "command line" for commands.
    """

    __tablename__ = "audit_entry"
    __table_args__ = (
        Index("ix_audit_entry_project_number", "project_number"),
        Index("ix_audit_entry_at", "at"),
        # A number that was given is never given again, so a gap shows that something was removed.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime, default=now_utc)
    kind: Mapped[str] = mapped_column(String(24))
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    project_number: Mapped[int | None]
    project_slug: Mapped[str | None] = mapped_column(String(80))
    network: Mapped[str] = mapped_column(String(64), default="")
    details: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
