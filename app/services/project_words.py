"""A project's own words for its questions and answers, put into the sentences that the product says.

English sentences are reworded whole, because their grammar is known here. In any other language only what is
a label, a noun alone or beside a number or a letter, takes the owner's word, exactly as it was written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# The names of values stay as they are; after these words "answer" is a verb.
_NOUN = re.compile(
    r"%\(\w+\)s|(?<!ranker )(?<!rankers )(?<!examples )(?<!not )"
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
    """Tell whether a sentence is but a question or an answer, perhaps with its number or letter."""
    return _LABEL.fullmatch(sentence) is not None
