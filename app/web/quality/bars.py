"""The grades of one annotator as one bar: geometry for `templates/quality/_parts.html`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = 0.4
"""Percent left free between two grades."""


@dataclass(frozen=True)
class GradePart:
    """One grade: start and length in percent of the bar."""

    grade: int
    start: float
    length: float


@dataclass(frozen=True)
class GradeBar:
    """All grades that were given, lowest first, and the same in words."""

    parts: tuple[GradePart, ...]
    label: str


def grade_bar(counts: Sequence[int], lowest: int) -> GradeBar | None:
    """Return the bar of how often each grade was given, None where none was."""
    total = sum(counts)
    if not total:
        return None
    given = [(lowest + column, count) for column, count in enumerate(counts) if count]
    room = 100.0 - GAP * (len(given) - 1)
    parts, start = [], 0.0
    for grade, count in given:
        length = count / total * room
        parts.append(GradePart(grade, round(start, 2), round(length, 2)))
        start += length + GAP
    words = ", ".join(f"{grade}: {round(100 * count / total)} %" for grade, count in given)
    return GradeBar(tuple(parts), f"Grades: {words}")
