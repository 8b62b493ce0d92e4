"""The grades of a project as they are shown: number, word, meaning and, if an owner gave one, an example."""

from __future__ import annotations

from typing import NamedTuple


class ShownGrade(NamedTuple):
    """One grade of a scale."""

    grade: int
    word: str
    meaning: str
    example: str


def grades_of(words: list[dict[str, str]], grades: range) -> list[ShownGrade]:
    """Return each grade of a scale, lowest first; a grade without a word is called by its number."""
    named: list[dict[str, str]] = [*words, *({} for _ in grades)]
    return [
        ShownGrade(grade, entry.get("word") or str(grade), entry.get("meaning", ""), entry.get("example", ""))
        for grade, entry in zip(grades, named, strict=False)
    ]
