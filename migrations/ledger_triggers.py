"""The triggers that keep the ledger append-only; every migration that touches its tables ends with them.

Autogenerate sees no triggers, and rebuilding a table on SQLite drops them silently: so they are written
here by hand, installed anew after such a rebuild, and their presence is a test.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

LEDGER_TABLES = ("judgment", "event")
REFUSAL = "the ledger is append-only"

SQLITE = """
CREATE TRIGGER {table}_refuse_update BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{refusal}: {table} rows are never updated'); END;

CREATE TRIGGER {table}_refuse_delete BEFORE DELETE ON {table}
WHEN NOT EXISTS (SELECT 1 FROM purge WHERE project_id = OLD.project_id)
BEGIN SELECT RAISE(ABORT, '{refusal}: {table} rows are never deleted'); END;

CREATE TRIGGER {table}_refuse_rewind BEFORE INSERT ON {table}
WHEN EXISTS (SELECT 1 FROM {table} WHERE project_id = NEW.project_id AND revision >= NEW.revision)
BEGIN SELECT RAISE(ABORT, '{refusal}: {table} revisions only grow'); END;
"""

POSTGRESQL = """
CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF EXISTS (SELECT 1 FROM purge WHERE project_id = OLD.project_id) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION USING MESSAGE = '{refusal}: {table} refuses ' || TG_OP;
END $$;

CREATE TRIGGER {table}_refuse_change BEFORE UPDATE OR DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION {table}_append_only();

CREATE TRIGGER {table}_refuse_truncate BEFORE TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only();
"""

TRIGGERS = {
    "sqlite": ("refuse_update", "refuse_delete", "refuse_rewind"),
    "postgresql": ("refuse_change", "refuse_truncate"),
}


def install_triggers(op: Any) -> None:
    """Create the triggers of all ledger tables."""
    dialect = op.get_bind().dialect.name
    for table in LEDGER_TABLES:
        text = (SQLITE if dialect == "sqlite" else POSTGRESQL).format(table=table, refusal=REFUSAL)
        for statement in text.strip().split("\n\n") if dialect == "sqlite" else [text]:
            op.execute(sa.text(statement.replace(":", r"\:")))


def remove_triggers(op: Any) -> None:
    """Drop the triggers of all ledger tables."""
    dialect = op.get_bind().dialect.name
    for table in LEDGER_TABLES:
        for name in TRIGGERS[dialect]:
            op.execute(f"DROP TRIGGER {table}_{name}" + (f" ON {table}" if dialect == "postgresql" else ""))
        if dialect == "postgresql":
            op.execute(f"DROP FUNCTION {table}_append_only()")


def refuse_if_ledger_holds_rows(op: Any) -> None:
    """Stop a downgrade that would drop ratings."""
    rows = op.get_bind().execute(sa.text("SELECT COUNT(*) FROM judgment")).scalar_one()
    if rows:
        raise RuntimeError(
            f"this downgrade would drop {rows} judgment{'' if rows == 1 else 's'}: "
            "export and purge the projects first"
        )
