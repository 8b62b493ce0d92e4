"""How a project's questions and answers are shown: their format and their language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.services.errors import InvalidError
from app.services.sentences import said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from app.models import Project

FORMATS = ("text", "markdown")
LANGUAGE_TAG = re.compile(r"[a-zA-Z]{2,8}(?:-[a-zA-Z0-9]{1,8})*")
LONGEST_TAG = 35
# A document's own columns `format` and `language` win over these.
SHOWING: dict[str, Any] = {"answer_format": "text", "language": ""}


def showing_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a project's texts are shown: what is stored of it, and the defaults of the rest."""
    return {name: options.get(name, default) for name, default in SHOWING.items()}


def change_showing(session: Session, project: Project, *, answer_format: str, language: str) -> None:
    """Set the format of a project's answers and the language of its texts; neither moves a score.

    Raises
    ------
    InvalidError
        The format is not known, or the language is not written as a tag.
    """
    language = language.strip()
    if answer_format not in FORMATS:
        raise InvalidError(f"The format {answer_format[:40]!r} is not known: choose text or markdown.")
    if language and (not LANGUAGE_TAG.fullmatch(language) or len(language) > LONGEST_TAG):
        raise InvalidError(
            said(
                "%(language)s is not a language tag: write one such as en, de or pt-BR.",
                language=repr(language[:40]),
            ),
            code="language",
        )
    project.options = {**project.options, "answer_format": answer_format, "language": language}
    session.flush()
