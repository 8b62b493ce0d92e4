"""The triggers that keep the audit trail append-only; a migration that rebuilds its table ends with them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

# What happened within so many days stays, whatever anybody sets.
AUDIT_DAYS = 90
REFUSAL = "the audit trail is append-only"
SQLITE = (
    # While somebody is being erased, the network of their entries may be taken away, and nothing else.
    f"""
CREATE TRIGGER audit_entry_refuse_update BEFORE UPDATE ON audit_entry
WHEN NOT EXISTS (SELECT 1 FROM erasure WHERE is_open AND person_id IN (OLD.actor_id, OLD.person_id))
    OR NEW.network <> ''
    OR NEW.id <> OLD.id OR NEW.at <> OLD.at OR NEW.kind <> OLD.kind OR NEW.actor_id IS NOT OLD.actor_id
    OR NEW.person_id IS NOT OLD.person_id OR NEW.project_number IS NOT OLD.project_number
    OR NEW.project_slug IS NOT OLD.project_slug OR NEW.details <> OLD.details
BEGIN SELECT RAISE(ABORT, '{REFUSAL}: entries are never updated'); END
""",
    f"""
CREATE TRIGGER audit_entry_refuse_delete BEFORE DELETE ON audit_entry
WHEN OLD.at > datetime('now', '-{AUDIT_DAYS} days')
BEGIN SELECT RAISE(ABORT, '{REFUSAL}: entries of the last {AUDIT_DAYS} days are never deleted'); END
""",
    # REPLACE deletes without that trigger on connections that are not this program's.
    f"""
CREATE TRIGGER audit_entry_refuse_replace BEFORE INSERT ON audit_entry
WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, '{REFUSAL}: entries are never replaced'); END
""",
)
POSTGRESQL = (
    f"""
CREATE FUNCTION audit_entry_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.at <= now() - interval '{AUDIT_DAYS} days' THEN
            RETURN OLD;
        END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        IF NEW.network = '' AND EXISTS (
            SELECT 1 FROM erasure WHERE is_open AND person_id IN (OLD.actor_id, OLD.person_id)
        ) AND to_jsonb(NEW) - 'network' = to_jsonb(OLD) - 'network' THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION USING MESSAGE = '{REFUSAL}: it refuses ' || TG_OP;
END $$
""",
    """
CREATE TRIGGER audit_entry_refuse_change BEFORE UPDATE OR DELETE ON audit_entry
FOR EACH ROW EXECUTE FUNCTION audit_entry_append_only()
""",
    """
CREATE TRIGGER audit_entry_refuse_truncate BEFORE TRUNCATE ON audit_entry
FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_append_only()
""",
)
TRIGGERS = {
    "sqlite": ("refuse_update", "refuse_delete", "refuse_replace"),
    "postgresql": ("refuse_change", "refuse_truncate"),
}


def install_audit_triggers(op: Any) -> None:
    """Create the triggers of the audit trail: nothing is changed, and only what is old is deleted."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in SQLITE if is_sqlite else POSTGRESQL:
        op.execute(sa.text(statement.replace(":", r"\:")))


def remove_audit_triggers(op: Any) -> None:
    """Drop the triggers of the audit trail."""
    dialect = op.get_bind().dialect.name
    for name in TRIGGERS[dialect]:
        on = " ON audit_entry" if dialect == "postgresql" else ""
        op.execute(f"DROP TRIGGER audit_entry_{name}{on}")
    if dialect == "postgresql":
        op.execute("DROP FUNCTION audit_entry_append_only()")
