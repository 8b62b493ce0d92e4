"""A closer look at one annotator: grades by place, time per word by grade, and what was given in haste."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select

from app.models import Candidate, Document, Query

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Flags, Ints
    from app.services.annotators.given import Given
    from app.services.annotators.rated import Rated

LEAST_EACH = 10
"""Fewer ratings at a place, or of a grade, have no mean and no median."""
MOST_HASTY = 20
ASKED_AT_ONCE = 500


@dataclass(frozen=True)
class AtPlace:
    """The grades given at one place of a batch; `mean` as a column, None below 10."""

    place: int
    number: int
    mean: float | None


@dataclass(frozen=True)
class TimeOfGrade:
    """How long answers of one grade took: the median in ms per word, None below 10 timed answers."""

    column: int
    number: int
    ms_per_word: float | None


@dataclass(frozen=True)
class HastyGrade:
    """One grade that was given too fast."""

    query_id: int
    query: str
    answer: str
    column: int
    ms: int


def grades_by_place(rated: Rated, number: int) -> list[AtPlace]:
    """Return the grades of an annotator by the place at which the answer was first shown."""
    rows = _own_rows(rated.given, number)
    place = rated.sheet.place[rated.given.first[rows]].astype(np.int64)
    column = rated.given.column[rows]
    found = []
    for one in np.unique(place[place > 0]).tolist():
        here = column[place == one]
        mean = float(here.mean()) if len(here) >= LEAST_EACH else None
        found.append(AtPlace(one, len(here), mean))
    return found


def time_by_grade(session: Session, rated: Rated, number: int) -> list[TimeOfGrade]:
    """Return how long an annotator took per word, grade by grade; nothing without a time."""
    rows = _own_rows(rated.given, number)
    rows = rows[rated.given.ms[rows] > 0]
    if not len(rows):
        return []
    words = _words_of(session, rated.evidence.structure.candidate_id[rated.given.cell[rows]])
    per_word = rated.given.ms[rows] / np.maximum(words, 1)
    column = rated.given.column[rows]
    return [_time(one, per_word[column == one]) for one in range(rated.levels)]


def hasty_grades(session: Session, rated: Rated, number: int) -> list[HastyGrade]:
    """Return the last grades that an annotator gave too fast, newest first, at most 20."""
    rows = np.flatnonzero(rated.hasty & (rated.given.annotator == number))
    rows = rows[np.argsort(-rated.given.last[rows], kind="stable")][:MOST_HASTY]
    numbers = rated.evidence.structure.candidate_id[rated.given.cell[rows]].tolist()
    shown = func.coalesce(func.nullif(Document.title, ""), func.substr(Document.text, 1, 70))
    named = {
        candidate: (query_id, query, answer or "")
        for candidate, query_id, query, answer in session.execute(
            select(Candidate.id, Query.id, Query.text, shown)
            .join(Query, Query.id == Candidate.query_id)
            .join(Document, Document.id == Candidate.document_id)
            .where(Candidate.id.in_(numbers))
        )
    }
    return [
        HastyGrade(*named[candidate], int(rated.given.column[row]), int(rated.given.ms[row]))
        for candidate, row in zip(numbers, rows.tolist(), strict=True)
    ]


def _time(column: int, per_word: Ints) -> TimeOfGrade:
    median = float(np.median(per_word)) if len(per_word) >= LEAST_EACH else None
    return TimeOfGrade(column, len(per_word), median)


def _own_rows(given: Given, number: int) -> Ints:
    mine: Flags = (given.annotator == number) & given.graded
    return np.flatnonzero(mine)


def _words_of(session: Session, candidates: Ints) -> Ints:
    """Return about how many words each answer has: its blanks, and one."""
    text = Document.title + " " + Document.text
    words = func.length(text) - func.length(func.replace(text, " ", "")) + 1
    numbers = candidates.tolist()
    found: dict[int, int] = {}
    for start in range(0, len(numbers), ASKED_AT_ONCE):
        some = numbers[start : start + ASKED_AT_ONCE]
        rows = session.execute(
            select(Candidate.id, words)
            .join(Document, Document.id == Candidate.document_id)
            .where(Candidate.id.in_(some))
        )
        found |= {int(row[0]): int(row[1]) for row in rows}
    return np.array([found[number] for number in numbers], dtype=np.int64)
