"""A project's words for its questions and answers, and how they are shown.

English sentences are reworded whole, because their grammar is known here. In any other language only what is
a label, a noun alone or beside a number or a letter, takes the owner's word, exactly as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from sqlalchemy.orm import Session

from app.models.project import Project
from app.sentences import message
from app.services.collection.pictures import ShownPicture
from app.services.errors import InvalidError

# The names of values stay as they are; after these words "answer" or "answers" is a verb.
_NOUN = re.compile(
    r"%\(\w+\)s|(?<!ranker )(?<!rankers )(?<!examples )(?<!not )(?<!\bit )(?<!can )(?<!one that )"
    r"\b(?:(?P<article>an?) )?(?P<noun>questions?|answers?)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:%\(\w+\)s )?(?:questions?|answers?)(?: %\(letter\)s)?", re.IGNORECASE)


@dataclass(frozen=True)
class ProjectWords:
    """What a project calls its questions and answers, one of them and several."""

    query: str = "question"
    queries: str = "questions"
    document: str = "answer"
    documents: str = "answers"

    @classmethod
    def of(cls, wording: Mapping[str, str]) -> ProjectWords:
        """Return the words that are stored with a project; the usual ones stand in for those that are not.

        A percent sign would be taken for the place of a value: it is left out.
        """
        kept = {name: wording.get(name, "").replace("%", "").strip() for name in cls.__dataclass_fields__}
        return cls(**{name: word for name, word in kept.items() if word})

    def each(self, change: Callable[[str], str]) -> ProjectWords:
        """Return the words with each of them changed in the same way."""
        return ProjectWords(*map(change, (self.query, self.queries, self.document, self.documents)))

    @property
    def are_own(self) -> bool:
        """Whether any of them is not the usual one."""
        return self != USUAL

    def reworded(self, sentence: str) -> str:
        """Return an English sentence of the product, before any value is in it, in the project's words."""
        return _NOUN.sub(self._own, sentence) if self.are_own else sentence

    def _own(self, match: re.Match[str]) -> str:
        noun, article = match["noun"], match["article"]
        if noun is None:
            return match.group()
        own = self._word(noun.lower())
        if noun[0].isupper():
            own = own[0].upper() + own[1:]
        if article is None:
            return own
        fitting = "an" if own[0].lower() in "aeiou" else "a"
        return f"{fitting.capitalize() if article[0].isupper() else fitting} {own}"

    def _word(self, usual: str) -> str:
        words = (self.query, self.queries, self.document, self.documents)
        return dict(zip(("question", "questions", "answer", "answers"), words, strict=True))[usual]


USUAL = ProjectWords()


def is_label(sentence: str) -> bool:
    """Return whether a sentence is but a question or an answer, perhaps with its number or letter."""
    return _LABEL.fullmatch(sentence) is not None


FORMATS = ("text", "markdown")
LANGUAGE_TAG = re.compile(r"[a-zA-Z]{2,8}(?:-[a-zA-Z0-9]{1,8})*")
LONGEST_TAG = 35
# A document's own columns `format` and `language` win over these. Terms are marked in every answer, or never,
# with commas between them; the search is an address with the place of the question in it.
SHOWING: dict[str, Any] = {
    "answer_format": "text",
    "language": "",
    "marked": "",
    "unmarked": "",
    "search": "",
}
QUESTION = "{question}"
MOST_TERMS, LONGEST_TERM = 100, 60


@dataclass(frozen=True, kw_only=True)
class ShownAnswer:
    """One answer as its annotator sees it: nothing here names or implies a ranker.

    `format` and `language` are what the file said of this document, "markdown" or "text", and a language
    tag; where they are empty the project's own hold. `lines` are the fields that an owner has chosen.
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
    lines: tuple[tuple[str, str], ...] = ()
    picture: ShownPicture | None = None


def written_as(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the format and the language of a document, from the columns of its file that are kept."""
    written, language = (str((extra or {}).get(name, "")).strip() for name in ("format", "language"))
    return {
        "format": written.lower() if written.lower() in FORMATS else "",
        "language": language if LANGUAGE_TAG.fullmatch(language) else "",
    }


def showing_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a project's texts are shown: what is stored of it, and the defaults of the rest."""
    return {name: options.get(name, default) for name, default in SHOWING.items()}


@dataclass(frozen=True)
class Terms:
    """The words that an owner has marked in every answer, and those that are never marked."""

    marked: tuple[str, ...]
    unmarked: tuple[str, ...]


def terms_of(options: Mapping[str, Any]) -> Terms:
    """Return a project's own terms."""
    return Terms(_terms(options.get("marked", "")), _terms(options.get("unmarked", "")))


def _terms(text: str) -> tuple[str, ...]:
    found = (" ".join(term.split())[:LONGEST_TERM] for term in re.split(r"[,;\n]", text))
    return tuple(dict.fromkeys(term for term in found if term))[:MOST_TERMS]


def search_of(options: Mapping[str, Any], query: str) -> tuple[str, str] | None:
    """Return where a question can be looked up, and the name of that host; None without such a place."""
    address = options.get("search", "")
    if not address:
        return None
    return address.replace(QUESTION, quote(query, safe="")), urlsplit(address).hostname or address


def change_showing(
    session: Session,
    project: Project,
    *,
    answer_format: str,
    language: str,
    marked: str = "",
    unmarked: str = "",
    search: str = "",
) -> None:
    """Set how a project's questions and answers are shown; nothing of it moves a score.

    :raise InvalidError: The format is not known, the language is not written as a tag, or the address for
        looking questions up has no place for the question.
    """
    language, search = language.strip(), search.strip()
    if search and not (_is_web(search) and QUESTION in search.partition("//")[2].partition("/")[2]):
        raise InvalidError(
            message(
                "%(address)s is not a search address: write one such as %(example)s.",
                address=search[:200],
                example=f"https://example.org/search?q={QUESTION}",
            ),
            code="search",
        )
    if answer_format not in FORMATS:
        raise InvalidError(f"The format {answer_format[:40]!r} is not known: choose text or markdown.")
    if language and (not LANGUAGE_TAG.fullmatch(language) or len(language) > LONGEST_TAG):
        raise InvalidError(
            message(
                "%(language)s is not a language tag: write one such as en, de or pt-BR.",
                language=repr(language[:40]),
            ),
            code="language",
        )
    chosen = {
        "answer_format": answer_format,
        "language": language,
        "marked": ", ".join(_terms(marked)),
        "unmarked": ", ".join(_terms(unmarked)),
        "search": search,
    }
    project.options = {**project.options, **chosen}
    session.flush()


def _is_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and address.isprintable()
