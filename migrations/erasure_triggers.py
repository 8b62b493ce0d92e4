"""The one change of the ledger that its triggers let pass: the text of an event, while a person is erased."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from migrations.ledger_triggers import REFUSAL, install_triggers, remove_triggers

# Since 1.1 the payload of an event, and nothing else, may be rewritten while somebody is being erased.
SQLITE_ERASING = """
CREATE TRIGGER event_refuse_update BEFORE UPDATE ON event
WHEN NOT EXISTS (SELECT 1 FROM erasure WHERE is_open)
    OR NEW.project_id <> OLD.project_id OR NEW.revision <> OLD.revision OR NEW.kind <> OLD.kind
    OR NEW.actor_id IS NOT OLD.actor_id OR NEW.at <> OLD.at
BEGIN SELECT RAISE(ABORT, '{refusal}: event rows are never updated'); END;
"""

POSTGRESQL_ERASING = """
CREATE OR REPLACE FUNCTION event_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF EXISTS (SELECT 1 FROM purge WHERE project_id = OLD.project_id) THEN
            RETURN OLD;
        END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        IF EXISTS (SELECT 1 FROM erasure WHERE is_open)
            AND to_jsonb(NEW) - 'payload' = to_jsonb(OLD) - 'payload' THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION USING MESSAGE = '{refusal}: event refuses ' || TG_OP;
END $$;
"""


def let_erasures_rewrite_events(op: Any) -> None:
    """Let the payload of an event be rewritten while an erasure is open; the table `erasure` is there."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER event_refuse_update")
        statement = SQLITE_ERASING
    else:
        statement = POSTGRESQL_ERASING
    op.execute(sa.text(statement.format(refusal=REFUSAL).strip().replace(":", r"\:")))


def refuse_every_change_of_events(op: Any) -> None:
    """Take that back: the triggers are those of 1.0."""
    remove_triggers(op)
    install_triggers(op)
