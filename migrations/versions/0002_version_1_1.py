"""What version 1.1.0 adds to 1.0.0: one migration per version, edited until that version is released.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import context, op

from migrations.audit_triggers import install_audit_triggers, remove_audit_triggers
from migrations.erasure_triggers import let_erasures_rewrite_events, refuse_every_change_of_events
from migrations.ledger_triggers import refuse_if_ledger_holds_rows

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables and columns of 1.1.0."""
    _add_tokens()
    _add_pictures()
    _add_erasures()
    _add_accounts()
    _add_audit_trail()
    _add_webhooks()
    _add_mail()
    _add_copies()
    _add_imports_of_projects()
    _order_own_ratings()


def downgrade() -> None:
    """Take them away again, unless that would lose ratings or what nobody has agreed to lose."""
    if context.get_revision_argument() is None:  # on the way to no tables at all
        refuse_if_ledger_holds_rows(op)
    _refuse_losses()
    _leave_own_ratings_unordered()
    _remove_imports_of_projects()
    _remove_copies()
    _remove_mail()
    _remove_webhooks()
    _remove_audit_trail()
    _remove_accounts()
    _drop_erasures()
    _remove_pictures()
    _drop_tokens()


# What 1.0.0 has no place for and nobody can enter again: one, several, and how many there are.
LOSSES = (
    ("entry of the audit trail", "entries of the audit trail", "audit_entry"),
    ("token", "tokens", "api_token"),
    ("signed-in device", "signed-in devices", "open_session"),
    ("sign-in through the organisation", "sign-ins through the organisation", "organisation_identity"),
    (
        "disabled account, enabled again",
        "disabled accounts, enabled again",
        "person WHERE disabled_at IS NOT NULL",
    ),
    ("record of an erasure", "records of erasures", "erasure"),
    ("webhook", "webhooks", "webhook"),
    ("picture", "pictures", "picture"),
    ("project half imported", "projects half imported", "project WHERE importing IS NOT NULL"),
)


def _refuse_losses() -> None:
    """Stop before rows are dropped, unless that is asked for."""
    if context.config.attributes.get("may_lose"):
        return
    count = [
        (op.get_bind().execute(sa.text(f"SELECT COUNT(*) FROM {rows}")).scalar_one(), one, several)
        for one, several, rows in LOSSES
    ]
    losses = [f"{number:,} {one if number == 1 else several}" for number, one, several in count if number]
    if losses:
        raise RuntimeError(
            f"this downgrade would lose {'; '.join(losses)}: make a backup, then add --yes to lose them"
        )


def _add_tokens() -> None:
    op.create_table(
        "api_token",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("ending", sa.String(length=8), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("scopes", sa.String(length=120), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_api_token_person_id_person")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_api_token_project_id_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_token")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_token_token_hash")),
    )
    op.create_index("ix_api_token_person_id", "api_token", ["person_id"], unique=False)
    op.create_index("ix_api_token_project_id", "api_token", ["project_id"], unique=False)
    op.create_table(
        "api_reply",
        sa.Column("token_id", sa.Integer(), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("request_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("body", sa.JSON(), nullable=True),
        sa.Column("location", sa.String(length=500), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["api_token.id"], name=op.f("fk_api_reply_token_id_api_token")),
        sa.PrimaryKeyConstraint("token_id", "key_hash", name=op.f("pk_api_reply")),
    )
    op.create_index("ix_api_reply_at", "api_reply", ["at"], unique=False)


def _drop_tokens() -> None:
    op.drop_index("ix_api_reply_at", table_name="api_reply")
    op.drop_table("api_reply")
    op.drop_index("ix_api_token_project_id", table_name="api_token")
    op.drop_index("ix_api_token_person_id", table_name="api_token")
    op.drop_table("api_token")


def _add_pictures() -> None:
    op.create_table(
        "picture",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(length=32), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("source_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("media_type", sa.String(length=20), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('waiting', 'ready', 'failed')", name=op.f("ck_picture_state_is_known")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_picture_project_id_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_picture")),
        sa.UniqueConstraint("project_id", "source_hash", name=op.f("uq_picture_project_id_source_hash")),
        sa.UniqueConstraint("public_id", name=op.f("uq_picture_public_id")),
    )
    op.create_table(
        "picture_content",
        sa.Column("picture_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["picture_id"], ["picture.id"], name=op.f("fk_picture_content_picture_id_picture")
        ),
        sa.PrimaryKeyConstraint("picture_id", name=op.f("pk_picture_content")),
    )


def _remove_pictures() -> None:
    op.drop_table("picture_content")
    op.drop_table("picture")


# Who was erased, and the one way in which an event's text is rewritten.


def _add_erasures() -> None:
    op.create_table(
        "erasure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("events", sa.JSON(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("cleaned_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["actor_id"], ["person.id"], name=op.f("fk_erasure_actor_id_person")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_erasure_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erasure")),
        sa.UniqueConstraint("person_id", name=op.f("uq_erasure_person_id")),
    )
    let_erasures_rewrite_events(op)


def _drop_erasures() -> None:
    refuse_every_change_of_events(op)
    op.drop_table("erasure")


def _add_accounts():
    """Add disabled accounts, open sessions, passwords that wait for confirmation, identities elsewhere."""
    op.add_column("person", sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("person", sa.Column("last_sign_in_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "unconfirmed_password",
        sa.Column("person_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("earlier_hash", sa.String(length=255), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_unconfirmed_password_person_id_person")
        ),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_unconfirmed_password")),
    )
    op.create_table(
        "open_session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("device", sa.String(length=80), nullable=False),
        sa.Column("network", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_open_session_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_open_session")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_open_session_key_hash")),
    )
    op.create_index("ix_open_session_person_id", "open_session", ["person_id"])
    op.create_index("ix_open_session_last_used_at", "open_session", ["last_used_at"])
    op.create_table(
        "organisation_identity",
        sa.Column("issuer", sa.String(length=500), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("linked_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["person.id"], name=op.f("fk_organisation_identity_person_id_person")
        ),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_organisation_identity")),
    )
    op.create_index("ix_organisation_identity_person_id", "organisation_identity", ["person_id"])


def _remove_accounts():
    op.drop_table("organisation_identity")
    op.drop_table("open_session")
    op.drop_table("unconfirmed_password")
    op.drop_column("person", "last_sign_in_at")
    op.drop_column("person", "disabled_at")


def _add_audit_trail():
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("project_number", sa.Integer(), nullable=True),
        sa.Column("project_slug", sa.String(length=80), nullable=True),
        sa.Column("network", sa.String(length=64), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["person.id"], name=op.f("fk_audit_entry_actor_id_person")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_audit_entry_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entry")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_entry_project_number", "audit_entry", ["project_number"])
    op.create_index("ix_audit_entry_at", "audit_entry", ["at"])
    install_audit_triggers(op)


def _remove_audit_trail():
    remove_audit_triggers(op)
    op.drop_table("audit_entry")


def _add_webhooks() -> None:
    op.create_table(
        "webhook",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(length=1000), nullable=False),
        sa.Column("secret", sa.LargeBinary(length=32), nullable=False),
        sa.Column("events", sa.String(length=200), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("points", sa.Float(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_webhook_project_id_project")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
    )
    op.create_index("ix_webhook_project_id", "webhook", ["project_id"], unique=False)
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.String(length=40), nullable=False),
        sa.Column("event", sa.String(length=30), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'delivered', 'failed')", name=op.f("ck_webhook_delivery_state_is_known")
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhook.id"], name=op.f("fk_webhook_delivery_webhook_id_webhook")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_delivery")),
        sa.UniqueConstraint("message_id", name=op.f("uq_webhook_delivery_message_id")),
    )
    op.create_index("ix_webhook_delivery_webhook_id", "webhook_delivery", ["webhook_id"], unique=False)
    op.create_index("ix_webhook_delivery_state", "webhook_delivery", ["state", "next_at"], unique=False)
    op.create_table(
        "webhook_watch",
        sa.Column("project_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("looked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_webhook_watch_project_id_project")
        ),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_webhook_watch")),
    )


def _remove_webhooks() -> None:
    op.drop_table("webhook_watch")
    op.drop_index("ix_webhook_delivery_state", table_name="webhook_delivery")
    op.drop_index("ix_webhook_delivery_webhook_id", table_name="webhook_delivery")
    op.drop_table("webhook_delivery")
    op.drop_index("ix_webhook_project_id", table_name="webhook")
    op.drop_table("webhook")


def _add_mail() -> None:
    op.create_table(
        "mail_message",
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("invitation_id", sa.Integer(), nullable=True),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('invitation', 'replies', 'work', 'weekly')", name=op.f("ck_mail_message_kind_is_known")
        ),
        sa.CheckConstraint(
            "state IN ('waiting', 'delivered', 'failed', 'unneeded')",
            name=op.f("ck_mail_message_state_is_known"),
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_mail_message_person_id_person")),
        sa.ForeignKeyConstraint(
            ["invitation_id"], ["invitation.id"], name=op.f("fk_mail_message_invitation_id_invitation")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_mail_message_project_id_project")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail_message")),
        sa.UniqueConstraint("message_id", name=op.f("uq_mail_message_message_id")),
    )
    op.create_index("ix_mail_message_state", "mail_message", ["state", "next_at"], unique=False)


def _remove_mail() -> None:
    op.drop_index("ix_mail_message_state", table_name="mail_message")
    op.drop_table("mail_message")


def _add_copies() -> None:
    op.create_table(
        "project_copy",
        sa.Column("project_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("slug", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("with_ratings", sa.Boolean(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("network", sa.String(length=64), nullable=True),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'copying', 'done', 'failed')", name=op.f("ck_project_copy_state_is_known")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_project_copy_project_id_project")
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_project_copy_person_id_person")),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_project_copy")),
    )


def _remove_copies() -> None:
    op.drop_table("project_copy")


def _add_imports_of_projects() -> None:
    op.add_column("project", sa.Column("importing", sa.JSON(), nullable=True))


def _remove_imports_of_projects() -> None:
    op.drop_column("project", "importing")


OWN_RATINGS = "ix_judgment_project_id_annotator_id"


def _order_own_ratings() -> None:
    """Let the newest ratings of one person be found without the rest of the project's ledger."""
    op.drop_index(OWN_RATINGS, table_name="judgment")
    op.create_index(OWN_RATINGS, "judgment", ["project_id", "annotator_id", "revision"], unique=False)


def _leave_own_ratings_unordered() -> None:
    op.drop_index(OWN_RATINGS, table_name="judgment")
    op.create_index(OWN_RATINGS, "judgment", ["project_id", "annotator_id"], unique=False)
