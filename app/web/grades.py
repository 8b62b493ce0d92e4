"""The grades of a project as they are shown: number, word, meaning and, if an owner gave one, an example."""

from __future__ import annotations

from typing import NamedTuple

from flask_babel import gettext

from app.http.languages import current_language
from app.sentences import message
from app.services.projects.projects import GRADE_WORDS
from app.services.translations import SOURCE

# The product's own words of both scales, for the catalogues.
USUAL = (
    message("No help"),
    message("The person asking would be annoyed."),
    message("A little"),
    message("Related, but not this problem."),
    message("Mostly"),
    message("The right subject, with one step missing."),
    message("Solves it"),
    message("The person asking could stop looking."),
    message("Off topic"),
    message("Nothing to do with the question."),
    message("Weak"),
    message("Touches the subject, of little use."),
    message("Fair"),
    message("Useful in part."),
    message("Good"),
    message("Useful, with something missing."),
    message("Excellent"),
    message("Exactly what was asked for."),
)


class ShownGrade(NamedTuple):
    """One grade of a scale."""

    grade: int
    word: str
    meaning: str
    example: str


def grades_of(words: list[dict[str, str]], grades: range) -> list[ShownGrade]:
    """Return each grade of a scale, lowest first; a grade without a word is called by its number.

    Words that no owner has touched are said in the language of the page.
    """
    named: list[dict[str, str]] = [*words, *({} for _ in grades)]
    say = gettext if are_usual(words) and current_language() != SOURCE else str
    return [
        ShownGrade(
            grade,
            say(entry["word"]) if entry.get("word") else str(grade),
            say(entry["meaning"]) if entry.get("meaning") else "",
            entry.get("example", ""),
        )
        for grade, entry in zip(grades, named, strict=False)
    ]


def words_of(words: list[dict[str, str]], grades: range) -> dict[int, str]:
    """Return only the words of the grades."""
    return {one.grade: one.word for one in grades_of(words, grades)}


def are_usual(words: list[dict[str, str]]) -> bool:
    """Return whether words and meanings are the product's own."""
    own = [(entry.get("word"), entry.get("meaning")) for entry in words]
    return any(
        own == [(entry["word"], entry["meaning"]) for entry in usual] for usual in GRADE_WORDS.values()
    )


def language_of(words: list[dict[str, str]], content_language: str) -> str:
    """Return the language of words that an owner wrote, as far as it is known; else nothing."""
    return "" if are_usual(words) else content_language
