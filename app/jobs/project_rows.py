"""What of a project goes into its file, and which numbers in it name rows of other tables.

A file has no numbers of the database: a row is named by its place in its table, 1 for the first. The same
walk turns numbers into places at an export, and places into new numbers at an import.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from sqlalchemy import Column, Table

from app.models import Base, EventKind
from app.models.ranker import PROBE_KEY as PROBE
from app.scoring.arrays import Ints
from app.services.assignment.query_assignments import OPTION as QUERY_ASSIGNMENTS

TABLES = Base.metadata.tables
# Formed again from the rest: what counts now, and which answers are alike.
COMPUTED = {"current_judgment", "near_duplicate", "near_duplicate_search"}
# Of one site: ways in, addresses that are told, and work that is under way.
OF_THE_SITE = {
    "api_reply",
    "api_token",
    "invitation",
    "mail_message",
    "project_copy",
    "purge",
    "shared_link",
    "upload",
    "webhook",
    "webhook_delivery",
    "webhook_watch",
}
# What a copy without ratings leaves out, and the events that tell of it.
RATINGS = {
    "adjudication_request",
    "adjudication_view",
    "assignment",
    "assignment_candidate",
    "disclosure",
    "flag",
    "gold",
    "judgment",
    "judgment_note",
    "remark_resolution",
}
RATING_KINDS = (
    EventKind.DECLINES_RELEASED,
    EventKind.JUDGMENTS_IMPORTED,
    EventKind.JUDGMENTS_UNDONE,
    EventKind.NO_GOOD_ANSWER,
)
# Given new values where a project is imported.
RENEWED = {
    ("candidate", "public_id"),
    ("picture", "public_id"),
    ("project", "importing"),
    ("project", "is_demo"),
    ("project", "shuffle_secret"),
    ("project", "slug"),
}
PERSON_COLUMNS = ("kind", "name", "email", "created_at")
PLAIN_REFERENCES = {("document", "merged_into"): "document"}
# What payloads of events call rows of other tables; one number or a list of them.
NAMED = {
    "annotator_id": "person",
    "annotator_ids": "person",
    "document_ids": "document",
    "person_id": "person",
    "query_id": "query",
    "query_ids": "query",
    "ranker_id": "ranker",
    "request_id": "request",
    "ruler_id": "ruler",
    "run_id": "run",
}


class Numbers(Protocol):
    """What turns numbers into places, or places into numbers. Rows that are gone are negative in a file."""

    def of(self, table: str, values: Sequence[int | None]) -> list[int | None]:
        """Return the others, in the same order."""

    def packed(self, values: Ints) -> Ints:
        """Return those of many documents."""

    def span(self, first: int, last: int) -> list[int]:
        """Return the first and the last document of an unbroken range."""

    def revisions(self, values: Sequence[int | None]) -> list[int | None]:
        """Return revisions of the ledger."""


def tables_of_a_project(*, with_ratings: bool = True) -> list[Table]:
    """Return the tables that go into a file, people first, and those that others refer to before them.

    Payloads of events name rows of any table: they come last.
    """
    left_out = COMPUTED | OF_THE_SITE | (set() if with_ratings else RATINGS)
    mine = (each for each in Base.metadata.sorted_tables if each.name not in left_out and _has_project(each))
    return [TABLES["person"], TABLES["project"], *sorted(mine, key=lambda each: each.name == "event")]


def _has_project(table: Table) -> bool:
    return "project_id" in table.c or any("project_id" in key.column.table.c for key in table.foreign_keys)


def columns_of(table: Table) -> list[Column[Any]]:
    """Return the columns of a table that go into a file."""
    if table.name == "person":
        return [table.c[name] for name in PERSON_COLUMNS]
    return [
        column
        for column in table.columns
        if column.name not in {"id", "project_id"} and (table.name, column.name) not in RENEWED
    ]


def reference_of(column: Column[Any]) -> str | None:
    """Return the table whose rows a column names by their numbers, if it does."""
    if column.foreign_keys:
        (key,) = column.foreign_keys
        return key.column.table.name
    return PLAIN_REFERENCES.get((column.table.name, column.name))


def is_revision(column: Column[Any]) -> bool:
    """Return whether a column holds a revision of the ledger."""
    return column.name.endswith("revision")


def numbered_tables() -> set[str]:
    """Return the tables whose rows others name."""
    columns = [column for table in tables_of_a_project() for column in columns_of(table)]
    named = {reference_of(column) for column in columns} | set(NAMED.values())
    return {name for name in named if name is not None}


def with_numbers(column: Column[Any], value: Any, kind: str, numbers: Numbers) -> Any:
    """Return a value that may hold numbers inside with the others in it; `kind` is that of an event."""
    match (column.table.name, column.name):
        case ("event", "payload"):
            return {name: _payload_value(kind, name, each, numbers) for name, each in value.items()}
        case ("project", "options") if QUERY_ASSIGNMENTS in value:
            return {**value, QUERY_ASSIGNMENTS: _assigned(value[QUERY_ASSIGNMENTS], numbers)}
        case ("run", "stats") if PROBE in value:
            (query,) = numbers.of("query", [value[PROBE]["query_id"]])
            return {**value, PROBE: {**value[PROBE], "query_id": query}}
        case ("ranking", "document_ids"):
            return numbers.packed(np.frombuffer(value, dtype="<i4")).astype("<i4").tobytes()
    return value


def _payload_value(kind: str, name: str, value: Any, numbers: Numbers) -> Any:
    table = NAMED.get(name)
    if kind == EventKind.RUN_MOVED and name in {"before", "after"}:
        table = "ranker"
    if table is not None:
        return numbers.of(table, value) if isinstance(value, list) else numbers.of(table, [value])[0]
    if name == "ranges":
        return [numbers.span(*each) for each in value]
    # Of an event that this one takes back.
    return numbers.revisions([value])[0] if name in {"of", "revision"} else value


def _assigned(given: dict[str, dict[str, Any]], numbers: Numbers) -> dict[str, dict[str, Any]]:
    return {
        str(numbers.of("person", [int(person)])[0]): {**one, "queries": numbers.of("query", one["queries"])}
        for person, one in given.items()
    }
