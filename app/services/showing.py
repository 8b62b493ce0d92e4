"""How a project's questions and answers are shown: what of an answer, in which format and language."""

from __future__ import annotations

import re
from dataclasses import dataclass
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


@dataclass(frozen=True, kw_only=True)
class ShownAnswer:
    """One answer as whoever grades it sees it: nothing here names or implies a ranker.

    `format` and `language` are what the file said of this document, "markdown" or "text", and a language
    tag; where they are empty the project's own hold.
    """

    public_id: str
    letter: str
    place: int
    title: str
    text: str
    url: str
    source: str
    format: str = ""
    language: str = ""


def written_as(extra: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the format and the language of a document, from the columns of its file that are kept."""
    written, language = (str((extra or {}).get(name, "")).strip() for name in ("format", "language"))
    return {
        "format": written.lower() if written.lower() in FORMATS else "",
        "language": language if LANGUAGE_TAG.fullmatch(language) else "",
    }


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
