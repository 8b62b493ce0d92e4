"""What readers yield and writers take: one frozen row per line of a file.

`line` is where a row came from; it takes no part in comparing rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Record = tuple[int, dict[str, Any], dict[str, Any]]
"""A line before it is checked: its number, our name -> raw value, other name -> raw value."""
# Why an annotator gave no grade (or took one back).
REASONS = ("cleared", "unclear", "unreadable", "expertise", "language", "harmful", "other")


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query with its text; `weight` is None where the file says nothing about it.

    `lacks` names the columns that the file does not have, which is not the same as empty ones.
    """

    query_id: str
    text: str
    intent: str | None = None
    tags: tuple[str, ...] = ()
    line: int = field(default=0, compare=False, repr=False)
    weight: float | None = None
    lacks: frozenset[str] = field(default=frozenset(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document; `extra` holds the columns that are kept but not shown.

    `lacks` names those of its own columns that the file does not have, `extra_columns` the others that it
    has, empty or not.
    """

    document_id: str
    title: str = ""
    text: str = ""
    url: str | None = None
    source: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    line: int = field(default=0, compare=False, repr=False)
    lacks: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    extra_columns: frozenset[str] = field(default=frozenset(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RunRow:
    """One place of a ranked list: with a score, or a rank, or both."""

    query_id: str
    document_id: str
    rank: int | None
    score: float | None
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    """One annotator's grade for one document, or the reason why there is none; times are in UTC."""

    query_id: str
    document_id: str
    annotator: str | None
    grade: int | None
    reason: str | None = None
    judged_at: datetime | None = None
    line: int = field(default=0, compare=False, repr=False)
