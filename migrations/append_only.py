"""Which triggers and functions keep tables append-only, as read from the statements that create them."""

from __future__ import annotations

import re
from typing import NamedTuple

from migrations import audit_triggers, ledger_triggers

CREATED = re.compile(
    r"CREATE TRIGGER (?P<name>\w+) BEFORE [A-Z ]+ ON (?P<table>\w+)"
    r"(?:\s+FOR EACH \w+ EXECUTE FUNCTION (?P<function>\w+))?"
)


class Trigger(NamedTuple):
    """A trigger, its table, and the function that it runs; SQLite's run none."""

    name: str
    table: str
    function: str | None


def triggers_of(dialect: str) -> list[Trigger]:
    """Return all triggers that a database of the newest revision has."""
    is_sqlite = dialect == "sqlite"
    ledger = ledger_triggers.SQLITE if is_sqlite else ledger_triggers.POSTGRESQL
    audit = audit_triggers.SQLITE if is_sqlite else audit_triggers.POSTGRESQL
    statements = [ledger.format(table=table, refusal="") for table in ledger_triggers.LEDGER_TABLES]
    return [Trigger(**found.groupdict()) for found in CREATED.finditer("\n".join([*statements, *audit]))]
