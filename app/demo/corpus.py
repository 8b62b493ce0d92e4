"""Articles and questions of the Kettle Lane Cycle Workshop, read from the data files beside this one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One article of the help centre, and the week in which it was published."""

    doc_id: str
    title: str
    text: str
    source: str
    added_week: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question as riders type it, with a note on what a good answer would do."""

    query_id: str
    text: str
    intent: str


def rows_of(name: str) -> list[dict[str, Any]]:
    """Return the rows of one JSON Lines file of the demo, in file order."""
    with (DATA / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def articles() -> tuple[Article, ...]:
    """Return all sixty articles, by id."""
    return tuple(Article(**row) for row in rows_of("documents.jsonl"))


@cache
def questions() -> tuple[Question, ...]:
    """Return all twenty-four questions, by id."""
    return tuple(Question(**row) for row in rows_of("queries.jsonl"))


def articles_until(week: int) -> tuple[Article, ...]:
    """Return the articles that exist in a week: those published in it or before."""
    return tuple(article for article in articles() if article.added_week <= week)
